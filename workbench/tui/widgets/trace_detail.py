"""The pane below the timeline: what is known about the chosen row, line by line."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui.view.frame import outer_margin
from workbench.tui.view.pieces import Line, Piece, Role
from workbench.tui.view.trace_detail import Block, Detail
from workbench.tui.widgets.lines import Lines


class DetailLines(Lines):
    """Rows with a cursor while the pane has the focus; lines of a difference keep their tint."""

    @dataclass
    class Widened(Message):
        """There is another number of cells for a row."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.detail = Detail(())
        self.cursor = 0
        self._drawn: dict[int, Strip] = {}

    def show_detail(self, detail: Detail, *, keep_place: bool) -> None:
        """Shows other rows, from the top unless they are of the same row of the timeline."""
        self.detail = detail
        self.forget_drawn()
        self.virtual_size = Size(self.size.width, len(detail))
        if keep_place:
            self.cursor = min(self.cursor, max(0, len(detail) - 1))
        else:
            self.cursor = 0
            self.scroll_to_row(0)
        self.refresh()

    @property
    def margin_cells(self) -> int:
        """Free cells at the left and at the right."""
        return outer_margin(self.size.width)

    @property
    def text_width(self) -> int:
        """Cells for the rows; one stays free for a scrollbar that may come."""
        return max(8, self.size.width - 2 * self.margin_cells)

    @property
    def block(self) -> Block | None:
        """What the cursor is on."""
        return self.detail.block_at(self.cursor)

    def put_cursor(self, row: int) -> None:
        """Puts the cursor on a row, with what comes behind it in view."""
        for each in (self.cursor, row):
            self._drawn.pop(each, None)
            self.refresh_line(each)
        self.cursor = row
        self.bring_into_view(row, row)

    def move(self, steps: int) -> None:
        if len(self.detail):
            self.put_cursor(max(0, min(len(self.detail) - 1, self.cursor + steps)))

    def move_to_end(self, *, last: bool) -> None:
        self.move(len(self.detail) if last else -len(self.detail))

    def on_click(self, event: events.Click) -> None:
        row = event.y + round(self.scroll_y)
        if row < len(self.detail):
            self.put_cursor(row)

    def on_focus(self) -> None:
        self.forget_drawn()
        self.refresh()

    def on_blur(self) -> None:
        self.forget_drawn()
        self.refresh()

    def on_resize(self) -> None:
        self.forget_drawn()
        if self.text_width != self._told:
            self._told = self.text_width
            self.post_message(self.Widened())

    _told = 0

    def forget_drawn(self) -> None:
        self._drawn.clear()

    def render_line(self, y: int) -> Strip:
        index = y + round(self.scroll_y)
        width = self.scrollable_content_region.width
        if index >= len(self.detail):
            return self.paint.blank(width, "raised")
        strip = self._drawn.get(index)
        if strip is None or strip.cell_length != width:
            if len(self._drawn) > _KEPT:
                self._drawn.clear()
            strip = self._drawn[index] = self._draw(index, width)
        return strip

    def _draw(self, index: int, width: int) -> Strip:
        is_cursor = self.has_focus and index == self.cursor
        line = self.detail[index]
        ground: Role = "cursor" if is_cursor else "raised"
        margin = self.margin_cells
        is_tinted = bool(line) and line[0].ground is not None
        lead = margin - 1 if is_tinted or _is_fold(line) else margin
        bar: Line = (Piece("▌", "focus"), Piece(" " * (lead - 1))) if is_cursor and lead else (Piece(" " * lead),)
        return self.paint.strip((*bar, *line), width, ground)


def _is_fold(line: Line) -> bool:
    """A line between tinted ones that has none: it begins with the gutter, too."""
    return len(line) > 1 and line[0].text.isspace() and line[0].text != "  "


_KEPT = 512
