"""From a rendered prompt to a request that can be dispatched, and the records that let it be rebuilt.

The messages are the fold of the log: the request is made the way in which a reader of the log rebuilds it.

Source: docs/agents.md 3, 4, 5 and 6.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workbench.agent.cancel import CancelSignal, race
from workbench.agent.decisions import read_config
from workbench.agent.events import REQUEST, RequestProposal
from workbench.agent.log.header import RequestHeader
from workbench.agent.log.request_digest import RequestDigest
from workbench.agent.snapshots import due_text, snapshot_message
from workbench.agent.verdicts.recording import TYPE as PARTS
from workbench.agent.verdicts.recording import parts_record
from workbench.models.errors import NO_ROUTE, ModelError
from workbench.models.request import CallConfig, ModelRequest

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.messages import Message
    from workbench.agent.prepared import Prepared
    from workbench.core import Context
    from workbench.models.provider import ModelProvider
    from workbench.prompt import Preview
    from workbench.values.frozen import FrozenDict

KEPT = 50
"""Previews of requests that an agent keeps for whoever looks at it."""


class Requests:
    """Makes the requests of one agent and records them."""

    def __init__(self, agent: Agent, ctx: Context) -> None:
        self._agent = agent
        self._ctx = ctx
        self._digest = RequestDigest()
        self._header = RequestHeader(CallConfig())
        """That of the last request, kept as long as it stays equal."""
        self._tools: tuple[FrozenDict, ...] = ()
        self._last: tuple[int, RequestHeader] | None = None
        """Seq of the last `request/header`, and what it says."""
        self.looked_at: dict[int, Preview] = {}
        """Previews of the last requests by the seq of their `request/sent`, where parts are recorded."""
        self._began = False
        """Whether this instance has recorded a header: the first one is recorded in any case."""

    def due_snapshot(self, text: str) -> str | None:
        """What has to be appended when `text` is the rendered runtime context; None for nothing."""
        last = self._agent.facts.snapshot
        if last is None:
            return due_text(text, None, False)
        return due_text(text, last.data, last.seq in self._agent.session.surface)

    def due_messages(self, prepared: Prepared) -> list[Message]:
        """What listeners of `agent/assemble-context` want said, and the conversation does not hold."""
        asked = (due(self._agent.session) for due in prepared.due)
        return [message for message in asked if message is not None]

    def append_due(self, prepared: Prepared) -> None:
        """Append the messages that are due, then the snapshot if it is."""
        session = self._agent.session
        for message in self.due_messages(prepared):
            session.append("user/message", message, surface_op="append")
        text = self.due_snapshot(prepared.context)
        if text is not None:
            sections = prepared.context_sections() if prepared.context else ()
            session.append("user/message", snapshot_message(text, sections), surface_op="append")

    async def propose(self, turn: int, step: int, attempt: int, signal: CancelSignal) -> CallConfig:
        """The call configuration that the listeners of `agent/request` leave."""
        proposal = RequestProposal(self._agent, self._agent.options.call_config, turn, step, attempt, signal)
        answer = await race(
            self._ctx.waterfall(REQUEST, proposal, default=_as_proposed, target=self._agent), signal
        )
        return read_config(REQUEST, answer)

    def record(self, prepared: Prepared, config: CallConfig, turn: int, step: int, attempt: int) -> Dispatchable:
        """Append header, route and `request/sent` as they are due.

        Raises `ModelError`: `NO_ROUTE` without a provider or model, `NO_ADAPTER` for an unknown provider.
        """
        provider = self._provider(config)
        header = self._header_of(prepared, config, provider)
        window = provider.context_window(header.config.model or "")
        session = self._agent.session
        facts = self._agent.facts
        if not self._began or self._recorded() != header:
            reason = "change" if self._began else "initial" if facts.header_seq is None else "resume"
            event = session.append("request/header", {"header": header.to_json(), "reason": reason})
            self._last = event.seq, header
            self._began = True
            parts = None if prepared.preview is None else parts_record(prepared.preview, event.seq)
            if parts is not None:
                session.append(PARTS, parts, ignorable=True)
        self._record_route(header.config, window)
        place = {"turn": turn, "step": step, "attempt": attempt}
        if prepared.revision is not None and prepared.revision != facts.revision:
            session.append("prompts/revision", {"revision": prepared.revision, **place}, ignorable=True)
        assert self._last is not None
        header_seq, header = self._last
        request = header.request(session.surface.messages())
        sent = {
            **place,
            "headerSeq": header_seq,
            "messageCount": len(request.messages),
            "digest": self._digest.of(request.system or "", request.tools, session.surface),
        }
        event = session.append("request/sent", sent, ignorable=True)
        if prepared.preview is not None:
            self.looked_at[event.seq] = prepared.preview
            while len(self.looked_at) > KEPT:
                del self.looked_at[next(iter(self.looked_at))]
        return Dispatchable(provider, request)

    def _recorded(self) -> RequestHeader | None:
        """What the last header record says, whoever appended it."""
        facts = self._agent.facts
        if facts.header_seq is None:
            return None
        if self._last is None or self._last[0] != facts.header_seq:
            assert facts.header is not None
            self._last = facts.header_seq, facts.header
        return self._last[1]

    def _record_route(self, config: CallConfig, window: int | None) -> None:
        route: dict[str, Any] = {"provider": config.provider, "model": config.model}
        if window is not None:
            route["contextWindow"] = window
        if self._agent.facts.route != route:
            self._agent.session.append("request/context", route)

    def _provider(self, config: CallConfig) -> ModelProvider:
        if not config.provider or not config.model:
            missing = " and no ".join(
                name for name, value in (("provider", config.provider), ("model", config.model)) if not value
            )
            raise ModelError(
                NO_ROUTE,
                f"agent {self._agent.label!r} has no {missing}: give it one, or return it from {REQUEST.name}",
            )
        provider: ModelProvider = self._ctx.models.require(config.provider)
        return provider

    def _header_of(self, prepared: Prepared, config: CallConfig, provider: ModelProvider) -> RequestHeader:
        """The canonical header, with the adapter's defaults filled in and marked."""
        filled = {name: value for name, value in provider.defaults(config).items() if getattr(config, name) is None}
        marked: dict[str, Any] = {}
        if filled:
            config, marked = replace(config, **filled), CallConfig(**filled).to_json()
        kept = self._header
        is_same = kept.config == config and kept.adapter_defaults == marked
        if not is_same or kept.system != (prepared.system or None) or self._tools is not prepared.tools:
            self._header = RequestHeader(config, marked, prepared.system, prepared.tools)
            self._tools = prepared.tools
        return self._header


@dataclass(frozen=True, slots=True)
class Dispatchable:
    """A recorded request, and who answers it."""

    provider: ModelProvider
    request: ModelRequest


def _as_proposed(proposal: RequestProposal) -> Any:
    return proposal.config
