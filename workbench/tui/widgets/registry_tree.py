"""The tree of what is registered: rows with a cursor, folds, and a place on the screen that survives changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui.view.registry_lines import Columns, Look, row_line
from workbench.tui.view.registry_rows import Grouping, Row, RowKey
from workbench.tui.widgets.lines import Lines, bindings_without


class RegistryTree(Lines, inherit_bindings=False):
    """Visible rows only are drawn. A refresh keeps the chosen row where it stands."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_without("g", "lines")

    @dataclass
    class Chosen(Message):
        """The cursor is on another row."""

        row: Row

    @dataclass
    class Opened(Message):
        """The person wants to open or close a group, or go to an entry."""

        row: Row

    @dataclass
    class Folded(Message):
        """The person wants a group open or closed; `is_open` None: whichever it is not."""

        row: Row
        is_open: bool | None

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: list[Row] = []
        self.cursor = 0
        self.grouping: Grouping = "layer"
        self.outcomes: dict[object, str] = {}
        self._drawn: dict[int, tuple[Row, Strip]] = {}
        self._look: Look | None = None

    def show_rows(
        self, rows: list[Row], chosen: RowKey | None, grouping: Grouping, outcomes: dict[object, str]
    ) -> None:
        """Shows other rows with the cursor on `chosen`; where that is gone, near where it was."""
        offset = self.cursor - round(self.scroll_y)
        if grouping != self.grouping or outcomes != self.outcomes:
            self.grouping, self.outcomes = grouping, outcomes
            self.forget_drawn()
        was_chosen = self.row is not None and self.row.key == chosen
        self.rows = rows
        index = self._index_of(chosen)
        moved = was_chosen and index is not None and index != self.cursor
        before = self.cursor
        self.cursor = self._nearest(min(self.cursor, len(rows) - 1), 1) if index is None else index
        if self.cursor != before:
            self._drawn.pop(before, None)
            self._drawn.pop(self.cursor, None)
        size = Size(self.size.width, len(rows))
        if size != self.virtual_size:
            self.virtual_size = size
        if moved and 0 <= offset < self.scrollable_content_region.height:
            self.scroll_to_row(max(0, self.cursor - offset))
        self._show_cursor()
        self.refresh()

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def choose(self, key: RowKey) -> None:
        """Puts the cursor on a row; tells nobody."""
        index = self._index_of(key)
        if index is not None:
            self._put_cursor(index)

    def move(self, steps: int) -> None:
        if self.rows:
            target = max(0, min(len(self.rows) - 1, self.cursor + steps))
            self._choose_row(self._nearest(target, 1 if steps > 0 else -1))

    def move_to_end(self, *, last: bool) -> None:
        if self.rows:
            self._choose_row(self._nearest(len(self.rows) - 1 if last else 0, -1 if last else 1))

    def on_key(self, event: events.Key) -> None:
        """Arrows open, close, and lead to the group around a row."""
        if event.key in ("right", "l", "left", "h") and self.row is not None:
            event.stop()
            event.prevent_default()
            self._go_sideways(self.row, into=event.key in ("right", "l"))

    def _go_sideways(self, row: Row, *, into: bool) -> None:
        if into:
            if row.is_open is False:
                self.post_message(self.Folded(row, True))
            elif row.is_open is None:
                self.post_message(self.Opened(row))
            else:
                self.move(1)
        elif row.is_open:
            self.post_message(self.Folded(row, False))
        else:
            above = self.cursor
            while above > 0 and (self.rows[above].is_blank or self.rows[above].depth >= row.depth):
                above -= 1
            self._choose_row(above)

    def on_click(self, event: events.Click) -> None:
        index = event.y + round(self.scroll_y)
        if index >= len(self.rows) or self.rows[index].is_blank:
            return
        row = self.rows[index]
        self._choose_row(index)
        is_on_sign = event.x <= 2 * row.depth + 3
        if row.is_open is not None and (is_on_sign or event.chain == 2):
            self.post_message(self.Folded(row, None))
        elif event.chain == 2:
            self.post_message(self.Opened(row))

    def on_focus(self) -> None:
        self._redraw()

    def on_blur(self) -> None:
        self._redraw()

    def on_resize(self) -> None:
        self.forget_drawn()
        self.virtual_size = Size(self.size.width, len(self.rows))
        self._show_cursor()

    def forget_drawn(self) -> None:
        self._drawn.clear()
        self._look = None

    def _redraw(self) -> None:
        self.forget_drawn()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One row; what is drawn is kept while nothing about it changes."""
        index = y + round(self.scroll_y)
        width = self.scrollable_content_region.width
        if index >= len(self.rows):
            return self.paint.blank(width, "base")
        row = self.rows[index]
        kept = self._drawn.get(index)
        if kept is not None and kept[0] == row and kept[1].cell_length == width:
            return kept[1]
        line, ground = row_line(row, self._look_for(width), is_cursor=index == self.cursor)
        strip = self.paint.strip(line, width, ground)
        if len(self._drawn) > _KEPT:
            self._drawn.clear()
        self._drawn[index] = row, strip
        return strip

    def _look_for(self, width: int) -> Look:
        look = self._look
        if look is None or look.columns.width != width:
            columns = Columns.of(width, 0 if self.show_vertical_scrollbar else 1)
            look = self._look = Look(self.grouping, columns, self.outcomes, self.has_focus)
        return look

    def _choose_row(self, index: int) -> None:
        if index != self.cursor:
            self._put_cursor(index)
            if self.row is not None:
                self.post_message(self.Chosen(self.row))

    def _put_cursor(self, index: int) -> None:
        before, self.cursor = self.cursor, index
        for row in (before, index):
            self._drawn.pop(row, None)
            self.refresh_line(row - round(self.scroll_y))
        self._show_cursor()

    def _show_cursor(self) -> None:
        above = self.cursor
        while above > 0 and self.rows[above].depth and self.rows[above - 1].is_open is not None:
            above -= 1  # with its headings
        self.bring_into_view(above, self.cursor)

    def _index_of(self, key: RowKey | None) -> int | None:
        if key is None:
            return None
        row = self.row
        if row is not None and row.key == key:
            return self.cursor
        return next((index for index, row in enumerate(self.rows) if row.key == key), None)

    def _nearest(self, index: int, direction: int) -> int:
        """The row at `index`, or the nearest one that is not blank."""
        for step in (direction, -direction):
            at = index
            while 0 <= at < len(self.rows):
                if not self.rows[at].is_blank:
                    return at
                at += step
        return 0


_KEPT = 512
