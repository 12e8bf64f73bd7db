"""Background jobs: commands that outlive the call that started them.

Source: docs/tools.md 12.2.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable

from workbench.tools.processes import Captured, Output, ProcessGroup
from workbench.tools.waiting import to_the_end

KEPT_BYTES = 256 * 1024
"""Of what a job prints, so much is kept: the beginning and the end; and as much of what was not read yet."""


class Job:
    """One background job. It belongs to the shell that started it."""

    def __init__(self, id: str, command: str, purpose: str, owner: str, group: ProcessGroup) -> None:
        self.id = id
        self.command = command
        self.purpose = purpose
        self.owner = owner
        self.started_at = time.time()
        self.status: int | None = None
        """Exit status; None while it runs. Negative: killed by that signal."""
        self.ended_at: float | None = None
        self._group = group
        self._all = Output(KEPT_BYTES)
        self._unread = Output(KEPT_BYTES)
        self._changed = asyncio.Event()
        self._on_end: list[Callable[[Job], None]] = []
        self._pumping = asyncio.get_running_loop().create_task(self._run(), name=f"job {id}")

    @property
    def is_running(self) -> bool:
        return self.status is None

    @property
    def state(self) -> str:
        """In words: `running`, or how it ended."""
        if self.status is None:
            return "running"
        return f"ended, exit status {self.status}" if self.status >= 0 else f"ended by signal {-self.status}"

    def when_ended(self, callback: Callable[[Job], None]) -> None:
        """Call `callback(job)` when the job ends; at once when it has."""
        if self.is_running:
            self._on_end.append(callback)
        else:
            callback(self)

    async def output(self, wait_seconds: float = 0, from_start: bool = False) -> Captured:
        """What it has printed since the last reading, or all. Waits for something new, or for the end."""
        if wait_seconds > 0 and self.is_running and not from_start and not self._unread.total:
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), wait_seconds)
            except TimeoutError:
                pass
        unread, self._unread = self._unread, Output(KEPT_BYTES)
        return self._all.captured() if from_start else unread.captured()

    async def stop(self, grace_seconds: float) -> None:
        """Ask the whole group to end, and kill it after a while. Returns when it has ended."""
        if self.is_running and grace_seconds > 0:
            self._group.signal(signal.SIGTERM)
            await asyncio.wait({self._pumping}, timeout=grace_seconds)
        self._group.kill()
        await to_the_end(self._joined())

    async def _joined(self) -> None:
        await asyncio.wait({self._pumping})

    async def _run(self) -> None:
        try:
            status = await self._group.pumped(self._take, self._take)
        finally:
            await to_the_end(self._group.end())
        self.status = status
        self.ended_at = time.time()
        self._changed.set()
        callbacks, self._on_end = self._on_end, []
        for callback in callbacks:
            callback(self)

    def _take(self, chunk: bytes) -> None:
        self._all.add(chunk)
        self._unread.add(chunk)
        self._changed.set()
