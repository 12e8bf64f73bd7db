"""Settings of first-party plugins: frozen dataclasses, which Pydantic judges where there is something to judge.

Importing Pydantic takes as long as all the rest that a command does. Values that have exactly their declared
types need no more than a look; anything else goes to a Pydantic model of the same fields, which converts it or
says what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class Between:
    """Bounds of a number, both included: `Annotated[int, Between(1, 60)]`."""

    least: int
    most: int

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return {**handler(source), "ge": self.least, "le": self.most}


class _FieldNames:
    def __get__(self, instance: object, owner: Any) -> tuple[str, ...]:
        return tuple(field.name for field in fields(owner))


class Settings:
    """Base of a `Config`. Subclasses are frozen dataclasses whose fields all have defaults."""

    model_fields: ClassVar[_FieldNames] = _FieldNames()
    """The known keys."""

    @classmethod
    def model_validate(cls, values: object) -> Self:
        """The settings that `values`, a mapping, describes. Raises `pydantic.ValidationError`."""
        hints = get_type_hints(cls, include_extras=True)
        try:
            return cls(**_taken_mapping(hints, values))
        except _Doubtful:
            pass
        from pydantic import ConfigDict, create_model

        described: dict[str, Any] = {field.name: (hints[field.name], field.default) for field in fields(cls)}  # type: ignore[arg-type]
        model = create_model(cls.__name__, __config__=ConfigDict(extra="forbid"), **described)
        return cls(**dict(model.model_validate(values)))


class _Doubtful(Exception):
    """The value has not exactly its declared type."""


def _taken_mapping(hints: Mapping[str, Any], values: object) -> dict[str, Any]:
    if not isinstance(values, dict) or not values.keys() <= hints.keys():
        raise _Doubtful
    return {name: _taken(hints[name], value) for name, value in values.items()}


def _taken(annotation: Any, value: Any) -> Any:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        taken = _taken(arguments[0], value)
        if all(rule.least <= taken <= rule.most for rule in arguments[1:]):
            return taken
    elif origin is Literal:
        if isinstance(value, str) and value in arguments:
            return value
    elif origin is tuple:
        if isinstance(value, list | tuple):
            return tuple(_taken(arguments[0], item) for item in value)
    elif origin in (Union, UnionType):
        for each in arguments:
            try:
                return _taken(each, value)
            except _Doubtful:
                continue
    elif type(value) is annotation:
        return value
    raise _Doubtful
