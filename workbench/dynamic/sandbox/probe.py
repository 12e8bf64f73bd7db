"""Probing a host half before its first evaluation here.

Nothing inside a process can interrupt one long call into C code, so the first evaluation takes place in another
one, which is killed at the budget.

Source: docs/dynamic-packages.md 9.4.
"""

from __future__ import annotations

import asyncio
import marshal
import sys
import tempfile
from pathlib import Path
from typing import Literal

from workbench.dynamic.sandbox.probe_child import OUT_OF_MEMORY
from workbench.dynamic.source.host import HostHalf
from workbench.tools.processes import ProcessGroup
from workbench.tools.waiting import to_the_end

MEMORY_BYTES = 512 << 20
READY_SECONDS = 60.0
"""For the child to come up: other work may have the machine."""

Verdict = Literal["passed", "timed out", "out of memory", "cancelled", "did not start"]
_CHILD = Path(__file__).with_name("probe_child.py")
_ROOT = Path(__file__).resolve().parents[3]


class Probe:
    """One evaluation in a child process. `cancel` ends it early."""

    def __init__(self, half: HostHalf, budget_seconds: float) -> None:
        self._half = half
        self._budget = budget_seconds
        self._group: ProcessGroup | None = None
        self._verdict: Verdict = "passed"
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True
        self._kill("cancelled")

    async def run(self) -> Verdict:
        """Judge time and memory."""
        if self.cancelled:
            return "cancelled"
        with tempfile.TemporaryFile() as given:
            given.write(marshal.dumps((list(self._half.helpers), MEMORY_BYTES, self._half.code)))
            given.seek(0)
            command = [sys.executable, "-I", "-S", "-B", str(_CHILD), str(_ROOT)]
            try:
                group = self._group = ProcessGroup.start(command, input=given)
            except OSError:
                return "did not start"
        try:
            return await self._judged(group)
        finally:
            await to_the_end(group.end())
            self._group = None

    async def _judged(self, group: ProcessGroup) -> Verdict:
        loop = asyncio.get_running_loop()
        out, _ = await group.outputs()
        timer = loop.call_later(READY_SECONDS, self._kill, "did not start")
        try:
            if not await out.read(1):
                self._verdict = "did not start" if self._verdict == "passed" else self._verdict
                return self._verdict
            timer.cancel()
            timer = loop.call_later(self._budget, self._kill, "timed out")
            status = await group.wait()
        finally:
            timer.cancel()
        if self._verdict == "passed" and status == OUT_OF_MEMORY:
            return "out of memory"
        return self._verdict

    def _kill(self, verdict: Verdict) -> None:
        if self._group is not None and not self._group.has_ended:
            self._verdict = verdict
            self._group.kill()
