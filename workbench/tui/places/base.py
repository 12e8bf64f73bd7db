"""The frame that all places have: context and tabs above, key hints below."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.message import Message
from textual.screen import Screen

from workbench.tui.bridge import Changed
from workbench.tui.subject import Subject
from workbench.tui.view.frame import Tab
from workbench.tui.view.picker import Item
from workbench.tui.widgets.bars import BarWidget

TABS: tuple[Tab, ...] = (Tab("1", "Prompt", "What will the model read?"),)
"""Only places that exist."""


class Place(Screen[None]):
    """A screen that answers one question about the subject."""

    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - declared by Textual as an instance variable
        (0, "-tiny"),
        (60, "-narrow"),
        (80, "-small"),
        (100, "-middle"),
        (160, "-large"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-flat"),
        (16, "-low"),
        (24, "-short"),
        (30, "-tall"),
    ]
    ALLOW_SELECT = False
    BLANK = True
    """Nothing of its own is drawn between the panes."""
    tab: Tab

    @dataclass
    class Arrived(Message):
        """A place is on the screen and can be told what to look at."""

        place: Place

    def show_subject(self, subject: Subject) -> None:
        """Another thing to look at."""
        raise NotImplementedError

    def show_opening(self, name: str) -> None:
        """Something is being opened."""
        raise NotImplementedError

    def follow(self, changed: Changed) -> None:
        """What is looked at has changed."""
        raise NotImplementedError

    def jumps(self) -> list[Item]:
        """What the palette can jump to here."""
        return []

    def jump(self, item_id: str) -> None:
        """Goes to one of them."""

    async def run_command(self, command_id: str) -> None:
        """Carries out a command of the table."""
        where, _, action = command_id.partition(".")
        await self.run_action(f"app.{action}" if where == "app" else action)

    @on(BarWidget.Pressed)
    async def _run_pressed(self, event: BarWidget.Pressed) -> None:
        event.stop()
        await self.run_command(event.command)
