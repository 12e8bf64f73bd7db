"""Following the files of an opened composition.

The folders are watched, not the files: editors replace a file by renaming another one over it, and a file
that is missing now may appear. Source: docs/compositions.md 13.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from watchfiles import awatch

if TYPE_CHECKING:
    from workbench.config.opened import OpenedComposition

QUIET_MS = 60
"""An edit counts as ended when nothing has changed for so long."""
NO_FOLDER_SECONDS = 1.0
"""How often to look again while none of the folders exists."""


async def follow(opened: OpenedComposition, stop: asyncio.Event) -> None:
    """Reload after each change of a file that concerns the composition, until `stop` is set."""
    while not stop.is_set():
        files = opened.files_to_watch
        watched = {spelling for file in files for spelling in _spellings(file)}
        folders = _existing_folders(watched)
        if not folders:
            await _wait(stop, NO_FOLDER_SECONDS)
            continue
        async with aclosing(
            awatch(
                *folders,
                watch_filter=lambda _, path: path in watched,  # noqa: B023 - used within this round only
                step=QUIET_MS,
                stop_event=stop,
                recursive=False,
            )
        ) as changes:
            if await _first_change(opened, changes) and opened.files_to_watch == files:
                async for _ in changes:
                    await opened.reload(patient=True)
                    if opened.files_to_watch != files:
                        break


async def _first_change(opened: OpenedComposition, changes: AsyncGenerator[object, None]) -> bool:
    """Start watching, look for what changed before that, and wait for the first change; False at the end."""
    change = asyncio.ensure_future(anext(changes, None))
    try:
        await asyncio.sleep(0)  # The watcher is in place: from here on nothing escapes it.
        await opened.reload(patient=True)
        if await change is None:
            return False
        await opened.reload(patient=True)
        return True
    finally:
        change.cancel()
        await asyncio.gather(change, return_exceptions=True)


def _spellings(file: Path) -> Iterable[str]:
    """How a change of the file may be reported: by its own path, and by that of what it links to."""
    path = os.path.abspath(file)
    yield path
    yield os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    yield os.path.realpath(path)


def _existing_folders(files: Iterable[str]) -> list[str]:
    return sorted({folder for file in files if os.path.isdir(folder := os.path.dirname(file))})


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        pass
