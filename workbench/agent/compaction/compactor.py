"""The plugin that compacts: before a step that would not fit, and once after a request that did not.

Source: docs/agents.md 13.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from workbench.agent.cancel import CancelSignal, TurnCancelled, race
from workbench.agent.compaction.cut import Cut, cut_before_tail
from workbench.agent.compaction.estimate import head_tokens, message_tokens, messages_tokens, text_tokens
from workbench.agent.events import PRE_STEP, Enter, PreStep
from workbench.agent.failures import failure_of
from workbench.agent.log.surface_ops import Replace
from workbench.agent.messages import plugin_message, user_message
from workbench.models.assembler import BlockAssembler
from workbench.models.attempt import attempt
from workbench.models.errors import ModelError
from workbench.models.provider import ModelCall
from workbench.models.request import ModelRequest
from workbench.values.frozen import freeze

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.log.header import RequestHeader
    from workbench.core import Context

INSTRUCTION = (
    "The conversation is becoming too long to be read as a whole. Write what has to be known to go on without it: "
    "what was asked, word for word where the wording counts; what was decided, and why; what was done, with the "
    "paths, names and values that matter; what failed; what remains to be done. No call of a tool, no preface: "
    "only this text. It takes the place of everything above."
)
COMPACTION_PREAMBLE = "Summary of the conversation before this point; it takes the place of its messages."

Trigger = Literal["threshold", "overflow"]


@dataclass(frozen=True, slots=True)
class CompactionConfig:
    """When to compact, and how much stays."""

    threshold: float = 0.8
    """Share of the context window at which the next prompt is too long."""
    tail: float = 0.16
    """Share of the context window that the newest messages may keep."""
    instruction: str = INSTRUCTION
    """What the model is asked for, as the last message of the summary call."""


class Compaction:
    """The plugin."""

    name = "compaction"
    inject = ("agents", "models")
    owner_kind = "harness"

    def __init__(self, ctx: Context, config: CompactionConfig | None) -> None:
        self._ctx = ctx
        self._config = config or CompactionConfig()
        ctx.agents.use_compactor(self)
        ctx.on(PRE_STEP, self._before_step, prepend=True, everywhere=True)

    async def make_room(self, agent: Agent, turn: int, step: int, signal: CancelSignal) -> bool:
        """See `Compactor`."""
        window = self._window(agent)
        tail = 0 if window is None else int(window * self._config.tail)
        return await self._compact(agent, "overflow", turn, step, tail, signal)

    async def _before_step(self, payload: PreStep, next: Any) -> Any:
        """Behind all other listeners, whose messages count, too."""
        entry = await next()
        window = self._window(payload.agent)
        was_vain = payload.agent.facts.vain_compaction == payload.turn  # once more would cost the same
        if window is not None and isinstance(entry, Enter) and not was_vain:
            tokens = self.measure(payload, entry)
            if tokens >= int(window * self._config.threshold):
                tail = int(window * self._config.tail)
                await self._compact(
                    payload.agent, "threshold", payload.turn, payload.step, tail, payload.signal, tokens, window
                )
        return entry

    def measure(self, payload: PreStep, entry: Enter) -> int:
        """Tokens of the exact next prompt: rendered text, tools, conversation, and what is pending or due."""
        agent = payload.agent
        pending = messages_tokens(entry.messages) + messages_tokens(payload.due)
        snapshot = agent.requests.due_snapshot(payload.context)
        if snapshot is not None:
            pending += message_tokens(user_message(snapshot))
        counted = self._counted(payload)
        if counted is not None:
            return counted + pending
        return head_tokens(payload.system, payload.tools) + messages_tokens(agent.messages) + pending

    def _counted(self, payload: PreStep) -> int | None:
        """What the provider counted for the last request of an equal header, and what was appended since."""
        agent = payload.agent
        session = agent.session
        header = agent.facts.header
        if header is None or header.system != (payload.system or None) or header.tools != tuple(payload.tools):
            return None
        newer = 0
        for seq in reversed(session.surface.nodes):
            event = session.events[seq]
            if event.surface_op != "append":
                return None  # what was counted before is not what is sent now
            usage = event.data.get("usage")
            if event.type == "assistant/message" and usage is not None:
                if agent.facts.header_seq is None or seq < agent.facts.header_seq:
                    return None
                counts = (usage.get(key) or 0 for key in ("inputTokens", "cacheReadTokens", "outputTokens"))
                return sum(counts) + newer
            newer += message_tokens(event.data.get("message", event.data))
        return None

    async def _compact(
        self,
        agent: Agent,
        trigger: Trigger,
        turn: int,
        step: int,
        tail: int,
        signal: CancelSignal,
        tokens: int | None = None,
        window: int | None = None,
    ) -> bool:
        """True when the surface has changed."""
        session = agent.session
        header = agent.facts.header
        if header is None or agent.facts.compaction_seq is not None:
            return False
        cut = cut_before_tail(session, tail)
        if cut is None:
            return False
        place = {"turn": turn, "step": step}
        measured = {} if tokens is None else {"tokens": tokens, "contextWindow": window}
        instruction = plugin_message(self._config.instruction, "compaction", form="instruction")
        start = {
            **place,
            "trigger": trigger,
            **measured,
            "headerSeq": agent.facts.header_seq,
            "instruction": instruction,
            "start": cut.nodes[0],
            "end": cut.nodes[-1],
        }
        session.append("compaction/start", start)
        ending: dict[str, Any] = {"outcome": "failed"}
        try:
            summary = await race(self._summary(agent, header, instruction, turn, step), signal)
            session.append("compaction/summary", {**place, **summary})
            ending = self._replaced(agent, cut, summary["summary"])
        except TurnCancelled:
            ending = {"outcome": "aborted"}
            raise
        except Exception as error:
            ending = {"outcome": "failed", "error": failure_of(error)}
        finally:
            session.append("compaction/end", {**place, **ending})
        return bool(ending["outcome"] == "replaced")

    async def _summary(
        self, agent: Agent, header: RequestHeader, instruction: dict[str, Any], turn: int, step: int
    ) -> dict[str, Any]:
        """One call with the last header, the whole conversation, and the instruction behind it."""
        messages = (*agent.session.surface.messages(), freeze(instruction))
        request = ModelRequest(header.config, header.system, header.tools, messages)
        provider = self._ctx.models.require(header.config.provider)
        await agent.session.flush()
        assembler = BlockAssembler()
        call = ModelCall(agent.id, turn, step, 1, "compaction")
        async with aclosing(attempt(provider, request, call)) as chunks:
            async for chunk in chunks:
                assembler.feed(chunk)
        if assembler.failure is not None:
            raise ModelError.from_failure(assembler.failure)
        texts = [block["text"] for block in assembler.content(tool_calls=False) if block["type"] == "text"]
        summary: dict[str, Any] = {"summary": "\n".join(texts).strip()}
        if assembler.usage is not None:
            summary["usage"] = assembler.usage
        return summary

    def _replaced(self, agent: Agent, cut: Cut, summary: str) -> dict[str, Any]:
        """Put the summary into the place of the head, if that is worth it."""
        message = plugin_message(f"{COMPACTION_PREAMBLE}\n\n{summary}", "compaction", form="summary")
        if not summary or message_tokens(message) >= cut.tokens:
            return {"outcome": "unchanged", "before": cut.tokens, "after": text_tokens(summary)}
        event = agent.session.append(
            "user/message",
            message,
            surface_op=Replace(cut.nodes[0], cut.nodes[-1]),
            source_event_seqs=cut.nodes,
        )
        return {"outcome": "replaced", "seq": event.seq, "before": cut.tokens, "after": message_tokens(message)}

    def _window(self, agent: Agent) -> int | None:
        """The context window of the route in force."""
        header = agent.facts.header
        if header is None or header.config.provider is None or header.config.model is None:
            return None
        provider = self._ctx.models.get(header.config.provider)
        window: int | None = None if provider is None else provider.context_window(header.config.model)
        return window
