"""A scrolling pane that draws its visible lines only, whatever the number of lines."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip

from workbench.tui.commands import commands_of
from workbench.tui.widgets.paint import Painted
from workbench.tui.widgets.quick_scrollbar import QuickScrollBar


def bindings_of(*where: str) -> list[BindingType]:
    """The bindings of a pane, a place or the app, from the table of commands."""
    bindings: list[BindingType] = []
    for each in commands_of(*where):
        for is_urgent in (False, True):
            keys = [key for key in each.keys if (key in each.urgent) is is_urgent]
            if keys:
                bindings.append(
                    Binding(",".join(keys), each.action, each.title, show=False, priority=is_urgent, id=each.id)
                )
    return bindings


def bindings_without(key: str, *where: str) -> list[BindingType]:
    """The same, but for a key that the place around the pane needs."""
    bindings: list[BindingType] = []
    for each in bindings_of(*where):
        assert isinstance(each, Binding)
        keys = [name for name in each.key.split(",") if name != key]
        if keys:
            bindings.append(replace(each, key=",".join(keys)))
    return bindings


SIDEWAYS = 8
"""Cells of one step to the side."""


class Lines(ScrollView, Painted, can_focus=True, inherit_bindings=False):
    """Lines with a cursor. Subclasses say what stands in a line and what moving the cursor means."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("lines")
    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Lines {
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 1;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: auto;
    }
    """

    _region: Region | None = None
    """Of the text, while it is drawn: asked for by each line, and not cheap."""

    @property
    def scrollable_content_region(self) -> Region:
        """Where the lines are, without the scrollbars."""
        return self._region or super().scrollable_content_region

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines as they are drawn."""
        self._region = super().scrollable_content_region
        try:
            return super().render_lines(crop)
        finally:
            self._region = None

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """Made when it is first asked for."""
        if self._vertical_scrollbar is None:
            bar = QuickScrollBar(vertical=True, name="vertical", thickness=self.scrollbar_size_vertical)
            bar.display = False
            self._vertical_scrollbar = bar
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    def move(self, steps: int) -> None:
        """Moves the cursor by lines."""
        raise NotImplementedError

    def move_to_end(self, *, last: bool) -> None:
        """Moves the cursor to the first or the last line."""
        raise NotImplementedError

    @property
    def page_size(self) -> int:
        """Lines of one page step: one line stays in view."""
        return max(1, self.scrollable_content_region.height - 1)

    def scroll_to_row(self, row: int) -> None:
        """Puts that row at the top, at once."""
        self.scroll_to(y=row, animate=False, force=True)  # also before the scrollbar has been laid out

    def bring_into_view(self, first: int, last: int) -> None:
        """Scrolls as little as is needed to show the rows."""
        top, height = round(self.scroll_y), self.scrollable_content_region.height
        if first < top:
            self.scroll_to_row(first)
        elif last >= top + height:
            self.scroll_to_row(max(0, min(first, last - height + 1)))

    def sideways(self, cells: int) -> None:
        """Shows what is further to the right, or to the left, where lines are not wrapped."""
        self.scroll_to(x=self.scroll_x + cells, animate=False)

    def action_sideways(self) -> None:
        self.sideways(SIDEWAYS)

    def action_sideways_back(self) -> None:
        self.sideways(-SIDEWAYS)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        self._mouse_sideways(event, SIDEWAYS)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        self._mouse_sideways(event, -SIDEWAYS)

    def _mouse_sideways(self, event: events.MouseEvent, cells: int) -> None:
        event.stop()
        event.prevent_default()
        self.sideways(cells)

    def action_up(self) -> None:
        self.move(-1)

    def action_down(self) -> None:
        self.move(1)

    def action_page_up(self) -> None:
        self.move(-self.page_size)

    def action_page_down(self) -> None:
        self.move(self.page_size)

    def action_first(self) -> None:
        self.move_to_end(last=False)

    def action_last(self) -> None:
        self.move_to_end(last=True)
