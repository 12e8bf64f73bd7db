"""Following a log that grows: a look after each change that the operating system reports, and none without.

Source: docs/sessions.md 10.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.agent.log.session_log import Refresh, SessionLog

if TYPE_CHECKING:
    from watchfiles import Change

QUIET_MS = 40
"""Changes that follow each other as fast are one."""


async def follow(log: SessionLog, stop: asyncio.Event | None = None) -> AsyncIterator[Refresh]:
    """Each change of the file of `log`, after `log` has taken it up: grown, truncated, replaced, gone.

    Begins with what has changed since `log` was opened, and ends with `stop`. While the file is gone, it waits
    for another one at the same path. Raises `LogError` when that has a bad header; `OSError` without the folder.
    """
    from watchfiles import awatch

    paths = _paths_of(log.path)
    folders = {os.path.dirname(path) for path in paths}

    def concerns(_: Change, changed: str) -> bool:
        return changed in paths

    stop = stop or asyncio.Event()
    own_stop = _EitherStop(stop)
    changes = awatch(*folders, watch_filter=concerns, step=QUIET_MS, stop_event=own_stop, recursive=False)
    was_gone = False
    async with aclosing(changes):
        waiting = asyncio.ensure_future(anext(changes, None))
        try:
            await asyncio.sleep(0)  # The watcher is in place: from here on nothing escapes it.
            while not stop.is_set():
                found = await log.refresh()
                is_news = found.change != "same" and not (found.change == "gone" and was_gone)
                was_gone = found.change == "gone"
                if is_news:
                    yield found
                if await waiting is None:
                    return
                waiting = asyncio.ensure_future(anext(changes, None))
        finally:
            own_stop.set()
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)


def _paths_of(path: Path) -> set[str]:
    """Every way in which a change of the file may be reported: its own path, and that of what it links to."""
    named = os.path.abspath(path)
    folder = os.path.realpath(os.path.dirname(named))
    return {os.path.join(folder, os.path.basename(named)), os.path.realpath(named)}


class _EitherStop:
    """The stop event of one watcher. Ending it must end no other that waits for the same event."""

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop
        self._is_over = False

    def is_set(self) -> bool:
        return self._is_over or self._stop.is_set()

    def set(self) -> None:
        self._is_over = True
