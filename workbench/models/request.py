"""What a provider is asked: the call configuration and the deep-frozen request.

Source: docs/models.md 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.values.frozen import EMPTY, FrozenDict, freeze, thaw

_KEYS = {
    "provider": "provider",
    "model": "model",
    "reasoningEffort": "reasoning_effort",
    "temperature": "temperature",
    "maxTokens": "max_tokens",
    "stop": "stop",
}
"""Keys in a log, and the attributes here."""


@dataclass(frozen=True, slots=True)
class CallConfig:
    """The route of a call and its settings; equal by value. None stands for "the provider decides"."""

    provider: str | None = None
    model: str | None = None
    reasoning_effort: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] | None = None
    extra: FrozenDict = field(default_factory=lambda: EMPTY, hash=False)
    """Settings that only one provider knows, by their name in its API."""

    def __post_init__(self) -> None:
        if self.stop is not None:
            object.__setattr__(self, "stop", tuple(self.stop))
        object.__setattr__(self, "extra", freeze(self.extra))
        twice = sorted(self.extra.keys() & _KEYS.keys())
        if twice:
            raise ValueError(f"{', '.join(twice)}: not a setting of the provider's own; set the attribute instead")

    def to_json(self) -> dict[str, Any]:
        """The form of a log: camelCase, absent where nothing is set, `extra` beside the rest."""
        written: dict[str, Any] = {
            key: getattr(self, name) for key, name in _KEYS.items() if getattr(self, name) is not None
        }
        if self.stop is not None:
            written["stop"] = list(self.stop)
        written.update(thaw(self.extra))
        return written

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> CallConfig:
        """The reverse of `to_json`; unknown keys become `extra`. Raises `ValueError` for a wrong type."""
        known = {name: _checked(key, data[key]) for key, name in _KEYS.items() if data.get(key) is not None}
        return cls(**known, extra=freeze({key: value for key, value in data.items() if key not in _KEYS}))

    def with_(self, **changes: Any) -> CallConfig:
        """A copy with some attributes changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request, frozen at every level."""

    config: CallConfig
    system: str | None = None
    """None when there is no system text: an empty one is never sent."""
    tools: tuple[FrozenDict, ...] = ()
    """Of `name`, `description` and `parameters`, keys in the order that the provider sees."""
    messages: tuple[FrozenDict, ...] = ()
    """Of `role` and `content` (a list of blocks), with whatever else the log keeps on them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "system", self.system or None)
        object.__setattr__(self, "tools", _frozen_objects(self.tools))
        object.__setattr__(self, "messages", _frozen_objects(self.messages))

    __hash__ = None  # type: ignore[assignment]


def _frozen_objects(values: Iterable[Any]) -> tuple[FrozenDict, ...]:
    given = values if type(values) is tuple else tuple(values)
    if _ONLY_FROZEN.issuperset(map(type, given)):
        return given  # a conversation is long, and only its end is new
    return tuple([freeze(value) for value in given])


_ONLY_FROZEN = frozenset({FrozenDict})


def _checked(key: str, value: Any) -> Any:
    if key == "temperature":
        good = isinstance(value, int | float) and not isinstance(value, bool)
        wanted = "a number"
    elif key == "maxTokens":
        good = isinstance(value, int) and not isinstance(value, bool) and value > 0
        wanted = "a positive whole number"
    elif key == "stop":
        good = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
        value = tuple(value) if good else value
        wanted = "a list of texts"
    else:
        good = isinstance(value, str)
        wanted = "a text"
    if not good:
        raise ValueError(f"{key}: {wanted} was expected, not {value!r}")
    return value
