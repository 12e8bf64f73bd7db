"""What the commands of every place build on: the app as its parts see it."""

from __future__ import annotations

from abc import abstractmethod

from workbench.tui.keymap import Keymap
from workbench.tui.places.base import Place
from workbench.tui.stylesheet import SteadyStyles
from workbench.tui.viewing.viewing import Viewing


class HouseBase(SteadyStyles):
    """The app without its commands."""

    viewing: Viewing
    keymap: Keymap

    @property
    def place(self) -> Place:
        """The place under whatever lies on top of it."""
        place = self.front
        if place is None:
            raise LookupError("no place is on the screen")
        return place

    @property
    def front(self) -> Place | None:
        """The same; None while the screens are taken down."""
        return next((screen for screen in reversed(self.screen_stack) if isinstance(screen, Place)), None)

    @abstractmethod
    async def go_to(self, title: str, target: object = None) -> None:
        """Shows the place with that title, and in it what another place knows as `target`."""
        raise NotImplementedError
