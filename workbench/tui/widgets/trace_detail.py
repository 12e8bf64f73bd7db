"""The pane below the timeline: what is known about the chosen row, line by line."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui.view.detail_rows import Block, Detail
from workbench.tui.view.frame import outer_margin
from workbench.tui.view.pieces import Line, Piece, Role
from workbench.tui.widgets.row_list import DrawnRows


class DetailLines(DrawnRows):
    """Rows with a cursor while the pane has the focus; lines of a difference keep their tint."""

    GROUND: Role = "raised"

    @dataclass
    class Widened(Message):
        """There is another number of cells for a row."""

    @dataclass
    class Sideways(Message):
        """Lines that are not wrapped are to be shown so many cells further on."""

        cells: int

    def sideways(self, cells: int) -> None:
        self.post_message(self.Sideways(cells))

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.detail = Detail(())

    def show_detail(self, detail: Detail, *, keep_place: bool) -> None:
        """Shows other rows, from the top unless they are of the same row of the timeline."""
        if not keep_place:
            self.forget_selection()
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

    def put_cursor(self, row: int, *, on_top: bool = False) -> None:
        """Puts the cursor on a row and brings it into view; `on_top`: with as much of what follows as there is."""
        for each in (self.cursor, row):
            self.redraw_row(each)
        self.cursor = row
        if on_top:
            self.scroll_to_row(row)
        else:
            self.bring_into_view(row, row)

    def move(self, steps: int) -> None:
        if len(self.detail):
            self.put_cursor(max(0, min(len(self.detail) - 1, self.cursor + steps)))

    def move_to_end(self, *, last: bool) -> None:
        self.move(len(self.detail) if last else -len(self.detail))

    # selecting with the mouse

    def row_count(self) -> int:
        return len(self.detail)

    def row_line(self, row: int) -> Line:
        return self.detail[row]

    def row_lead(self, row: int) -> int:
        block = self.detail.block_at(row)
        return self.margin_cells - (block is not None and block.is_difference)

    def on_click(self, event: events.Click) -> None:
        row = self.row_at(event)
        if row is not None:
            self.put_cursor(row)

    def on_resize(self) -> None:
        self.forget_drawn()
        if self.text_width != self._told:
            self._told = self.text_width
            self.post_message(self.Widened())

    _told = 0

    def draw(self, row: int, width: int) -> Strip:
        is_cursor = self.has_focus and row == self.cursor
        line = (Piece(" " * self.row_lead(row)), *self.with_selection(row))
        if is_cursor:
            line = _with_bar(line)
        return self.paint.strip(line, width, "cursor" if is_cursor else "raised")


def _with_bar(line: Line) -> Line:
    """The first cell, which is always blank, becomes the cursor bar."""
    first = next(index for index, piece in enumerate(line) if piece.text)
    rest = line[first]._replace(text=line[first].text[1:])
    return (Piece("▌", "focus", ground=line[first].ground), rest, *line[first + 1 :])
