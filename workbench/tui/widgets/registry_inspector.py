"""The inspector: a document that scrolls, of which only the visible lines are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import split_graphemes
from textual.binding import BindingType
from textual.geometry import Offset, Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from workbench.tui.view.frame import outer_margin
from workbench.tui.view.pieces import Line, Piece, plain
from workbench.tui.view.registry_document import Document, Part
from workbench.tui.widgets.lines import bindings_without
from workbench.tui.widgets.selecting import Selectable, picked_out


class Inspector(Selectable, inherit_bindings=False):
    """What is known about the chosen row; moving scrolls."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_without("g", "lines", "text")

    @dataclass
    class Left(Message):
        """The person wants to go back to the tree."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._parts: tuple[Part, ...] = ()
        self._subject: object = None
        self._document: Document | None = None
        self._drawn: dict[int, Strip] = {}

    def show(self, subject: object, parts: tuple[Part, ...]) -> None:
        """Shows other parts; of the same subject at the same place."""
        if parts == self._parts and subject == self._subject:
            return
        is_other = subject != self._subject
        self._subject, self._parts = subject, parts
        self._lay_out()
        if is_other:
            self.forget_selection()
            self.scroll_to_row(0)
        self.refresh()

    @property
    def document(self) -> Document:
        """What is shown, for the present width."""
        if self._document is None:
            margin = outer_margin(self.app.size.width)
            self._document = Document(self._parts, max(8, self.size.width - 2 * margin))
        return self._document

    def move(self, steps: int) -> None:
        self.scroll_to_row(max(0, round(self.scroll_y) + steps))

    def move_to_end(self, *, last: bool) -> None:
        self.scroll_to_row(len(self.document) if last else 0)

    def action_back(self) -> None:
        self.post_message(self.Left())

    # selecting with the mouse: offsets are (character of the text in the row, row)

    def offset_at(self, x: int, y: int) -> Offset | None:
        document = self.document
        if not len(document):
            return None
        row = max(0, min(len(document) - 1, round(self.scroll_y) + y))
        gutter = document.gutter(row)
        text = plain(document[row])[gutter:]
        cells = x - outer_margin(self.app.size.width) - gutter
        for start, _, width in split_graphemes(text)[0]:
            if cells < width:
                return Offset(start, row)
            cells -= width
        return Offset(len(text), row)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text as it is shown, without line numbers; wrapped lines are whole again."""
        document = self.document
        found: list[str] = []
        for row in range(len(document)):
            span = selection.get_span(row)
            if span is not None:
                text = plain(document[row])[document.gutter(row) :]
                part = text[span[0] : None if span[1] < 0 else span[1]]
                if found and document.goes_on(row):
                    found[-1] += part
                else:
                    found.append(part)
        return ("\n".join(line.rstrip() for line in found), "") if found else None

    def selection_updated(self, selection: Selection | None) -> None:
        self.forget_drawn()
        self.refresh()

    def _line(self, row: int) -> Line:
        line, selection = self.document[row], self.text_selection
        span = selection.get_span(row) if selection is not None else None
        if span is None:
            return line
        gutter = self.document.gutter(row)
        return picked_out(line, span[0] + gutter, span[1] if span[1] < 0 else span[1] + gutter)

    def on_resize(self) -> None:
        self._lay_out()

    def forget_drawn(self) -> None:
        self._drawn.clear()

    def _lay_out(self) -> None:
        self._document = None
        self.forget_drawn()
        self.virtual_size = Size(self.size.width, len(self.document))

    def render_line(self, y: int) -> Strip:
        row = y + round(self.scroll_y)
        width = self.scrollable_content_region.width
        strip = self._drawn.get(row)
        if strip is None or strip.cell_length != width:
            document = self.document
            if row >= len(document):
                return self.paint.blank(width, "raised")
            margin = Piece(" " * outer_margin(self.app.size.width))
            strip = self.paint.strip((margin, *self._line(row)), width, "raised")
            if len(self._drawn) > 512:
                self._drawn.clear()
            self._drawn[row] = strip
        return strip
