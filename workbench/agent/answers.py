"""One attempt: a request is sent, its chunks are recorded as they come, and what they add up to is the answer.

Source: docs/agents.md 3 and 16.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.agent.cancel import CancelSignal, TurnCancelled, race
from workbench.agent.messages import new_id
from workbench.models.assembler import BlockAssembler
from workbench.models.attempt import attempt as attempt_of
from workbench.models.chunks import finish_error
from workbench.models.errors import ModelError
from workbench.models.provider import ModelCall
from workbench.tools.calls import ToolCall

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.requests import Dispatchable
    from workbench.models.chunks import Chunk, Finish

MAX_TOKENS = "max-tokens"


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer."""

    seq: int
    """Of its `assistant/message`."""
    calls: tuple[ToolCall, ...]
    is_cut: bool
    """The model ran out of tokens; its calls are left out."""


class Attempt:
    """The chunks of one provider call."""

    def __init__(self, agent: Agent, dispatchable: Dispatchable, call: ModelCall) -> None:
        self._agent = agent
        self._dispatchable = dispatchable
        self._call = call
        self._place = {"turn": call.turn, "step": call.step}
        self._assembler = BlockAssembler()
        self._seqs: list[int] = []

    async def run(self, signal: CancelSignal) -> Answer:
        """Raises `ModelError` for a failed attempt, `TurnCancelled` once what was shown is recorded."""
        try:
            await race(self._record(signal), signal)
        except TurnCancelled:
            self._append_message(self._assembler.shown(), interrupted=True)
            raise
        failure = self._assembler.failure
        if failure is not None:
            raise ModelError.from_failure(failure)
        reason = self._assembler.finish_reason
        is_cut = reason is not None and reason["kind"] == MAX_TOKENS
        seq = self._append_message(self._assembler.content(tool_calls=not is_cut))
        calls = (
            ()
            if is_cut
            else tuple(
                ToolCall(*(str(call.get(key) or "") for key in ("id", "name", "arguments")))
                for call in self._assembler.tool_calls()
            )
        )
        return Answer(seq, calls, is_cut)

    async def _record(self, signal: CancelSignal) -> None:
        """Each chunk is in the log before anything is made of it."""
        request, provider = self._dispatchable.request, self._dispatchable.provider
        async with aclosing(attempt_of(provider, request, self._call)) as chunks:
            async for chunk in chunks:
                signal.check()
                self._append_chunk(chunk)
                try:
                    self._assembler.feed(chunk)
                except ModelError as error:
                    self._append_chunk(finish_error(error.failure))
                    raise

    def _append_chunk(self, chunk: Chunk | Finish) -> None:
        event = self._agent.session.append("assistant/chunk", {**self._place, "chunk": chunk})
        self._seqs.append(event.seq)

    def _append_message(self, content: list[Any], interrupted: bool = False) -> int:
        if interrupted and not content:
            return -1
        config = self._dispatchable.request.config
        data: dict[str, Any] = {
            **self._place,
            "message": {
                "role": "assistant",
                "content": content,
                "source": {"kind": "model", "provider": config.provider, "model": config.model},
                "id": new_id(),
            },
        }
        if self._assembler.usage is not None:
            data["usage"] = self._assembler.usage
        if interrupted:
            data["interrupted"] = True
        event = self._agent.session.append(
            "assistant/message", data, surface_op="append", source_event_seqs=tuple(self._seqs)
        )
        return event.seq
