"""The timeline of sessions: a line per request, with its prefix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui.view.session import StepKey, StepRow, columns, heading_line, longest, row_line, sign_of
from workbench.tui.widgets.line import LineWidget
from workbench.tui.widgets.lines import Lines, bindings_without


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


class Steps(Lines, inherit_bindings=False):
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
        self.rows: list[StepRow] = []
        self.cursor = 0
        self.most = 0
        self.has_times = False
        self._drawn: dict[int, Strip] = {}

    def show_rows(self, rows: list[StepRow], chosen: StepKey | None) -> None:
        """Shows other rows with the cursor on `chosen`, or as near as it can be to where it was."""
        self.rows = rows
        self.most = longest(rows)
        self.has_times = any(row.time for row in rows)
        self.forget_drawn()
        self.virtual_size = Size(self.size.width, len(rows))
        index = next((index for index, row in enumerate(rows) if row.key == chosen and row.key is not None), None)
        if index is None:
            index = min(self.cursor, max(0, len(rows) - 1))
        self.cursor = index
        self.bring_into_view(index, index)
        self.refresh()

    @property
    def sign(self) -> str:
        """Before the tokens."""
        return sign_of(self.rows)

    def choose(self, key: StepKey) -> None:
        """Puts the cursor on a request, and tells it."""
        index = next((index for index, row in enumerate(self.rows) if row.key == key), None)
        if index is not None:
            self._choose_row(index)

    def move(self, steps: int) -> None:
        if not self.rows:
            return
        at = max(0, min(len(self.rows) - 1, self.cursor + steps))
        direction = 1 if steps > 0 else -1
        found = next((row for row in self._from(at, direction) if self.rows[row].key is not None), None)
        if found is None:
            found = next((row for row in self._from(at, -direction) if self.rows[row].key is not None), None)
        if found is not None:
            self._choose_row(found)

    def _from(self, at: int, direction: int) -> range:
        return range(at, len(self.rows)) if direction > 0 else range(at, -1, -1)

    def move_to_end(self, *, last: bool) -> None:
        self.move(len(self.rows) if last else -len(self.rows))

    def on_click(self, event: events.Click) -> None:
        row = event.y + round(self.scroll_y)
        if row < len(self.rows):
            key = self.rows[row].key
            if key is not None:
                self._choose_row(row)
                if event.chain > 1:
                    self.post_message(self.Opened(key))

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
            if len(self._drawn) > _KEPT:
                self._drawn.clear()
            shape = columns(self.size.width, has_times=self.has_times)
            line, ground = row_line(
                self.rows[index], shape, self.most, is_cursor=index == self.cursor, has_focus=self.has_focus
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
        key = self.rows[index].key
        if key is not None:
            self.post_message(self.Chosen(key))


_KEPT = 512
