"""What the inspector shows: lines, and texts of any length that are wrapped once and drawn row by row."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from workbench.tui.view.details import Fact
from workbench.tui.view.panel import wrapped
from workbench.tui.view.pieces import Line, Piece, Role, cut, spread
from workbench.tui.view.wrap import TAB_STOPS, row_starts
from workbench.visible import visible

LABEL = 10
"""Cells of a label and its gap."""
WIDEST = 106
"""Cells of a line of text, at most."""


class Coloured(NamedTuple):
    """A run of a text in another colour. Offsets are those of the original text."""

    start: int
    end: int
    role: Role
    bold: bool = False
    underline: bool = False


@dataclass(frozen=True, slots=True)
class Title:
    """A heading with a fact at its right end, and air above it."""

    left: Line
    right: Line = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """Labelled lines; long values go on below themselves."""

    facts: tuple[Fact, ...]
    label: int = LABEL


@dataclass(frozen=True, slots=True)
class Rows:
    """Lines that are cut at the edge, each with something at its right end."""

    lines: tuple[tuple[Line, Line], ...]


@dataclass(frozen=True, slots=True)
class Words:
    """One paragraph, wrapped."""

    line: Line


@dataclass(frozen=True, slots=True)
class Drawn:
    """Lines that something else draws for a width."""

    draw: Callable[[int], Sequence[Line]]


@dataclass(frozen=True, slots=True)
class Text:
    """Outside text with line numbers."""

    text: str
    first_line: int = 1
    role: Role = "text"
    runs: tuple[Coloured, ...] = ()
    marked: int = 0
    """Number of a line that is picked out; 0: none."""
    has_numbers: bool = True


Part: TypeAlias = Title | Facts | Rows | Words | Drawn | Text


@dataclass(slots=True)
class _Block:
    """Rows of one part: made at once, or drawn when they are seen."""

    count: int
    line: Callable[[int], Line]
    gutter: int = 0
    """Characters in front of the text of a row."""
    goes_on: Callable[[int], bool] = lambda row: False
    """The row is the rest of the line before it."""


@dataclass(slots=True)
class Document:
    """Parts laid out for one width."""

    parts: tuple[Part, ...]
    width: int
    _blocks: list[_Block] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        end = 0
        for index, part in enumerate(self.parts):
            block = _laid_out(part, self.width, is_first=index == 0)
            if block.count:
                end += block.count
                self._blocks.append(block)
                self._ends.append(end)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, row: int) -> Line:
        """One row; raises `IndexError`."""
        block, at = self._at(row)
        return block.line(at)

    def gutter(self, row: int) -> int:
        """Characters in front of the text of a row: its line number."""
        return self._at(row)[0].gutter

    def goes_on(self, row: int) -> bool:
        """The row is the rest of the line before it."""
        block, at = self._at(row)
        return block.goes_on(at)

    def _at(self, row: int) -> tuple[_Block, int]:
        index = bisect_right(self._ends, row)
        block = self._blocks[index]
        return block, row - (self._ends[index] - block.count)


def _laid_out(part: Part, width: int, *, is_first: bool) -> _Block:
    if isinstance(part, Text):
        return _text_block(part, width)
    if isinstance(part, Drawn):
        return _made(part.draw(width))
    if isinstance(part, Title):
        lines: list[Line] = [] if is_first else [()]
        return _made([*lines, spread(part.left, part.right, width)])
    if isinstance(part, Facts):
        return _made(_fact_lines(part, width))
    if isinstance(part, Words):
        return _made(list(wrapped(part.line, max(1, width))))
    return _made([spread(left, right, width) for left, right in part.lines])


def _made(lines: Sequence[Line]) -> _Block:
    return _Block(len(lines), lines.__getitem__)


def _fact_lines(part: Facts, width: int) -> list[Line]:
    lines: list[Line] = []
    label = min(part.label, max(1, width // 2))
    for fact in part.facts:
        for index, row in enumerate(wrapped(fact.value, max(1, width - label))):
            name = fact.label if index == 0 else ""
            lines.append((*cut((Piece(name.ljust(label), "soft"),), label), *row))
    return lines


@lru_cache(maxsize=16)
def _text_block(part: Text, width: int) -> _Block:
    """Kept, since a refresh mostly shows the same texts again."""
    shown = visible(part.text, tab_stops=TAB_STOPS)
    text = str(shown)
    last = part.first_line + text.count("\n")
    digits = max(2, len(str(last))) if part.has_numbers else 0
    gutter = digits + 2 if digits else 0
    starts = row_starts(text, max(4, min(width, WIDEST) - gutter))
    numbers = _numbers(text, starts, part.first_line)
    runs = _runs(part.runs, shown.to_visible)
    run_starts = [run.start for run in runs]
    marks = shown.marks
    mark_starts = [start for start, _ in marks]

    def line(row: int) -> Line:
        start = starts[row]
        end = starts[row + 1] if row + 1 < len(starts) else len(text)
        if end > start and text[end - 1] == "\n":
            end -= 1
        number = numbers[row]
        is_marked = bool(number) and number == part.marked
        lead: Line = ()
        if gutter:
            role: Role = "focus" if is_marked else "faint"
            lead = (Piece((str(number) if number else "").rjust(digits) + "  ", role, bold=is_marked),)
        near = runs[max(0, bisect_left(run_starts, start) - 1) : bisect_left(run_starts, end)]
        near_marks = marks[max(0, bisect_left(mark_starts, start) - 1) : bisect_left(mark_starts, end)]
        return (*lead, *_pieces(text, start, end, part.role, near, near_marks))

    return _Block(len(starts), line, gutter, lambda row: not numbers[row])


def _numbers(text: str, starts: Sequence[int], first: int) -> list[int]:
    """The number of the line that begins in each row; 0 in rows that only go on."""
    number = first - 1
    numbers = []
    for start in starts:
        if start == 0 or text[start - 1] == "\n":
            number += 1
            numbers.append(number)
        else:
            numbers.append(0)
    return numbers


def _runs(runs: Iterable[Coloured], to_visible: Callable[[int], int]) -> list[Coloured]:
    return [run._replace(start=to_visible(run.start), end=to_visible(run.end)) for run in runs]


def _pieces(
    text: str, start: int, end: int, role: Role, runs: Sequence[Coloured], marks: Sequence[tuple[int, int]]
) -> Line:
    """The stretch of a text, cut wherever its look changes."""
    edges = {start, end}
    for low, high in (*((run.start, run.end) for run in runs), *marks):
        edges |= {edge for edge in (low, high) if start < edge < end}
    pieces: list[Piece] = []
    ordered = sorted(edges)
    for low, high in pairwise(ordered):
        run = next((each for each in runs if each.start <= low < each.end), None)
        is_mark = any(first <= low < last for first, last in marks)
        look = Piece(text[low:high], role, ground="key" if is_mark else None, is_outside=True)
        if run is not None:
            look = look._replace(role=run.role, bold=run.bold, underline=run.underline)
        pieces.append(look)
    return tuple(pieces)
