"""One text made of several, each of which leads back to its own file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from workbench.prompt import TextSource
from workbench.prompt.source import Position


class Piece(NamedTuple):
    """A part of the whole that stands in one file."""

    text: str
    source: TextSource


class Run(NamedTuple):
    """Where a piece begins in the joined text."""

    offset: int
    piece: Piece


@dataclass(frozen=True, slots=True)
class JoinedSource(TextSource):
    """The source of a text that is made of pieces."""

    runs: tuple[Run, ...] = ()
    """By offset; a character behind the end of its piece belongs to the piece's end."""

    def position(self, text: str, offset: int) -> Position:
        """The place in whichever file of the character at `offset` (code points) of `text`."""
        index = bisect_right(self.runs, offset, key=lambda run: run.offset) - 1
        if index < 0:
            return Position(self.file, self.line, self.column)
        begins, piece = self.runs[index]
        return piece.source.position(piece.text, min(offset - begins, len(piece.text)))


def joined(pieces: Iterable[Piece]) -> tuple[str, TextSource]:
    """The texts of the pieces one after another, and where each character of them stands."""
    runs: list[Run] = []
    length = 0
    for piece in pieces:
        runs.append(Run(length, piece))
        length += len(piece.text)
    first = runs[0].piece.source
    source = JoinedSource(first.file, first.line, first.column, None, tuple(runs))
    return "".join(run.piece.text for run in runs), source
