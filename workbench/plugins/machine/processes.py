"""Processes in groups of their own: started, read with a limit, and ended with everything they have started.

Source: docs/tools.md 12.2.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.tools.json_values import clean_text
from workbench.tools.waiting import to_the_end

READ_BYTES = 65536
LEFTOVER_SECONDS = 0.2
"""For output of processes that outlive the command, before they are killed."""
DRAIN_SECONDS = 5.0
"""For what is still in the pipes; longer only if somebody outside of the group holds them."""


@dataclass(frozen=True, slots=True)
class Captured:
    """One output of a process: its beginning and its end."""

    text: str
    left_out: int
    """Bytes in between that were not kept."""


@dataclass(frozen=True, slots=True)
class EndedProcess:
    """A process that has ended, with everything it had started."""

    status: int
    """Exit status; of one that was killed, minus the number of the signal."""
    out: Captured
    err: Captured
    timed_out: bool = False


class Output:
    """Keeps the beginning and the end of a stream, in bounded memory."""

    def __init__(self, most_bytes: int) -> None:
        self._head = bytearray()
        self._head_limit = most_bytes // 2
        self._tail: deque[bytes] = deque()
        self._tail_limit = most_bytes - self._head_limit
        self._tail_size = 0
        self.total = 0
        self.left_out = 0

    def add(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail.append(chunk)
            self._tail_size += len(chunk)
        while self._tail_size > self._tail_limit:
            over = self._tail_size - self._tail_limit
            first = self._tail.popleft()
            if len(first) > over:
                self._tail.appendleft(first[over:])
                self._tail_size -= over
                self.left_out += over
            else:
                self._tail_size -= len(first)
                self.left_out += len(first)

    def captured(self) -> Captured:
        """What is kept, with a mark where something is missing."""
        tail = b"".join(self._tail)
        if not self.left_out:
            return Captured(_text(bytes(self._head) + tail), 0)
        mark = f"\n[… {self.left_out} bytes left out …]\n"
        return Captured(_text(bytes(self._head)) + mark + _text(tail), self.left_out)


def _text(raw: bytes) -> str:
    return clean_text(raw.decode("utf-8", "replace"))


class ProcessGroup:
    """A process and all that it starts, as long as none of them leaves the group."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        has_input: bool = False,
    ) -> ProcessGroup:
        """Raises `OSError` when it cannot be started."""
        pipe, none = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=pipe if has_input else none,
            stdout=pipe,
            stderr=pipe,
            cwd=cwd,
            env=None if env is None else dict(env),
            start_new_session=True,
        )
        return cls(process)

    def signal(self, number: int) -> None:
        """Send a signal to the whole group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, number)
            elif self.process.returncode is None:
                self.process.send_signal(number)

    def kill(self) -> None:
        self.signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    async def pumped(self, taken: Callable[[bytes], None], error_taken: Callable[[bytes], None]) -> int:
        """Read both outputs until the process has ended; then what it left behind is killed. The exit status."""
        process = self.process
        assert process.stdout is not None
        assert process.stderr is not None
        loop = asyncio.get_running_loop()
        readers = {
            loop.create_task(_pump(process.stdout, taken)),
            loop.create_task(_pump(process.stderr, error_taken)),
        }
        try:
            status = await process.wait()
            # Whatever still holds the pipes was started in the background and has had its time.
            await asyncio.wait(readers, timeout=LEFTOVER_SECONDS)
            self.kill()
            await asyncio.wait(readers, timeout=DRAIN_SECONDS)
            return status
        finally:
            self.kill()
            for reader in readers:
                reader.cancel()
            await asyncio.wait(readers)
            for reader in readers:
                if not reader.cancelled():
                    reader.exception()

    async def end(self) -> None:
        """Kill what is left, and wait for the end of the process itself."""
        self.kill()
        await self.process.wait()
        transport: Any = getattr(self.process, "_transport", None)
        if transport is not None:
            transport.close()  # else one that left the group, and holds a pipe, keeps it open here


async def _pump(stream: asyncio.StreamReader, taken: Callable[[bytes], None]) -> None:
    while chunk := await stream.read(READ_BYTES):
        taken(chunk)


async def run_captured(
    command: Sequence[str],
    *,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    input: bytes | None = None,
    seconds: float | None = None,
    most_bytes: int = 1 << 20,
) -> EndedProcess:
    """Run a command to its end. When its time is over, or this is cancelled, the whole group is killed.

    Raises `OSError` when it cannot be started.
    """
    group = await ProcessGroup.start(command, cwd=cwd, env=env, has_input=input is not None)
    out, err = Output(most_bytes), Output(most_bytes)
    timed_out = False
    loop = asyncio.get_running_loop()

    def over() -> None:
        nonlocal timed_out
        timed_out = True
        group.kill()

    timer = None if seconds is None else loop.call_later(seconds, over)
    feeding = None if input is None else loop.create_task(_feed(group.process, input))
    try:
        status = await group.pumped(out.add, err.add)
        return EndedProcess(status, out.captured(), err.captured(), timed_out)
    finally:
        if timer is not None:
            timer.cancel()
        await to_the_end(_closed(group, feeding))


async def _closed(group: ProcessGroup, feeding: asyncio.Task[None] | None) -> None:
    await group.end()
    if feeding is not None:
        feeding.cancel()
        await asyncio.wait({feeding})


async def _feed(process: asyncio.subprocess.Process, data: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(ConnectionError):
        process.stdin.write(data)
        await process.stdin.drain()
    process.stdin.close()
