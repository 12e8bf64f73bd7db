"""Counts the tokens of the last preview, beside the loop; characters are shown until they are there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from textual.app import App
from textual.worker import Worker

from workbench.prompt.views import Preview
from workbench.tui.subject import Subject
from workbench.tui.view.sizes import CHARACTERS, Sizes
from workbench.tui.workers import runs, start_worker

SOON = 0.2
"""Seconds that a preview waits for its counts once the vocabulary is there, so that numbers do not flicker."""

log = logging.getLogger("workbench.tui")


class Measuring:
    """One count at a time, as a worker of the app."""

    def __init__(self, app: App[Any], show: Callable[[Sizes], None]) -> None:
        self._app = app
        self._show = show
        self._worker: Worker[None] | None = None

    @property
    def is_running(self) -> bool:
        """A count has not come back."""
        return runs(self._worker)

    async def soon(self, subject: Subject, preview: Preview) -> Sizes:
        """The sizes, if they can be had in a moment; else characters, and the worker goes on."""
        self.give_up()
        if subject.is_quick(preview):
            try:
                return await asyncio.wait_for(_counted(subject, preview), SOON)
            except TimeoutError:
                pass
        return CHARACTERS

    def start(self, subject: Subject, preview: Preview) -> None:
        """Counts, and shows what it was."""
        self._worker = start_worker(
            self._app, partial(self._count, subject, preview), group="count", exclusive=True
        )

    def give_up(self) -> None:
        """What was being counted is not shown any more."""
        if self._worker is not None:
            self._worker.cancel()
            self._worker = None

    async def _count(self, subject: Subject, preview: Preview) -> None:
        painted = asyncio.Event()
        self._app.call_after_refresh(painted.set)  # counting takes the processor, and the first time a vocabulary
        await painted.wait()
        self._show(await _counted(subject, preview))


async def _counted(subject: Subject, preview: Preview) -> Sizes:
    try:
        return await subject.sizes(preview)
    except Exception:  # Characters are better than nothing.
        log.exception("the tokens could not be counted")
        return CHARACTERS
