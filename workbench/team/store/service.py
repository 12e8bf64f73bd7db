"""The store as a running program uses it: nothing of it happens on the event loop.

Source: docs/team.md 9.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from workbench.team.builtin import Builtins
from workbench.team.snapshot import TeamSnapshot
from workbench.team.store import DEFAULT_BUSY_TIMEOUT_MS
from workbench.team.store.address import is_in_memory
from workbench.team.store.versions import DEFAULT_PAGE, VersionStore
from workbench.team.validation import Accepted, Limits
from workbench.team.version import Origin, RestoredFrom, Saved, Version, VersionLine

T = TypeVar("T")


class TeamStore:
    """Two threads, each with a connection of its own: one reads, one writes, so that no reader waits for a save.

    A cancelled wait leaves what the thread does as it is: a save may then have happened, and the newest version
    says so.
    """

    def __init__(self, reader: VersionStore, writer: VersionStore, lanes: tuple[ThreadPoolExecutor, ...]) -> None:
        """Made by `open`."""
        self._reader, self._writer = reader, writer
        self._reading, self._writing = lanes[0], lanes[-1]
        self.is_closed = False

    @property
    def is_in_memory(self) -> bool:
        """It ends with its one connection."""
        return self._reading is self._writing

    @classmethod
    async def open(
        cls,
        address: str | os.PathLike[str] | None = None,
        *,
        builtins: Builtins | None = None,
        limits: Limits | None = None,
        busy_timeout_ms: int = DEFAULT_BUSY_TIMEOUT_MS,
        create: bool = True,
    ) -> TeamStore:
        """Open a store by URL or path; None is the person's own. Raises `StoreError`.

        Without `create`, a file that does not exist is `STORE_UNAVAILABLE`.
        """
        lanes = tuple(ThreadPoolExecutor(1, f"team store {what}") for what in ("reads", "writes"))
        if is_in_memory(address):
            lanes = lanes[:1]  # each connection would have a database of its own

        def opened() -> VersionStore:
            return VersionStore(
                address, builtins=builtins, limits=limits, busy_timeout_ms=busy_timeout_ms, create=create
            )

        opening: list[Future[VersionStore]] = []
        try:
            for lane in reversed(lanes):  # the writer first: it makes the schema
                opening.append(lane.submit(opened))
                await asyncio.wrap_future(opening[-1])
        except BaseException:
            for each in opening:
                each.add_done_callback(_close_unwanted)
            for lane in lanes:
                lane.shutdown(wait=False, cancel_futures=True)
            raise
        return cls(opening[-1].result(), opening[0].result(), lanes)

    @property
    def label(self) -> str:
        """How the store is called; without a password."""
        return self._reader.label

    @property
    def builtins(self) -> Builtins:
        return self._reader.builtins

    @property
    def limits(self) -> Limits:
        return self._reader.limits

    def use_builtins(self, builtins: Builtins) -> None:
        """Another release's defaults from now on; no version changes by it."""
        for store in (self._reader, self._writer):
            store.builtins = builtins

    async def newest_revision(self) -> int:
        """The highest revision; 0 before any save. Raises `StoreError`."""
        return await self._read(self._reader.newest_revision)

    async def snapshot(self) -> TeamSnapshot:
        """The newest version beside the defaults. Raises `StoreError`."""
        return await self._read(self._reader.snapshot)

    async def newest(self) -> Version:
        """The newest version. Raises `StoreError`."""
        return await self._read(self._reader.newest)

    async def version(self, revision: int) -> Version:
        """One version. Raises `Refused` (`unknown_revision`), `StoreError`."""
        return await self._read(lambda: self._reader.version(revision))

    async def history(self, before: int | None = None, limit: int = DEFAULT_PAGE) -> list[VersionLine]:
        """A page of the history, newest first: revisions below `before`. Raises `StoreError`."""
        return await self._read(lambda: self._reader.history(before, limit))

    async def check(self, proposal: object, base_revision: int) -> Accepted:
        """What `save` would store. Raises as `save` does; writes nothing."""
        return await self._read(lambda: self._reader.check(proposal, base_revision))

    async def save(self, proposal: object, base_revision: int, origin: Origin = "panel") -> Saved:
        """Store a whole configuration as the next version. Raises `Conflict`, `Refused`, `StoreError`."""
        return await self._write(lambda: self._writer.save(proposal, base_revision, origin))

    async def restore(self, revision: RestoredFrom, base_revision: int, origin: Origin = "panel") -> Saved:
        """Store an earlier version, or `"defaults"`, as the next one. Raises as `save` does."""
        return await self._write(lambda: self._writer.restore(revision, base_revision, origin))

    async def review_round(self, reviewer: str, pull_request: str, submission: str, most: int) -> int | None:
        """The round that an answer to this submission belongs to; None for one too many. Raises `StoreError`."""
        return await self._write(lambda: self._writer.review_round(reviewer, pull_request, submission, most))

    async def close(self) -> None:
        """Wait for what runs, and close. A second time it does nothing."""
        if self.is_closed:
            return
        self.is_closed = True
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._reading, self._reader.close)
        await loop.run_in_executor(self._writing, self._writer.close)
        for lane in (self._reading, self._writing):
            lane.shutdown(wait=False)

    async def _read(self, work: Callable[[], T]) -> T:
        return await self._in(self._reading, work)

    async def _write(self, work: Callable[[], T]) -> T:
        return await self._in(self._writing, work)

    async def _in(self, lane: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        if self.is_closed:
            from workbench.team.store.errors import StoreError

            raise StoreError("STORE_CLOSED", self.label, "it was closed")
        loop: Any = asyncio.get_running_loop()
        result: T = await loop.run_in_executor(lane, work)
        return result


def _close_unwanted(opening: Future[VersionStore]) -> None:
    """Somebody has stopped waiting for a store that was being opened."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
