"""How often something may happen: a bucket of tokens that fills up again.

Source: docs/page.md 5.
"""

from __future__ import annotations

import time
from collections.abc import Callable


class Bucket:
    """Full at the start."""

    __slots__ = ("_capacity", "_clock", "_per_second", "_since", "_tokens")

    def __init__(self, per_second: float, capacity: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._capacity = capacity
        self._tokens = capacity
        self._clock = clock
        self._since = clock()

    def take(self, tokens: float = 1) -> bool:
        """False when it has less."""
        now = self._clock()
        self._tokens = min(self._capacity, self._tokens + (now - self._since) * self._per_second)
        self._since = now
        if self._tokens < tokens:
            return False
        self._tokens -= tokens
        return True
