"""The service `sessions`: the sessions that are open here, and where their logs lie.

Source: docs/agents.md 15.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.session import Session
from workbench.core import Event

if TYPE_CHECKING:
    from workbench.agent.log.session_header import SessionHeader
    from workbench.core import Context

APPENDED = Event("session/appended", "emit", (Session, LoggedEvent))
"""Each event that an open session has accepted, for views. What an observer raises is logged."""
ENDING = ".jsonl"
LONG_SEED = 500
"""Events that are copied beside the loop rather than on it."""


@dataclass(frozen=True, slots=True)
class SessionsConfig:
    """Where logs are written."""

    folder: Path | None = None
    """Of sessions without a path of their own; None: in memory alone."""


class Sessions:
    """The plugin: provides `sessions`."""

    name = "sessions"
    provides = ("sessions",)
    owner_kind = "harness"

    def __init__(self, ctx: Context, config: SessionsConfig | None) -> None:
        self._config = config or SessionsConfig()
        self._open: dict[str, LiveSession] = {}
        self._reserved: set[Path] = set()
        """Where a session is about to begin."""
        self._runtime = ctx.runtime
        self._made: set[str] = set()
        """Ids of the sessions that were begun here."""
        ctx.declare(APPENDED)
        ctx.provide("sessions", self)

    def get(self, session_id: str) -> LiveSession | None:
        """The open session of this id."""
        return self._open.get(session_id)

    def all(self) -> tuple[LiveSession, ...]:
        """Every open session, oldest first."""
        return tuple(self._open.values())

    async def create(
        self,
        header: SessionHeader,
        seed: Sequence[LoggedEvent] = (),
        *,
        path: Path | None = None,
        beside: str | None = None,
    ) -> LiveSession:
        """Begin a session. `beside`: id of the one beside whose log its own lies. Raises `LogError`, `OSError`."""
        if path is None:
            path = self._path_for(header, beside)
        if path is not None:
            self._reserved.add(path)
        try:
            if len(seed) > LONG_SEED:
                created = await _created_beside_the_loop(header, path, seed)
            else:
                created = LiveSession.create(header, path, seed)
        finally:
            if path is not None:
                self._reserved.discard(path)
        session = self._opened(created)
        self._made.add(session.id)
        return session

    async def resume(self, path: Path) -> LiveSession:
        """Open the log of a session for writing; repairs it first. Raises `LogError`."""
        return self._opened(await LiveSession.resume(path))

    async def close(self, session: Session) -> None:
        """Everything is on disk, and the log can be opened by others, when this returns."""
        self._open.pop(session.id, None)
        self._made.discard(session.id)
        await session.close()

    async def discard(self, session: Session) -> None:
        """Close a session whose agent never came to be. If it was begun here, nothing of it is left."""
        is_new = session.id in self._made
        await self.close(session)
        if is_new and session.path is not None:
            session.path.unlink(missing_ok=True)

    def _opened(self, session: LiveSession) -> LiveSession:
        self._open[session.id] = session
        session.tell = self._tell
        return session

    def _tell(self, session: Session, event: LoggedEvent) -> None:
        if self._runtime.has_listeners(APPENDED.name):
            self._runtime.events.emit(APPENDED.name, (session, event), None, contain=True)

    def _path_for(self, header: SessionHeader, beside: str | None) -> Path | None:
        neighbour = None if beside is None or beside not in self._open else self._open[beside].path
        if neighbour is not None:
            stem = neighbour.name.removesuffix(ENDING)
            candidates = (neighbour.with_name(f"{stem}.{number}{ENDING}") for number in range(1, 1_000_000))
            return next(path for path in candidates if path not in self._reserved and not path.exists())
        return None if self._config.folder is None else self._config.folder / f"{header.id}{ENDING}"

    def describe(self) -> Any:
        """Which sessions are open, for snapshots of the runtime."""
        return len(self._open)


async def _created_beside_the_loop(
    header: SessionHeader, path: Path | None, seed: Sequence[LoggedEvent]
) -> LiveSession:
    creating = asyncio.ensure_future(asyncio.to_thread(LiveSession.create, header, path, seed))
    try:
        return await asyncio.shield(creating)
    except asyncio.CancelledError:
        await asyncio.wait([creating])
        if creating.exception() is None:  # nobody wants it any more
            await creating.result().close()
            if path is not None:
                await asyncio.to_thread(path.unlink, missing_ok=True)
        raise


class LiveSession(Session):
    """A session that an agent writes, and others look at."""

    fold: Callable[[LoggedEvent], None] | None = None
    """Takes each event before anybody else hears of it."""
    tell: Callable[[Session, LoggedEvent], None] | None = None

    def append(self, type: str, data: dict[str, Any], **how: Any) -> LoggedEvent:
        event = super().append(type, data, **how)
        if self.fold is not None:
            self.fold(event)
        if self.tell is not None:
            self.tell(self, event)
        return event
