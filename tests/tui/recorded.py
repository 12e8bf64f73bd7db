"""The workbench over a recorded session, at rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from tests.tui.driving import Driven
from workbench.tui.app import WorkbenchApp
from workbench.tui.log_subject import LogSubject
from workbench.tui.places.session.place import SessionPlace


class Recorded(Driven):
    """The place Session under test."""

    def __init__(self, pilot: Pilot[int], subject: LogSubject) -> None:
        super().__init__(pilot)
        self.subject = subject

    @property
    def place(self) -> SessionPlace:
        place = self.app.place
        assert isinstance(place, SessionPlace)
        return place


@asynccontextmanager
async def recorded(path: Path, size: tuple[int, int] = (120, 40), theme: str = "dark") -> AsyncIterator[Recorded]:
    """The workbench over a log, a folder of logs, or captured requests, once all is read."""
    subject = LogSubject.open_now(path, path.name)
    app = WorkbenchApp(subject, theme=theme)
    async with app.run_test(size=size) as pilot:
        screen = Recorded(pilot, subject)
        await screen.settle()
        reading = asyncio.create_task(subject.run())
        try:
            await screen.until(lambda: not subject.progress and isinstance(app.place, SessionPlace))
            await screen.settle()
            yield screen
        finally:
            reading.cancel()
            await asyncio.wait({reading})
            subject.close()
