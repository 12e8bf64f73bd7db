"""The thread that makes events durable: what has gathered is one batch, with one write and one fsync.

The event loop only puts lines into a queue. Source: docs/sessions.md 7.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable

from workbench.agent.log.errors import LogError
from workbench.agent.log.log_file import LogFile

MAX_BATCH = 4_194_304
"""Bytes after which a batch is not filled any further."""

GATHER_S = 0.01
"""Seconds for which events gather into one batch while nobody waits for them."""

Ended = Callable[[LogError | None], None]
"""Told when something is durable, or why it is not."""


class LogWriter:
    """Writes lines to a file, in order. A batch that fails leaves no trace, and is tried again with the next."""

    def __init__(self, file: LogFile, length: int) -> None:
        self._file = file
        self._length = length
        """Bytes that are durable."""
        self._queue: deque[bytes] = deque()
        self._batch: list[bytes] = []
        """Taken from the queue, and not durable yet."""
        self._put = 0
        """Lines so far."""
        self._durable = 0
        self._lock = threading.Lock()
        """Guards the waiters."""
        self._waiters: list[tuple[int, Ended]] = []
        self._wake = threading.Event()
        """Set when there is something to do."""
        self._urge = threading.Event()
        """Set when somebody waits for it."""
        self._sleeps = False
        self._broken: LogError | None = None
        """A batch could be neither written nor taken back: nothing may follow it."""
        self._stops = False
        self._is_over = False
        self._end_waiters: list[Ended] = []
        self._last_failure: LogError | None = None
        self._thread: threading.Thread | None = None

    @property
    def durable_lines(self) -> int:
        """How many lines are durable."""
        return self._durable

    def put(self, line: bytes) -> None:
        """Queue one line, its line end included."""
        self._put += 1
        self._queue.append(line)
        if self._sleeps or self._thread is None:
            self._rouse()

    async def flush(self) -> None:
        """Wait until every line so far is durable. Raises `LogError` WRITE_FAILED; what failed stays queued."""
        if self._durable < self._put:
            await _ending(self._when_durable)

    def flush_now(self) -> None:
        """The same for callers without a loop."""
        if self._durable < self._put:
            _ended_now(self._when_durable)

    async def close(self) -> None:
        """Write the rest, end the thread and release the file. Raises `LogError` WRITE_FAILED afterwards.

        A caller that is cancelled leaves the thread to do so by itself.
        """
        await _ending(self._when_ended)
        self._join()

    def close_now(self) -> None:
        """The same for callers without a loop."""
        try:
            _ended_now(self._when_ended)
        finally:
            self._join()

    def _join(self) -> None:
        if self._thread is not None:
            self._thread.join()  # it has said that it is done

    def _when_durable(self, ended: Ended) -> None:
        with self._lock:
            is_late = self._is_over
            if not is_late:
                self._waiters.append((self._put, ended))
        if is_late:
            ended(self._last_failure)
        else:
            self._urge.set()
            self._rouse()

    def _when_ended(self, ended: Ended) -> None:
        with self._lock:
            self._stops = True
            is_late = self._is_over
            if not is_late:
                self._end_waiters.append(ended)
        if is_late:
            ended(self._last_failure)
        else:
            self._urge.set()
            self._rouse()

    def _rouse(self) -> None:
        if self._thread is None:
            # A daemon: a program that ends without closing loses what no flush has waited for, and does not hang.
            self._thread = threading.Thread(target=self._run, name="session log", daemon=True)
            self._thread.start()
        self._sleeps = False
        self._wake.set()

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        failure: LogError | None = None
        while True:
            self._sleeps = True
            if failure is not None or not (self._queue or self._has_business()):
                self._wake.wait()  # after a failure nothing is tried again until somebody asks
            self._wake.clear()
            self._sleeps = False
            self._urge.wait(GATHER_S)
            self._urge.clear()
            failure = self._write_all()
            self._tell(failure)
            if self._stops and (failure is not None or not self._queue):
                break
        self._file.close()
        with self._lock:
            self._is_over = True
            waiters = [*(ended for _, ended in self._waiters), *self._end_waiters]
        for ended in waiters:
            ended(self._last_failure)

    def _has_business(self) -> bool:
        with self._lock:
            return self._stops or any(ticket <= self._durable for ticket, _ in self._waiters)

    def _write_all(self) -> LogError | None:
        """Batches until the queue is empty, or why one could not be written."""
        while self._queue or self._batch:
            self._gather()
            self._last_failure = self._write()
            if self._last_failure is not None:
                return self._last_failure
        return None

    def _gather(self) -> None:
        size = sum(map(len, self._batch))
        while self._queue and size < MAX_BATCH:
            line = self._queue.popleft()
            self._batch.append(line)
            size += len(line)

    def _write(self) -> LogError | None:
        if self._broken is not None:
            return self._broken
        content = b"".join(self._batch)
        try:
            self._file.append(content)
            self._file.sync()
        except (OSError, MemoryError) as error:
            return self._take_back(error)
        self._length += len(content)
        self._durable += len(self._batch)
        self._batch = []
        self._tell(None)
        return None

    def _take_back(self, error: Exception) -> LogError:
        """Bring the file back to its old length. Also after a failed fsync, which may have dropped the pages."""
        path = self._file.path
        try:
            self._file.cut(self._length)
        except OSError as second:
            self._broken = LogError(
                "WRITE_FAILED",
                f"{path}: {error}; nor can the half-written batch be taken back ({second}): "
                "open the log anew, which cuts it off",
            )
            return self._broken
        return LogError("WRITE_FAILED", f"{path}: {error}; the events stay queued")

    def _tell(self, failure: LogError | None) -> None:
        """Answer whoever waits for what is durable now, and everybody when a batch has failed."""
        with self._lock:
            due = [each for each in self._waiters if failure is not None or each[0] <= self._durable]
            self._waiters = [each for each in self._waiters if each not in due]
        for ticket, ended in due:
            ended(None if ticket <= self._durable else failure)


async def _ending(begin: Callable[[Ended], None]) -> None:
    """Wait on the loop for what a thread will tell."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[None] = loop.create_future()
    future.add_done_callback(
        lambda done: done.cancelled() or done.exception()
    )  # a waiter may be cancelled just then

    def settle(failure: LogError | None) -> None:
        if future.done():
            return
        if failure is None:
            future.set_result(None)
        else:
            future.set_exception(failure)

    def ended(failure: LogError | None) -> None:
        try:
            loop.call_soon_threadsafe(settle, failure)
        except RuntimeError:  # the loop was closed; nobody waits any more
            pass

    begin(ended)
    await future


def _ended_now(begin: Callable[[Ended], None]) -> None:
    told = threading.Event()
    failures: list[LogError | None] = []

    def ended(failure: LogError | None) -> None:
        failures.append(failure)
        told.set()

    begin(ended)
    told.wait()
    if failures[0] is not None:
        raise failures[0]
