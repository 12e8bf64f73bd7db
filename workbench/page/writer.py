"""Writes what many pages are told beside the event loop.

A write to a socket takes the kernel several microseconds, whatever is written: twenty of them cost the loop more
than all the rest of an announcement. So it hands them over at once, in one step; a thread makes them, none of which
waits, and gives back what a socket has not taken.

Source: docs/page.md 5.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING

from workbench.page import limits

if TYPE_CHECKING:
    from workbench.page.outlet import Outlet


class Job:
    """What some outlets, which are lent for as long, have to write."""

    def __init__(self, loop: asyncio.AbstractEventLoop, parts: Sequence[tuple[Outlet, bytes]]) -> None:
        self._loop = loop
        self._parts = parts
        self._lock = threading.Lock()
        self._is_over = False
        self._is_awaited = False
        self._unsent: dict[Outlet, bytes] = {}

    def is_over(self) -> bool:
        """Of the loop: whether the outlets are its own again. If not, they are told when they are."""
        with self._lock:
            self._is_awaited = not self._is_over
            return self._is_over

    def run(self) -> None:
        """Of the thread."""
        for outlet, data in self._parts:
            sent = outlet.send_now(data)
            if sent < len(data):
                self._unsent[outlet] = data[sent:]
        with self._lock:
            # While something is unsent the outlets stay lent, or what comes later would overtake it.
            self._is_over = not self._unsent
            is_awaited = self._is_awaited or not self._is_over
        if is_awaited:
            with suppress(RuntimeError):  # the loop is closed, and every connection with it
                self._loop.call_soon_threadsafe(self._give_back)

    def _give_back(self) -> None:
        self._is_over = True
        for outlet, _ in self._parts:
            outlet.give_back(self, self._unsent.get(outlet, b""))


class Writer:
    """One thread, from the first job on."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def write(self, parts: Iterable[tuple[Outlet, bytes]]) -> None:
        """Each to its outlet: beside the loop, where that costs less than to write them here."""
        free: list[tuple[Outlet, bytes]] = []
        for outlet, data in parts:
            if outlet.is_free:
                free.append((outlet, data))
            else:
                outlet.write(data)
        if len(free) < limits.WRITTEN_BESIDE:
            for outlet, data in free:
                outlet.write(data)
            return
        job = Job(asyncio.get_running_loop(), free)
        for outlet, _ in free:
            outlet.lend(job)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="page writer", daemon=True)
            self._thread.start()
        self._jobs.put(job)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job.run()

    async def stop(self) -> None:
        """When this returns, all is written or given back, and the thread is gone."""
        if self._thread is not None:
            thread, self._thread = self._thread, None
            self._jobs.put(None)
            await asyncio.to_thread(thread.join)
