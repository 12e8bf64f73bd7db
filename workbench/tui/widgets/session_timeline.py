"""The timeline of sessions: a line per request, with its prefix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from workbench.tui.view.session import columns, heading_line, row_line
from workbench.tui.view.session_rows import StepKey, StepRows
from workbench.tui.widgets.line import LineWidget
from workbench.tui.widgets.lines import bindings_without
from workbench.tui.widgets.row_list import DrawnRow, RowList


class StepsHead(LineWidget):
    """The names of the columns; it stays while the rows scroll."""

    margin = 0
    _facts = ("≈", False, True)

    def show_columns(self, sign: str, has_focus: bool, has_times: bool) -> None:
        """As wide as the widget is now."""
        self._facts = (sign, has_focus, has_times)
        shape = columns(self.size.width, has_times=has_times)
        self.show(heading_line(shape, sign, has_focus))

    def on_resize(self) -> None:
        self.show_columns(*self._facts)


class Steps(RowList, inherit_bindings=False):
    """Rows with a cursor; headings are passed over."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_without("space", "lines")  # it marks a step

    @dataclass
    class Chosen(Message):
        """The cursor is on another request."""

        key: StepKey

    @dataclass
    class Opened(Message):
        """The person wants to read the request."""

        key: StepKey

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows = StepRows()
        self.most = 0
        self.has_times = False

    def show_rows(self, rows: StepRows, chosen: StepKey | None) -> None:
        """Shows other rows with the cursor on `chosen`, or as near as it can be to where it was."""
        self.rows = rows
        self.most = rows.most
        self.has_times = rows.has_times
        self.rows_changed(rows.line_of(chosen))

    @property
    def sign(self) -> str:
        """Before the tokens."""
        return self.rows.sign

    def choose(self, key: StepKey) -> None:
        """Puts the cursor on a request, and tells it."""
        index = self.rows.line_of(key)
        if index is not None:
            self.go_to_row(index)

    def row_count(self) -> int:
        return len(self.rows)

    def can_rest(self, row: int) -> bool:
        return self.rows.can_rest(row)

    def draw_row(self, row: int, width: int) -> DrawnRow:
        shape = columns(self.size.width, has_times=self.has_times)
        has_cursor = row == self.cursor
        return row_line(self.rows[row], shape, self.most, is_cursor=has_cursor, has_focus=self.has_focus)

    def cursor_moved(self, before: int) -> None:
        key = self.rows[self.cursor].key
        if key is not None:
            self.post_message(self.Chosen(key))

    def row_opened(self) -> None:
        key = self.rows[self.cursor].key
        if key is not None:
            self.post_message(self.Opened(key))
