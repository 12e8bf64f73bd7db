"""JSON that knows where its values stand. Source: docs/compositions.md 18."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from workbench.config.folded import piecewise_source
from workbench.config.nodes import line_starts_of, place_in
from workbench.config.problems import LoadError, LoadProblem
from workbench.config.textfile import TextFile
from workbench.prompt.source import TextSource

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*+"|(?P<constant>NaN|-?Infinity)', re.DOTALL)
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    """One value inside an object or a list."""

    key: str
    """Empty in a list."""
    offset: int
    """Of the value's first character."""
    value: Any


@dataclass(frozen=True, slots=True)
class JsonText:
    """A text that is valid JSON."""

    file: str
    text: str
    value: Any
    line_starts: tuple[int, ...]

    def place(self, offset: int) -> str:
        """`file:line:column`."""
        line, column = place_in(self.line_starts, offset)
        return f"{self.file}:{line}:{column}"

    def problem(self, offset: int, message: str, remedy: str) -> LoadProblem:
        """A problem at a place."""
        return LoadProblem(self.file, *place_in(self.line_starts, offset), "", message, remedy)

    def source(self, offset: int, value: str) -> TextSource:
        """Where the characters of the string at `offset`, which means `value`, stand."""
        line, column = place_in(self.line_starts, offset + 1)
        _, end = _DECODER.raw_decode(self.text, offset)
        written = self.text[offset + 1 : end - 1]
        if written == value:
            return TextSource(self.file, line, column)
        return piecewise_source(TextSource(self.file, line, column, None), written, value, '"')

    def start(self) -> int:
        """Offset of the outermost value."""
        return _after_space(self.text, 0)

    def members(self, offset: int) -> Iterator[Member]:
        """What is in the object or list at `offset`, in the order of the file."""
        text = self.text
        is_object = text[offset] == "{"
        offset = _after_space(text, offset + 1)
        while text[offset] not in "}]":
            key = ""
            if is_object:
                key, offset = _DECODER.raw_decode(text, offset)
                offset = _after_space(text, _after_space(text, offset) + 1)
            value, end = _DECODER.raw_decode(text, offset)
            yield Member(key, offset, value)
            offset = _after_space(text, end)
            if text[offset] == ",":
                offset = _after_space(text, offset + 1)

    def offset_of(self, offset: int, key: str) -> int:
        """Where the value of `key` begins in the object at `offset`. Raises `KeyError`."""
        found = [member.offset for member in self.members(offset) if member.key == key]
        if not found:
            raise KeyError(key)
        return found[-1]  # Of two values of one key the last one counts, as for `json`.


def parse_json(file: TextFile) -> JsonText:
    """The JSON in a file. Raises `LoadError` with one problem, at its place, when there is none."""
    text = file.text
    starts = line_starts_of(text)
    if not text.strip():
        _refuse(file.name, starts, 0, "the file is empty", "save it again, or remove the import")
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        remedy = "correct it there" if text.lstrip()[:1] in ("[", "{") else "name a JSON file"
        reason = f"{error.msg[:1].lower()}{error.msg[1:]}"
        _refuse(file.name, starts, min(error.pos, len(text)), f"this is not JSON: {reason}", remedy)
    except _Constant as constant:
        found = next((each for each in _STRING_OR_CONSTANT.finditer(text) if each["constant"]), None)
        offset = found.start() if found else 0
        _refuse(file.name, starts, offset, f"{constant} is no value of JSON", "write null, or a number")
    except ValueError as error:  # A number of more digits than Python converts.
        _refuse(file.name, starts, 0, f"this cannot be read: {str(error).split(';')[0]}", "shorten the number")
    except RecursionError:
        _refuse(file.name, starts, 0, "values are nested too deeply", "flatten them")
    return JsonText(file.name, text, value, starts)


class _Constant(Exception):
    """`NaN` or `Infinity`, which JSON does not know."""


def _refuse_constant(name: str) -> NoReturn:
    raise _Constant(name)


def _refuse(file: str, starts: tuple[int, ...], offset: int, message: str, remedy: str) -> NoReturn:
    raise LoadError([LoadProblem(file, *place_in(starts, offset), "", message, remedy)])


def _after_space(text: str, offset: int) -> int:
    found = _SPACE.match(text, offset)
    return found.end() if found else offset
