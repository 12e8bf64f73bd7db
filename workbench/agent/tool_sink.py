"""The session log as the tool pipeline writes it.

Source: docs/agents.md 9.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

from workbench.agent.messages import new_id
from workbench.values.foreign_text import clean

if TYPE_CHECKING:
    from workbench.agent.log.session import Session
    from workbench.tools.calls import CodeDispatch, ToolCall, ToolResult


class SessionSink:
    """Records the calls of one step."""

    def __init__(self, session: Session, turn: int, step: int, message_seq: int) -> None:
        self._session = session
        self._place = {"turn": turn, "step": step}
        self._message_seq = message_seq
        self._calls: defaultdict[str, deque[int]] = defaultdict(deque)
        """Seqs of `tool/call` without a result; nothing keeps a model from giving two calls one id."""

    def called(self, call: ToolCall) -> None:
        event = self._session.append(
            "tool/call", {**self._place, "callId": call.id, "name": call.name, "arguments": call.arguments}
        )
        self._calls[call.id].append(event.seq)

    async def flush(self) -> None:
        await self._session.flush()

    def result(self, call: ToolCall, result: ToolResult) -> None:
        data: dict[str, Any] = {
            **self._place,
            "message": {
                "source": {"kind": "tool", "callId": call.id},
                "content": [clean(result.block(call.id))],
                "role": "user",
                "id": new_id(),
            },
        }
        if result.error is not None:
            data["error"] = clean(result.error.to_json())
        if result.meta is not None:
            data["meta"] = clean(dict(result.meta))
        open_calls = self._calls[call.id]
        cited = open_calls.popleft() if open_calls else self._message_seq
        self._session.append("tool/result", data, surface_op="append", source_event_seqs=(cited,))

    def code_dispatch_start(self, dispatch: CodeDispatch) -> None:
        self._session.append("tool/code-dispatch-start", {**self._place, **clean(dispatch.to_json())})

    def code_dispatch(self, dispatch: CodeDispatch, result: ToolResult) -> None:
        self._session.append("tool/code-dispatch", {**self._place, **clean(dispatch.settled_json(result))})
