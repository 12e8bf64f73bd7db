"""Says after a while that a tick should look at the clock: looking each time costs more than most providers.

One thread for a runner. It sleeps for as long as no package code has run, and then wakes once for each delay.

Source: docs/dynamic-packages.md 9.4.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from time import monotonic

CLOSE = 0.002
"""Seconds by which something is said too early rather than with one more waking."""


class Pulse:
    """Sets flags after a delay."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._heap: list[tuple[float, int, list[bool]]] = []
        self._count = itertools.count()
        self._wakes_at = float("inf")
        self._thread: threading.Thread | None = None
        self._is_over = False

    def set_later(self, flag: list[bool], delay: float) -> bool:
        """`flag[0]` becomes True after so many seconds. False: nobody would do it, so that it has to stay True."""
        with self._condition:
            if self._is_over or not self._has_thread():
                return False
            at = monotonic() + delay
            heapq.heappush(self._heap, (at, next(self._count), flag))
            if at < self._wakes_at:
                self._condition.notify()
            return True

    def close(self) -> None:
        """The thread is gone when this returns; all flags are set, and stay so."""
        with self._condition:
            self._is_over = True
            self._condition.notify()
        if self._thread is not None:
            self._thread.join()

    def _has_thread(self) -> bool:
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="package budgets", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                return False
            self._thread = thread
        return True

    def _run(self) -> None:
        with self._condition:
            while not self._is_over:
                self._wakes_at = self._heap[0][0] if self._heap else float("inf")
                wait = self._wakes_at - monotonic()
                if wait > 0:
                    self._condition.wait(None if self._wakes_at == float("inf") else wait)
                else:
                    self._say(monotonic() + CLOSE)
            self._say(float("inf"))

    def _say(self, until: float) -> None:
        while self._heap and self._heap[0][0] <= until:
            heapq.heappop(self._heap)[2][0] = True
