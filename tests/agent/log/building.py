"""Logs as an agent writes them: what the tests of this folder begin with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from workbench.agent.log import LoggedEvent, RequestHeader, Session, SessionHeader, SurfaceOp, digest
from workbench.models.request import CallConfig, ModelRequest

SESSIONS = Path(__file__).parents[4] / "shared/data/dsh/sessions"
RECORDED = sorted(SESSIONS.glob("*/*.jsonl"))
NOT_HERE = "the recorded sessions are not beside this checkout"

TOOL_A = {"name": "a", "description": "A", "parameters": {"type": "object", "properties": {}}}
TOOL_B = {**TOOL_A, "name": "b"}


def header(system: str = "You run on m1.", tools: Iterable[Mapping[str, Any]] = (), **config: Any) -> RequestHeader:
    """A request header of the scripted provider."""
    route = {"provider": "scripted", "model": "m1", **config}
    return RequestHeader(CallConfig(**route), system=system, tools=tools)


def user(text: str, **source: Any) -> dict[str, Any]:
    """Data of a `user/message`."""
    content = [{"type": "text", "text": text}]
    return {"content": content, "source": source or {"kind": "user"}, "role": "user", "id": f"id {text}"}


def assistant(turn: int, step: int, *blocks: dict[str, Any]) -> dict[str, Any]:
    """Data of an `assistant/message`."""
    return {"turn": turn, "step": step, "message": {"role": "assistant", "content": list(blocks), "id": "m"}}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(call_id: str, name: str = "echo") -> dict[str, Any]:
    return {"type": "tool-call", "id": call_id, "name": name, "arguments": "{}"}


def result(turn: int, step: int, call_id: str, said: str) -> dict[str, Any]:
    """Data of a `tool/result`."""
    block = {"type": "tool-result", "toolCallId": call_id, "content": [text(said)], "isError": False}
    source = {"kind": "tool", "callId": call_id}
    return {
        "turn": turn,
        "step": step,
        "message": {"source": source, "content": [block], "role": "user", "id": "r"},
    }


class Run:
    """Appends what an agent appends, and remembers what was sent."""

    def __init__(self, path: Path | None = None, **fields: Any) -> None:
        self.session = Session.create(SessionHeader(cwd="/w", **fields), path)
        self.captured: list[tuple[int, ModelRequest]] = []
        """Seq of each `request/sent`, and the request."""
        self.turn = 0
        self.step = 0
        self._header: tuple[int, RequestHeader] | None = None

    def append(
        self, event_type: str, data: dict[str, Any], op: SurfaceOp | None = None, *cited: int
    ) -> LoggedEvent:
        return self.session.append(event_type, data, surface_op=op, source_event_seqs=cited)

    def begin_turn(self) -> None:
        self.turn, self.step = self.turn + 1, 0
        self.append("turn/start", {"turn": self.turn})

    def begin_step(self, *texts: str) -> None:
        self.step += 1
        self.append("step/start", self.place)
        for said in texts:
            self.append("user/message", user(said))

    @property
    def place(self) -> dict[str, Any]:
        return {"turn": self.turn, "step": self.step}

    def send(self, of: RequestHeader, attempt: int = 1) -> ModelRequest:
        """Record the header if it differs, and `request/sent`."""
        if self._header is None or self._header[1] != of:
            reason = "initial" if self._header is None else "change"
            event = self.append("request/header", {"header": of.to_json(), "reason": reason})
            self._header = event.seq, of
        request = of.request(self.session.surface.messages())
        sent = {
            **self.place,
            "attempt": attempt,
            "headerSeq": self._header[0],
            "messageCount": len(request.messages),
            "digest": digest(request),
        }
        self.captured.append((self.append("request/sent", sent).seq, request))
        return request

    def answer(self, *blocks: dict[str, Any]) -> LoggedEvent:
        """One chunk, and the message that cites it."""
        chunk = self.append(
            "assistant/chunk", {**self.place, "chunk": {"type": "finish", "reason": {"kind": "stop"}}}
        )
        return self.append("assistant/message", assistant(self.turn, self.step, *blocks), None, chunk.seq)

    def end_step(self) -> None:
        self.append("step/end", self.place)

    def end_turn(self, kind: str = "completed") -> None:
        self.append("turn/end", {"turn": self.turn, "reason": {"kind": kind}})

    def whole_turn(self, said: str, answered: str, of: RequestHeader | None = None) -> ModelRequest:
        """One turn of one step."""
        self.begin_turn()
        self.begin_step(said)
        request = self.send(of or header())
        self.answer(text(answered))
        self.end_step()
        self.end_turn()
        return request

    def tool_turn(self, said: str, *call_ids: str) -> None:
        """A turn that calls tools in its first step."""
        self.begin_turn()
        self.begin_step(said)
        self.send(header())
        message = self.answer(*map(call, call_ids))
        for call_id in call_ids:
            begun = self.append("tool/call", {**self.place, "callId": call_id, "name": "echo", "arguments": "{}"})
            assert begun.seq > message.seq
            self.append("tool/result", result(self.turn, self.step, call_id, f"did {call_id}"), None, begun.seq)
        self.end_step()
        self.begin_step()
        self.send(header())
        self.answer(text("done"))
        self.end_step()
        self.end_turn()
