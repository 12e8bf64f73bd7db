"""Waiting for the end of something that must not be left half done.

Source: docs/tools.md 9.5.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def until_done(task: asyncio.Task[Any]) -> None:
    """Wait for the end of a task. Cancelling this cancels the task once, and still waits for its end."""
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            if not cancelled:
                task.cancel()
            cancelled = True
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
