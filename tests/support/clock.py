"""An event loop whose clock jumps: what waits for a time is next as soon as nothing else can run."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable

PATIENCE = 0.2
"""Real seconds that a loop without anything to run waits for another thread before it gives up."""


class Deadlock(Exception):
    """Nothing can run any more, and no timer will change that."""


class JumpingSelector(selectors.DefaultSelector):  # type: ignore[misc, valid-type]
    """Polls, and moves its own clock forward where another selector would sleep."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            ready = super().select(PATIENCE)
            if not ready:
                raise Deadlock("every task waits, and no timer is set")
            return ready
        self.now += timeout
        return ready


class ClockLoop(asyncio.SelectorEventLoop):
    """A selector loop on fake time. Seconds are exact and cost nothing."""

    def __init__(self) -> None:
        self._jumping = JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


class Clock:
    """The running loop's time, counted from the moment this clock was made."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._start = self._loop.time()

    @property
    def now(self) -> float:
        return round(self._loop.time() - self._start, 6)

    async def to(self, moment: float) -> None:
        """Return at `moment`, when everything that is due before it has run."""
        await asyncio.sleep(self._start + moment - self._loop.time())

    async def settle(self) -> None:
        """Return when nothing can run without time passing."""
        await asyncio.sleep(1e-6)

    async def measure(self, awaitable: Awaitable[object]) -> float:
        """Await it, and give the moment at which it ended."""
        await awaitable
        return self.now
