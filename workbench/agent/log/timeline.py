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
from workbench.agent.verdicts.causes import CauseFold
from workbench.agent.verdicts.judging import Counting, Judge, quarter
from workbench.agent.verdicts.parts import Part, RecordedParts
from workbench.agent.verdicts.recording import TYPE as PARTS
from workbench.agent.verdicts.remarks import Remark, RemarkFold
from workbench.agent.verdicts.verdict import Verdict

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
    verdict: Verdict
    """What it cost the prefix cache, and who made it so."""
    parts: tuple[Part, ...] = ()
    """System text and tools; the same object for as long as they are the same."""
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
    remarks: list[Remark] = field(default_factory=list)
    """What is worth a warning."""

    @property
    def requests(self) -> list[RequestRow]:
        return [request for turn in self.turns for request in turn.requests]

    @property
    def length(self) -> int:
        """Events."""
        return self.counts.total()


def timeline(header: SessionHeader, events: Iterable[LoggedEvent], count: Counting = quarter) -> Timeline:
    """One pass over a log. `count` counts tokens; without it they are a quarter of the characters."""
    builder = TimelineBuilder(header, count)
    for event in events:
        builder.add(event)
    return builder.finished()


class TimelineBuilder:
    """A timeline that grows with its log: `add` is called for each event, in order."""

    def __init__(self, header: SessionHeader, count: Counting = quarter) -> None:
        self.timeline = Timeline(header)
        self._judge = Judge(count)
        self._declared = CauseFold()
        self._recorded: RecordedParts | None = None
        self._fixed: object = None
        self._parts: tuple[Part, ...] = ()
        self._remarks = RemarkFold()
        self._fold = RequestFold()
        self._series = RequestSeries()
        self._row: RequestRow | None = None
        self._turn: TurnRow | None = None
        self._reason: str | None = None
        self._changes: tuple[str, ...] = ()
        self._causes: list[str] = []

    def finished(self) -> Timeline:
        """As it stands; more may be added afterwards."""
        self.timeline.remarks = self._remarks.remarks()
        return self.timeline

    def add(self, event: LoggedEvent) -> None:
        """The next event."""
        self.timeline.counts[event.type] += 1
        if event.type == "assistant/chunk":
            chunk = event.glance("chunk")
            if chunk.__class__ is dict and chunk.get("type") in _DELTAS and self._fold.knows_step(event):
                return  # most of a long log, and nothing of it is told
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
        self._declared.add(event)
        if event.type == "request/header":
            self._header(event, before)
            self._declared.header(event, before, self._fold.header)
        elif event.type == PARTS and event.data.get("headerSeq") == self._fold.header_seq:
            self._recorded = RecordedParts.from_json(event.data)
        elif isinstance(event.surface_op, Replace):
            self.timeline.replacements += 1
            self._causes.append(f"replacement of {event.surface_op.start} to {event.surface_op.end} by {event.seq}")

    def _request(self, sent: SentRequest, event: LoggedEvent) -> None:
        self._fold.check(sent)
        header = self._fold.header
        assert header is not None
        cause = ", ".join(self._causes) or None
        divergence = self._series.next(header, self._fold.header_seq, self._fold.surface, cause)
        verdict = self._judge.next(header, self._fold.surface, divergence, self._recorded, self._declared.take())
        if self._judge.parts is not self._fixed:
            self._fixed = self._judge.parts
            self._parts = tuple(self._fixed)
        self._row = RequestRow(
            sent,
            header,
            divergence,
            self._reason,
            self._changes,
            self._fold.surface.message_count,
            self._series.length,
            event.time,
            verdict,
            self._parts,
        )
        self._remarks.add(sent.name, verdict, self._parts, self._recorded)
        self._reason, self._changes, self._causes = None, (), []
        self._turn_of(sent.turn, event).requests.append(self._row)

    def _header(self, event: LoggedEvent, before: RequestHeader | None) -> None:
        reason = event.data.get("reason")
        self._reason = reason if isinstance(reason, str) else ""
        after, self._recorded = self._fold.header, None
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
        is_summary = event.surface_op is not None and event.surface_op != "append"
        if self._turn is not None and not self._turn.opened_by and not is_context and not is_summary:
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


_DELTAS = ("text-delta", "reasoning-delta", "tool-call-delta", "block-start", "block-end")
"""Chunks of an answer that its `assistant/message` holds, too."""

_TELLERS: dict[str, Any] = {
    "turn/start": TimelineBuilder._turn_start,
    "turn/end": TimelineBuilder._turn_end,
    "step/start": TimelineBuilder._step_start,
    "user/message": TimelineBuilder._user,
    "assistant/chunk": TimelineBuilder._chunk,
    "assistant/message": TimelineBuilder._assistant,
}


def _object(value: Any) -> dict[str, Any]:
    """A value that should be an object; foreign logs may hold anything."""
    return value if isinstance(value, dict) else {}


def _beginning(blocks: Any) -> str:
    """How the texts of a message begin."""
    listed = blocks if isinstance(blocks, list) else ()
    texts = [block.get("text") for block in listed if isinstance(block, dict) and block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))[:PREVIEW]
