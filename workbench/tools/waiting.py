"""Waiting for the end of something that must not be left half done.

Source: docs/tools.md 9.5.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class CancelOnce:
    """Asks a task to end, once, whoever asks how often."""

    __slots__ = ("_asked", "_task")

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self._task = task
        self._asked = False

    def __call__(self) -> None:
        if not self._asked and not self._task.done():
            self._asked = True
            self._task.cancel()


async def until_done(task: asyncio.Task[Any], cancel: CancelOnce) -> None:
    """Wait for the end of a task. Cancelling this asks the task to end, and still waits for it."""
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
            cancel()
    if cancelled:
        if not task.cancelled():
            task.exception()  # retrieved: nobody else will look at it
        raise asyncio.CancelledError


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end, whoever cancels meanwhile; the cancellation comes through behind it."""
    task = asyncio.get_running_loop().create_task(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    result = task.result()
    if cancelled:
        raise asyncio.CancelledError
    return result
