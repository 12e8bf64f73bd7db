"""What a YAML file says, as a tree in which every value knows where it stands.

Offsets count characters of the document's text, from 0. Source: docs/compositions.md 11.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from workbench.config.folded import piecewise_source
from workbench.config.problems import LoadProblem
from workbench.prompt.source import Position, TextSource

COMPLEX_KEY = "?"
"""Style of a key that was written as a mapping or a list. It stands for `{{name}}` without quotes."""

TEXT_TAGS = (None, "!", "tag:yaml.org,2002:str")
"""Tags that say nothing but that a value is a text."""

PathStep = str | int
Path = tuple[PathStep, ...]


@dataclass(slots=True)
class Scalar:
    """One written value; what it means (text, number, …) is decided by `value`."""

    start: int
    """Offset of its first character; of the `|` or `>` for a block scalar."""
    end: int
    text: str
    style: str
    """`""` plain, `"'"` or `'"'` quoted, `"|"` or `">"` block."""
    tag: str | None = None
    size: int = 1

    @property
    def is_text(self) -> bool:
        """Whether YAML reads it as a text."""
        return isinstance(self.value, str)

    @property
    def value(self) -> str | int | float | bool | None:
        """By the YAML 1.2 core schema: only a plain scalar can be something else than text."""
        return self.text if self.style or self.tag else plain_value(self.text)


@dataclass(slots=True)
class Sequence:
    """A list."""

    start: int
    end: int
    items: list[Node] = field(default_factory=list)
    tag: str | None = None
    size: int = 1
    """Nodes below and including this one, with every alias written out."""


@dataclass(slots=True)
class Mapping:
    """Keys and values. `entries` leaves out keys that were given twice, `twice` names them."""

    start: int
    end: int
    entries: dict[str, Entry] = field(default_factory=dict)
    twice: set[str] = field(default_factory=set)
    tag: str | None = None
    size: int = 1


@dataclass(slots=True)
class Entry:
    """One key of a mapping and its value."""

    key: Scalar
    value: Node


Node = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file: its text, its root (None when there is nothing in it), and its places."""

    file: str
    text: str
    root: Node | None
    line_starts: tuple[int, ...]
    is_plain: bool = field(default=False, kw_only=True)
    """Whether it has no anchors and nothing was left out of it, so that its parts can be parsed by themselves."""

    @property
    def files(self) -> tuple[Document, ...]:
        """The documents that it consists of."""
        return (self,)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1."""
        return place_in(self.line_starts, offset)

    def position(self, offset: int) -> Position:
        """The same with the file, which need not be `file` where files include each other."""
        return Position(self.file, *self.place(offset))

    def problem(self, offset: int, path: Path, message: str, remedy: str = "") -> LoadProblem:
        """A problem at a place of this file."""
        line, column = self.place(offset)
        return LoadProblem(self.file, line, column, path_text(path), message, remedy)

    def at(self, path: Path) -> Node | None:
        """The value at `path`; None when nothing stands there."""
        node = self.root
        for step in path:
            if isinstance(node, Mapping) and isinstance(step, str) and step in node.entries:
                node = node.entries[step].value
            elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
                node = node.items[step]
            else:
                return None
        return node

    def offset(self, path: Path) -> int:
        """Where the value at `path` begins; that of the nearest value around it when it is absent."""
        while (node := self.at(path)) is None and path:
            path = path[:-1]
        return node.start if node else 0

    def key_offset(self, path: Path) -> int:
        """Where the key at the end of `path` is written; as `offset` for anything else."""
        around = self.at(path[:-1])
        if isinstance(around, Mapping) and path[-1] in around.entries:
            return around.entries[str(path[-1])].key.start
        return self.offset(path)

    def source(self, scalar: Scalar) -> TextSource:
        """Where the text of `scalar` stands, for positions inside it."""
        if scalar.style == "|":
            return self._literal_block_source(scalar)
        quote = 1 if scalar.style in ("'", '"') else 0
        line, column = self.place(scalar.start + quote)
        written = self.text[scalar.start + quote : scalar.end - quote]
        if written == scalar.text and "\n" not in written:
            return TextSource(self.file, line, column)
        return piecewise_source(TextSource(self.file, line, column, None), written, scalar.text, scalar.style)

    def _literal_block_source(self, scalar: Scalar) -> TextSource:
        header_line, _ = self.place(scalar.start)
        indent = 0
        for number, line in enumerate(scalar.text.split("\n")):
            if line:  # The file's line is the text's line behind the indentation.
                start = self.line_starts[header_line + number]
                end = self.text.find("\n", start)
                indent = (end if end >= 0 else len(self.text)) - start - len(line)
                break
        return TextSource(self.file, header_line + 1, indent + 1, indent)


def line_starts_of(text: str) -> tuple[int, ...]:
    """Offsets at which the lines of `text` begin."""
    return (0, *(found.end() for found in re.finditer("\n", text)))


def place_in(line_starts: tuple[int, ...], offset: int) -> tuple[int, int]:
    """Line and column, from 1, of an offset."""
    line = bisect_right(line_starts, offset)
    return line, offset - line_starts[line - 1] + 1


def path_text(path: Path) -> str:
    """`("plugins", 2, "config")` as `plugins[2].config`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NAMED: dict[str, bool | float | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".nan": float("nan"), ".NaN": float("nan"), ".NAN": float("nan"),
    **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
}  # fmt: skip
_DIGITS_THAT_PYTHON_CONVERTS = 4300


def plain_value(text: str) -> str | int | float | bool | None:
    """What an unquoted scalar means by the YAML 1.2 core schema (`no` and `2031-02-03` are texts)."""
    if text in _NAMED:
        return _NAMED[text]
    if _INTEGER.fullmatch(text) and len(text) < _DIGITS_THAT_PYTHON_CONVERTS:
        base = {"0o": 8, "0x": 16}.get(text[:2])
        return int(text[2:], base) if base else int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def plain_data(node: Node) -> Any:
    """The tree as ordinary Python data, for a plugin's config or a tool's parameters."""
    if isinstance(node, Mapping):
        return {key: plain_data(entry.value) for key, entry in node.entries.items()}
    if isinstance(node, Sequence):
        return [plain_data(item) for item in node.items]
    return node.value
