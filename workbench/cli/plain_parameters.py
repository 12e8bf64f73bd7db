"""Command-line parameters as they are given.

Typer converts every value through Pydantic, whose import takes longer than rendering a prompt. Our parameters
are words and flags: there is nothing to convert, and one list of choices to look into.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


class PlainCommand(TyperCommand):
    """A command whose parameters are texts, lists of texts, flags and choices."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _as_given(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of commands with such parameters of its own."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _as_given(super().get_params(ctx))


def _as_given(parameters: list[Any]) -> list[Any]:
    """Put our conversion where Typer would build its own; another version that looks elsewhere still does."""
    for parameter in parameters:
        descriptor = getattr(parameter, "type_descriptor", None)
        parameter._runtime_param = _AsGiven(getattr(descriptor, "annotation", None))
    return parameters


class _AsGiven:
    """Takes the place of Typer's conversion of one parameter."""

    def __init__(self, annotation: Any) -> None:
        self._choices = annotation if isinstance(annotation, type) and issubclass(annotation, Enum) else None

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value, or the choice that it names. Raises `typer.BadParameter`."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if self._choices is None:
            return value
        try:
            return self._choices(value)
        except ValueError:
            known = ", ".join(str(choice.value) for choice in self._choices)
            raise typer.BadParameter(f"{value!r} is none of: {known}", ctx=ctx, param=param) from None
