"""Following the files of an opened composition. Source: docs/compositions.md 13."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from workbench.watching import Watch

if TYPE_CHECKING:
    from workbench.config.opened import OpenedComposition

QUIET_SECONDS = 0.1
"""An edit counts as ended when nothing has changed for so long."""


async def follow(opened: OpenedComposition, stop: asyncio.Event) -> None:
    """Reload after each change of a file that concerns the composition, until `stop` is set."""
    while not stop.is_set():
        files = opened.files_to_watch
        async with Watch(files, quiet=QUIET_SECONDS) as watch:
            await opened.reload(patient=True)  # the watch is in place: from here on nothing escapes it
            while opened.files_to_watch == files and await watch.changed(stop):
                await opened.reload(patient=True)
