"""The budget of one synchronous stretch of package code, looked at by every tick.

The first tick of a turn of the loop notes the time, later ones compare. That covers evaluation, callbacks, resumed
coroutines and calls from strangers, without any wrapper. A tick has to be cheap, so most of them read one flag and
know nothing of clock and turns: a thread sets it ten times in a budget. A stretch may thereby last a tenth longer.

Source: docs/dynamic-packages.md 9.4.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic

from workbench.dynamic.sandbox.pulse import Pulse

LOOKS = 10
"""How often in one budget a tick looks at the clock, and whether the loop has turned."""


class BudgetSpent(Exception):
    """Package code has kept the loop for longer than it may. Raised again by every further tick of the turn."""


class Turns:
    """Counts turns of the loop in which somebody has ticked. One for all packages."""

    __slots__ = ("_is_noted", "_loop", "number", "pulse")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.pulse = Pulse()
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
        self.due = [True]
        """Whether the next tick calls `look`."""
        self._turns = turns
        self._owner = owner
        self._turn = -1
        self._began = 0.0
        self._is_told = False

    def look(self) -> None:
        """What a tick does that is due. Raises `BudgetSpent`."""
        now = monotonic()
        turns = self._turns
        if self._turn != turns.number:
            self._turn = turns.number if turns.note() else -1
            self._began = now
            self._is_told = False
        elif now - self._began > self.seconds:
            self._refuse()  # it stays due: the next tick of this turn raises again
        delay = min(self.seconds / LOOKS, max(0.0, self._began + self.seconds - now))
        self.due[0] = False
        if not turns.pulse.set_later(self.due, delay):
            self.due[0] = True

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
