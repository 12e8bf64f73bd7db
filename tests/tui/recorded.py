"""The workbench over a recorded session, at rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from tests.tui.conftest import settled
from workbench.tui.app import WorkbenchApp
from workbench.tui.log_subject import LogSubject
from workbench.tui.places.session.place import SessionPlace


class Recorded:
    """The place Session under test."""

    def __init__(self, pilot: Pilot[int], subject: LogSubject) -> None:
        self.pilot, self.subject = pilot, subject

    @property
    def app(self) -> WorkbenchApp:
        assert isinstance(self.pilot.app, WorkbenchApp)
        return self.pilot.app

    @property
    def place(self) -> SessionPlace:
        place = self.app.place
        assert isinstance(place, SessionPlace)
        return place

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await settled(self.pilot)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Waits for something that takes a thread or a file watcher."""
        for _ in range(400):
            await settled(self.pilot)
            if condition():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"it does not come to be:\n{self.text()}")

    async def until_shown(self, *words: str) -> None:
        await self.until(lambda: all(word in self.text() for word in words))

    def text(self) -> str:
        """All that is on the screen, line by line."""
        compositor = self.app.screen._compositor
        return "\n".join("".join(segment.text for segment in strip) for strip in compositor.render_strips())


@asynccontextmanager
async def recorded(path: Path, size: tuple[int, int] = (120, 40), theme: str = "dark") -> AsyncIterator[Recorded]:
    """The workbench over a log, a folder of logs, or captured requests, once all is read."""
    subject = LogSubject.open_now(path, path.name)
    app = WorkbenchApp(subject, theme=theme)
    async with app.run_test(size=size) as pilot:
        screen = Recorded(pilot, subject)
        await settled(pilot)
        reading = asyncio.create_task(subject.run())
        try:
            await screen.until(lambda: not subject.progress and isinstance(app.place, SessionPlace))
            await settled(pilot)
            yield screen
        finally:
            reading.cancel()
            await asyncio.wait({reading})
            subject.close()
