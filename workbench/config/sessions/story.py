"""One session as it is looked at, wherever it comes from: its timeline, and each request made again.

Source: docs/sessions.md 14.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from workbench.agent.log.canonical import digest
from workbench.agent.log.errors import LogError
from workbench.agent.log.made_again import MadeAgain
from workbench.agent.log.read_surface import HeldMessages
from workbench.agent.log.rebuild import RebuiltRequest, SentRequest, rebuild_one
from workbench.agent.log.rows import RequestRow, TurnRow
from workbench.agent.log.series import RequestSeries
from workbench.agent.log.session_header import SessionHeader
from workbench.agent.log.session_log import SessionLog
from workbench.agent.log.timeline import Timeline, TimelineBuilder
from workbench.agent.verdicts.as_preview import preview_of
from workbench.agent.verdicts.judging import Counting, Judge, quarter
from workbench.agent.verdicts.parts import Part, fixed_parts, message_part
from workbench.agent.verdicts.remarks import RemarkFold
from workbench.agent.verdicts.verdict import ChangedPart
from workbench.config.importers.captures import Capture, NoCapture, read_capture
from workbench.config.recorded import is_capture, is_log, logs_in
from workbench.prompt.views import Preview
from workbench.tokens import TokenCounter
from workbench.values.frozen import FrozenDict

MOST_EXACT = 4_000_000
"""Bytes of a log whose tokens are counted by the model's own vocabulary; of a longer one they are estimated."""


class Story(Protocol):
    """A session to look at."""

    path: Path

    @property
    def header(self) -> SessionHeader: ...

    @property
    def problems(self) -> Sequence[str]:
        """What is wrong with the file, or was passed over. Outside text."""
        ...

    def timeline(self, count: Counting | None = None) -> Timeline:
        """Everything that happened. May take long: for threads and commands."""
        ...

    def rebuilt(self, sent: SentRequest) -> RebuiltRequest:
        """A request made again. May take long. Raises `LogError`."""
        ...

    def parts(self, row: RequestRow) -> Sequence[Part]:
        """System text and tools of a request of its timeline. Raises `LogError`."""
        ...

    def texts(self, row: RequestRow) -> tuple[str, str]:
        """The part that changed first, as it was and as it is. Raises `LogError`."""
        ...

    def preview(self, row: RequestRow, scope: str) -> Preview:
        """The prompt of a request, like any other. Raises `LogError`."""
        ...

    def close(self) -> None:
        """Releases the file."""
        ...


def open_story(path: str | Path) -> Story:
    """A session log, or captured requests. Blocks. Raises `LogError`, `NoCapture`, `OSError`."""
    found = Path(path)
    if found.is_dir():
        logs = logs_in(found)
        if logs:
            return LogStory(SessionLog.open_now(logs[0]))
        return CapturedStory(read_capture(found))
    if is_capture(found) and not is_log(found):
        return CapturedStory(read_capture(found))
    return LogStory(SessionLog.open_now(found))


def counting_for(model: str | None, size: int) -> Counting:
    """How tokens are counted: exactly where that is possible and not too much."""
    if size > MOST_EXACT:
        return quarter
    return TokenCounter.for_model(model).count_now


class LogStory:
    """A log file."""

    def __init__(self, log: SessionLog) -> None:
        self.log = log
        self.path = log.path
        self.made_again: MadeAgain | None = None
        """What the last timeline was made of."""

    @property
    def header(self) -> SessionHeader:
        return self.log.header

    @property
    def problems(self) -> Sequence[str]:
        return list(problems_of(self.log))

    def builder(self, count: Counting | None = None) -> TimelineBuilder:
        """A timeline to which the events of the log are added, for a log that grows."""
        count = count or counting_for(_model_of(self.log), self._size)
        builder = TimelineBuilder(self.log.header, count, self.log.events.__getitem__)
        self.made_again = builder.made_again
        return builder

    def timeline(self, count: Counting | None = None) -> Timeline:
        builder = self.builder(count)
        for event in self.log.events:
            builder.add(event)
        return builder.finished()

    def rebuilt(self, sent: SentRequest) -> RebuiltRequest:
        if self.made_again is not None:
            return self.made_again.rebuilt(sent)
        return rebuild_one(self.log.events, sent.seq)

    def parts(self, row: RequestRow) -> Sequence[Part]:
        return self._told.parts(row)

    def texts(self, row: RequestRow) -> tuple[str, str]:
        return self._told.texts(row)

    def preview(self, row: RequestRow, scope: str) -> Preview:
        told = self._told
        snapshot = told.snapshot(row.sent)
        messages = () if snapshot is None else (snapshot,)
        return preview_of(told.header(row.sent.header_seq), messages, told.parts(row), scope, row.time)

    def close(self) -> None:
        self.log.close()

    @property
    def _told(self) -> MadeAgain:
        if self.made_again is None:
            self.timeline(quarter)
        assert self.made_again is not None
        return self.made_again

    @property
    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return MOST_EXACT + 1


def _model_of(log: SessionLog) -> str | None:
    """The model of the first header."""
    for event in log.events:
        if event.type == "request/header":
            header = event.data.get("header")
            config = header.get("config") if isinstance(header, FrozenDict) else None
            model = config.get("model") if isinstance(config, FrozenDict) else None
            return model if isinstance(model, str) else None
        if event.seq > 2_000:
            return None
    return None


