"""The panes of Compare: both sides, the prefix line, the list of changes, and the differences."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui.view.compare import Comparison, ComparisonLayout
from workbench.tui.view.compare_words import ChangeRows, ListLook
from workbench.tui.view.difference import Form
from workbench.tui.view.pieces import Line, Piece
from workbench.tui.widgets.bars import BarWidget
from workbench.tui.widgets.line import LineWidget
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.selecting import SelectableRows


class SidesLine(BarWidget):
    """What is compared with what; a click chooses something else."""

    GROUND = "base"


class PrefixBar(LineWidget):
    """The prefix line over the request."""


class PrefixLabels(LineWidget):
    """What its segments are."""


class FirstChanged(LineWidget):
    """The first token that is another one, and whose it is."""


class ChangeList(Lines):
    """The parts that differ."""

    @dataclass
    class Chosen(Message):
        """The cursor is on another change."""

        index: int

    @dataclass
    class Opened(Message):
        """The person wants to go into its difference."""

        index: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.chosen = 0
        self._comparison: Comparison | None = None
        self._rows: ChangeRows | None = None
        self._blanks = False

    def show_changes(self, comparison: Comparison | None, chosen: int, *, blanks: bool) -> None:
        """Shows other changes; tells nobody."""
        self._comparison, self._blanks = comparison, blanks
        self.chosen = chosen
        self._make_rows()

    def choose(self, index: int) -> None:
        """Puts the cursor on a change; tells nobody."""
        if index != self.chosen:
            before, self.chosen = self.chosen, index
            for each in (before, index):
                self.refresh_line(each + 1)
            self.bring_into_view(0 if index == 0 else index + 1, index + 1)

    @property
    def height_wanted(self) -> int:
        """Rows of all there is to show."""
        return len(self._rows) if self._rows is not None else 0

    def move(self, steps: int) -> None:
        count = len(self._comparison.changes) if self._comparison is not None else 0
        index = max(0, min(count - 1, self.chosen + steps))
        if count and index != self.chosen:
            self.choose(index)
            self.post_message(self.Chosen(index))

    def move_to_end(self, *, last: bool) -> None:
        count = len(self._comparison.changes) if self._comparison is not None else 0
        self.move(count if last else -count)

    def on_click(self, event: events.Click) -> None:
        index = self._rows.change_at(event.y + round(self.scroll_y)) if self._rows is not None else None
        if index is not None:
            self.move(index - self.chosen)
            if event.chain == 2:
                self.post_message(self.Opened(index))

    def on_key(self, event: events.Key) -> None:
        if event.key in {"enter", "right"} and self._comparison is not None:
            event.stop()
            self.post_message(self.Opened(self.chosen))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_resize(self) -> None:
        self._make_rows()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        row = y + round(self.scroll_y)
        if self._rows is None or row >= len(self._rows):
            return self.paint.blank(width, "base")
        line = self._rows.line(row, ListLook(width, self.chosen, self.has_focus))
        if self._rows.change_at(row) != self.chosen:
            return self.paint.strip(line, width, "base")
        return self.paint.strip(line, width, "cursor" if self.has_focus else "cursor-idle")

    def _make_rows(self) -> None:
        width = max(1, self.size.width - 1)
        self._rows = None
        if self._comparison is not None:
            self._rows = ChangeRows(self._comparison, width, blanks=self._blanks)
        self.virtual_size = Size(self.size.width, self.height_wanted)
        self.refresh()


class DifferencePane(SelectableRows):
    """All differences, one below the other, with a cursor."""

    @dataclass
    class Moved(Message):
        """The cursor is in another change."""

        index: int

    @dataclass
    class Resized(Message):
        """Rows for another width are needed."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.layout_shown: ComparisonLayout | None = None
        self._fallback: list[Line] = []
        self.cursor = 0
        self.chosen = 0

    @dataclass
    class Sideways(Message):
        """Lines that are not wrapped are to be shown so many cells further on."""

        cells: int

    def form(self, *, is_side_by_side: bool, is_whole: bool, start: int | None) -> Form:
        """For the cells that there are; one is for the scrollbar."""
        return Form(max(1, self.size.width - 1), is_side_by_side, is_whole, start)

    def sideways(self, cells: int) -> None:
        self.post_message(self.Sideways(cells))

    def show_layout(self, layout: ComparisonLayout, cursor: int) -> None:
        """Shows rows, with the cursor on one of them."""
        if layout is not self.layout_shown:
            self.forget_selection()
        self.layout_shown, self._fallback = layout, []
        self.cursor = max(0, min(cursor, len(layout) - 1))
        self.chosen = layout.position(self.cursor).change
        self.virtual_size = Size(self.size.width, len(layout))
        self.bring_into_view(self.cursor, self.cursor)
        self.refresh()

    def show_lines(self, lines: list[Line]) -> None:
        """In place of a comparison."""
        self.layout_shown, self._fallback, self.cursor = None, lines, 0
        self.virtual_size = Size(self.size.width, len(lines))
        self.scroll_to_row(0)
        self.refresh()

    # selecting with the mouse

    def row_count(self) -> int:
        return len(self.layout_shown) if self.layout_shown is not None else len(self._fallback)

    def row_line(self, row: int) -> Line:
        if self.layout_shown is None:
            return self._fallback[row]
        return self.layout_shown.row(row, chosen=self.chosen)

    def go_to_change(self, index: int) -> None:
        """Shows a change from its band on; tells nobody."""
        if self.layout_shown is not None:
            self._put_cursor(self.layout_shown.starts[index])
            self.scroll_to_row(self.cursor)

    def step(self, steps: int) -> bool:
        """To the next stretch that differs, or the one before; False: there is none."""
        if self.layout_shown is None:
            return False
        stretches = self.layout_shown.stretches
        ahead = [row for row in stretches if (row > self.cursor if steps > 0 else row < self.cursor)]
        if not ahead:
            return False
        self._move_to(ahead[0] if steps > 0 else ahead[-1])
        height = self.scrollable_content_region.height
        if not round(self.scroll_y) <= self.cursor < round(self.scroll_y) + height - 2:
            self.scroll_to_row(max(0, self.cursor - height // 4))
        return True

    def move(self, steps: int) -> None:
        if self.layout_shown is None:
            self.scroll_to_row(round(self.scroll_y) + steps)
        else:
            self._move_to(self.cursor + steps)

    def move_to_end(self, *, last: bool) -> None:
        if self.layout_shown is not None:
            self._move_to(len(self.layout_shown) - 1 if last else 0)

    def on_click(self, event: events.Click) -> None:
        if self.layout_shown is not None:
            self._move_to(event.y + round(self.scroll_y))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        row = y + round(self.scroll_y)
        if self.layout_shown is None:
            line = self.with_selection(row) if row < len(self._fallback) else ()
            return self.paint.strip(line, width, "base")
        if row >= len(self.layout_shown):
            return self.paint.blank(width, "base")
        line = self.with_selection(row)
        if row == self.cursor and self.has_focus:
            line = _with_cursor(line)
        return self.paint.strip(line, width, "base")

    def _move_to(self, row: int) -> None:
        before = self.chosen
        self._put_cursor(row)
        if self.chosen != before:
            self.post_message(self.Moved(self.chosen))

    def _put_cursor(self, row: int) -> None:
        assert self.layout_shown is not None
        before, chosen = self.cursor, self.chosen
        self.cursor = max(0, min(row, len(self.layout_shown) - 1))
        self.chosen = self.layout_shown.position(self.cursor).change
        rows = {before, self.cursor}
        if chosen != self.chosen:
            rows |= {self.layout_shown.starts[chosen], self.layout_shown.starts[self.chosen]}
        for each in rows:
            self.refresh_line(each)
        self.bring_into_view(self.cursor, self.cursor)


def _with_cursor(line: Line) -> Line:
    """The bar of the cursor in the first cell, which is free in every row."""
    if not line:
        return (Piece("▌", "focus"),)
    first, *rest = line
    return (Piece("▌", "focus", ground=first.ground), first._replace(text=first.text[1:]), *rest)
