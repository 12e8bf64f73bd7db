"""Children in this process: `spawn` begins with nothing, `fork` with the finished turns of its parent.

Source: docs/agents.md 12.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from workbench.agent.agents import AgentsFacade
from workbench.agent.cancel import PARENT, CancelCause
from workbench.agent.log.session_header import SessionHeader
from workbench.agent.messages import text_of, user_message
from workbench.agent.options import AgentOptions
from workbench.agent.subagents.contract import (
    DEFAULT_MAX_DEPTH,
    Capability,
    SubagentError,
    SubagentRequest,
    SubagentResult,
)
from workbench.tools import ToolError
from workbench.tools.structured_output import register_structured_output

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.agents import Agents
    from workbench.agent.log.events import LoggedEvent
    from workbench.agent.loop_services import LoopServices
    from workbench.core import Context
    from workbench.tools.structured_output import StructuredOutput

DELEGATION_CONTEXT = (
    "You are a child agent: another agent has handed you one piece of work, and only your last message goes back "
    "to it. Nobody else reads along, and nobody can answer a question or grant a permission before you have "
    "finished. If something that you need is missing, do what can be done without it, and say what is missing."
)
"""Text of the context `subagent:delegation`."""

NO_OUTPUT = {
    "code": "NO_OUTPUT",
    "message": "the child has not handed over a result of the shape that was asked for",
}
_PIECE = 500
"""Events that are read from a log at once."""
CAPABILITIES: frozenset[Capability] = frozenset({"output_schema", "depth_limit", "tool_filter", "persona"})


class InProcessProvider:
    """Starts children as agents of the same runtime. Runs that it has accepted outlive it."""

    capabilities = CAPABILITIES

    def __init__(self, agents: Agents, name: str, inherits_parent_context: bool) -> None:
        self.name = name
        self.inherits_parent_context = inherits_parent_context
        self._agents = agents

    async def start(self, request: SubagentRequest) -> InProcessRun:
        """Make the child and give it its work. Raises `SubagentError` without making one, `LogError`."""
        parent = request.parent
        depth = parent.depth + 1
        limit = DEFAULT_MAX_DEPTH if request.max_depth is None else request.max_depth
        if depth > limit:
            raise SubagentError(
                f"agents may delegate {limit} times below each other, and this child would be number {depth}; "
                "do the work here",
                "DEPTH_EXCEEDED",
            )
        seed = await _finished_turns(parent.session.events) if self.inherits_parent_context else []
        children = AgentsFacade(self._agents, parent.ctx)
        options = AgentOptions(
            provider=request.provider,
            model=request.model,
            max_tokens=request.max_tokens,
            persona=request.persona,
            parent=parent,
            name=request.title or None,
        )
        setup = ChildSetup(self._agents, request)
        try:
            child = await children.create(options, header=SessionHeader(), seed=seed, setup=setup)
        except ToolError as error:
            raise SubagentError(str(error), "UNSUPPORTED") from error
        source = {"kind": "coordinator", "agent": parent.id}
        child.followup(user_message(request.prompt, source))
        return InProcessRun(child, setup)


async def _finished_turns(events: Sequence[LoggedEvent]) -> list[LoggedEvent]:
    """What a fork begins with, as `fork_seed`; between the pieces of a long log others have their turn."""
    end = len(events)
    while end and events[end - 1].type != "turn/end":
        end -= 1
    seed: list[LoggedEvent] = []
    for start in range(0, end, _PIECE):
        seed += events[start : min(start + _PIECE, end)]
        await asyncio.sleep(0)
    return seed


class ChildSetup:
    """Registers what is a child's own: its context, its tools, the shape of its result."""

    def __init__(self, agents: Agents, request: SubagentRequest) -> None:
        self._services = agents.services
        self._request = request
        self.output: StructuredOutput | None = None
        """Holds the value that the child hands over; None without an output schema."""

    def __call__(self, ctx: Context, child: Agent) -> None:
        own = _ChildContext(ctx, self._services)
        order = own.system_prompt.get_context_order("SUBAGENT_DELEGATION")
        own.system_prompt.context("subagent:delegation", order, DELEGATION_CONTEXT)
        if self._request.allow is not None or self._request.deny is not None:
            own.tools.restrict(self._request.allow, self._request.deny)
        if self._request.output_schema is not None:
            self.output = register_structured_output(cast("Context", own), self._request.output_schema)


class _ChildContext:
    """The context of a child's scope with the services of the house, whatever the plugin above it declares."""

    def __init__(self, ctx: Context, services: LoopServices) -> None:
        self.system_prompt = services.prompt_in(ctx)
        self.tools = services.tools_in(ctx)
        self.on = ctx.on


class InProcessRun:
    """One child."""

    def __init__(self, child: Agent, setup: ChildSetup) -> None:
        self.agent = child
        self._setup = setup

    @property
    def id(self) -> str:
        return self.agent.id

    async def result(self) -> SubagentResult:
        """Wait for it; a cancelled wait cancels the child, and waits for that."""
        try:
            await self.agent.when_idle()
        except asyncio.CancelledError:
            self.agent.cancel(PARENT)
            await self.agent.when_idle()
            raise
        return self._result()

    def _result(self) -> SubagentResult:
        """Read from the log, behind the seed."""
        events = self.agent.session.events
        text, reason = "", None
        for seq in range(len(events) - 1, (self.agent.session.header.seed_length or 0) - 1, -1):
            event = events[seq]
            if event.type == "turn/end" and reason is None:
                reason = event.data["reason"]
            elif event.type == "assistant/message":
                text = text_of(event.data["message"]).strip()
                if text:
                    break
        kind = "aborted" if reason is None else reason["kind"]
        failure = None if reason is None else reason.get("error")
        output = self._setup.output
        if output is None or kind != "completed":
            return SubagentResult(kind, text, failure=failure)
        if not output.is_captured:
            return SubagentResult("error", text, failure=NO_OUTPUT)
        return SubagentResult(kind, text, output.value)

    def say(self, prompt: str) -> None:
        parent = self.agent.parent
        source = {"kind": "coordinator", "agent": "" if parent is None else parent.id}
        self.agent.followup(user_message(prompt, source))

    def cancel(self, cause: CancelCause) -> None:
        self.agent.cancel(cause)

    async def dispose(self) -> None:
        await self.agent.dispose()
