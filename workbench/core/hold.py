"""A hold: for a while nobody may begin certain things but one task, and nothing of them is under way.

Who may be held says so: it passes by before it begins, and is inside until it has ended.

Source: docs/runtime.md 14.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from workbench.core.waitpoints import Waitpoint


class Hold:
    """The one hold of a runtime."""

    __slots__ = ("inside", "owner", "point")

    def __init__(self) -> None:
        self.owner: asyncio.Task[Any] | None = None
        """The task that may go on; None while nobody is held."""
        self.inside: dict[object, None] = {}
        """What is under way."""
        self.point = Waitpoint("hold")

    async def pass_by(self) -> None:
        """Return when nobody is held, or at once for the task that holds the others."""
        if self.owner is not None and self.owner is not asyncio.current_task():
            await self.point.until(lambda: self.owner is None)

    def leave(self, what: object) -> None:
        """It has ended."""
        self.inside.pop(what, None)
        self.point.notify()

    async def until_quiet(self, is_quiet: Callable[[], bool]) -> None:
        """Return in the very step in which nobody is held and `is_quiet()`."""
        await self.point.until(lambda: self.owner is None and is_quiet())

    @contextmanager
    def held_by(self, task: asyncio.Task[Any]) -> Iterator[None]:
        """While the body runs, `task` alone may begin anything."""
        self.owner = task
        try:
            yield
        finally:
            self.owner = None
            self.point.notify()
