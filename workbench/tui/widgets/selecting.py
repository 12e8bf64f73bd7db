"""Selecting text with the mouse in panes that draw their lines themselves.

Textual keeps the selection, as offsets of the pane: here (offset in the visible text, block). They outlive
scrolling, wrapping and measuring; what is copied is the text as it was given.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import split_graphemes
from textual.geometry import Offset
from textual.selection import Selection

from workbench.tui.view.blocks import Content
from workbench.tui.view.draw import Gutter, Stretch
from workbench.tui.view.layout import Layout, TextRow
from workbench.tui.view.page import Page
from workbench.tui.view.pieces import Line, plain
from workbench.tui.widgets.lines import Lines

BETWEEN_BLOCKS = "\n\n"
"""What stands between two sections in the text that is sent."""


class Selectable(Lines):
    """A pane in which a selection can begin."""

    ALLOW_SELECT = True

    def offset_at(self, x: int, y: int) -> Offset | None:
        """The character in that cell of the pane, or the nearest one of its row."""
        raise NotImplementedError

    @property
    def selected_text(self) -> str | None:
        """What is selected with the mouse; None: nothing."""
        selection = self.text_selection
        found = self.get_selection(selection) if selection is not None else None
        return found[0] or None if found is not None else None

    def forget_selection(self) -> None:
        """The characters that it stands for may not be there any more."""
        if self.is_attached and self.text_selection is not None:
            self.screen.clear_selection()


class SelectablePage(Selectable):
    """A pane that shows a page."""

    page: Page
    _layout: Layout | None
    _gutter: Gutter

    def offset_at(self, x: int, y: int) -> Offset | None:
        layout = self._layout
        if layout is None or not layout.total:
            return None
        row = max(0, round(self.scroll_y) + y)
        if row >= layout.total:
            last = len(self.page.blocks) - 1
            return Offset(len(self.page.blocks[last].content.text), last)
        located = layout.at(row)
        if located is None or not isinstance(located.item, TextRow):
            place = layout.place_at(row)
            if place is None:
                return None
            return Offset(self.page.blocks[place.block].content.line_starts[max(0, place.line)], place.block)
        cells = x - 1 - (0 if self.page.is_bare else self._gutter.width) + round(self.scroll_x)
        text = self.page.blocks[located.block].content.text
        offset, end = located.item
        if end > offset and text[end - 1] == "\n":
            end -= 1
        for start, _, width in split_graphemes(text[offset:end])[0]:
            if cells < width:
                return Offset(offset + start, located.block)
            cells -= width
        return Offset(end, located.block)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text as it was given, not as it is shown: hidden characters and tabs are themselves."""
        stretch = self.stretch(selection)
        if stretch is None:
            return None
        (first, start), (last, end) = stretch
        parts = []
        for index in range(first, last + 1):
            block = self.page.blocks[index]
            text = block.content.text
            begin = text.to_source(start) if index == first else 0
            behind = text.to_source(end) if index == last else len(block.raw)
            parts.append(block.raw[begin:behind])
        return BETWEEN_BLOCKS.join(parts), ""

    def select_block(self, block: int) -> None:
        """All of its text."""
        length = len(self.page.blocks[block].content.text)
        self.screen.selections = {self: Selection(Offset(0, block), Offset(length, block))}

    def stretch(self, selection: Selection | None) -> Stretch | None:
        """The characters of the page that it stands for; None: none."""
        if selection is None or not self.page.blocks:
            return None
        blocks = self.page.blocks
        start = (0, 0) if selection.start is None else (selection.start.y, selection.start.x)
        end = (len(blocks) - 1, len(blocks[-1].content.text))
        if selection.end is not None:
            end = min(end, (selection.end.y, selection.end.x))
        start = start[0], whole_before(blocks[start[0]].content, start[1])
        end = end[0], whole_behind(blocks[end[0]].content, end[1])
        return Stretch(start, end) if start < end else None


class SelectableRows(Selectable):
    """A pane of rows. Offsets are (character of the row, row); what is copied is what is shown."""

    def row_count(self) -> int:
        """Rows that there are."""
        raise NotImplementedError

    def row_line(self, row: int) -> Line:
        """What stands in one."""
        raise NotImplementedError

    def row_lead(self, row: int) -> int:
        """Blank cells in front of it."""
        return 0

    def offset_at(self, x: int, y: int) -> Offset | None:
        if not self.row_count():
            return None
        row = max(0, min(self.row_count() - 1, round(self.scroll_y) + y))
        text = plain(self.row_line(row))
        cells = x - self.row_lead(row)
        for start, _, width in split_graphemes(text)[0]:
            if cells < width:
                return Offset(start, row)
            cells -= width
        return Offset(len(text), row)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        parts = []
        for row in range(self.row_count()):
            span = selection.get_span(row)
            if span is not None:
                text = plain(self.row_line(row))
                parts.append(text[span[0] : None if span[1] < 0 else span[1]].rstrip())
        return ("\n".join(parts), "") if parts else None

    def selection_updated(self, selection: Selection | None) -> None:
        self.forget_drawn()
        self.refresh()

    def with_selection(self, row: int) -> Line:
        """The row as it is to be drawn."""
        line, selection = self.row_line(row), self.text_selection
        span = selection.get_span(row) if selection is not None else None
        return line if span is None else picked_out(line, *span)


def picked_out(line: Line, start: int, end: int) -> Line:
    """A line with another ground between two of its characters; `end` -1 is the end of the line."""
    picked: Line = ()
    at = 0
    for piece in line:
        length = len(piece.text)
        low = min(max(0, start - at), length)
        high = length if end < 0 else min(max(low, end - at), length)
        parts = (
            piece._replace(text=piece.text[:low]),
            piece._replace(text=piece.text[low:high], ground="key"),
            piece._replace(text=piece.text[high:]),
        )
        picked = (*picked, *(part for part in parts if part.text))
        at += length
    return picked


def whole_before(content: Content, offset: int) -> int:
    """The beginning of the character, or of the mark that stands for one, in which `offset` is."""
    return next((first for first, last in _units(content, offset) if first <= offset < last), offset)


def whole_behind(content: Content, end: int) -> int:
    """The end of the character before `end`; a line end there is the free room behind the line."""
    text = content.text
    end = min(end, len(text))
    if end and text[end - 1] == "\n":
        return end - 1
    return next((last for first, last in _units(content, end - 1) if first < end <= last), end)


def _units(content: Content, offset: int) -> Iterator[tuple[int, int]]:
    """Graphemes and marks of the line with that offset, the marks first."""
    text = content.text
    line = content.line_at(max(0, offset))
    start = content.line_starts[line]
    behind = content.line_starts[line + 1] if line + 1 < len(content.line_starts) else len(text)
    yield from (mark for mark in text.marks if start <= mark[0] < behind)
    yield from ((start + first, start + last) for first, last, _ in split_graphemes(text[start:behind])[0])
