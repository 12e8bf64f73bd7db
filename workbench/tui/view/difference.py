"""The one drawing of a text difference: sign, line number, text on a tinted line, changed words picked out.

`difference_lines` gives the lines of a short one. `TextDifference` compares once and draws any row of it for
any width, so that a text of any length costs what is seen of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice, takewhile
from operator import itemgetter
from typing import Final, NamedTuple

from rich.cells import cell_len

from workbench.config.difference.texts import ChangedLine, changed_lines, changed_pieces
from workbench.prompt.views import Owner
from workbench.tui.view.changed_line import Look, ShownLine, drawn_row, shown_line
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, Role, cropped, cut, outside, spread, width_of
from workbench.tui.view.sizes import counted
from workbench.tui.view.wrap import TAB_STOPS, row_starts
from workbench.visible import visible

WIDEST: Final = 106
"""Cells of a unified difference; wider lines are hard to read."""
SIDE_BY_SIDE_FROM: Final = 104
"""Cells that two columns need: the width that Compare has on a screen of 160."""
AROUND: Final = 2
"""Equal lines shown before and behind those that differ."""
KEPT: Final = 256
"""Lines that stay prepared for another drawing."""
_ENDLESS: Final = 2**31
"""Cells of a row that is never full."""
_GAP: Final = 2
"""Cells between two columns."""


class Item(NamedTuple):
    """One line of the unified form, before it is wrapped: a line of the texts, a fold or a remark."""

    line: int
    """Index into `TextDifference.lines`; of a fold the first one; -1 of a remark."""
    fold: int = 0
    """That many equal lines are not shown."""
    remark: Line = ()


class Pair(NamedTuple):
    """One line of the form side by side."""

    left: int
    """Index into `TextDifference.lines`; -1: nothing there."""
    right: int
    fold: int = 0
    remark: Line = ()


@dataclass(frozen=True, slots=True)
class Form:
    """How a difference is drawn."""

    width: int
    is_side_by_side: bool = False
    is_whole: bool = False
    """Equal lines are all shown."""
    start: int | None = None
    """Lines take one row each, which shows them from that cell on; None: they are wrapped."""

    @property
    def column(self) -> int:
        """Cells of one column."""
        if self.is_side_by_side:
            return (self.width - _GAP) // 2
        return min(self.width, WIDEST) if self.start is None else self.width


@dataclass
class TextDifference:
    """Two texts, compared once. Rows are drawn when they are asked for."""

    before: str
    after: str
    remarks: Mapping[int, Line] = field(default_factory=dict)
    """Below the line of `after` with that number, from 1; of `before`, negative."""
    values: tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]] = ((), ())
    """Stretches of `before` and of `after` that are values of variables, in order."""
    has_numbers: bool = True
    """Lines have numbers; values that are no text of several lines need none."""

    def __post_init__(self) -> None:
        self.lines: list[ChangedLine] = changed_lines(changed_pieces(self.before, self.after))
        self.numbers: list[tuple[int, int]] = list(_numbered(self.lines))
        self._digits = max(1, len(str(max((max(pair) for pair in self.numbers), default=1))))
        self._layouts: dict[Form, Layout] = {}
        self._shown: dict[int, ShownLine] = {}

    @property
    def is_same(self) -> bool:
        """Nothing differs."""
        return self.before == self.after

    @cached_property
    def widest(self) -> int:
        """Cells of the widest line of both texts."""
        return max((cell_len(self.shown(index).text) for index in range(len(self.lines))), default=0)

    @property
    def gutter(self) -> int:
        """Cells in front of the text: a blank, sign, blank, number, blank."""
        return self._digits + 4 if self.has_numbers else 5

    def number(self, number: int) -> str:
        """As it stands in front of the text."""
        return f"{number:>{self._digits}} " if self.has_numbers else "  "

    def layout(self, form: Form) -> Layout:
        """Its rows in that form; the last two forms are kept."""
        layout = self._layouts.get(form)
        if layout is None:
            while len(self._layouts) > 1:
                del self._layouts[next(iter(self._layouts))]
            layout = self._layouts[form] = Layout(self, form)
        return layout

    def shown(self, index: int) -> ShownLine:
        """The line with its hidden characters as marks."""
        shown = self._shown.get(index)
        if shown is None:
            if len(self._shown) >= KEPT:
                self._shown.clear()
            shown = self._shown[index] = shown_line(self.lines[index], self._values_in(index))
        return shown

    def _values_in(self, index: int) -> list[tuple[int, int]]:
        """Those in one line, counted from its beginning. A line of both sides takes those of `after`."""
        side = 0 if self.lines[index].kind == "removed" else 1
        values = self.values[side]
        if not values:
            return []
        start = self._line_starts[side][self.numbers[index][side] - 1]
        end = start + sum(len(piece.text) for piece in self.lines[index].pieces)
        first = max(0, bisect_right(values, start, key=itemgetter(0)) - 1)
        near = takewhile(lambda value: value[0] < end, islice(values, first, None))
        return [(max(start, low) - start, min(end, high) - start) for low, high in near if high > start]

    @cached_property
    def _line_starts(self) -> tuple[list[int], list[int]]:
        """Where each line begins, in both texts."""
        before, after = (
            [0, *accumulate(len(line) + 1 for line in text.split("\n"))] for text in (self.before, self.after)
        )
        return before, after

    @property
    def first_place(self) -> int:
        """The first line that differs, as `remarks` counts: where there is one, as it is now; 0: none."""
        first = next((at for at, line in enumerate(self.lines) if line.kind != "same"), None)
        if first is None:
            return 0
        stretch = takewhile(lambda at: self.lines[at].kind != "same", range(first, len(self.lines)))
        now = next((at for at in stretch if self.lines[at].kind == "added"), None)
        return -self.numbers[first][0] if now is None else self.numbers[now][1]


class Layout:
    """The rows of one difference in one form. How many there are is known at once, each is drawn when asked for."""

    def __init__(self, difference: TextDifference, form: Form) -> None:
        self._of, self._form = difference, form
        self._text_width = max(1, form.column - difference.gutter - 1)
        self._items: Sequence[Item | Pair] = (
            _pairs(difference, form) if form.is_side_by_side else _items(difference, form.is_whole)
        )
        self._starts = [0]
        self._rows_of: dict[int, int] = {}
        for item in self._items:
            self._starts.append(self._starts[-1] + self._rows(item))

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, row: int) -> Line:
        """One row, in exactly the width of the form where the line is tinted."""
        if not 0 <= row < len(self):
            raise IndexError(row)
        index = bisect_right(self._starts, row) - 1
        item, nth = self._items[index], row - self._starts[index]
        if item.remark:
            room = self._form.width if self._form.is_side_by_side else self._form.column
            return cut((Piece(" " * self._of.gutter), *item.remark), room)
        if item.fold:
            fold = Piece(f"⋯ {counted(item.fold, 'equal line')}", "faint")
            return (Piece(" " * self._of.gutter), fold)
        if isinstance(item, Pair):
            return (*self._side(item.left, nth, 0), Piece(" " * _GAP), *self._side(item.right, nth, 1))
        return self._cell(item.line, nth, None)

    def __iter__(self) -> Iterator[Line]:
        return (self[row] for row in range(len(self)))

    def changes(self) -> list[int]:
        """The first row of each stretch that differs."""
        found: list[int] = []
        was_changed = False
        for item, start in zip(self._items, self._starts, strict=False):
            if item.remark:
                continue
            is_changed = not item.fold and any(
                index >= 0 and self._of.lines[index].kind != "same" for index in _indices(item)
            )
            if is_changed and not was_changed:
                found.append(start)
            was_changed = is_changed
        return found

    def _side(self, index: int, nth: int, side: int) -> Line:
        if index < 0 or nth >= self._rows_of_line(index):
            return (Piece(" " * self._form.column, ground=None if index < 0 else _LOOKS[self._kind(index)].ground),)
        return self._cell(index, nth, side)

    def _cell(self, index: int, nth: int, side: int | None) -> Line:
        """One row of one line: gutter, text, and its ground up to the edge."""
        look = _LOOKS[self._kind(index)]
        old, new = self._of.numbers[index]
        number = (new or old) if side is None else (old, new)[side]
        head: Line
        if nth == 0:
            head = (
                Piece(f" {look.sign} ", look.sign_role, True, ground=look.ground),
                Piece(self._of.number(number), "faint", ground=look.ground),
            )
        else:
            head = (Piece(" " * self._of.gutter, ground=look.ground),)
        line = (*head, *self._text(index, nth, look))
        fill = self._form.column - width_of(line)
        if fill < 0:
            return cut(line, self._form.column)
        if fill and (look.ground or side == 0):
            line = (*line, Piece(" " * fill, ground=look.ground))
        return line

    def _text(self, index: int, nth: int, look: Look) -> Line:
        shown, start = self._of.shown(index), self._form.start
        if start is None:
            return tuple(drawn_row(shown, nth, self._text_width, look))
        return cropped(tuple(drawn_row(shown, 0, _ENDLESS, look)), start, self._text_width)

    def _kind(self, index: int) -> str:
        return self._of.lines[index].kind

    def _rows(self, item: Item | Pair) -> int:
        if item.fold or item.remark:
            return 1
        return max(self._rows_of_line(index) if index >= 0 else 1 for index in _indices(item))

    def _rows_of_line(self, index: int) -> int:
        count = self._rows_of.get(index)
        if self._form.start is not None:
            return 1
        if count is None:
            count = self._rows_of[index] = _row_count(self._of.lines[index], self._text_width)
        return count


def difference_lines(
    before: str,
    after: str,
    width: int,
    *,
    owner: Owner | None = None,
    name: str = "",
    facts: Line = (),
    remarks: Mapping[int, Line] | None = None,
    side_by_side: bool | None = None,
    whole: bool = False,
) -> list[Line]:
    """The whole drawing of a short difference in `width` cells; empty without a name where nothing differs.

    With an `owner` or a `name` the first line is a band that says whose text it is, with `facts` at its right
    end. `side_by_side` None: where there is room for it. `whole`: with all equal lines.
    """
    difference = TextDifference(before, after, remarks or {})
    is_wide = width >= SIDE_BY_SIDE_FROM if side_by_side is None else side_by_side
    form = Form(width, is_wide, whole)
    lines = [owner_band(name, owner, facts, width if is_wide else form.column)] if owner or name else []
    return lines if difference.is_same and not whole else [*lines, *difference.layout(form)]


def owner_band(name: str, owner: Owner | None, facts: Line, width: int, *, is_chosen: bool = False) -> Line:
    """Above a difference: the owner bar, the name of the part or else of the owner, and facts at the right end."""
    role: Role = OWNER_ROLES.get(owner.kind, "owner-plugin") if owner is not None else "soft"
    plugin = owner.plugin if owner is not None else ""
    bar = Piece("▌" if is_chosen else "▎", "focus" if is_chosen else role)
    title = outside(name or plugin, role, bold=True)
    right: Line = outside(plugin, "soft") if name and plugin else ()
    if right and facts:
        right = (*right, Piece("  "))
    right = (*right, *facts)
    right = cut(right, max(width // 2, width - width_of(title) - 6))
    band = spread((bar, Piece(" "), *title), (*right, Piece(" ")), width)
    return tuple(piece if piece.ground else piece._replace(ground="panel") for piece in band)


_LOOKS: Final[Mapping[str, Look]] = {
    "same": Look(" ", "text", "text", None, None),
    "removed": Look("−", "removed", "text", "removed-line", "removed-words"),
    "added": Look("+", "added", "text", "added-line", "added-words"),
}


def _numbered(lines: Sequence[ChangedLine]) -> Iterator[tuple[int, int]]:
    """Of each line its number before and after; 0 where it is not."""
    old = new = 0
    for line in lines:
        old += line.kind != "added"
        new += line.kind != "removed"
        yield (old if line.kind != "added" else 0), (new if line.kind != "removed" else 0)


def _indices(item: Item | Pair) -> tuple[int, ...]:
    return (item.left, item.right) if isinstance(item, Pair) else (item.line,)


def _visible_ranges(lines: Sequence[ChangedLine], is_whole: bool) -> Iterator[tuple[bool, int, int]]:
    """Stretches in order, shown or folded. A fold of one line would take as much room as the line."""
    if is_whole:
        yield True, 0, len(lines)
        return
    at = 0
    for start, end in _near_changes(lines):
        if start - at > 1:
            yield False, at, start
        elif start > at:
            start = at
        yield True, start, end
        at = end
    if len(lines) - at > 1:
        yield False, at, len(lines)
    elif at < len(lines):
        yield True, at, len(lines)


def _near_changes(lines: Sequence[ChangedLine]) -> Iterator[tuple[int, int]]:
    start = end = -1
    for index, line in enumerate(lines):
        if line.kind == "same":
            continue
        if start < 0:
            start = max(0, index - AROUND)
        elif index - AROUND > end:
            yield start, end
            start = index - AROUND
        end = min(len(lines), index + AROUND + 1)
    if start >= 0:
        yield start, end


def _items(difference: TextDifference, is_whole: bool) -> list[Item]:
    items: list[Item] = []
    for is_shown, start, end in _visible_ranges(difference.lines, is_whole):
        if not is_shown:
            items.append(Item(start, fold=end - start))
            continue
        for index in range(start, end):
            items.append(Item(index))
            remark = _remark_below(difference, index)
            if remark:
                items.append(Item(-1, remark=remark))
    return items


def _pairs(difference: TextDifference, form: Form) -> list[Pair]:
    """What was beside what is: the lines of one change in order, as far as there are some on both sides."""
    pairs: list[Pair] = []
    lines = difference.lines
    for is_shown, start, end in _visible_ranges(lines, form.is_whole):
        if not is_shown:
            pairs.append(Pair(start, start, fold=end - start))
            continue
        index = start
        while index < end:
            if lines[index].kind == "same":
                pairs += [Pair(index, index), *_remark_pairs(difference, (index,))]
                index += 1
                continue
            stop = index
            while stop < end and lines[stop].kind != "same":
                stop += 1
            old = [at for at in range(index, stop) if lines[at].kind == "removed"]
            new = [at for at in range(index, stop) if lines[at].kind == "added"]
            for nth in range(max(len(old), len(new))):
                both = old[nth] if nth < len(old) else -1, new[nth] if nth < len(new) else -1
                pairs += [Pair(*both), *_remark_pairs(difference, both)]
            index = stop
    return pairs


def _remark_pairs(difference: TextDifference, indices: Sequence[int]) -> Iterator[Pair]:
    for index in indices:
        remark = _remark_below(difference, index) if index >= 0 else ()
        if remark:
            yield Pair(-1, -1, remark=remark)


def _remark_below(difference: TextDifference, index: int) -> Line:
    if not difference.remarks:
        return ()
    old, new = difference.numbers[index]
    return difference.remarks.get(new, ()) if new else difference.remarks.get(-old, ())


def _row_count(line: ChangedLine, width: int) -> int:
    text = visible("".join(piece.text for piece in line.pieces), tab_stops=TAB_STOPS)
    if len(text) <= (width if text.isascii() else width // 2):  # no character takes more than two cells
        return 1
    return len(row_starts(text, width))
