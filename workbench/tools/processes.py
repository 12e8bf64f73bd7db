"""Processes in groups of their own: started, read with a limit, and ended with everything they have started.

The loop's own processes are not used: their `wait` ends only when nobody holds the pipes any more, which a
command that leaves something in the background never lets happen.

Source: docs/tools.md 12.2.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

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
    return raw.decode("utf-8", "replace")


class ProcessGroup:
    """A process and all that it starts, as long as none of them leaves the group."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self._popen = popen
        self._loop = asyncio.get_running_loop()
        self._exited = asyncio.Event()
        """The process has come to its end, and keeps its number until it is reaped."""
        self._transports: list[asyncio.BaseTransport] = []
        self._watch()

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        input: IO[bytes] | int = subprocess.DEVNULL,
    ) -> ProcessGroup:
        """Raises `OSError` when it cannot be started."""
        popen = subprocess.Popen(
            list(command),
            stdin=input,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=None if env is None else dict(env),
            start_new_session=True,
        )
        return cls(popen)

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def has_ended(self) -> bool:
        return self._exited.is_set()

    async def wait(self) -> int:
        """The exit status, as soon as the process itself has ended; minus the signal that killed it. Whatever
        else is in its group is killed."""
        await self._exited.wait()
        return self._reap()

    def signal(self, number: int) -> None:
        """Send a signal to the whole group; nothing happens once the process has ended."""
        if self._popen.returncode is not None:
            return  # its number may belong to somebody else by now
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._popen.pid, number)
            else:
                self._popen.send_signal(number)

    def kill(self) -> None:
        self.signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _watch(self) -> None:
        """Hear of the end. The process is reaped only when its group is dead: until then its number is its own."""
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                watched = os.pidfd_open(self._popen.pid)
                self._loop.add_reader(watched, self._gone, watched)
                return
        threading.Thread(target=self._wait_in_thread, name=f"process {self._popen.pid}", daemon=True).start()

    def _wait_in_thread(self) -> None:
        with contextlib.suppress(ChildProcessError):
            if hasattr(os, "waitid"):
                os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOWAIT)
            else:
                self._popen.wait()
                with contextlib.suppress(OSError):
                    os.killpg(self._popen.pid, signal.SIGKILL)
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._gone, None)

    def _gone(self, watched: int | None) -> None:
        if watched is not None:
            self._loop.remove_reader(watched)
            os.close(watched)
        self._exited.set()

    def _reap(self) -> int:
        """Kill the rest of the group while its number is its own, then let go of the process."""
        self.kill()
        return self._popen.wait()

    async def outputs(self) -> tuple[asyncio.StreamReader, asyncio.StreamReader]:
        """Standard output and standard error, to be read."""
        assert self._popen.stdout is not None
        assert self._popen.stderr is not None
        return await self._reader(self._popen.stdout), await self._reader(self._popen.stderr)

    async def _reader(self, pipe: IO[bytes]) -> asyncio.StreamReader:
        reader = asyncio.StreamReader()
        transport, _ = await self._loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        self._transports.append(transport)
        return reader

    async def input(self) -> asyncio.StreamWriter:
        """Standard input, to be written; for one that was started with a pipe."""
        assert self._popen.stdin is not None
        reader = asyncio.StreamReader()
        transport, protocol = await self._loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), self._popen.stdin
        )
        self._transports.append(transport)
        return asyncio.StreamWriter(transport, protocol, None, self._loop)

    async def pumped(self, taken: Callable[[bytes], None], error_taken: Callable[[bytes], None]) -> int:
        """Read both outputs until the process has ended. The exit status."""
        out, err = await self.outputs()
        readers = {self._loop.create_task(_pump(out, taken)), self._loop.create_task(_pump(err, error_taken))}
        try:
            await self._exited.wait()
            # What it left in the background, and whoever holds the pipes, gets a moment to write.
            await asyncio.wait(readers, timeout=LEFTOVER_SECONDS)
            status = self._reap()
            # All of the group is dead: what is still in the pipes comes at once.
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
        """Kill what is left, wait for the end of the process, and close the pipes, whoever holds them."""
        self.kill()
        await self.wait()
        for transport in self._transports:
            if transport.is_closing():
                continue
            if isinstance(transport, asyncio.WriteTransport):
                transport.abort()  # what nobody reads any more is not written
            else:
                transport.close()
        await asyncio.sleep(0)  # they let go of their pipes at the next turn
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if pipe is not None:
                pipe.close()  # those that no transport got


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
    with _given(input) as given:
        group = ProcessGroup.start(command, cwd=cwd, env=env, input=given)
    out, err = Output(most_bytes), Output(most_bytes)
    timed_out = False

    def over() -> None:
        nonlocal timed_out
        timed_out = not group.has_ended
        group.kill()

    timer = None if seconds is None else asyncio.get_running_loop().call_later(seconds, over)
    try:
        status = await group.pumped(out.add, err.add)
        return EndedProcess(status, out.captured(), err.captured(), timed_out)
    finally:
        if timer is not None:
            timer.cancel()
        await to_the_end(group.end())


@contextlib.contextmanager
def _given(data: bytes | None) -> Any:
    """Standard input: nothing, or a file, which nobody has to feed."""
    if data is None:
        yield subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file
