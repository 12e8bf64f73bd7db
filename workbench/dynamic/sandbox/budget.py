"""The budget of one synchronous stretch of package code, looked at by every tick.

The first tick of a turn of the loop notes the time, later ones compare. That covers evaluation, callbacks, resumed
coroutines and calls from strangers, without any wrapper. A tick has to be cheap, so most of them compare the clock
with one number and know nothing of turns; a stretch may thereby last a tenth longer than the budget.

Source: docs/dynamic-packages.md 9.4.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic

LOOKS = 10
"""How often in one budget a tick looks whether the loop has turned."""


class BudgetSpent(Exception):
    """Package code has kept the loop for longer than it may. Raised again by every further tick of the turn."""


class Turns:
    """Counts turns of the loop in which somebody has ticked. One for all packages."""

    __slots__ = ("_is_noted", "_loop", "number")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._is_noted = False
        self.number = 0

    def note(self) -> bool:
        """Count when the loop turns next. False where nobody would: a closed loop, another thread."""
        if not self._is_noted:
            try:
                self._loop.call_soon(self._turned)
            except RuntimeError:
                return False
            self._is_noted = True
        return True

    def _turned(self) -> None:
        self._is_noted = False
        self.number += 1


class Budget:
    """The budget of one run."""

    def __init__(self, turns: Turns, seconds: float, owner: str) -> None:
        self.seconds = seconds
        self.spent = 0
        """How often it was spent."""
        self.on_spent: Callable[[], None] | None = None
        self._turns = turns
        self._owner = owner
        self._turn = -1
        self._began = 0.0
        self._is_told = False
        self._next_look = [0.0]
        self.tick = _tick(self._next_look, self._look)
        """Raises `BudgetSpent`."""

    def _look(self) -> None:
        now = monotonic()
        turns = self._turns
        if self._turn != turns.number:
            self._turn = turns.number if turns.note() else -1
            self._began = now
            self._is_told = False
        elif now - self._began > self.seconds:
            self._refuse()
        self._next_look[0] = min(now + self.seconds / LOOKS, self._began + self.seconds)

    def _refuse(self) -> None:
        if not self._is_told:
            self._is_told = True
            self.spent += 1
            if self.on_spent is not None:
                self.on_spent()
        raise BudgetSpent(
            f"timed out: {self._owner} kept the event loop for more than {self.seconds * 1000:.0f} ms "
            "(dynamic.sync_budget_ms); await what takes long, or do less at once"
        )


def _tick(next_look: list[float], look: Callable[[], None]) -> Callable[[], None]:
    def tick(now: Callable[[], float] = monotonic, next_look: list[float] = next_look) -> None:
        if now() > next_look[0]:
            look()

    return tick
