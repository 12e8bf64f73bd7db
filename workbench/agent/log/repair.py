"""What is appended to a log whose writer was killed in the middle of a turn.

Earlier events are never rewritten, and a log that is closed gets nothing. Source: docs/sessions.md 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from workbench.agent.log.open_work import OpenCall, OpenWork

OUTCOME_UNKNOWN = "TOOL_OUTCOME_UNKNOWN"
NOT_STARTED = "TOOL_NOT_STARTED"

TOOL_OUTCOME_UNKNOWN_TEXT = (
    "Error: the session was interrupted while this tool was running. It may have taken effect, wholly or in part; "
    "look before you call it again."
)
TOOL_NOT_STARTED_TEXT = "Error: the session was interrupted before this tool was started. It has had no effect."


@dataclass(frozen=True, slots=True)
class MissingEvent:
    """An event that closes what stands open."""

    type: str
    data: dict[str, Any]
    source_event_seqs: tuple[int, ...] = ()


def missing_events(work: OpenWork) -> Iterator[MissingEvent]:
    """In this order: a result for each call, the end of the step, the end of the turn. None if no turn is open."""
    turn, step = work.turn, work.step
    if turn is None:
        return
    for call in list(work.calls):
        yield _result(call, turn, step)
    if step is not None:
        yield MissingEvent("step/end", {"turn": turn, "step": step})
    yield MissingEvent("turn/end", {"turn": turn, "reason": {"kind": "interrupted"}})


def _result(call: OpenCall, turn: int, step: int | None) -> MissingEvent:
    has_begun = call.call_seq is not None
    code = OUTCOME_UNKNOWN if has_begun else NOT_STARTED
    text = TOOL_OUTCOME_UNKNOWN_TEXT if has_begun else TOOL_NOT_STARTED_TEXT
    block = {
        "type": "tool-result",
        "toolCallId": call.call_id,
        "content": [{"type": "text", "text": text}],
        "isError": True,
    }
    message = {
        "source": {"kind": "tool", "callId": call.call_id},
        "content": [block],
        "role": "user",
        "id": str(uuid4()),
    }
    place = {"turn": turn} if step is None else {"turn": turn, "step": step}
    error = {"code": code, "message": text.removeprefix("Error: ")}
    cited = call.message_seq if call.call_seq is None else call.call_seq
    return MissingEvent("tool/result", {**place, "message": message, "error": error}, (cited,))
