"""How the screen is laid out, which is remembered from start to start: signs, and lines that are left free.

Source: docs/tui.md 5 and 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from textual import events
from textual.screen import Screen

from workbench.tui.hands.house import HouseBase
from workbench.tui.memory import Memory
from workbench.tui.places.base import COMPACT, Place
from workbench.tui.widgets.paint import Painted

ASCII: Final = "app.ascii"
"""Name of the setting in the memory."""


class Layout(HouseBase):
    """Commands for the layout of all places."""

    memory: Memory
    signs_in_ascii: bool | None = None
    """As asked for at this start; None: as it is remembered."""

    @property
    def is_ascii(self) -> bool:
        """Our own signs are shown in their ASCII forms; widgets ask for it when they paint."""
        if self.signs_in_ascii is not None:
            return self.signs_in_ascii
        return bool(self.memory.layout.get(ASCII, False))

    def action_signs(self) -> None:
        self.memory.layout[ASCII] = is_ascii = not self.is_ascii
        self.signs_in_ascii = None
        for screen in self._all_screens():
            for widget in screen.walk_children(Painted):
                widget.notify_style_update()
                widget.refresh()
        self.place.refresh_frame()
        self.place.say("Signs are ASCII now." if is_ascii else "Signs are as they are drawn again.")

    def action_compact(self) -> None:
        self.memory.layout[COMPACT] = is_compact = not self.memory.layout.get(COMPACT, False)
        for screen in self._all_screens():
            if isinstance(screen, Place):
                size = self.size
                screen.post_message(events.Resize(size, size, size))
        word = "Compact: no lines are left free." if is_compact else "Lines are left free where there is room."
        self.place.call_later(self.place.say, word)  # behind the new size, which draws the frame anew

    def _all_screens(self) -> Iterator[Screen[object]]:
        for stack in self._screen_stacks.values():
            yield from stack
