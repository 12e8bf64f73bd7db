"""Waiting for plugins, but not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.core import Fiber


async def settled(fibers: Callable[[], Iterable[Fiber]], seconds: float) -> bool:
    """Return when all `fibers()` have settled, whatever became of them; False when the time was up first.

    They are asked for again in each round, because a plugin may load others.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while moving := [fiber for fiber in fibers() if not fiber.is_settled]:
        waits = [asyncio.ensure_future(_end_of_transition(fiber)) for fiber in moving]
        _, late = await asyncio.wait(waits, timeout=max(0.0, deadline - loop.time()))
        for wait in late:
            wait.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        if late:
            return False
    return True


async def _end_of_transition(fiber: Fiber) -> None:
    try:
        await fiber
    except Exception:
        pass  # Its own affair: the fiber keeps the error, and whoever lists the failures reads it there.
