"""The text of the prompt, with its owners at the left edge: any size, drawn a screenful at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.selection import Selection

from workbench.tui.view.draw import Emphasis, Match
from workbench.tui.view.layout import Place, found, named
from workbench.tui.view.page import Page
from workbench.tui.view.search import rough_places
from workbench.tui.view.sizes import Sizes
from workbench.tui.widgets.drawn_page import DrawnPage
from workbench.tui.widgets.lines import bindings_of


class PromptText(DrawnPage):
    """A page with a line cursor, a chosen block, and the places of a search."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("text")

    @dataclass
    class Moved(Message):
        """The cursor is in another block."""

        block: int

    @dataclass
    class Left(Message):
        """The person wants to go back to the list."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._cursor: Place | None = None

    # what is shown

    def show_page(self, page: Page) -> None:
        """Shows another page, from its first line on."""
        self.forget_selection()
        self.page = page
        self._cursor = None
        self._emphasis = Emphasis()
        self._lay_out()
        self.scroll_to_row(0)

    def replace_page(self, page: Page) -> None:
        """Shows a newer form of the same page; what is on the screen stays, as far as it still exists."""
        top = self._place_at_top()
        inside = round(self.scroll_y) - self._layout.row_of(top) if top and self._layout else 0
        self.forget_selection()
        cursor = named(self.page, self._cursor)
        shown = named(self.page, top)
        self.page = page
        self._cursor = found(page, cursor)
        self._emphasis = replace(Emphasis(), selected=None)
        self._lay_out()
        place = found(page, shown)
        if place is not None and self._layout is not None:
            self._go_to_row(self._layout.row_of(place) + inside)

    def show_sizes(self, sizes: Sizes) -> None:
        """Shows the same page with other sizes in its bands."""
        self.page.sizes = sizes
        self.forget_drawn()
        self.refresh()

    def choose(self, block: int | None, *, show: bool = True, variable: str | None = None) -> None:
        """Picks out a block, and brings its beginning to the screen."""
        self._emphasize(selected=block, variable=variable)
        if block is not None and show and self._layout is not None:
            row = self._layout.row_of_block(block)
            height = self._window_height
            top = round(self.scroll_y)
            rows_of_block = self._block_height(block, height)
            if row < top + 1 or row + rows_of_block > top + height:
                self._go_to_row(row)

    def show_matches(self, matches: Mapping[int, list[Match]], current: tuple[int, Match] | None) -> None:
        """Picks out what a search has found, and goes to the current place."""
        self._emphasize(matches=matches, current=current)
        self._mark_scrollbar()
        if current is not None and self._layout is not None:
            block, match = current
            row = self._layout.row_of_offset(block, match.start)
            top, height = round(self.scroll_y), self._window_height
            if not top < row < top + height - 1:
                self._go_to_row(max(0, row - height // 3))

    def show_offset(self, block: int, offset: int) -> None:
        """Brings the row with that character to the top, unless it is on the screen."""
        if self._layout is not None and self._layout.total:
            row = self._layout.row_of_offset(block, offset)
            top = round(self.scroll_y)
            if not top <= row < top + self._window_height:
                self._go_to_row(row)

    def show_failure(self, block: int) -> None:
        """Goes to the faulty line of a block, with its note below it in view."""
        if self._layout is None:
            return
        start = self._layout.row_of_block(block)
        failure = self.page.blocks[block].failure
        row = start
        if failure is not None and failure.offset is not None:
            offset = self.page.blocks[block].content.text.to_visible(failure.offset)
            row = self._layout.row_of_offset(block, offset)
        height = self._window_height
        self._go_to_row(start if row - start < height // 2 else row - height // 3)

    def set_wrap(self, wraps: bool) -> None:
        """Wraps long lines, or lets them run to the right."""
        top = self._place_at_top()
        self.wraps = wraps
        self._lay_out()
        if top is not None and self._layout is not None:
            self.scroll_to(x=0, y=self._layout.row_of(top), animate=False)

    # selecting with the mouse

    def selection_updated(self, selection: Selection | None) -> None:
        """Shows what is selected now."""
        self._emphasize(selection=self.stretch(selection))

    def text_select_all(self) -> None:
        """A double click selects the block that the cursor is in."""
        if self._cursor is not None:
            self.select_block(self._cursor.block)

    # moving

    def move(self, steps: int) -> None:
        """The cursor, by rows of the screen; it rests on whole lines."""
        layout = self._layout
        if layout is None or not layout.total:
            return
        if self._cursor is None:
            self._put_cursor(self._first_place())
            return
        if abs(steps) == 1:
            place = layout.line_after(self._cursor, steps)
        else:
            row = layout.row_of(self._cursor) + steps
            self.measure(row, 1)
            place = layout.place_at(max(0, min(row, layout.total - 1)))
        if place is not None:
            self._put_cursor(place._replace(line=max(0, place.line)))
        if steps > 1:
            self.draw_ahead_soon()

    def move_to_end(self, *, last: bool) -> None:
        if self._layout is None or not self._layout.total:
            return
        if last:
            self._go_to_row(self._layout.total)
            place = self._layout.place_at(self._layout.total - 1)
        else:
            place = Place(0, 0)
        if place is not None:
            self._put_cursor(place)

    def action_back(self) -> None:
        self.post_message(self.Left())

    def on_click(self, event: events.Click) -> None:
        place = self._layout.place_at(round(self.scroll_y) + event.y) if self._layout else None
        if place is not None:
            self._put_cursor(place if place.line >= 0 else Place(place.block, 0))

    def on_focus(self) -> None:
        if self._cursor is None and self._layout is not None and self._layout.total:
            self._cursor = self._first_place()
        self._emphasize(cursor=self._cursor)

    def on_blur(self) -> None:
        self._emphasize(cursor=None)

    @property
    def cursor(self) -> Place | None:
        """The line that the person is on."""
        return self._cursor

    @property
    def cursor_source(self) -> int:
        """Offset of the beginning of that line in the text of its block, as it was given."""
        if self._cursor is None or self._cursor.block >= len(self.page.blocks):
            return 0
        content = self.page.blocks[self._cursor.block].content
        return content.text.to_source(content.line_starts[max(0, self._cursor.line)])

    # inside

    def _mark_scrollbar(self) -> None:
        marks = [] if self._layout is None else rough_places(self._layout, self._emphasis.matches)
        if marks or self._has_marks:
            from workbench.tui.widgets.marked_scrollbar import mark_scrollbar  # not before the first search

            self._has_marks = bool(marks)
            mark_scrollbar(self.vertical_scrollbar, marks, self.paint.colour("focus"))

    _has_marks = False

    def _put_cursor(self, place: Place) -> None:
        if self._layout is None:
            return
        moved = self._cursor is None or self._cursor.block != place.block
        self._cursor = place
        if moved or self._emphasis.selected != place.block:
            self._move_to_block(place)
        elif self.has_focus:
            self._move_cursor_line(place)
        row = self._layout.row_of(place)
        top, height = round(self.scroll_y), self._window_height
        if row <= top:
            self._go_to_row(max(0, row - 1))
        elif row >= top + height - 1:
            self._go_to_row(row - height + 2)
        if moved:
            self.post_message(self.Moved(place.block))

    def _move_to_block(self, place: Place) -> None:
        """Draws two blocks anew instead of the whole screen."""
        before = self._emphasis
        self._emphasis = replace(before, cursor=place if self.has_focus else None, selected=place.block)
        blocks = {before.selected, place.block, before.cursor.block if before.cursor is not None else None}
        for block in blocks:
            if block is not None:
                self._forget_block(block)

    def _move_cursor_line(self, place: Place) -> None:
        """Draws two lines anew."""
        before = self._emphasis.cursor
        self._emphasis = replace(self._emphasis, cursor=place)
        for each in (before, place):
            if each is None:
                continue
            assert self._layout is not None
            first, height = self._layout.rows_of_line(each)
            for row in range(first, first + height):
                self._drawn.pop(row, None)
            self.refresh_lines(first, height)

    def _first_place(self) -> Place:
        selected = self._emphasis.selected
        if selected is not None:
            return Place(selected, 0)
        place = self._place_at_top()
        return Place(place.block, max(0, place.line)) if place else Place(0, 0)
