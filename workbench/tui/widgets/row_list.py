"""The one list of rows with a cursor: moving, clicking, selecting with the mouse, and what is kept of drawing."""

from __future__ import annotations

from textual import events
from textual.geometry import Size
from textual.selection import Selection
from textual.strip import Strip

from workbench.tui.view.pieces import Line, Role
from workbench.tui.widgets.selecting import SelectableRows, picked_out

DrawnRow = tuple[Line, Role]
"""What stands in a row, and the ground under it."""


class DrawnRows(SelectableRows):
    """Rows that are drawn once and kept, until the focus, the width or what they say changes."""

    GROUND: Role = "base"
    """Below the last row."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cursor = 0
        self._drawn: dict[int, Strip] = {}

    def draw(self, row: int, width: int) -> Strip:
        """How a row looks now."""
        raise NotImplementedError

    def redraw_row(self, row: int) -> None:
        """Something about that row has changed."""
        self._drawn.pop(row, None)
        self.refresh_line(row)

    def row_at(self, event: events.MouseEvent) -> int | None:
        """The row under the mouse."""
        row = event.y + round(self.scroll_y)
        return row if row < self.row_count() else None

    def on_focus(self) -> None:
        self.forget_drawn()
        self.refresh()

    def on_blur(self) -> None:
        self.forget_drawn()
        self.refresh()

    def forget_drawn(self) -> None:
        self._drawn.clear()

    def render_line(self, y: int) -> Strip:
        row = y + round(self.scroll_y)
        width = self.scrollable_content_region.width
        if row >= self.row_count():
            return self.paint.blank(width, self.GROUND)
        strip = self._drawn.get(row)
        if strip is None or strip.cell_length != width:
            if len(self._drawn) > _KEPT:
                self._drawn.clear()
            strip = self._drawn[row] = self.draw(row, width)
        return strip


class RowList(DrawnRows):
    """Rows with a cursor. A subclass holds the rows, says how one is drawn, and what being on one means.

    The rows of one thing (a card of two lines) belong together: the cursor rests on the first of them.
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._count = 0

    # what a subclass says

    def row_count(self) -> int:
        raise NotImplementedError

    def draw_row(self, row: int, width: int) -> DrawnRow:
        """How a row looks now; kept until the cursor, the focus, the width or the rows change."""
        raise NotImplementedError

    def can_rest(self, row: int) -> bool:
        """The cursor may be on that row, or on the first row of what it belongs to."""
        return True

    def rows_of(self, row: int) -> range:
        """All rows of the thing of which that row is one."""
        return range(row, row + 1)

    def first_shown_with(self, row: int) -> int:
        """The row from which on is shown what belongs above the cursor: its heading."""
        return row

    def cursor_moved(self, before: int) -> None:
        """A person has moved the cursor."""

    def row_opened(self) -> None:
        """A person wants to go into the thing under the cursor."""

    # what all lists do

    def rows_changed(self, cursor: int | None) -> None:
        """Other rows are there: the cursor goes to that row, or stays as near as it can to where it was."""
        count = self.row_count()
        if count != self._count:
            self.forget_selection()
        self._count = count
        self.forget_drawn()
        size = Size(self.size.width, count)
        if size != self.virtual_size:
            self.virtual_size = size
        self.cursor = self._nearest(min(self.cursor, count - 1), 1) if cursor is None else cursor
        self.show_cursor()
        self.refresh()

    def move(self, steps: int) -> None:
        if self.row_count():
            here = self.rows_of(self.cursor)
            start = here[-1] if steps == 1 else here[0]
            target = max(0, min(self.row_count() - 1, start + steps))
            self.go_to_row(self._nearest(target, 1 if steps > 0 else -1))

    def move_to_end(self, *, last: bool) -> None:
        if self.row_count():
            self.go_to_row(self._nearest(self.row_count() - 1 if last else 0, -1 if last else 1))

    def go_to_row(self, row: int) -> None:
        """As a person does it: `cursor_moved` is called."""
        before = self.cursor
        if row != before and self.can_rest(row):
            self.put_cursor(row)
            self.cursor_moved(before)

    def put_cursor(self, row: int) -> None:
        """Silently."""
        changed = (*self.rows_of(self.cursor), *self.rows_of(row))
        self.cursor = row
        for each in changed:
            self.redraw_row(each)
        self.show_cursor()

    def show_cursor(self) -> None:
        """Brings what the cursor is on into view."""
        if self.cursor < self.row_count():
            self.bring_into_view(self.first_shown_with(self.cursor), self.rows_of(self.cursor)[-1])

    def action_open(self) -> None:
        if self.cursor < self.row_count() and self.can_rest(self.cursor):
            self.row_opened()

    def on_click(self, event: events.Click) -> None:
        row = self.row_at(event)
        if row is not None and self.can_rest(row):
            self.go_to_row(self.rows_of(row)[0])
            if event.chain == 2:
                self.row_opened()

    def text_select_all(self) -> None:
        """Not by a double click: it opens."""

    def on_resize(self) -> None:
        self.forget_drawn()
        self.virtual_size = Size(self.size.width, self.row_count())
        self.show_cursor()

    def row_line(self, row: int) -> Line:
        return self.draw_row(row, self.scrollable_content_region.width)[0]

    def draw(self, row: int, width: int) -> Strip:
        line, ground = self.draw_row(row, width)
        selection: Selection | None = self.text_selection
        span = selection.get_span(row) if selection is not None else None
        return self.paint.strip(line if span is None else picked_out(line, *span), width, ground)

    def _nearest(self, row: int, direction: int) -> int:
        """Where the cursor may rest: at `row`, else the nearest in that direction, else in the other one."""
        count = self.row_count()
        ahead = range(row, count) if direction > 0 else range(row, -1, -1)
        behind = range(row, -1, -1) if direction > 0 else range(row, count)
        found = next((at for way in (ahead, behind) for at in way if 0 <= at < count and self.can_rest(at)), None)
        return 0 if found is None else self.rows_of(found)[0]


_KEPT = 512
"""Drawn rows."""
