"""Rows of what is known about one thing: blocks that are drawn when they are seen, cut at the width."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from workbench.prompt.trace import Change
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.panel import wrapped
from workbench.tui.view.pieces import Line, Piece, cut, spread

WIDEST: Final = 96
"""Cells of running text."""


class Rows(Protocol):
    """Lines, made or still to be drawn."""

    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> Line: ...


class OneLine:
    """A line that is made when it is seen."""

    def __init__(self, make: Callable[[], Line]) -> None:
        self._make = make

    def __len__(self) -> int:
        return 1

    def __getitem__(self, row: int, /) -> Line:
        return self._make()


class Block(NamedTuple):
    """Rows that belong together."""

    lines: Rows
    change: Change | None = None
    target: EntryKey | None = None
    """The entry that the rows are about, as the place Prompt finds it."""
    is_difference: bool = False
    """The rows have a gutter that begins with a blank: they stand one cell further out than words."""


class Detail:
    """All rows. How many there are is known, each is drawn when asked for, and cut at the width."""

    def __init__(self, blocks: Sequence[Block], width: int = 0) -> None:
        self._width = width
        self._blocks = [block for block in blocks if len(block.lines)]
        self._ends: list[int] = []
        end = 0
        for block in self._blocks:
            end += len(block.lines)
            self._ends.append(end)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, row: int) -> Line:
        block, start = self._at(row)
        return cut(block.lines[row - start], self._width + 1)  # the tint of a difference reaches further

    def block_at(self, row: int) -> Block | None:
        """What stands in that row; None behind the end."""
        return self._at(row)[0] if 0 <= row < len(self) else None

    def first_change(self) -> int | None:
        """The row in which the first change begins."""
        start = 0
        for block, end in zip(self._blocks, self._ends, strict=True):
            if block.change is not None:
                return start
            start = end
        return None

    def row_of(self, change: Change) -> int | None:
        """The row in which that change begins."""
        start = 0
        for block, end in zip(self._blocks, self._ends, strict=True):
            if block.change is change:
                return start
            start = end
        return None

    def _at(self, row: int) -> tuple[Block, int]:
        index = bisect_right(self._ends, row)
        if row < 0 or index == len(self._blocks):
            raise IndexError(row)
        return self._blocks[index], self._ends[index - 1] if index else 0


def heading(title: str, right: Line, width: int, blanks: bool) -> Iterator[Block]:
    """The title of a group, with an empty line above where there is room."""
    if blanks:
        yield Block([()])
    yield Block([spread((Piece(title, "soft", bold=True),), right, width)])


def paragraph(line: Line, width: int) -> list[Line]:
    """Running text, as wide as it reads well."""
    return list(wrapped(line, max(8, min(width, WIDEST))))
