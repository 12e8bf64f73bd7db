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
    """Of quoted and plain scalars: a line end is a blank, n empty lines are n line ends."""
    cursor = empty_lines = 0
    lines = written.split("\n")
    joined_by_escape = True
    for number, line in enumerate(lines):
        begins = 0 if number == 0 else len(line) - len(line.lstrip(" \t"))
        ends = len(line) if number == len(lines) - 1 else len(line.rstrip(" \t"))
        if number and begins >= ends and number < len(lines) - 1:
            empty_lines += 1
            continue
        if not joined_by_escape:
            cursor += empty_lines or 1
        empty_lines = 0
        column = start.column if number == 0 else 1
        position = begins
        joined_by_escape = False
        if style == '"' and _ends_in_backslash(line):
            ends, joined_by_escape = len(line.rstrip()) - 1, True
        for escape in _ESCAPES[style].finditer(line, begins, ends):
            if escape.start() > position:
                yield Piece(cursor, start.line + number, column + position)
                cursor += escape.start() - position
            yield Piece(cursor, start.line + number, column + escape.start())
            cursor += 1
            position = escape.end()
        if ends > position:
            yield Piece(cursor, start.line + number, column + position)
            cursor += ends - position


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
