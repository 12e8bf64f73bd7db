"""Opens one file after another behind the screen, and shows each; the one before is closed first."""

from __future__ import annotations

import asyncio
import os
import re
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from workbench.tui import collector
from workbench.tui.memory import Memory
from workbench.tui.subject import Subject

if TYPE_CHECKING:
    from workbench.config.in_force import Service
    from workbench.config.opened import OpenedComposition


class Window(Protocol):
    """The app, as far as it is told what is open."""

    is_painted: asyncio.Event
    has_shown: asyncio.Event
    memory: Memory

    def show(self, subject: Subject) -> None: ...

    def show_opening(self, name: str) -> None: ...

    def show_refusal(self, name: str, reason: str) -> None: ...


class Opener:
    """The task of `run` is the one that holds the runtime: it ends when the file is closed."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._wanted: tuple[str, str, bool] | None = None
        self._asked = asyncio.Event()

    def open(self, path: str, name: str | None = None, *, may_come: bool = False) -> None:
        """Opens that file, or the sample of that name, as soon as the present one is closed.

        `may_come`: one that is not there is waited for, and not refused.
        """
        self._wanted = path, name or path, may_come
        self._window.show_opening(name or path)
        self._asked.set()

    async def run(self) -> None:
        """Until cancelled. An error of ours goes up; a file that cannot be opened is told on the screen."""
        await self._window.is_painted.wait()
        await asyncio.to_thread(_import_rooms)
        while True:
            await self._asked.wait()
            self._asked.clear()
            if self._wanted is not None:
                await self._look_at(*self._wanted)

    async def _look_at(self, path: str, name: str, may_come: bool) -> None:
        from workbench.config.opened import open_composition
        from workbench.config.problems import LoadError
        from workbench.config.recorded import is_recorded
        from workbench.tui.live import CompositionSubject

        try:
            file, remembered = await asyncio.to_thread(_find, path, may_come)
        except LoadError as error:
            self._window.show_refusal(name, "\n".join(map(str, error.problems)))
            return
        if await asyncio.to_thread(is_recorded, file):
            await self._look_at_recorded(file, name, remembered)
            return
        services = await asyncio.to_thread(_live_services, file)
        async with open_composition(file, even_if_broken=True, services=services) as opened:
            subject = CompositionSubject(opened, name)
            if services:
                from workbench.tui.live_sessions import LiveSessions

                subject.sessions = LiveSessions(opened)
            self._window.show(subject)
            self._window.memory.opened(remembered)
            try:
                await soon(self._window.has_shown)
                collector.keep()
                await asyncio.to_thread(import_module, "workbench.config.watching")
                opened.watch()  # what was saved meanwhile is read then
                await self._asked.wait()
            finally:
                collector.let_go()
                self._window.memory.left(remembered, health_of(opened))

    async def _look_at_recorded(self, file: str, name: str, remembered: str) -> None:
        """A session log, a tree of them, or captured requests."""
        from workbench.config.sessions.story import Unusable, words_of
        from workbench.tui.log_subject import LogSubject

        try:
            subject = await asyncio.to_thread(LogSubject.open_now, Path(file), name)
        except Unusable as error:
            self._window.show_refusal(name, words_of(error, file))
            return
        self._window.show(subject)
        self._window.memory.opened(remembered)
        reading = asyncio.create_task(subject.run(), name="read sessions")
        try:
            asked = asyncio.ensure_future(self._asked.wait())
            await asyncio.wait({reading, asked}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done() and reading.exception() is None:
                await asked  # nothing of it grows; it stays on the screen
            asked.cancel()
        finally:
            reading.cancel()
            await asyncio.wait({reading})
            subject.close()
            self._window.memory.left(remembered, "log")
        if not reading.cancelled() and reading.exception() is not None:
            raise reading.exception() or RuntimeError


async def soon(event: asyncio.Event, seconds: float = 1.0) -> None:
    """Waits until the screen can do without the processor, and no longer than that."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)


def _find(path: str, may_come: bool) -> tuple[str, str]:
    """The file that is meant, and how it is remembered: a sample by its name."""
    from workbench.config.samples import find_sample, locate

    if may_come or os.path.lexists(path):
        full = os.path.abspath(path)
        sample = find_sample(os.path.basename(path))
        is_sample = sample is not None and os.path.abspath(sample) == full
        return path, os.path.basename(path).removesuffix(".yml") if is_sample else full
    sample = find_sample(path)
    if sample is not None:
        return str(sample), path
    return str(locate(path)), path


def _live_services(file: str) -> list[Service]:
    """What its agents need to run, where the file names a model that answers."""
    try:
        with open(file, "rb") as content:
            names_models = _MODELS.search(content.read(1_048_576)) is not None
    except OSError:
        return []
    if not names_models:
        return []
    from workbench.config.live import live_services

    return live_services()


_MODELS = re.compile(rb"^models:", re.MULTILINE)


def health_of(opened: OpenedComposition) -> str:
    """In a few words, how the file is."""
    count = len(opened.problems)
    return f"{count} error{'s' if count > 1 else ''}" if count else "loads"


def _import_rooms() -> None:
    """What takes long to import, away from the loop."""
    for module in ("workbench.config.opened", "workbench.tui.live"):
        import_module(module)
