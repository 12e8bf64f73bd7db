"""Lossless JSON: values that come back from JSON as exactly what they were.

`json.dumps` accepts half of what is refused here. The walk has a stack of its own, so that any depth is refused
and none crashes.

Source: docs/dynamic-packages.md 11.
"""

from __future__ import annotations

from math import copysign, isfinite
from typing import Any

MAX_DEPTH = 100
MAX_PARTS = 100_000
MAX_INTEGER = 2**53 - 1

_Above = tuple[Any, Any] | None
"""A container and those above it."""


class NotLossless(ValueError):
    """A value that JSON would not give back; the message begins with the path to it."""


def lossless_copy(value: Any, root: str = "value") -> Any:
    """A plain copy. Raises `NotLossless`."""
    made: list[Any] = [None]
    todo: list[tuple[Any, Any, Any, str, _Above, int]] = [(value, made, 0, root, None, 0)]
    parts = 0
    while todo:
        each, target, key, path, above, depth = todo.pop()
        parts += 1
        if parts > MAX_PARTS:
            raise NotLossless(f"{path}: more than {MAX_PARTS} parts")
        kind = type(each)
        if kind is dict or kind is list:
            _check_container(each, path, above, depth)
            inner: Any = {} if kind is dict else [None] * len(each)
            target[key] = inner
            link = (each, above)
            if kind is dict:
                for name in each:
                    _check_key(name, path)
                    inner[name] = None
                todo += [(each[name], inner, name, _below(path, name), link, depth + 1) for name in reversed(each)]
            else:
                todo += [
                    (each[index], inner, index, f"{_short(path)}[{index}]", link, depth + 1)
                    for index in reversed(range(len(each)))
                ]
        else:
            _check_plain(each, path)
            target[key] = each
    return made[0]


def _check_container(value: Any, path: str, above: _Above, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise NotLossless(f"{path}: more than {MAX_DEPTH} levels deep")
    while above is not None:
        if above[0] is value:
            raise NotLossless(f"{path}: a cycle")
        above = above[1]


def _check_key(name: Any, path: str) -> None:
    if type(name) is not str:
        raise NotLossless(f"{path}: the key {name!r:.60} is a {type(name).__name__}, not a text")
    _check_text(name, path)


def _check_plain(value: Any, path: str) -> None:
    kind = type(value)
    if value is None or kind is bool:
        return
    if kind is str:
        _check_text(value, path)
    elif kind is int:
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise NotLossless(f"{path}: an integer beyond ±(2**53 - 1)")
    elif kind is float:
        if not isfinite(value) or (value == 0 and copysign(1, value) < 0):
            raise NotLossless(f"{path}: {value!r} does not survive JSON")
    else:
        raise NotLossless(f"{path}: a {kind.__name__} is not JSON")


def _check_text(text: str, path: str) -> None:
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise NotLossless(f"{path}: half of a surrogate pair")


def _below(path: str, name: str) -> str:
    return f"{_short(path)}.{name[:40]}"


def _short(path: str) -> str:
    return path if len(path) < 120 else f"{path[:60]}…{path[-40:]}"
