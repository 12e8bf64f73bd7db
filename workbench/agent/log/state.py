"""What the log says now: the folds that the loop, a resume and a repair ask for.

Nothing here is kept beside the log. Each value is the fold of its events, so a resumed, forked or compacted
session needs no rule of its own. Source: docs/sessions.md 5.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.header import RequestHeader
from workbench.models.frozen import FrozenDict


@dataclass(slots=True)
class OpenCall:
    """A tool call of the open turn that has no result yet."""

    call_id: str
    name: str
    message_seq: int
    """Seq of the `assistant/message` that asked for it."""
    call_seq: int | None = None
    """Seq of its `tool/call`; None while it has not begun."""


class LogState:
    """The fold of all events so far. `add` is all that changes it."""

    def __init__(self) -> None:
        self.length = 0
        """Events that were folded."""
        self.last_turn = 0
        """Number of the newest turn; 0 for none."""
        self.open_turn: int | None = None
        self.open_step: int | None = None
        self.open_calls: dict[str, OpenCall] = {}
        """By call id, in model order."""
        self.header: RequestHeader | None = None
        """The newest request header."""
        self.header_seq: int | None = None
        self.route: FrozenDict | None = None
        """Data of the newest `request/context`."""
        self.sent_seq: int | None = None
        """Seq of the newest `request/sent`."""
        self.snapshots: dict[str, int] = {}
        """Seq of the newest runtime-context snapshot of each producer, by its plugin."""
        self.queues: dict[str, list[FrozenDict]] = {"next-turn": [], "next-step": []}
        """Pending input: the fold of the splices after the last `session/end-seed`."""
        self.compaction_seq: int | None = None
        """Seq of a `compaction/start` that has no end. The end of a turn and of a seed end it too."""
        self.seed_end: int | None = None
        """Seq of the last `session/end-seed`."""
        self.first_unknown: LoggedEvent | None = None

    def add(self, event: LoggedEvent) -> None:
        """Fold one more event. Raises `LogError` INVALID_EVENT for data without a meaning."""
        fold = _FOLDS.get(event.type)
        if fold is not None:
            try:
                fold(self, event)
            except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
                raise LogError(
                    "INVALID_EVENT", f"event {event.seq}: the data of a {event.type} are incomplete ({error!r})"
                ) from error
        self.length = event.seq + 1

    def _turn_start(self, event: LoggedEvent) -> None:
        self.last_turn = self.open_turn = _number(event.data["turn"])
        self.open_step = None
        self.open_calls = {}

    def _turn_end(self, _event: LoggedEvent) -> None:
        self.open_turn = self.open_step = self.compaction_seq = None
        self.open_calls = {}

    def _step_start(self, event: LoggedEvent) -> None:
        self.open_step = _number(event.data["step"])

    def _step_end(self, _event: LoggedEvent) -> None:
        self.open_step = None

    def _header(self, event: LoggedEvent) -> None:
        self.header = RequestHeader.from_json(event.data["header"])
        self.header_seq = event.seq

    def _context(self, event: LoggedEvent) -> None:
        self.route = event.data

    def _sent(self, event: LoggedEvent) -> None:
        self.sent_seq = event.seq

    def _user_message(self, event: LoggedEvent) -> None:
        source = event.data.get("source")
        if isinstance(source, FrozenDict) and source.get("form") == "snapshot":
            self.snapshots[source["plugin"]] = event.seq

    def _assistant_message(self, event: LoggedEvent) -> None:
        for block in event.data["message"]["content"]:
            if block.get("type") == "tool-call":
                self.open_calls[block["id"]] = OpenCall(block["id"], block["name"], event.seq)

    def _tool_call(self, event: LoggedEvent) -> None:
        call = self.open_calls.get(event.data["callId"])
        if call is not None:
            call.call_seq = event.seq

    def _tool_result(self, event: LoggedEvent) -> None:
        for block in event.data["message"]["content"]:
            self.open_calls.pop(block["toolCallId"], None)

    def _spliced(self, event: LoggedEvent) -> None:
        queue = self.queues.setdefault(event.data["target"], [])
        start = event.data["start"]
        queue[start : start + event.data.get("removedCount", 0)] = event.data["inserted"]

    def _compaction_start(self, event: LoggedEvent) -> None:
        self.compaction_seq = event.seq

    def _compaction_end(self, _event: LoggedEvent) -> None:
        self.compaction_seq = None

    def _end_seed(self, event: LoggedEvent) -> None:
        self.seed_end = event.seq
        self.compaction_seq = None
        self.queues = {"next-turn": [], "next-step": []}


_FOLDS: dict[str, Any] = {
    "turn/start": LogState._turn_start,
    "turn/end": LogState._turn_end,
    "step/start": LogState._step_start,
    "step/end": LogState._step_end,
    "request/header": LogState._header,
    "request/context": LogState._context,
    "request/sent": LogState._sent,
    "user/message": LogState._user_message,
    "assistant/message": LogState._assistant_message,
    "tool/call": LogState._tool_call,
    "tool/result": LogState._tool_result,
    "agent/inbox/spliced": LogState._spliced,
    "compaction/start": LogState._compaction_start,
    "compaction/end": LogState._compaction_end,
    "session/end-seed": LogState._end_seed,
}


def fold_state(events: Iterable[LoggedEvent]) -> LogState:
    """The state after `events`."""
    state = LogState()
    for event in events:
        state.add(event)
    return state


def _number(value: object) -> int:
    if type(value) is not int or value < 1:
        raise ValueError(f"{value!r} is no number from 1 on")
    return value
