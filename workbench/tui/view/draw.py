"""One row of the page as pieces: owner bar, line number with its sign, and the text in its colours."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from workbench.tui.view.blocks import Block, Content, Run
from workbench.tui.view.layout import Located, Place, TextRow
from workbench.tui.view.page import Page
from workbench.tui.view.pieces import Line, Piece, Role, cut, spread, width_of
from workbench.tui.view.sizes import Sizes

BAR = 1
"""Cells of the owner bar."""
FOUND = "•"
"""Sign of a line in which the search has found something."""


class Match(NamedTuple):
    """A place that the search has found. Offsets are those of the visible text of the block."""

    start: int
    end: int


class Stretch(NamedTuple):
    """From one character of the page up to before another one: block and offset in its visible text."""

    start: tuple[int, int]
    end: tuple[int, int]

    def within(self, block: int, first: int, last: int) -> tuple[int, int] | None:
        """The part of it between two offsets of a block; None: nothing."""
        start = max((block, first), self.start)[1] if self.start[0] <= block else last
        end = min((block, last), self.end)[1] if block <= self.end[0] else first
        return (start, end) if start < end else None


@dataclass(frozen=True)
class Emphasis:
    """What is picked out on the page at the moment."""

    selected: int | None = None
    """Block of the chosen entry."""
    cursor: Place | None = None
    """The line that the person is on, when the text has the focus."""
    variable: str | None = None
    """Name of the variable whose places are picked out."""
    matches: Mapping[int, list[Match]] = field(default_factory=dict)
    """By block, in order."""
    current: tuple[int, Match] | None = None
    selection: Stretch | None = None
    """What the person has selected with the mouse."""


class Drawn(NamedTuple):
    """A row, ready to be painted."""

    bar: Piece | None
    """The owner bar: wider beside the chosen block."""
    line: Line
    """Everything right of the bar."""
    ground: Role


@dataclass(frozen=True, slots=True)
class Gutter:
    """Columns between the owner bar and the text."""

    digits: int = 3

    @property
    def width(self) -> int:
        """Number, sign, one blank."""
        return self.digits + 2


def draw(page: Page, located: Located, width: int, gutter: Gutter, emphasis: Emphasis, margin: int = 1) -> Drawn:
    """The row in `width` cells, of which the bar takes one and `margin` stay free at the right."""
    block = page.blocks[located.block]
    item = located.item
    if page.is_bare and isinstance(item, TextRow):
        line = tuple(_text(block.content, item, "text", None, emphasis, located.block))
        return Drawn(None, (Piece(" "), *line), "base")
    if isinstance(item, TextRow):
        return _text_row(block, item, located.block, gutter, emphasis)
    selected = emphasis.selected == located.block
    if item is None:
        return Drawn(
            _bar(block.owner_role, selected), _band(block, page.sizes, width - BAR, selected, margin), "panel"
        )
    note = _on(item, "failed-line")
    fill = Piece(" " * max(0, width - BAR - gutter.width - width_of(note)), ground="failed-line")
    return Drawn(_bar(block.owner_role, selected), (Piece(" " * gutter.width), *note, fill), "base")


@lru_cache(maxsize=64)
def _bar(role: Role, is_heavy: bool) -> Piece:
    return Piece("▌" if is_heavy else "▎", role, ground="base")


def _band(block: Block, sizes: Sizes, width: int, selected: bool, margin: int) -> Line:
    title = block.title()
    facts = cut(block.facts(sizes), max(width // 2, width - width_of(title) - 6))
    if selected:
        title = tuple(piece._replace(bold=True) for piece in title)
    return spread((Piece(" "), *title), (*facts, Piece(" " * margin)), width)


def _text_row(block: Block, item: TextRow, index: int, gutter: Gutter, emphasis: Emphasis) -> Drawn:
    content = block.content
    line = content.line_at(item.start)
    is_first_row = content.line_starts[line] == item.start
    has_cursor = emphasis.cursor == Place(index, line)
    ground: Role = "cursor" if has_cursor else "base"
    bar = _bar("focus" if has_cursor else block.owner_role, has_cursor or emphasis.selected == index)
    base: Role = "soft" if block.soft else "text"
    sign, sign_role = content.signs.get(line, ("", "text")) if is_first_row else ("", "text")
    number = str(line + 1) if is_first_row and block.has_numbers else ""
    number_role: Role = sign_role if sign == "×" else "faint"
    if emphasis.matches and _has_match(emphasis.matches.get(index, ()), item):
        number_role = "focus"
        if not sign:
            sign, sign_role = FOUND, "focus"
    pieces = (
        Piece(number.rjust(gutter.digits), number_role, number_role != "faint"),
        Piece(sign, sign_role, True) if sign else _NO_SIGN,
        _BLANK,
        *_text(content, item, base, emphasis.variable, emphasis, index),
    )
    return Drawn(bar, pieces, ground)


_NO_SIGN = Piece(" ", bold=True)
_BLANK = Piece(" ")


def _has_match(matches: Sequence[Match], row: TextRow) -> bool:
    index = bisect_left(matches, (row.start,))
    if index and matches[index - 1].end > row.start:
        return True
    return index < len(matches) and matches[index].start < row.end


def _text(
    content: Content, row: TextRow, base: Role, variable: str | None, emphasis: Emphasis, block: int
) -> Iterator[Piece]:
    pieces = _marked_text(content, row, base, variable, emphasis, block)
    selected = emphasis.selection.within(block, row.start, row.end) if emphasis.selection is not None else None
    return pieces if selected is None else _with_selection(pieces, row.start, *selected)


def _with_selection(pieces: Iterator[Piece], at: int, start: int, end: int) -> Iterator[Piece]:
    for piece in pieces:
        edges = sorted({0, len(piece.text), *(min(max(edge - at, 0), len(piece.text)) for edge in (start, end))})
        for first, last in pairwise(edges):
            part = piece._replace(text=piece.text[first:last])
            yield part._replace(role="base", ground="focus") if start <= at + first < end else part
        at += len(piece.text)


def _marked_text(
    content: Content, row: TextRow, base: Role, variable: str | None, emphasis: Emphasis, block: int
) -> Iterator[Piece]:
    text = content.text
    end = row.end
    if end > row.start and text[end - 1] == "\n":
        end -= 1
    matches = emphasis.matches.get(block, ())
    for start, stop, run in _stretches(content.runs, row.start, end):
        look = Piece(text[start:stop], base, False, False, None, True)
        if run is not None:
            ground = "key" if variable is not None and run.variable == variable else run.ground
            bold = run.bold or (variable is not None and run.variable == variable)
            look = Piece(look.text, run.role, bold, run.underline, ground, True)
        if matches:
            yield from _with_matches(text, start, stop, look, matches, emphasis, block)
        else:
            yield look


def _stretches(runs: tuple[Run, ...], start: int, end: int) -> Iterator[tuple[int, int, Run | None]]:
    """The row cut at the edges of the runs that touch it."""
    index = bisect_left(runs, (start,)) if runs else 0
    if index and runs[index - 1].end > start:
        index -= 1
    while start < end:
        run = runs[index] if index < len(runs) else None
        if run is None or run.start >= end:
            yield start, end, None
            return
        if run.start > start:
            yield start, run.start, None
            start = run.start
        stop = min(run.end, end)
        if stop > start:
            yield start, stop, run
        start = max(start, stop)
        index += 1


def _with_matches(
    text: str,
    start: int,
    stop: int,
    look: Piece,
    matches: list[Match] | tuple[()],
    emphasis: Emphasis,
    block: int,
) -> Iterator[Piece]:
    index = max(0, bisect_left(matches, (start,)) - 1)
    while start < stop and index < len(matches):
        match = matches[index]
        index += 1
        if match.end <= start:
            continue
        if match.start >= stop:
            break
        if match.start > start:
            yield look._replace(text=text[start : match.start])
            start = match.start
        end = min(match.end, stop)
        is_current = emphasis.current == (block, match)
        yield _found(look, text[start:end], is_current)
        start = end
    if start < stop:
        yield look._replace(text=text[start:stop])


def _found(look: Piece, text: str, is_current: bool) -> Piece:
    role: Role = "base" if is_current else "focus"
    ground: Role | None = "focus" if is_current else "key"
    return Piece(text, role, True, not is_current, ground, True)


def _on(line: Line, ground: Role) -> Line:
    return tuple(piece._replace(ground=piece.ground or ground) for piece in line)
