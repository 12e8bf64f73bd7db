"""The service `agents`: agents are made as one transaction, and belong to whoever made them.

Source: docs/agents.md 1.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.agent import variables
from workbench.agent.agent import Agent
from workbench.agent.cancel import DISPOSED
from workbench.agent.events import ALL_EVENTS, CREATED, REMOVED, SETUP
from workbench.agent.facts import LogFacts
from workbench.agent.log.session_header import SessionHeader
from workbench.agent.loop_services import Compactor, LoopServices
from workbench.agent.options import AgentError, AgentOptions
from workbench.core import Context, Effect, create_scope
from workbench.models.retry import DEFAULT_POLICY, RetryPolicy

if TYPE_CHECKING:
    from workbench.agent.log.events import LoggedEvent
    from workbench.agent.sessions import LiveSession

Setup = Callable[[Context, Agent], Any]
"""Registers what is the agent's own, through the context of its scope; it may be asynchronous."""


@dataclass(frozen=True, slots=True)
class AgentsConfig:
    """How agents run."""

    variables: bool = True
    """Whether `model`, `cwd` and `provider` are registered here. False: somebody else has."""
    records_parts: bool = False
    """Whether logs say who wrote which stretch of a system text (`request/parts`): for whoever looks at them."""
    retry: RetryPolicy = DEFAULT_POLICY
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep
    """Waits before a retry; for tests."""
    draw: Callable[[], float] = field(default=random.random)
    """Numbers from 0 up to 1 for the jitter."""


class Agents:
    """The plugin: provides `agents`."""

    name = "agents"
    inject = ("system_prompt", "tools", "models", "sessions")
    provides = ("agents",)
    owner_kind = "harness"

    def __init__(self, ctx: Context, config: AgentsConfig | None) -> None:
        config = config or AgentsConfig()
        self.services = LoopServices(
            ctx, retry=config.retry, sleep=config.sleep, draw=config.draw, records_parts=config.records_parts
        )
        self._ctx = ctx
        self._agents: dict[str, tuple[Agent, str]] = {}
        for event in ALL_EVENTS:
            ctx.declare(event)
        if config.variables:
            variables.apply(ctx)
        ctx.effect(lambda: self._dispose_all, "live agents")
        ctx.provide("agents", self)

    def for_context(self, ctx: Context) -> AgentsFacade:
        return AgentsFacade(self, ctx)

    def get(self, agent_id: str) -> Agent | None:
        """The live agent of this id."""
        found = self._agents.get(agent_id)
        return None if found is None else found[0]

    def all(self) -> tuple[Agent, ...]:
        """Every live agent, oldest first."""
        return tuple(agent for agent, _ in self._agents.values())

    async def make(self, ctx: Context, options: AgentOptions, session: LiveSession, setup: Setup | None) -> Agent:
        """Session → agent → scope → set-up → `agent/setup` → published → driver. A failure leaves nothing."""
        sessions = self._ctx.sessions
        try:
            facts = LogFacts(session)
            if len(session.events):
                await asyncio.to_thread(facts.load)  # may read a whole file
            session.fold = facts.add
            agent = Agent(options, session, facts, self.services)
            agent.scope = create_scope(ctx, agent, options.around)
        except BaseException:
            await sessions.discard(session)
            raise
        home = agent.scope.effect
        try:
            home.collect(lambda: sessions.close(session) if agent.is_published else sessions.discard(session))
            if options.persona is not None:
                prompt = self.services.prompt_in(agent.ctx)
                order = prompt.get_section_order("DEPLOYMENT_PERSONA")
                prompt.section("deployment:persona", order, options.persona)
            if setup is not None:
                result = setup(agent.ctx, agent)
                if isawaitable(result):
                    await result
            await self._ctx.serial(SETUP, agent, target=agent)
            agent.ctx.effect(lambda: self._published(agent), f"agent {agent.label}")
            agent.ctx.effect(lambda: self._driven(agent), "driver")
        except BaseException:
            agent.driver.stop(DISPOSED)
            await agent.scope.dispose()
            raise
        return agent

    def _published(self, agent: Agent) -> Callable[[], None]:
        self._agents[agent.id] = agent, agent.ctx.fiber.name
        agent.is_published = True
        self.services.tell(CREATED, agent, agent)

        def undo() -> None:
            del self._agents[agent.id]
            self.services.tell(REMOVED, agent, agent)

        return undo

    def _driven(self, agent: Agent) -> Callable[[], Awaitable[None]]:
        task = self._ctx.runtime.tasks.spawn(agent.driver.run(), f"agent {agent.label}")

        async def stop() -> None:
            agent.driver.stop(DISPOSED)
            await asyncio.wait([task])

        return stop

    async def _dispose_all(self) -> None:
        for agent in reversed(self.all()):
            await agent.dispose()

    def use_compactor(self, ctx: Context, compactor: Compactor) -> Effect:
        services = self.services
        if services.compactor is not None:
            raise AgentError("COMPACTOR_EXISTS", "there is a compactor already; unload one of both plugins")

        def body() -> Callable[[], None]:
            services.compactor = compactor

            def undo() -> None:
                services.compactor = None

            return undo

        return ctx.effect(body, "compactor")

    def describe(self) -> Any:
        """Which agents live, for snapshots of the runtime."""
        return [[agent.options.name or "", owner] for agent, owner in self._agents.values()]


