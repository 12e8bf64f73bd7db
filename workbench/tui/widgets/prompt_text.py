"""The text of the prompt, with its owners at the left edge: any size, drawn a screenful at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from workbench.tui.view.draw import Emphasis, Gutter, Match, draw
from workbench.tui.view.frame import outer_margin
from workbench.tui.view.layout import Layout, Located, Place, found, named
from workbench.tui.view.page import Page
from workbench.tui.view.search import rough_places
from workbench.tui.view.sizes import Sizes
from workbench.tui.widgets.lines import Lines, bindings_of
from workbench.tui.widgets.selecting import SelectablePage

WIDEST = 96
"""Cells of running text."""


class PromptText(SelectablePage):
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
        self.page = Page("system", [])
        self.wraps = True
        self._layout: Layout | None = None
        self._emphasis = Emphasis()
        self._cursor: Place | None = None
        self._drawn: dict[int, Strip] = {}

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
            layout.settle(row, self._window_height)
            place = layout.place_at(max(0, min(row, layout.total - 1)))
        if place is not None:
            self._put_cursor(place._replace(line=max(0, place.line)))

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

    # drawing

    def on_resize(self) -> None:
        if self._layout is None or self._text_width() != self._layout.width:
            place = self._place_at_top()
            self._lay_out()
            if place is not None and self._layout is not None:
                self.scroll_to_row(self._layout.row_of(place))
        self.forget_drawn()

    def watch_show_vertical_scrollbar(self) -> None:
        """It takes a column from the text, or gives it back."""
        if self._layout is not None:
            self.on_resize()

    def forget_drawn(self) -> None:
        self._drawn.clear()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._settle()

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_x(old_value, new_value)
        self.forget_drawn()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows as they are drawn."""
        self._margin = outer_margin(self.app.size.width)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One row of the page; the band of the block at the top stays in view."""
        width = self.scrollable_content_region.width
        if self._layout is None:
            return self.paint.blank(width, "base")
        row = round(self.scroll_y) + y
        if y == 0 and not self.page.is_bare:
            place = self._layout.place_at(row)
            if place is not None and place.line >= 0:
                return self._strip(-1 - place.block, Located(place.block, None), width)
        strip = self._strip(row, None, width)
        return strip if self.wraps else strip.crop(0, width)

    def _strip(self, key: int, located: Located | None, width: int) -> Strip:
        """What is drawn for a row, or for the band of a block (-1 minus its index) above its own place."""
        strip = self._drawn.get(key)
        if strip is None or strip.cell_length != width:
            if located is None:
                assert self._layout is not None
                located = self._layout.at(key)
            strip = self.paint.blank(width, "base") if located is None else self._draw(located, width)
            if len(self._drawn) > _KEPT:
                self._drawn.clear()
            self._drawn[key] = strip
        return strip

    def _draw(self, located: Located, width: int) -> Strip:
        bar, line, ground = draw(self.page, located, width, self._gutter, self._emphasis, self._margin)
        if bar is not None:
            line = (bar, *line)
        scroll_x = 0 if self.wraps else round(self.scroll_x)
        if not scroll_x or located.item is None:
            return self.paint.strip(line, width, ground)
        gutter = 1 + (0 if bar is None else self._gutter.width)
        whole = self.paint.strip(line, width + scroll_x, ground)
        return Strip.join([whole.crop(0, gutter), whole.crop(gutter + scroll_x, width + scroll_x)])

    # inside

    @property
    def _window_height(self) -> int:
        return max(1, self.scrollable_content_region.height)

    _margin = 0
    """Free cells at the right edge, while the rows are drawn."""

    @property
    def _room(self) -> int:
        """Cells between gutter and margin."""
        margin = outer_margin(self.app.size.width)
        return max(8, self.scrollable_content_region.width - 1 - self._gutter.width - margin)

    def _text_width(self) -> int | None:
        return min(WIDEST, self._room) if self.wraps else None

    def _lay_out(self) -> None:
        self._gutter = Gutter(max(3, len(str(self.page.most_lines))))
        self._layout = Layout(self.page, self._text_width(), self._room)
        self.styles.overflow_x = "hidden" if self.wraps else "auto"
        self._update_size()
        self._settle()
        self.forget_drawn()
        self.refresh()

    _gutter = Gutter()

    def _update_size_if_it_shows(self, row: int) -> None:
        """A new size lays the screen out anew, so a better guess of what is far away has to wait."""
        assert self._layout is not None
        total, before = self._layout.total, self.virtual_size.height
        is_near_end = row + 2 * self._window_height >= min(total, before)
        if is_near_end or abs(total - before) > before // 20:
            self._update_size()

    def _update_size(self) -> None:
        assert self._layout is not None
        width = self.scrollable_content_region.width
        if not self.wraps:
            width = max(width, self.page.widest_line + self._gutter.width + 2)
        size = Size(width, self._layout.total)
        if size != self.virtual_size:
            self.virtual_size = size

    def _settle(self) -> None:
        """Measures what is on the screen, so that nothing moves while it is looked at."""
        if self._layout is None:
            return
        before = self._layout.total
        top = round(self.scroll_y)
        settled = self._layout.settle(top, self._window_height)
        if self._layout.total != before:
            self.forget_drawn()
            self._update_size_if_it_shows(settled)
            if settled != top:
                self.set_reactive(Lines.scroll_y, float(settled))
                self.set_reactive(Lines.scroll_target_y, float(settled))
            self.refresh()

    def _go_to_row(self, row: int) -> None:
        if self._layout is not None:
            before = self._layout.total
            self._layout.settle(row, self._window_height)
            if self._layout.total != before:
                self._update_size_if_it_shows(row)
                self.forget_drawn()
        self.scroll_to_row(row)

    def _block_height(self, block: int, at_most: int) -> int:
        assert self._layout is not None
        return min(at_most, len(self._layout.rows_of_block(block)))

    def _emphasize(self, **changes: Any) -> None:
        emphasis = replace(self._emphasis, **changes)
        if emphasis != self._emphasis:
            self._emphasis = emphasis
            self.forget_drawn()
            self.refresh()

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

    def _forget_block(self, block: int) -> None:
        """Its rows, and its band where that stays in view."""
        assert self._layout is not None
        rows = self._layout.rows_of_block(block)
        top = round(self.scroll_y)
        for row in [row for row in self._drawn if row in rows]:
            del self._drawn[row]
        first, behind = max(rows.start, top), min(rows.stop, top + self._window_height)
        if first < behind:
            self.refresh_lines(first, behind - first)
        if self._drawn.pop(-1 - block, None) is not None:
            self.refresh_line(top)

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

    def _place_at_top(self) -> Place | None:
        return self._layout.place_at(round(self.scroll_y)) if self._layout and self._layout.total else None


_KEPT = 512
