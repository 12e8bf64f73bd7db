"""What happened in a session, turn by turn and request by request: pure data for commands and screens.

Source: docs/sessions.md 11.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.header import RequestHeader
from workbench.agent.log.made_again import MadeAgain
from workbench.agent.log.read_surface import EventOf, ReadSurface
from workbench.agent.log.rebuild import SentFold, SentRequest
from workbench.agent.log.rows import RequestRow, RequestRows, RowSpan, TurnRow, TurnRows
from workbench.agent.log.series import RequestSeries
from workbench.agent.log.session_header import SessionHeader
from workbench.agent.log.surface_ops import Replace
from workbench.agent.verdicts.causes import CauseFold
from workbench.agent.verdicts.judging import Counting, Judge, quarter
from workbench.agent.verdicts.parts import Part, RecordedParts
from workbench.agent.verdicts.recording import TYPE as PARTS
from workbench.agent.verdicts.remarks import Remark, RemarkFold

PREVIEW = 200
"""Characters of a text that a timeline keeps."""


@dataclass(slots=True)
class Timeline:
    """A whole session."""

    header: SessionHeader
    turns: TurnRows = field(default_factory=TurnRows)
    requests: RequestRows = field(default_factory=RequestRows)
    counts: Counter[str] = field(default_factory=Counter)
    """Events by type."""
    replacements: int = 0
    """Of nodes of the surface."""
    broken: str | None = None
    """Why the requests after those that are here cannot be rebuilt; None when they all can."""
    remarks: list[Remark] = field(default_factory=list)
    """What is worth a warning."""

    def requests_of(self, turn: TurnRow) -> RowSpan:
        """Those of one turn."""
        return RowSpan(self.requests, turn.first, turn.count)

    def turn_of(self, row: RequestRow) -> TurnRow | None:
        """The turn of a request."""
        index = self.requests.at_seq(row.sent.seq)
        return None if index is None else self.turns[self.requests.turn_at(index)]

    def is_last_of(self, turn: TurnRow, row: RequestRow) -> bool:
        """It is the last request of its turn."""
        return turn.count > 0 and self.requests.seq_at(turn.first + turn.count - 1) == row.sent.seq

    @property
    def length(self) -> int:
        """Events."""
        return self.counts.total()


def timeline(header: SessionHeader, events: Iterable[LoggedEvent], count: Counting = quarter) -> Timeline:
    """One pass over a log. `count` counts tokens; without it they are a quarter of the characters."""
    builder = TimelineBuilder(header, count, events.__getitem__ if isinstance(events, Sequence) else None)
    for event in events:
        builder.add(event)
    return builder.finished()


class TimelineBuilder:
    """A timeline that grows with its log: `add` is called for each event, in order."""

    def __init__(self, header: SessionHeader, count: Counting = quarter, event_of: EventOf | None = None) -> None:
        """`event_of` gives an event that was added; without it those that become messages stay in memory."""
        self.timeline = Timeline(header)
        self._held: dict[int, LoggedEvent] = {}
        self._holds = event_of is None
        event_of = event_of or self._held.__getitem__
        self._surface = ReadSurface(event_of)
        self.made_again = MadeAgain(event_of, self._surface, self.timeline.requests)
        """What it tells of, to be read."""
        self._judge = Judge(count)
        self._declared = CauseFold()
        self._recorded: RecordedParts | None = None
        self._recorded_seq: int | None = None
        self._fixed: object = None
        self._parts: tuple[Part, ...] = ()
        self._remarks = RemarkFold()
        self._fold = SentFold(self._surface)
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
        if self._holds and (event.surface_op is not None or event.type in ("request/header", PARTS)):
            self._held[event.seq] = event
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
            self._recorded_seq = event.seq
        elif isinstance(event.surface_op, Replace):
            self.timeline.replacements += 1
            self._causes.append(f"replacement of {event.surface_op.start} to {event.surface_op.end} by {event.seq}")

    def _request(self, sent: SentRequest, event: LoggedEvent) -> None:
        self._fold.check(sent)
        header = self._fold.header
        assert header is not None
        cause = ", ".join(self._causes) or None
        divergence = self._series.next(header, self._fold.header_seq, self._surface, cause)
        verdict = self._judge.next(header, self._surface, divergence, self._recorded, self._declared.take())
        self._surface.let_go()
        if self._judge.parts is not self._fixed:
            self._fixed = self._judge.parts
            self._parts = tuple(self._fixed)
        self._row = RequestRow(
            sent,
            header.config,
            header.not_recorded,
            divergence,
            self._reason,
            self._changes,
            self._surface.message_count,
            self._series.length,
            event.time,
            verdict,
            self._recorded_seq,
        )
        self._remarks.add(sent.name, verdict, self._parts, self._recorded)
        self._reason, self._changes, self._causes = None, (), []
        turn, rows = self._turn_of(sent.turn, event), self.timeline.requests
        if not turn.count:
            turn.first = len(rows)
        turn.count += 1
        rows.add(self._row, len(self.timeline.turns) - 1)

    def _header(self, event: LoggedEvent, before: RequestHeader | None) -> None:
        reason = event.data.get("reason")
        self._reason = reason if isinstance(reason, str) else ""
        after, self._recorded, self._recorded_seq = self._fold.header, None, None
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
