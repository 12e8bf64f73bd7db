"""The lines of the frame: context, places, answer, and key hints."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message

from workbench.tui.view.frame import Bar, Region
from workbench.tui.view.pieces import Role
from workbench.tui.widgets.line import LineWidget


class BarWidget(LineWidget):
    """A line with parts that can be clicked."""

    GROUND: Role = "panel"

    @dataclass
    class Pressed(Message):
        """A part of the line was clicked."""

        command: str

    _regions: tuple[Region, ...] = ()

    def show_bar(self, bar: Bar) -> None:
        """Shows the line."""
        self._regions = bar.regions
        self.show(bar.left, bar.right)

    def on_click(self, event: events.Click) -> None:
        for region in self._regions:
            if region.start <= event.x - self.free_cells < region.end:
                self.post_message(self.Pressed(region.command))


class ContextBar(BarWidget):
    """What is open and how it is."""


class TabBar(BarWidget):
    """The places. The mark of the current one stands in the margin."""

    margin = 1


class AnswerLine(LineWidget):
    """The answer to the question of the place."""


class KeyHints(BarWidget):
    """Keys that help now."""
