"""A page drawn a screenful at a time: what is drawn is kept, and measured only where it is looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from textual.geometry import Region, Size
from textual.strip import Strip
from textual.timer import Timer

from workbench.tui.view.draw import Emphasis, Gutter, draw
from workbench.tui.view.frame import outer_margin
from workbench.tui.view.layout import Layout, Located, Place
from workbench.tui.view.page import Page
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.selecting import SelectablePage

WIDEST = 96
"""Cells of running text."""
AHEAD_SECONDS = 0.02
"""So long the thread that writes to the terminal has the processor for itself."""


class DrawnPage(SelectablePage):
    """The rows of a page. Subclasses say what is picked out in them, and what moves."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.page = Page("system", [])
        self.wraps = True
        self._layout: Layout | None = None
        self._emphasis = Emphasis()
        self._drawn: dict[int, Strip] = {}
        """By row; by -1 minus its index, the band of a block that stays in view."""

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

    def draw_ahead_soon(self) -> None:
        """Draws the next page once this one is on its way to the terminal: who turns one often turns another."""
        if self._ahead is not None:
            self._ahead.stop()
        self._ahead = self.set_timer(AHEAD_SECONDS, self._draw_ahead, name="draw ahead")

    _ahead: Timer | None = None

    def _draw_ahead(self) -> None:
        height = self._window_height
        first = round(self.scroll_y) + height
        if self._layout is not None and first + height <= self._layout.total:
            self.measure(first)
            width = self.scrollable_content_region.width
            for row in range(first, first + height):
                self._strip(row, None, width)

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

    def measure(self, row: int, height: int = 0) -> int:
        """Measures so many rows from that one on, without a height those of a window.

        Gives back its row when what is above it has been measured, too.
        """
        if self._layout is None:
            return row
        before = self._layout.mistakes
        settled = self._layout.settle(row, height or self._window_height)
        if self._layout.mistakes != before:
            self.forget_drawn()  # rows lie elsewhere now
            self._update_size_if_it_shows(settled)
        return settled

    def _settle(self) -> None:
        """Measures what is on the screen, so that nothing moves while it is looked at."""
        if self._layout is None:
            return
        before, top = self._layout.mistakes, round(self.scroll_y)
        settled = self.measure(top)
        if self._layout.mistakes != before:
            if settled != top:
                self.set_reactive(Lines.scroll_y, float(settled))
                self.set_reactive(Lines.scroll_target_y, float(settled))
            self.refresh()

    def _go_to_row(self, row: int) -> None:
        self.measure(row)
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

    def _place_at_top(self) -> Place | None:
        return self._layout.place_at(round(self.scroll_y)) if self._layout and self._layout.total else None


_KEPT = 512
