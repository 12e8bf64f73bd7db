"""What stands open in a log: a turn, a step, calls without a result. A repair closes it.

Source: docs/sessions.md 8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import LoggedEvent


@dataclass(slots=True)
class OpenCall:
    """A tool call that has no result yet."""

    call_id: str
    name: str
    message_seq: int
    """Seq of the `assistant/message` that asked for it."""
    call_seq: int | None = None
    """Seq of its `tool/call`; None while it has not begun."""


class OpenWork:
    """The fold of all events so far. `add` is all that changes it."""

    __slots__ = ("calls", "last_turn", "step", "turn")

    def __init__(self) -> None:
        self.last_turn = 0
        """Number of the newest turn; 0 for none."""
        self.turn: int | None = None
        self.step: int | None = None
        self.calls: list[OpenCall] = []
        """In model order. Nothing keeps a model from giving two of them one id."""

    def add(self, event: LoggedEvent) -> None:
        """Fold one more event. Raises `LogError` INVALID_EVENT for data without a meaning."""
        fold = _FOLDS.get(event.type)
        if fold is None:
            return
        try:
            fold(self, event)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise LogError(
                "INVALID_EVENT", f"event {event.seq}: the data of a {event.type} are incomplete ({error!r})"
            ) from error

    def _turn_start(self, event: LoggedEvent) -> None:
        self.last_turn = self.turn = _number(event.data["turn"])
        self.step = None
        self.calls = []

    def _turn_end(self, _event: LoggedEvent) -> None:
        self.turn = self.step = None
        self.calls = []

    def _step_start(self, event: LoggedEvent) -> None:
        self.step = _number(event.data["step"])

    def _step_end(self, _event: LoggedEvent) -> None:
        self.step = None

    def _message(self, event: LoggedEvent) -> None:
        blocks = event.data["message"]["content"]
        asked = [block for block in blocks if block.get("type") == "tool-call"]
        self.calls += [OpenCall(block["id"], block["name"], event.seq) for block in asked]

    def _call(self, event: LoggedEvent) -> None:
        call_id = event.data["callId"]
        for call in self.calls:
            if call.call_id == call_id and call.call_seq is None:
                call.call_seq = event.seq
                return

    def _result(self, event: LoggedEvent) -> None:
        if event.surface_op != "append":  # a replacement answers nothing anew
            return
        for call_id in [block["toolCallId"] for block in event.data["message"]["content"]]:
            for call in self.calls:
                if call.call_id == call_id:
                    self.calls.remove(call)
                    break


_FOLDS: dict[str, Callable[[OpenWork, LoggedEvent], None]] = {
    "turn/start": OpenWork._turn_start,
    "turn/end": OpenWork._turn_end,
    "step/start": OpenWork._step_start,
    "step/end": OpenWork._step_end,
    "assistant/message": OpenWork._message,
    "tool/call": OpenWork._call,
    "tool/result": OpenWork._result,
}


FOLDED_TYPES = frozenset(_FOLDS)
"""Events of other types change nothing here."""


def open_work(events: Iterable[LoggedEvent]) -> OpenWork:
    """What stands open after `events`."""
    work = OpenWork()
    for event in events:
        work.add(event)
    return work


def _number(value: object) -> int:
    if type(value) is not int or value < 1:
        raise ValueError(f"{value!r} is no number from 1 on")
    return value
