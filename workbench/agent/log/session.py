"""A session: a header and an append-only list of events, in memory or in a file.

Source: docs/sessions.md 1, 2 and 7.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import time_ns
from typing import Any, Self

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import IGNORABLE_TYPES, SURFACE_TYPES, LoggedEvent, is_known
from workbench.agent.log.file_events import StoredEvents
from workbench.agent.log.json_lines import frozen_data
from workbench.agent.log.log_file import LogFile
from workbench.agent.log.open_work import FOLDED_TYPES, OpenWork
from workbench.agent.log.opening import open_for_writing
from workbench.agent.log.repair import missing_events
from workbench.agent.log.scanning import MAX_LINE
from workbench.agent.log.session_header import SessionHeader
from workbench.agent.log.surface import Surface
from workbench.agent.log.surface_ops import SurfaceOp
from workbench.agent.log.writer import LogWriter


@dataclass(frozen=True, slots=True)
class Repair:
    """What opening a log for writing has mended."""

    cut_bytes: int = 0
    """Bytes of a torn tail that were cut off."""
    appended: int = 0
    """Events that close an interrupted turn."""


class Session:
    """One session, open for writing. Made by `create` or `resume`; ended by `close`."""

    header: SessionHeader
    path: Path | None
    """None for a session in memory alone."""
    events: Sequence[LoggedEvent]
    """All events by seq. Of a session in a file, old ones are read from there."""
    surface: Surface
    work: OpenWork
    """What stands open: turn, step, calls without a result."""
    repair: Repair
    """What `resume` has mended."""

    def __init__(self, header: SessionHeader) -> None:
        """For `create` and `resume`."""
        self.header = header
        self.path = None
        self.surface = Surface()
        self.work = OpenWork()
        self.repair = Repair()
        self._events: list[LoggedEvent] | StoredEvents = []
        self.events = self._events
        self._writer: LogWriter | None = None
        self._is_closed = False

    @classmethod
    def create(
        cls,
        header: SessionHeader | None = None,
        path: str | Path | None = None,
        seed: Iterable[LoggedEvent] = (),
    ) -> Self:
        """A new session; without a path in memory alone. Its file is durable after the first `flush`.

        `seed` are events of another session, with which it begins; they keep their seqs and times.
        Raises `LogError`: INVALID_HEADER, SESSION_EXISTS, UNKNOWN_EVENT, INVALID_EVENT for what is no beginning
        of a log; `OSError`.
        """
        header = (header or SessionHeader()).checked_for_creation()
        seeded = _checked_seed(seed)
        if seeded and header.seed_length is None:
            header = replace(header, seed_length=len(seeded))
        session = cls(header)
        session._fold_seed(seeded)
        if path is not None:
            session._write_to(Path(path))
        for event in seeded:
            session._store(event, event.line())
        if seeded and seeded[-1].type != "session/end-seed":
            session.append("session/end-seed", {})
        return session

    @classmethod
    async def resume(cls, path: str | Path) -> Self:
        """`resume_now` beside the event loop."""
        opening = asyncio.create_task(asyncio.to_thread(cls.resume_now, path))
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(_close_unwanted)
            raise

    @classmethod
    def resume_now(cls, path: str | Path) -> Self:
        """Open a log for writing: cut a torn tail, and close an interrupted turn. Blocks.

        Raises `LogError`: SESSION_LOCKED, LOG_HEADER, LOG_VERSION, LOG_CORRUPT, UNKNOWN_EVENT; `OSError`.
        """
        path = Path(path)
        opened = open_for_writing(path)
        session = cls(opened.header)
        session.path, session.surface, session.work = path, opened.surface, opened.work
        session._writer = LogWriter(opened.file, opened.length)
        session._events = opened.events.write_through(session._writer, opened.length)
        session.events = session._events
        missing = list(missing_events(session.work))
        for each in missing:
            session.append(each.type, each.data, source_event_seqs=each.source_event_seqs)
        session.repair = Repair(opened.cut_bytes, len(missing))
        return session

    @property
    def id(self) -> str:
        return self.header.id

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def append(
        self,
        type: str,
        data: dict[str, Any],
        *,
        surface_op: SurfaceOp | None = None,
        source_event_seqs: Iterable[int] = (),
        ignorable: bool = False,
    ) -> LoggedEvent:
        """Accept one event and queue it for the file. Surface events are appended unless `surface_op` replaces.

        Raises `LogError` before anything changes: NOT_JSON, INVALID_EVENT, INVALID_SURFACE_OP, TOO_LARGE,
        SESSION_CLOSED.
        """
        if self._is_closed:
            raise LogError("SESSION_CLOSED", f"session {self.id} is closed: no {type} can be appended")
        if not isinstance(data, dict):
            raise LogError("NOT_JSON", f"the data of a {type} are a dict, not {data!r}")
        if surface_op is None and type in SURFACE_TYPES:
            surface_op = "append"
        event = LoggedEvent(
            type,
            len(self._events),
            time_ns() // 1_000_000,
            frozen_data(data, "data"),
            surface_op,
            tuple(source_event_seqs) if source_event_seqs else (),
            ignorable or type in IGNORABLE_TYPES,
        )
        line = b"" if self._writer is None else _checked_line(event)
        self._fold(event)
        self._store(event, line)
        return event

    async def flush(self) -> None:
        """Wait until every event so far is durable.

        Raises `LogError` WRITE_FAILED; the events then stay queued, and are tried again with the next ones.
        """
        if self._writer is not None:
            await self._writer.flush()

    def flush_now(self) -> None:
        """The same for callers without a loop. Blocks."""
        if self._writer is not None:
            self._writer.flush_now()

    async def close(self) -> None:
        """Write the rest, stop writing and release the lock. Idempotent. Raises `LogError` WRITE_FAILED.

        Events stay readable, from the file too: whoever looks at a session that has ended still can.
        """
        self._is_closed = True
        if self._writer is not None:
            await self._writer.close()

    def close_now(self) -> None:
        """The same for callers without a loop. Blocks."""
        self._is_closed = True
        if self._writer is not None:
            self._writer.close_now()

    def _store(self, event: LoggedEvent, line: bytes) -> None:
        if isinstance(self._events, list):
            self._events.append(event)
        else:
            self._events.append(event, line)

    def _write_to(self, path: Path) -> None:
        """Begin a file of its own."""
        file = LogFile.create(path)
        self.path = path
        self._writer = LogWriter(file, 0)
        line = self.header.line()
        self._writer.put(line)
        self._events = StoredEvents(path).write_through(self._writer, len(line), lines=1)
        self.events = self._events

    def _fold_seed(self, seeded: Sequence[LoggedEvent]) -> None:
        for event in seeded:
            self._fold(event, seeded)

    def _fold(self, event: LoggedEvent, events: Sequence[LoggedEvent] | None = None) -> None:
        """Raises `LogError` before anything changes."""
        cited = event.source_event_seqs
        if cited and (min(cited) < 0 or max(cited) >= event.seq):
            raise LogError("INVALID_EVENT", f"event {event.seq} cites events that do not stand before it")
        is_on_surface = event.surface_op is not None
        if is_on_surface or event.type in SURFACE_TYPES:
            self.surface.check(event, (self.events if events is None else events).__getitem__)
        if event.type in FOLDED_TYPES:
            self.work.add(event)
        if is_on_surface:
            self.surface.add(event)


def fork_seed(events: Sequence[LoggedEvent]) -> list[LoggedEvent]:
    """What a fork begins with: everything up to and including the last `turn/end`; the open turn stays out."""
    end = next((seq for seq in range(len(events) - 1, -1, -1) if events[seq].type == "turn/end"), -1)
    return list(events[: end + 1])


def _checked_seed(seed: Iterable[LoggedEvent]) -> Sequence[LoggedEvent]:
    events = list(seed)
    for position, event in enumerate(events):
        if not is_known(event.type) and not event.ignorable:
            raise LogError("UNKNOWN_EVENT", f"event {event.seq} of the seed has the unknown type {event.type!r}")
        if event.seq != position:
            raise LogError("INVALID_EVENT", f"event {event.seq} of a seed stands at {position}")
    return events


def _checked_line(event: LoggedEvent) -> bytes:
    """The line that will be written. Raises `LogError` TOO_LARGE."""
    line = event.line()
    if len(line) > MAX_LINE:
        raise LogError(
            "TOO_LARGE",
            f"a {event.type} of {len(line):,} bytes is longer than {MAX_LINE:,}, which a log can hold",
        )
    return line


def _close_unwanted(opening: asyncio.Task[Session]) -> None:
    """A session that nobody waits for any more."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close_now()