def problems_of(log: SessionLog) -> list[str]:
    """What a reader of a log has to be told."""
    found = []
    if log.bad is not None:
        what = "a torn tail" if log.bad.is_torn else "events follow it: the log is corrupt"
        found.append(f"{log.path}:{log.bad.line}: {log.bad.reason}; nothing after it was read ({what})")
    if log.unknown:
        types = ", ".join(sorted({f"{event_type!r}" for _, event_type in log.unknown}))
        found.append(f"records of types that are unknown here: {types}; this log can be read, not continued")
    if log.incomplete_bytes:
        size = f"{log.incomplete_bytes:,} bytes"
        found.append(f"the last {size} have no line end: a line that is being written, or was cut")
    return found


class CapturedStory:
    """Captured requests."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.path = capture.path
        self._header = SessionHeader(id=capture.path.name, created_at=capture.bodies[0].time or 0)

    @property
    def header(self) -> SessionHeader:
        return self._header

    @property
    def problems(self) -> Sequence[str]:
        return self.capture.problems

    def timeline(self, count: Counting | None = None) -> Timeline:
        bodies = self.capture.bodies
        characters = sum(len(body.header.system or "") for body in bodies) + 400 * len(bodies[-1].messages)
        judge = Judge(count or counting_for(bodies[0].header.config.model, characters))
        series, remarks = RequestSeries(), RemarkFold()
        made = Timeline(self._header)
        conversation = _Conversation()
        fixed: object = None
        parts: tuple[Part, ...] = ()
        turn: TurnRow | None = None
        for index, body in enumerate(bodies):
            if turn is None or _opens_turn(body.messages):
                turn = TurnRow(len(made.turns) + 1, index, body.time, False, _said(body.messages), first=index)
                made.turns.append(turn)
            turn.steps += 1
            conversation.take(body.messages)
            header = bodies[index - 1].header if index and bodies[index - 1].header == body.header else body.header
            body.header = header
            divergence = series.next(header, index, conversation)
            verdict = judge.next(header, conversation, divergence)
            sent = _sent(index, turn)
            row = RequestRow(
                sent,
                header.config,
                header.not_recorded,
                divergence,
                "captured" if index == 0 else None,
                bodies[index - 1].header.changes_to(header) if index else (),
                len(body.messages),
                series.length,
                body.time,
                verdict,
            )
            row.usage = body.usage
            turn.count += 1
            made.requests.add(row, len(made.turns) - 1)
            if judge.parts is not fixed:
                fixed, parts = judge.parts, tuple(judge.parts)
            remarks.add(sent.name, verdict, parts, None)
            made.counts["captured request"] += 1
        made.remarks = remarks.remarks()
        return made

    def rebuilt(self, sent: SentRequest) -> RebuiltRequest:
        body = self.capture.bodies[sent.seq]
        found = digest(body.header.request(body.messages))
        return RebuiltRequest(sent, body.header, (), body.messages, found)

    def parts(self, row: RequestRow) -> Sequence[Part]:
        header = self.capture.bodies[row.sent.seq].header
        return fixed_parts(header.system, header.tools, None)

    def texts(self, row: RequestRow) -> tuple[str, str]:
        part, at = row.verdict.part, row.sent.seq
        if part is None or not at:
            return "", ""
        return self._text(at - 1, part), self._text(at, part)

    def preview(self, row: RequestRow, scope: str) -> Preview:
        body = self.capture.bodies[row.sent.seq]
        return preview_of(body.header, body.messages, self.parts(row), scope, row.time)

    def _text(self, at: int, part: ChangedPart) -> str:
        body = self.capture.bodies[at]
        listed: Iterable[Part] = fixed_parts(body.header.system, body.header.tools, None)
        if part.kind == "message":
            listed = (message_part(index, message) for index, message in enumerate(body.messages))
        return next((each.text for each in listed if (each.kind, each.name) == (part.kind, part.name)), "")

    def close(self) -> None:
        """There is nothing to release."""


class _Conversation:
    """The messages of captured requests, as a log's surface is asked for them."""

    def __init__(self) -> None:
        self.replacements = 0
        self._messages: tuple[FrozenDict, ...] = ()

    def take(self, messages: tuple[FrozenDict, ...]) -> None:
        """Those of the next request. Equal ones are the same objects in all requests of a capture."""
        before = self._messages
        same = 0
        while same < min(len(before), len(messages)) and before[same] is messages[same]:
            same += 1
        if same < len(before):
            self.replacements += 1
        self._messages = messages

    def messages(self) -> HeldMessages:
        return HeldMessages(self._messages)


def _opens_turn(messages: Sequence[FrozenDict]) -> bool:
    """Whether a person's words come last, and not the result of a tool."""
    if not messages or messages[-1].get("role") != "user":
        return False
    return all(block.get("type") != "tool-result" for block in messages[-1].get("content") or ())


def _said(messages: Sequence[FrozenDict]) -> str:
    for message in reversed(messages):
        if message.get("role") == "user":
            texts = [block.get("text") for block in message.get("content") or () if block.get("type") == "text"]
            return "\n".join(text for text in texts if isinstance(text, str))[:200]
    return ""


def _sent(index: int, turn: TurnRow) -> SentRequest:
    return SentRequest(
        seq=index,
        turn=turn.number,
        step=turn.steps,
        attempt=1,
        header_seq=index,
        message_count=None,
        digest=None,
    )


Unusable = (LogError, NoCapture, OSError)
"""What opening a session may raise."""


def words_of(error: Exception, path: Any) -> str:
    """Why it cannot be opened, with the file's name once."""
    said = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    return said if str(path) in said else f"{path}: {said}"
