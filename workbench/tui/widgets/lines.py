"""A scrolling pane that draws its visible lines only, whatever the number of lines."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.scroll_view import ScrollView

from workbench.tui.commands import commands_of
from workbench.tui.widgets.paint import Painted


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
