"""The timeline of one assembly: stages, listeners, and their bars."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from workbench.tui.view.trace import RowKey, TraceRow
from workbench.tui.view.trace_lines import columns, heading, row_line
from workbench.tui.widgets.line import LineWidget
from workbench.tui.widgets.row_list import DrawnRow, RowList


class TimelineHead(LineWidget):
    """The names of the columns; it stays while the rows scroll."""

    margin = 0

    def show_axis(self, total_ns: int, has_focus: bool) -> None:
        """As wide as the widget is now."""
        self._axis = (total_ns, has_focus)
        self.show(heading(columns(self.size.width), total_ns, has_focus))

    _axis = (1, False)

    def on_resize(self) -> None:
        self.show_axis(*self._axis)


class Timeline(RowList):
    """Rows with a cursor."""

    @dataclass
    class Chosen(Message):
        """The cursor is on another row."""

        key: RowKey

    @dataclass
    class Opened(Message):
        """The person wants to read on below."""

        key: RowKey

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: list[TraceRow] = []
        self.total_ns = 1

    def show_rows(self, rows: list[TraceRow], total_ns: int, chosen: RowKey | None) -> None:
        """Shows other rows with the cursor on `chosen`, or as near as it can be to where it was."""
        self.rows, self.total_ns = rows, total_ns
        self.rows_changed(self._index_of(chosen))

    @property
    def row(self) -> TraceRow | None:
        """The one under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def choose(self, key: RowKey) -> None:
        """Puts the cursor on a row, and tells it."""
        index = self._index_of(key)
        if index is not None:
            self.go_to_row(index)

    def row_count(self) -> int:
        return len(self.rows)

    def draw_row(self, row: int, width: int) -> DrawnRow:
        shape = columns(self.size.width)
        has_cursor = row == self.cursor
        return row_line(self.rows[row], shape, self.total_ns, is_cursor=has_cursor, has_focus=self.has_focus)

    def cursor_moved(self, before: int) -> None:
        self.post_message(self.Chosen(self.rows[self.cursor].key))

    def row_opened(self) -> None:
        self.post_message(self.Opened(self.rows[self.cursor].key))

    def _index_of(self, key: RowKey | None) -> int | None:
        return next((index for index, row in enumerate(self.rows) if row.key == key), None)
