"""The workbench as a test drives it, whatever is in front."""

from __future__ import annotations

from collections.abc import Callable

from textual.pilot import Pilot

from tests.tui.at_rest import comes, settled, text_of, until
from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.inputs import SafeInput


class Driven:
    """An app that runs; after each method it is at rest."""

    def __init__(self, pilot: Pilot[int]) -> None:
        self.pilot = pilot

    @property
    def app(self) -> WorkbenchApp:
        assert isinstance(self.pilot.app, WorkbenchApp)
        return self.pilot.app

    async def press(self, *keys: str) -> None:
        """What one key has begun is over before the next."""
        for key in keys:
            await self.app._press_keys([key])  # a pilot would wait for all widgets before `settled` does
            await settled(self.pilot)

    async def settle(self) -> None:
        await settled(self.pilot)

    async def until(self, is_so: Callable[[], object]) -> None:
        """Waits for what follows by way of messages, threads or file watchers: a quiet screen may not be all."""
        await until(self.pilot, is_so)

    async def until_shown(self, *words: str) -> None:
        await self.until(lambda: all(word in self.text() for word in words))

    async def comes(self, *words: str) -> None:
        """They stand on the screen while work goes on."""
        await comes(lambda: all(word in self.text() for word in words))

    def text(self) -> str:
        """All that is on the screen, line by line."""
        return text_of(self.app)


async def type_in(screen: Driven, text: str) -> None:
    """Into the field that is on top."""
    screen.app.screen.query_one(SafeInput).value = text
    await screen.settle()


async def pick(screen: Driven, query: str) -> None:
    """The first that is found."""
    await type_in(screen, query)
    await screen.press("enter")
