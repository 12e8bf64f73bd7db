"""Places inside texts that YAML joins or unescapes: quoted, folded and plain scalars of several lines.

Source: docs/compositions.md 3.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from workbench.prompt.source import Position, TextSource


class Piece(NamedTuple):
    """A run of characters that stands in the file as it stands in the text."""

    offset: int
    """Of its first character in the text."""
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class PiecewiseSource(TextSource):
    """A text that stands in its file in pieces."""

    pieces: tuple[Piece, ...] = ()
    """By offset. A character between two of them, such as a folded line end, counts to the former."""

    def position(self, text: str, offset: int) -> Position:
        """The place in the file of the character at `offset` (code points) of `text`."""
        index = bisect_right(self.pieces, offset, key=lambda piece: piece.offset) - 1
        if index < 0:
            return Position(self.file, self.line, self.column)
        piece = self.pieces[index]
        return Position(self.file, piece.line, piece.column + offset - piece.offset)


def piecewise_source(start: TextSource, written: str, text: str, style: str) -> TextSource:
    """The source of `text` that is `written` in the file from `start` on, between its quotes if it has any.

    Without a piece for every line, `start` stands for the whole text: a wrong place is worse than a vague one.
    """
    pieces = tuple(_block_pieces(start, written, text) if style == ">" else _flow_pieces(start, written, style))
    last = pieces[-1].offset if pieces else 0
    if not pieces or last > len(text) or not _agree(pieces, start, written, text):
        return start
    return PiecewiseSource(start.file, pieces[0].line, pieces[0].column, None, pieces)


def _block_pieces(start: TextSource, written: str, text: str) -> Iterator[Piece]:
    """Of a `>` block: its lines stand in the text one after another, with blanks or line ends between."""
    cursor = 0
    for number, line in enumerate(written.split("\n")):
        content = line.strip(" ")
        if number == 0 or not content:  # The first line is the `>` itself.
            continue
        found = text.find(content, cursor)
        if found < 0 or text[cursor:found].strip(" \n"):
            return
        yield Piece(found, start.line + number, len(line) - len(line.lstrip(" ")) + 1)
        cursor = found + len(content)


_ESCAPES = {
    '"': re.compile(
        r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # one character, as JSON writes it
        r"|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)"
    ),
    "'": re.compile("''"),
    "": re.compile("(?!)"),
}


def _flow_pieces(start: TextSource, written: str, style: str) -> Iterator[Piece]:
    """Of quoted and plain scalars, line by line and within a line from escape to escape."""
    offset = 0
    for line in _flow_lines(written, style):
        offset += line.joined_by
        first_column = start.column if line.number == 0 else 1
        for begins, length in _runs(line, _ESCAPES[style]):
            yield Piece(offset, start.line + line.number, first_column + begins)
            offset += length


class _FlowLine(NamedTuple):
    """A line of a quoted or plain scalar that is not empty."""

    number: int
    written: str
    begins: int
    ends: int
    joined_by: int
    """How many characters of the text stand between it and the line before."""


def _flow_lines(written: str, style: str) -> Iterator[_FlowLine]:
    """A line end becomes a blank, n empty lines n line ends, an escaped line end nothing."""
    lines = written.split("\n")
    line_end = empty_lines = 0
    for number, line in enumerate(lines):
        is_first, is_last = number == 0, number == len(lines) - 1
        begins = 0 if is_first else len(line) - len(line.lstrip(" \t"))
        ends = len(line) if is_last else len(line.rstrip(" \t"))
        if begins >= ends and not is_first and not is_last:
            empty_lines += 1
            continue
        end_is_escaped = style == '"' and not is_last and _ends_in_backslash(line)
        yield _FlowLine(number, line, begins, ends - end_is_escaped, empty_lines or line_end)
        line_end, empty_lines = int(not end_is_escaped), 0


def _runs(line: _FlowLine, escape: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where each run of plain characters and each escape begins, and for how many characters it stands."""
    position = line.begins
    for found in escape.finditer(line.written, line.begins, line.ends):
        if found.start() > position:
            yield position, found.start() - position
        yield found.start(), 1
        position = found.end()
    if line.ends > position:
        yield position, line.ends - position


def _ends_in_backslash(line: str) -> bool:
    """Whether the line end itself is escaped."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _agree(pieces: tuple[Piece, ...], start: TextSource, written: str, text: str) -> bool:
    """Whether each piece really is in the file what it is in the text; escapes are single characters."""
    lines = written.split("\n")
    for piece, following in zip(pieces, (*pieces[1:], Piece(len(text), 0, 0)), strict=True):
        line = lines[piece.line - start.line]
        column = piece.column - (start.column if piece.line == start.line else 1)
        length = following.offset - piece.offset
        in_text = text[piece.offset : piece.offset + length].rstrip(" \n")
        in_file = line[column : column + len(in_text)]
        if in_file != in_text and length != 1:
            return False
    return True
