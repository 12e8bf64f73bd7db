"""The service `sessions`: the sessions that are open here, and where their logs lie.

Source: docs/agents.md 15.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.agent.log.session import Session

if TYPE_CHECKING:
    from workbench.agent.log.events import LoggedEvent
    from workbench.agent.log.session_header import SessionHeader
    from workbench.core import Context

ENDING = ".jsonl"


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
        self._open: dict[str, Session] = {}
        self._paths: dict[str, Path] = {}
        ctx.provide("sessions", self)

    def get(self, session_id: str) -> Session | None:
        """The open session of this id."""
        return self._open.get(session_id)

    def all(self) -> tuple[Session, ...]:
        """Every open session, oldest first."""
        return tuple(self._open.values())

    def path(self, session_id: str) -> Path | None:
        """Where its log lies; None for one in memory."""
        return self._paths.get(session_id)

    def create(
        self,
        header: SessionHeader,
        seed: Iterable[LoggedEvent] = (),
        *,
        path: Path | None = None,
        beside: str | None = None,
    ) -> Session:
        """Begin a session. `beside`: id of the session whose log the new one is to lie beside. Raises `LogError`."""
        if path is None:
            path = self._path_for(header, beside)
        return self._opened(Session.create(header, path, seed), path)

    def resume(self, path: Path) -> Session:
        """Open the log of a session for writing; repairs it first. Raises `LogError`."""
        return self._opened(Session.resume(path), path)

    async def close(self, session: Session) -> None:
        """Everything is on disk, and the log can be opened by others, when this returns."""
        self._open.pop(session.id, None)
        self._paths.pop(session.id, None)
        await session.close()

    async def discard(self, session: Session) -> None:
        """Close a session that has never begun; nothing of it is left."""
        path = self._paths.get(session.id)
        await self.close(session)
        if path is not None and not len(session.events):
            path.unlink(missing_ok=True)

    def _opened(self, session: Session, path: Path | None) -> Session:
        self._open[session.id] = session
        if path is not None:
            self._paths[session.id] = path
        return session

    def _path_for(self, header: SessionHeader, beside: str | None) -> Path | None:
        neighbour = None if beside is None else self._paths.get(beside)
        if neighbour is not None:
            stem = neighbour.name.removesuffix(ENDING)
            candidates = (neighbour.with_name(f"{stem}.{number}{ENDING}") for number in range(1, 1_000_000))
            return next(path for path in candidates if not path.exists())
        return None if self._config.folder is None else self._config.folder / f"{header.id}{ENDING}"

    def describe(self) -> Any:
        """Which sessions are open, for snapshots of the runtime."""
        return len(self._open)
