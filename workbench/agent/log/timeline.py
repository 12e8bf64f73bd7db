"""What happened in a session, turn by turn and request by request: pure data for commands and screens.

Source: docs/sessions.md 11.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.header import RequestHeader
from workbench.agent.log.prefix import Divergence
from workbench.agent.log.rebuild import RequestFold, SentRequest
from workbench.agent.log.series import RequestSeries
from workbench.agent.log.session_header import SessionHeader
from workbench.agent.log.surface_ops import Replace

PREVIEW = 200
"""Characters of a text that a timeline keeps."""


@dataclass(slots=True)
class RequestRow:
    """One request and what came of it."""

    sent: SentRequest
    header: RequestHeader
    divergence: Divergence | None
    """From the request before; None when that cannot be said."""
    header_reason: str | None
    """Of a header record since the request before; None without one."""
    header_changes: tuple[str, ...]
    """Fields in which that header differs from the one before it."""
    message_count: int
    byte_length: int
    """Canonical bytes; without what was not recorded."""
    time: int | None
    usage: dict[str, Any] = field(default_factory=dict)
    """What the provider counted."""
    finish: str | None = None
    """Kind of the reason with which its stream ended."""
    failure: dict[str, Any] | None = None
    text: str = ""
    """How the answer begins."""
    tool_calls: tuple[str, ...] = ()
    """Names of the tools that the answer calls."""
    is_interrupted: bool = False

    @property
    def name(self) -> str:
        """Such as "2.1", or "2.1#2" for a second attempt."""
        return self.sent.name

    @property
    def is_partial(self) -> bool:
        """Some of its texts were not recorded."""
        return bool(self.header.not_recorded)


@dataclass(slots=True)
class TurnRow:
    """One turn."""

    number: int
    seq: int
    """Of its `turn/start`."""
    time: int | None
    is_seed: bool
    """It was copied from the parent."""
    opened_by: str = ""
    """How its first message begins, runtime context left aside."""
    steps: int = 0
    requests: list[RequestRow] = field(default_factory=list)
    reason: dict[str, Any] | None = None
    """How it ended; None for an open turn."""


@dataclass(slots=True)
class Timeline:
    """A whole session."""

    header: SessionHeader
    turns: list[TurnRow] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    """Events by type."""
    replacements: int = 0
    """Of nodes of the surface."""
    broken: str | None = None
    """Why the requests after those that are here cannot be rebuilt; None when they all can."""

    @property
    def requests(self) -> list[RequestRow]:
        return [request for turn in self.turns for request in turn.requests]

    @property
    def length(self) -> int:
        """Events."""
        return self.counts.total()


def timeline(header: SessionHeader, events: Iterable[LoggedEvent]) -> Timeline:
    """One pass over a log."""
    builder = _Builder(header)
    for event in events:
        builder.add(event)
    return builder.timeline


class _Builder:
    def __init__(self, header: SessionHeader) -> None:
        self.timeline = Timeline(header)
        self._fold = RequestFold()
        self._series = RequestSeries()
        self._row: RequestRow | None = None
        self._turn: TurnRow | None = None
        self._reason: str | None = None
        self._changes: tuple[str, ...] = ()
        self._causes: list[str] = []

    def add(self, event: LoggedEvent) -> None:
        self.timeline.counts[event.type] += 1
        if self.timeline.broken is None:
            try:
                self._rebuild(event)
            except LogError as error:
                self.timeline.broken = str(error)
        told = _TELLERS.get(event.type)
        if told is not None:
            told(self, event)

    def _rebuild(self, event: LoggedEvent) -> None:
        sent = self._fold.sent_by(event)
        if sent is not None:
            self._request(sent, event)
        before = self._fold.header
        self._fold.add(event)
        if event.type == "request/header":
            self._header(event, before)
        elif isinstance(event.surface_op, Replace):
            self.timeline.replacements += 1
            self._causes.append(f"replacement of {event.surface_op.start} to {event.surface_op.end} by {event.seq}")

    def _request(self, sent: SentRequest, event: LoggedEvent) -> None:
        self._fold.check(sent)
        header = self._fold.header
        assert header is not None
        cause = ", ".join(self._causes) or None
        divergence = self._series.next(header, self._fold.header_seq, self._fold.surface, cause)
        self._row = RequestRow(
            sent,
            header,
            divergence,
            self._reason,
            self._changes,
            self._fold.surface.message_count,
            self._series.length,
            event.time,
        )
        self._reason, self._changes, self._causes = None, (), []
        self._turn_of(sent.turn, event).requests.append(self._row)

    def _header(self, event: LoggedEvent, before: RequestHeader | None) -> None:
        reason = event.data.get("reason")
        self._reason = reason if isinstance(reason, str) else ""
        after = self._fold.header
        if before is not None and after is not None:
            self._changes = before.changes_to(after)
            if self._changes:
                self._causes.append(f"header {self._reason} ({', '.join(self._changes)})")

    def _turn_of(self, number: int, event: LoggedEvent) -> TurnRow:
        if self._turn is None or self._turn.number != number:
            is_seed = event.seq < (self.timeline.header.seed_length or 0)
            self._turn = TurnRow(number, event.seq, event.time, is_seed)
            self.timeline.turns.append(self._turn)
        return self._turn

    def _turn_start(self, event: LoggedEvent) -> None:
        number = event.data.get("turn")
        if type(number) is int:
            self._turn = None
            self._turn_of(number, event)

    def _turn_end(self, event: LoggedEvent) -> None:
        if self._turn is not None:
            self._turn.reason = _object(event.data.get("reason"))

    def _step_start(self, _event: LoggedEvent) -> None:
        if self._turn is not None:
            self._turn.steps += 1

    def _user(self, event: LoggedEvent) -> None:
        source = event.data.get("source")
        is_context = isinstance(source, dict) and source.get("form") == "snapshot"
        if self._turn is not None and not self._turn.opened_by and not is_context:
            self._turn.opened_by = _beginning(event.data.get("content"))

    def _chunk(self, event: LoggedEvent) -> None:
        chunk, row = event.glance("chunk"), self._row
        if row is None or not isinstance(chunk, dict) or chunk.get("type") not in ("usage", "finish"):
            return
        chunk = event.data["chunk"]
        if chunk.get("type") == "usage":
            row.usage = _object(chunk.get("usage"))
        elif chunk.get("type") == "finish":
            reason = _object(chunk.get("reason"))
            row.finish, row.failure = str(reason.get("kind")), _object(reason.get("failure")) or None

    def _assistant(self, event: LoggedEvent) -> None:
        row = self._row
        if row is None:
            return
        content = _object(event.data.get("message")).get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        row.text = _beginning(blocks)
        row.tool_calls = tuple(str(block.get("name")) for block in blocks if block.get("type") == "tool-call")
        row.usage = _object(event.data.get("usage")) or row.usage
        row.is_interrupted = event.data.get("interrupted") is True


_TELLERS: dict[str, Any] = {
    "turn/start": _Builder._turn_start,
    "turn/end": _Builder._turn_end,
    "step/start": _Builder._step_start,
    "user/message": _Builder._user,
    "assistant/chunk": _Builder._chunk,
    "assistant/message": _Builder._assistant,
}


def _object(value: Any) -> dict[str, Any]:
    """A value that should be an object; foreign logs may hold anything."""
    return value if isinstance(value, dict) else {}


def _beginning(blocks: Any) -> str:
    """How the texts of a message begin."""
    listed = blocks if isinstance(blocks, list) else ()
    texts = [block.get("text") for block in listed if isinstance(block, dict) and block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))[:PREVIEW]
