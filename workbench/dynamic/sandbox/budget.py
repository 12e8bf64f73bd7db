"""The budget of one synchronous stretch of package code, looked at by every tick.

The first tick of a turn of the loop notes the time and asks the loop to clear the note; later ones compare. That
covers evaluation, callbacks, resumed coroutines and calls from strangers, without any wrapper.

Source: docs/dynamic-packages.md 9.4.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic


class BudgetSpent(Exception):
    """Package code has kept the loop for longer than it may. Raised again by every further tick of the turn."""


class Budget:
    """The budget of one package."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float, owner: str) -> None:
        self._loop = loop
        self.seconds = seconds
        self._owner = owner
        self._ends = 0.0
        self._told = False
        self.spent = 0
        """How often it was spent."""
        self.on_spent: Callable[[], None] | None = None

    def tick(self) -> None:
        """Raises `BudgetSpent`."""
        ends = self._ends
        if not ends:
            self._begin()
        elif monotonic() > ends:
            self._refuse()

    def _begin(self) -> None:
        try:
            self._loop.call_soon(self._clear)
        except RuntimeError:  # the loop is closed, or this is another thread: nobody would clear the note
            return
        self._ends = monotonic() + self.seconds

    def _clear(self) -> None:
        self._ends = 0.0
        self._told = False

    def _refuse(self) -> None:
        if not self._told:
            self._told = True
            self.spent += 1
            if self.on_spent is not None:
                self.on_spent()
        raise BudgetSpent(
            f"timed out: {self._owner} kept the event loop for more than {self.seconds * 1000:.0f} ms "
            "(dynamic.sync_budget_ms); await what takes long, or do less at once"
        )