class AgentsFacade:
    """`ctx.agents`: makes agents in the name of one context, whose end is theirs, too."""

    __slots__ = ("_agents", "_ctx")

    def __init__(self, agents: Agents, ctx: Context) -> None:
        self._agents = agents
        self._ctx = ctx

    @property
    def service(self) -> Agents:
        """The service itself, for the house's own plugins."""
        return self._agents

    async def create(
        self,
        options: AgentOptions | None = None,
        *,
        cwd: str | None = None,
        header: SessionHeader | None = None,
        seed: Sequence[LoggedEvent] = (),
        path: str | Path | None = None,
        setup: Setup | None = None,
    ) -> Agent:
        """A new agent with a new session, idle. `setup` registers what is its own before anybody sees it.

        `cwd` and `header` are alternatives. Raises `AgentError`, `LogError`, `CoreError`, and what the set-up
        raises.
        """
        self._ctx.check_active("an agent")
        options = _with_parents_route(options or AgentOptions())
        if header is None:
            header = SessionHeader(cwd=cwd)
        elif cwd is not None:
            raise AgentError("INVALID_OPTIONS", "give `cwd` or a whole header, not both")
        header = _as_child(header, options.parent)
        sessions = self._agents.services.ctx.sessions
        beside = None if options.parent is None else options.parent.id
        session = await sessions.create(header, seed, path=None if path is None else Path(path), beside=beside)
        return await self._agents.make(self._ctx, options, session, setup)

    async def resume(
        self, path: str | Path, options: AgentOptions | None = None, *, setup: Setup | None = None
    ) -> Agent:
        """An agent that goes on with the session of a log. What waited in its inbox waits for a wake.

        Raises as `create` does, and `LogError` for a log that cannot be opened for writing.
        """
        self._ctx.check_active("an agent")
        session = await self._agents.services.ctx.sessions.resume(Path(path))
        return await self._agents.make(self._ctx, options or AgentOptions(), session, setup)

    def get(self, agent_id: str) -> Agent | None:
        """The live agent of this id."""
        return self._agents.get(agent_id)

    def all(self) -> tuple[Agent, ...]:
        """Every live agent, oldest first."""
        return self._agents.all()

    def use_compactor(self, compactor: Compactor) -> Effect:
        """Let this one shorten conversations that have become too long. Raises `AgentError` if there is one."""
        return self._agents.use_compactor(self._ctx, compactor)


def _with_parents_route(options: AgentOptions) -> AgentOptions:
    """Route and `max_tokens` of the parent, unless they are given."""
    parent = options.parent
    if parent is None:
        return options
    theirs = parent.options
    return replace(
        options,
        provider=theirs.provider if options.provider is None else options.provider,
        model=theirs.model if options.model is None else options.model,
        max_tokens=theirs.max_tokens if options.max_tokens is None else options.max_tokens,
        config=options.config or theirs.config,
    )


def _as_child(header: SessionHeader, parent: Agent | None) -> SessionHeader:
    """Lineage, working directory and depth. The depth of a header is a floor."""
    if parent is None:
        return header
    return replace(
        header,
        cwd=header.cwd if header.cwd is not None else parent.cwd,
        parent_session=parent.id,
        origin=header.origin or "subagent",
        delegation_depth=max(header.delegation_depth, parent.depth + 1),
    )
