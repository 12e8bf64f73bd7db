"""A session: a header and an append-only list of events, in memory or in a file.

Source: docs/sessions.md 1, 2 and 7.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import IGNORABLE_TYPES, SURFACE_TYPES, LoggedEvent, is_known
from workbench.agent.log.header import RequestHeader
from workbench.agent.log.json_lines import frozen_data
from workbench.agent.log.session_header import SessionHeader
from workbench.agent.log.state import LogState
from workbench.agent.log.surface import Surface
from workbench.agent.log.surface_ops import SurfaceOp
from workbench.models.request import ModelRequest


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


class Session:
    """One session, open for writing. Made by `create` or `resume`; ended by `close`."""

    header: SessionHeader
    events: Sequence[LoggedEvent]
    """All events by seq. Of a session in a file, old ones are read from there."""
    surface: Surface
    state: LogState

    def __init__(self, header: SessionHeader) -> None:
        self.header = header
        self.surface = Surface()
        self.state = LogState()
        self._events: list[LoggedEvent] = []
        self.events = self._events
        self._clock: Callable[[], int] = _now_ms

    @classmethod
    def create(
        cls,
        header: SessionHeader | None = None,
        path: str | Path | None = None,
        seed: Iterable[LoggedEvent] = (),
    ) -> Self:
        """A new session; without a path in memory alone.

        `seed` are events of another session, with which it begins; they keep their seqs.
        Raises `LogError`: INVALID_HEADER, SESSION_EXISTS, INVALID_EVENT for a seed that is no beginning of a log.
        """
        if path is not None:
            raise NotImplementedError("sessions in files")
        session = cls((header or SessionHeader()).checked_for_creation())
        session._plant(seed)
        return session

    @property
    def id(self) -> str:
        return self.header.id

    def append(
        self,
        type: str,
        data: Mapping[str, Any],
        *,
        surface_op: SurfaceOp | None = None,
        source_event_seqs: Iterable[int] = (),
        ignorable: bool = False,
    ) -> LoggedEvent:
        """Accept one event and queue it for the file. Surface events are appended unless `surface_op` replaces.

        Raises `LogError` before anything changes: NOT_JSON, INVALID_EVENT, INVALID_SURFACE_OP, SESSION_CLOSED.
        """
        if not isinstance(data, Mapping):
            raise LogError("NOT_JSON", f"the data of a {type} are an object, not {data!r}")
        if surface_op is None and type in SURFACE_TYPES:
            surface_op = "append"
        event = LoggedEvent(
            type,
            len(self._events),
            self._clock(),
            frozen_data(data, "data"),
            surface_op,
            tuple(source_event_seqs),
            ignorable or type in IGNORABLE_TYPES,
        )
        return self._accept(event)

    def _accept(self, event: LoggedEvent) -> LoggedEvent:
        cited = event.source_event_seqs
        if cited and (min(cited) < 0 or max(cited) >= event.seq):
            raise LogError("INVALID_EVENT", f"event {event.seq} cites events that do not stand before it")
        self.surface.check(event, self.events.__getitem__)
        self.state.add(event)
        self.surface.add(event)
        self._events.append(event)
        return event

    def request(self) -> ModelRequest:
        """The request that the log holds now: the newest header, and the surface. Raises `LogError` NO_REQUEST."""
        if self.state.header is None:
            raise LogError("NO_REQUEST", "no request header was recorded yet")
        return self.state.header.request(self.surface.messages())

    def append_header(self, header: RequestHeader, reason: str) -> LoggedEvent:
        """Record a request header: reason "initial", "resume" or "change"."""
        return self.append("request/header", {"header": header.to_json(), "reason": reason})

    def append_sent(self, turn: int, step: int, attempt: int) -> tuple[LoggedEvent, ModelRequest]:
        """Record that the request that the log holds now is about to be sent, and give that request."""
        from workbench.agent.log.canonical import digest

        request = self.request()
        event = self.append(
            "request/sent",
            {
                "turn": turn,
                "step": step,
                "attempt": attempt,
                "headerSeq": self.state.header_seq,
                "messageCount": len(request.messages),
                "digest": digest(request),
            },
        )
        return event, request

    async def flush(self) -> None:
        """Wait until every event so far is durable. Raises `LogError` WRITE_FAILED."""

    async def close(self) -> None:
        """Flush, stop writing and release the file."""

    def _plant(self, seed: Iterable[LoggedEvent]) -> None:
        """Begin with the events of another session."""
        last: LoggedEvent | None = None
        for last in seed:
            if not is_known(last.type) and not last.ignorable:
                raise LogError("UNKNOWN_EVENT", f"event {last.seq} of the seed has the unknown type {last.type!r}")
            if last.seq != len(self._events):
                raise LogError("INVALID_EVENT", f"event {last.seq} of a seed stands at {len(self._events)}")
            self._accept(last)
        if last is None:
            return
        if self.header.seed_length is None:
            self.header = replace(self.header, seed_length=len(self._events))
        if last.type != "session/end-seed":
            self.append("session/end-seed", {})


def fork_seed(events: Sequence[LoggedEvent]) -> list[LoggedEvent]:
    """What a fork begins with: everything up to and including the last `turn/end`; the open turn stays out."""
    end = next((seq for seq in range(len(events) - 1, -1, -1) if events[seq].type == "turn/end"), -1)
    return [events[seq] for seq in range(end + 1)]


@dataclass(frozen=True, slots=True)
class Repair:
    """What opening a log for writing had to mend."""

    cut_bytes: int = 0
    """Bytes of a torn tail that were cut off."""
    appended: int = 0
    """Events that closed an interrupted turn."""
