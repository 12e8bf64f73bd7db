"""Following a log that grows: a look after each change that the operating system reports, and none without.

Source: docs/sessions.md 10.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from workbench.agent.log.session_log import Refresh, SessionLog

QUIET_SECONDS = 0.04
"""Changes that follow each other as fast are one."""


async def follow(log: SessionLog, stop: asyncio.Event | None = None) -> AsyncIterator[Refresh]:
    """Each change of the file of `log`, after `log` has taken it up: grown, truncated, replaced, gone.

    Begins with what has changed since `log` was opened, and ends with `stop`. While the file is gone, it waits
    for another one at the same path. Raises `LogError` when that has a bad header; `OSError` when the system
    watches nothing more.
    """
    from workbench.watching import Watch  # only who follows a log pays for the import

    was_gone = False
    async with Watch([log.path], quiet=QUIET_SECONDS) as watch:
        while stop is None or not stop.is_set():
            found = await log.refresh()
            is_news = found.change != "same" and not (found.change == "gone" and was_gone)
            was_gone = found.change == "gone"
            if is_news:
                yield found
            if not await watch.changed(stop):
                return
