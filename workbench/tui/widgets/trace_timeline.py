"""The timeline of one assembly: stages, listeners, and their bars."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui.view.trace import RowKey, TraceRow
from workbench.tui.view.trace_lines import columns, heading, row_line
from workbench.tui.widgets.line import LineWidget
from workbench.tui.widgets.lines import Lines


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


class Timeline(Lines):
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
        self.cursor = 0
        self._drawn: dict[int, Strip] = {}

    def show_rows(self, rows: list[TraceRow], total_ns: int, chosen: RowKey | None) -> None:
        """Shows other rows with the cursor on `chosen`, or as near as it can be to where it was."""
        self.rows, self.total_ns = rows, total_ns
        self.forget_drawn()
        self.virtual_size = Size(self.size.width, len(rows))
        index = next((index for index, row in enumerate(rows) if row.key == chosen), None)
        self.cursor = min(self.cursor, max(0, len(rows) - 1)) if index is None else index
        self.bring_into_view(self.cursor, self.cursor)
        self.refresh()

    @property
    def row(self) -> TraceRow | None:
        """The one under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def choose(self, key: RowKey) -> None:
        """Puts the cursor on a row, and tells it."""
        index = next((index for index, row in enumerate(self.rows) if row.key == key), None)
        if index is not None:
            self._choose_row(index)

    def move(self, steps: int) -> None:
        if self.rows:
            self._choose_row(max(0, min(len(self.rows) - 1, self.cursor + steps)))

    def move_to_end(self, *, last: bool) -> None:
        self.move(len(self.rows) if last else -len(self.rows))

    def on_click(self, event: events.Click) -> None:
        row = event.y + round(self.scroll_y)
        if row < len(self.rows):
            self._choose_row(row)
            if event.chain > 1:
                self.post_message(self.Opened(self.rows[row].key))

    def on_focus(self) -> None:
        self.forget_drawn()
        self.refresh()

    def on_blur(self) -> None:
        self.forget_drawn()
        self.refresh()

    def on_resize(self) -> None:
        self.forget_drawn()
        self.virtual_size = Size(self.size.width, len(self.rows))
        self.bring_into_view(self.cursor, self.cursor)

    def forget_drawn(self) -> None:
        self._drawn.clear()

    def render_line(self, y: int) -> Strip:
        index = y + round(self.scroll_y)
        width = self.scrollable_content_region.width
        if index >= len(self.rows):
            return self.paint.blank(width, "base")
        strip = self._drawn.get(index)
        if strip is None or strip.cell_length != width:
            line, ground = row_line(
                self.rows[index],
                columns(self.size.width),
                self.total_ns,
                is_cursor=index == self.cursor,
                has_focus=self.has_focus,
            )
            strip = self._drawn[index] = self.paint.strip(line, width, ground)
        return strip

    def _choose_row(self, index: int) -> None:
        if index == self.cursor:
            return
        for row in (self.cursor, index):
            self._drawn.pop(row, None)
            self.refresh_line(row)
        self.cursor = index
        self.bring_into_view(index, index)
        self.post_message(self.Chosen(self.rows[index].key))
