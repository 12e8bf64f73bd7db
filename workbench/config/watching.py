"""Following the files of an opened composition.

The folders are watched, not the files: editors replace a file by renaming another one over it, and a file
that is missing now may appear. Source: docs/compositions.md 13.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from typing import TYPE_CHECKING

from watchfiles import awatch

if TYPE_CHECKING:
    from workbench.config.opened import OpenedComposition

QUIET_MS = 100
"""An edit counts as ended when nothing has changed for so long; the watcher wakes up as often."""
NO_FOLDER_SECONDS = 1.0
"""How often to look again while none of the folders exists."""


async def follow(opened: OpenedComposition, stop: asyncio.Event) -> None:
    """Reload after each change of a file that concerns the composition, until `stop` is set."""
    while not stop.is_set():
        watched = _watched_paths(opened)
        folders = _existing_folders(watched)
        if folders:
            await _follow_in(folders, watched, opened, stop)
        else:
            await _wait(stop, NO_FOLDER_SECONDS)


async def _follow_in(folders: list[str], watched: set[str], opened: OpenedComposition, stop: asyncio.Event) -> None:
    """Until `stop`, or until other paths have to be watched: an edit may name other files or be a link."""
    changes = awatch(
        *folders,
        watch_filter=lambda _, path: path in watched,
        step=QUIET_MS,
        stop_event=_Round(stop),
        recursive=False,
    )
    async with aclosing(changes):
        change = asyncio.ensure_future(anext(changes, None))
        try:
            await asyncio.sleep(0)  # The watcher is in place: from here on nothing escapes it.
            await opened.reload(patient=True)
            while _watched_paths(opened) == watched and await change is not None:
                change = asyncio.ensure_future(anext(changes, None))
                await opened.reload(patient=True)
        finally:
            change.cancel()
            await asyncio.gather(change, return_exceptions=True)


class _Round:
    """The stop event of one watcher. A watcher that is cancelled sets it, which must end no other one."""

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop
        self._is_over = False

    def is_set(self) -> bool:
        return self._is_over or self._stop.is_set()

    def set(self) -> None:
        self._is_over = True


def _watched_paths(opened: OpenedComposition) -> set[str]:
    """Every way in which a change may be reported: a file's own path, and that of what it links to."""
    paths: set[str] = set()
    for file in opened.files_to_watch:
        path = os.path.abspath(file)
        folder = os.path.realpath(os.path.dirname(path))
        paths |= {path, os.path.join(folder, os.path.basename(path)), os.path.realpath(path)}
    return paths


def _existing_folders(paths: set[str]) -> list[str]:
    return sorted({folder for path in paths if os.path.isdir(folder := os.path.dirname(path))})


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        pass
