"""The tree of what is registered: rows with a cursor, folds, and a place on the screen that survives changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from workbench.tui.view.registry_lines import Columns, Look, row_line
from workbench.tui.view.registry_rows import Grouping, Row, RowKey
from workbench.tui.widgets.lines import bindings_without
from workbench.tui.widgets.row_list import DrawnRow, RowList


class RegistryTree(RowList, inherit_bindings=False):
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
        self.grouping: Grouping = "layer"
        self.outcomes: dict[object, str] = {}
        self._look: Look | None = None

    def show_rows(
        self, rows: list[Row], chosen: RowKey | None, grouping: Grouping, outcomes: dict[object, str]
    ) -> None:
        """Shows other rows with the cursor on `chosen`; where that is gone, near where it was."""
        offset = self.cursor - round(self.scroll_y)
        was_chosen = self.row is not None and self.row.key == chosen
        self.rows, self.grouping, self.outcomes = rows, grouping, outcomes
        index = self._index_of(chosen)
        moved = was_chosen and index is not None and index != self.cursor
        self.rows_changed(index)
        if moved and 0 <= offset < self.scrollable_content_region.height:
            self.scroll_to_row(max(0, self.cursor - offset))
            self.show_cursor()

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def choose(self, key: RowKey) -> None:
        """Puts the cursor on a row; tells nobody."""
        index = self._index_of(key)
        if index is not None:
            self.put_cursor(index)

    def row_count(self) -> int:
        return len(self.rows)

    def can_rest(self, row: int) -> bool:
        return not self.rows[row].is_blank

    def first_shown_with(self, row: int) -> int:
        while row > 0 and self.rows[row].depth and self.rows[row - 1].is_open is not None:
            row -= 1
        return row

    def draw_row(self, row: int, width: int) -> DrawnRow:
        return row_line(self.rows[row], self._look_for(width), is_cursor=row == self.cursor)

    def cursor_moved(self, before: int) -> None:
        if self.row is not None:
            self.post_message(self.Chosen(self.row))

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
            self.go_to_row(above)

    def on_click(self, event: events.Click) -> None:
        index = self.row_at(event)
        if index is None or not self.can_rest(index):
            return
        event.prevent_default()
        row = self.rows[index]
        self.go_to_row(index)
        is_on_sign = event.x <= 2 * row.depth + 3
        if row.is_open is not None and (is_on_sign or event.chain == 2):
            self.post_message(self.Folded(row, None))
        elif event.chain == 2:
            self.post_message(self.Opened(row))

    def forget_drawn(self) -> None:
        super().forget_drawn()
        self._look = None

    def _look_for(self, width: int) -> Look:
        look = self._look
        if look is None or look.columns.width != width:
            columns = Columns.of(width, 0 if self.show_vertical_scrollbar else 1)
            look = self._look = Look(self.grouping, columns, self.outcomes, self.has_focus)
        return look

    def _index_of(self, key: RowKey | None) -> int | None:
        if key is None:
            return None
        row = self.row
        if row is not None and row.key == key:
            return self.cursor
        return next((index for index, row in enumerate(self.rows) if row.key == key), None)
