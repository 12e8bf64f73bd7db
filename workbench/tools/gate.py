"""A first-come gate: safe calls pass side by side, an exclusive one passes alone.

Source: docs/tools.md 9.3.
"""

from __future__ import annotations

import asyncio
from collections import deque


class Gate:
    """Lets calls through in the order in which they came."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside = 0
        self._exclusive_inside = False
        self._waiting: deque[tuple[bool, asyncio.Future[None]]] = deque()

    async def enter(self, is_safe: bool) -> None:
        """Wait for one's turn. Whoever is inside calls `leave` at the end; cancelling this gives the turn back."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (is_safe, turn)
        self._waiting.append(entry)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()
            elif entry in self._waiting:
                self._waiting.remove(entry)
                self._admit()
            raise

    def leave(self) -> None:
        """Let the next ones in."""
        self._inside -= 1
        self._exclusive_inside = False
        self._admit()

    def _admit(self) -> None:
        while self._waiting and not self._exclusive_inside:
            is_safe, turn = self._waiting[0]
            if self._inside and (not is_safe or self._inside >= self._most):
                return
            self._waiting.popleft()
            if turn.cancelled():
                continue
            self._inside += 1
            self._exclusive_inside = not is_safe
            turn.set_result(None)
