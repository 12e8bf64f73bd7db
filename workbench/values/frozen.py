"""JSON values that nobody can change, and the one check that a value is JSON at all.

Frozen objects and lists are a `dict` and a `list` to everybody who reads them: equal to the plain ones,
written by every JSON library. Source: docs/models.md 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import copysign, isfinite
from typing import Any, NoReturn, TypeAlias

FrozenJson: TypeAlias = "FrozenDict | FrozenList | str | int | float | bool | None"
"""A deep-frozen JSON value."""

MAX_DEPTH = 200
"""Objects and lists inside each other; JSON writers stop at about 250."""


class NotJson(ValueError):
    """A value that would not survive JSON unchanged. `path` leads to it: keys and indices."""

    def __init__(self, reason: str, path: tuple[str | int, ...] = ()) -> None:
        self.reason = reason
        self.path = path
        super().__init__(f"{path_text(path)}: {reason}" if path else reason)

    def below(self, step: str | int) -> NotJson:
        """The same, seen from one level further up."""
        return NotJson(self.reason, (step, *self.path))


class Frozen(TypeError):
    """Somebody tried to change a frozen value."""


def _refuse(self: object, *_args: object, **_options: object) -> NoReturn:
    raise Frozen("this value is frozen: make a changed copy of it with `thaw(value)`")


class FrozenDict(dict[str, Any]):
    """A JSON object that refuses every change; keys keep their order. Made by `freeze`."""

    __slots__ = ()
    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, _memo: object) -> FrozenDict:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return freeze, (thaw(self),)


class FrozenList(list[Any]):
    """A JSON list that refuses every change. Made by `freeze`."""

    __slots__ = ()
    __setitem__ = __delitem__ = append = clear = extend = insert = pop = _refuse
    remove = reverse = sort = __iadd__ = __imul__ = _refuse

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, _memo: object) -> FrozenList:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return freeze, (thaw(self),)


def freeze(value: Any) -> Any:
    """A deep-frozen copy of a JSON value; what is frozen already comes back as it is.

    Raises `NotJson` for what JSON would change or refuse: NaN, infinities, `-0.0`, keys that are no strings,
    sets, tuples, objects of other classes, half surrogate pairs, cycles and too deep nesting.
    """
    return _frozen_dict(value, 0) if type(value) is dict else _freeze(value, 0)


def thaw(value: Any) -> Any:
    """A copy of a frozen value that can be changed at every level."""
    if isinstance(value, dict):
        return {key: thaw(each) for key, each in value.items()}
    if isinstance(value, list):
        return [thaw(each) for each in value]
    return value


def path_text(path: tuple[str | int, ...]) -> str:
    """`("sessions", 0, "calls")` as `sessions[0].calls`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


EMPTY = FrozenDict()
"""The frozen `{}`."""


def _freeze(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind is str:
        if not value.isascii():
            _check_text(value)
        return value
    if kind in _AS_THEY_ARE:
        return value
    if kind is float:
        return _checked_float(value)
    if depth >= MAX_DEPTH and kind in (dict, list):
        raise NotJson(f"values are nested more than {MAX_DEPTH} levels deep, or contain themselves")
    if kind is dict:
        return _frozen_dict(value, depth)
    if kind is list:
        frozen = FrozenList(value)
        for index, each in enumerate(value):
            if type(each) not in _AS_THEY_ARE:
                list.__setitem__(frozen, index, _below(each, index, depth))
        return frozen
    if isinstance(value, Mapping) and not isinstance(value, dict):  # a read-only view
        return _freeze(dict(value), depth)
    raise NotJson(f"{kind.__name__} is not a JSON type")


def _frozen_dict(value: dict[Any, Any], depth: int) -> FrozenDict:
    """One copy as a whole, then what is not a plain scalar is put in its place: most values of an event are."""
    frozen = FrozenDict(value)
    for key, each in value.items():
        if type(key) is not str or not key.isascii():
            _checked_key(key)
        kind = type(each)
        if kind is str:
            if each.isascii():
                continue
        elif kind in _AS_THEY_ARE:
            continue
        try:
            is_plain = kind is dict and depth < MAX_DEPTH - 1
            below = _frozen_dict(each, depth + 1) if is_plain else _freeze(each, depth + 1)
        except NotJson as error:
            raise error.below(key) from None
        _put(frozen, key, below)
    return frozen


_put = dict.__setitem__
_AS_THEY_ARE = frozenset({type(None), bool, int, FrozenDict, FrozenList})


def _below(value: Any, step: str | int, depth: int) -> Any:
    try:
        return _freeze(value, depth + 1)
    except NotJson as error:
        raise error.below(step) from None


def _checked_key(key: Any) -> str:
    if type(key) is not str:
        raise NotJson(f"the key {key!r} is not a string")
    if not key.isascii():
        _check_text(key)
    return key


def _checked_float(value: float) -> float:
    if not isfinite(value):
        raise NotJson(f"{value} is not a JSON number")
    if value == 0 and copysign(1, value) < 0:
        raise NotJson("-0.0 does not survive JSON")
    return value


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise NotJson(f"half of a surrogate pair at character {error.start}") from None
