"""Blocking work beside the loop, which is waited for even when nobody wants its result any more.

Source: docs/tools.md 12.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """The work was asked to end."""


class StopSign:
    """Tells work in a thread that its result is not wanted any more."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def check(self) -> None:
        """Raise `Stopped` when the work should end."""
        if self._event.is_set():
            raise Stopped


async def in_thread(work: Callable[[StopSign], T]) -> T:
    """Run `work(stop)` in a thread. When this is cancelled, the thread has ended before it returns."""
    stop = StopSign()
    running = asyncio.get_running_loop().run_in_executor(None, work, stop)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.set()
        while not running.done():
            try:
                await asyncio.wait({running})
            except asyncio.CancelledError:
                continue
        if not running.cancelled():
            running.exception()  # retrieved: nobody else looks at it
        raise
