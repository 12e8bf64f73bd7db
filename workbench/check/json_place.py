"""Where a value stands in a JSON text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from json import JSONDecoder

_DECODER = JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|(NaN|-?Infinity)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """A value inside a JSON text."""

    line: int
    """From 1."""
    column: int
    path: str = ""
    """Such as `cases[3].expect.system`."""


def place_of(text: str, path: Sequence[str | int]) -> Place:
    """The place of the value at `path` in `text`, which must be valid JSON.

    For a member of an object that is the place of its key. A step that leads nowhere is left out, so that a
    missing value is placed at the object that lacks it.
    """
    offset = place = _skip_space(text, 0)
    walked = ""
    for step in path:
        if text[offset] == "{":
            for key, key_place, value in _members(text, offset):
                if key == step:
                    place, offset = key_place, value
                    walked += f".{step}" if walked else key
                    break
        elif text[offset] == "[" and isinstance(step, int):
            items = list(_items(text, offset))
            if step < len(items):
                place = offset = items[step]
                walked += f"[{step}]"
    return _place(text, place, walked)


def item_places(text: str, key: str) -> list[Place]:
    """The places of the items of the array under `key` of the outermost object."""
    for name, _, value in _members(text, _skip_space(text, 0)):
        if name == key:
            return [_place(text, item) for item in _items(text, value)]
    return []


def repeated_key(text: str) -> tuple[str, Place] | None:
    """The first key that stands twice in one object, and the place of the second one."""
    found = _repeated_key(text, _skip_space(text, 0))
    return None if found is None else (found[0], _place(text, found[1]))


def place_of_constant(text: str) -> Place:
    """The place of the first `NaN` or `Infinity` that is not inside a string."""
    for match in _STRING_OR_CONSTANT.finditer(text):
        if match.group(1):
            return _place(text, match.start())
    return Place(1, 1)


def _place(text: str, offset: int, path: str = "") -> Place:
    return Place(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset), path)


def _repeated_key(text: str, offset: int) -> tuple[str, int] | None:
    values: list[int] = []
    if text[offset] == "{":
        seen = set()
        for key, place, value in _members(text, offset):
            if key in seen:
                return key, place
            seen.add(key)
            values.append(value)
    elif text[offset] == "[":
        values.extend(_items(text, offset))
    for value in values:
        if found := _repeated_key(text, value):
            return found
    return None


def _members(text: str, offset: int) -> Iterator[tuple[str, int, int]]:
    """Key, place of the key and place of the value of each member of the object at `offset`."""
    offset = _skip_space(text, offset + 1)
    while text[offset] != "}":
        key, after_key = _DECODER.raw_decode(text, offset)
        value = _skip_space(text, _skip_space(text, after_key) + 1)
        yield key, offset, value
        offset = _next_element(text, value)


def _items(text: str, offset: int) -> Iterator[int]:
    """Places of the items of the array at `offset`."""
    offset = _skip_space(text, offset + 1)
    while text[offset] != "]":
        yield offset
        offset = _next_element(text, offset)


def _next_element(text: str, value: int) -> int:
    """Place of what follows the value and its comma: the next element or the closing bracket."""
    _, end = _DECODER.raw_decode(text, value)
    end = _skip_space(text, end)
    return _skip_space(text, end + 1) if text[end] == "," else end


def _skip_space(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return match.end() if match else offset
