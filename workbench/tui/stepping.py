"""Steps of an agent one at a time: each waits until a person lets it begin."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Stepping:
    """Off until `one_more` is called for the first time."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._permits = 0
        self._gate = asyncio.Event()
        self.is_on = False
        """Steps wait."""
        self.is_held = False
        """One waits now."""

    def one_more(self, *, is_running: bool) -> bool:
        """Lets one more step begin, and holds the one after. False: nothing runs; something has to be said."""
        self.is_on = True
        if self.is_held or not is_running:
            self._permits = 1
            self._gate.set()
        self._tell()
        return is_running

    def let_run(self) -> None:
        """Steps follow each other again."""
        self.is_on = False
        self._permits = 0
        self._gate.set()
        self._tell()

    async def wait(self) -> None:
        """Returns when the step may begin. Cancelling it is the end of the wait."""
        while self.is_on and not self._permits:
            self._gate.clear()
            self.is_held = True
            self._tell()
            try:
                await self._gate.wait()
            finally:
                self.is_held = False
        if self.is_on:
            self._permits -= 1
        self._tell()
