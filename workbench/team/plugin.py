"""The plugin: provides `team`. It reads the newest version before each assembly, and seats agents.

Source: docs/team.md 5, 9 and 17.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from importlib import import_module
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from workbench.agent.events import REMOVED, SETUP
from workbench.agent.prepared import DUE_MESSAGES, REVISION
from workbench.agent.sessions import APPENDED
from workbench.core import Event
from workbench.prompt.facade import AGENT_CONTEXT, PromptFacade
from workbench.prompt.service import CHANGE as PROMPT_CHANGE
from workbench.team.builtin import Builtins
from workbench.team.cards import DEFAULT_CARD_LIMIT, trigger_card
from workbench.team.catalog import due_catalog
from workbench.team.compose import RuntimeEnv
from workbench.team.desk import Desk
from workbench.team.parts import Role
from workbench.team.problems import Conflict
from workbench.team.seats import EXCLUDED_TOOLS, EXCLUDED_TRAITS, SNAPSHOT, Seat, take_seat
from workbench.team.session_facts import SessionFacts
from workbench.team.snapshot import TeamSnapshot
from workbench.team.store import DEFAULT_BUSY_TIMEOUT_MS
from workbench.team.store.errors import StoreError
from workbench.team.tickets import Ticket
from workbench.team.validation import DEFAULT_SIZE_LIMIT, Limits
from workbench.team.version import Origin, RestoredFrom, Saved
from workbench.tools.facade import ToolsFacade

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.agents import Setup
    from workbench.agent.log.events import LoggedEvent
    from workbench.agent.log.session import Session
    from workbench.agent.messages import Message
    from workbench.core import Context
    from workbench.core.scopes import ScopeKey
    from workbench.prompt import AssembleContext, Preview
    from workbench.team.config import TeamConfig
    from workbench.team.store.service import TeamStore

TEAM_CHANGE = Event("team/change", "emit", (TeamSnapshot,))
"""Another version is the newest one here. For views; what an observer raises is logged."""


class TeamSettings(BaseModel):
    """What a deployment decides."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    store: str | None = None
    """URL, or path of an SQLite file; None: that of the person who runs the program."""
    size_limit: int = Field(default=DEFAULT_SIZE_LIMIT, ge=0)
    """UTF-8 bytes of all that the team has written."""
    accept_modes: tuple[str, ...] = Field(default=("manual", "automatic"), min_length=1)
    """The first is the shipped default."""
    card_limit: int = Field(default=DEFAULT_CARD_LIMIT, ge=0)
    """Characters of a Trigger card."""
    excluded_tools: tuple[str, ...] = EXCLUDED_TOOLS
    """Names of tools that no worker has."""
    bots: tuple[str, ...] = ()
    """Accounts that the platform says are bots."""
    environment: dict[str, str] = Field(default_factory=dict)
    """Environment lines of an orchestrator, in their order."""
    initial: dict[str, Any] = Field(default_factory=dict)
    """What an empty store begins with, in the form of a save; keys that are left out are those of the defaults."""
    builtins: Builtins | None = None
    """Defaults instead of the shipped ones; for tests and previews of an upgrade."""
    busy_timeout_ms: int = Field(default=DEFAULT_BUSY_TIMEOUT_MS, ge=0)
    """How long to wait for another process that is writing."""


class TeamPrompts:
    """The service `team`."""

    name = "team"
    inject = ("system_prompt", "tools")
    provides = ("team",)
    owner_kind = "harness"
    Config = TeamSettings

    store: TeamStore
    """Versions; open while the plugin is active."""
    latest: TeamSnapshot
    """The newest version that anybody here has read: for views, and for assemblies without an agent."""

    def __init__(self, ctx: Context, config: TeamSettings | None) -> None:
        self.settings = config or TeamSettings()
        self.desk = Desk()
        self._ctx = ctx
        self._prompt = ctx.system_prompt.service
        self._registry = ctx.tools.registry
        self._seats: dict[int, Seat] = {}
        self._facts: dict[str, SessionFacts] = {}
        ctx.declare(TEAM_CHANGE)

    async def start(self) -> None:
        """Open the store and read it. Raises `StoreError`, and `Refused` for what it should begin with."""
        ctx = self._ctx
        self.store = await self._opened()
        ctx.effect(lambda: lambda: self.store.close(), "team store")
        self.latest = await self._begun()
        ctx.on(AGENT_CONTEXT, self._read_snapshot, everywhere=True)
        ctx.on(SETUP, self._set_up, everywhere=True)
        ctx.on(REMOVED, self._forget, everywhere=True)
        ctx.on(APPENDED, self._appended, everywhere=True)
        ctx.provide("team", self)

    async def _opened(self, *, create: bool = True) -> TeamStore:
        settings = self.settings
        try:  # the database takes as long to import as everything else together
            service = await asyncio.to_thread(import_module, "workbench.team.store.service")
        except ModuleNotFoundError as error:
            raise StoreError("STORE_MISSING_PACKAGE", settings.store or "", f"{error.name} is missing") from None
        opened: TeamStore = await service.TeamStore.open(
            settings.store,
            builtins=settings.builtins,
            limits=Limits(settings.size_limit, settings.accept_modes),
            busy_timeout_ms=settings.busy_timeout_ms,
            create=create,
        )
        return opened

    async def reopen(self) -> TeamSnapshot:
        """Open the store anew: after it was gone, moved or mended. Raises `StoreError`; then the old one stays.

        A store in memory would be lost by that, and is only read again.
        """
        if self.store.is_in_memory:
            return await self.refresh()
        gone, self.store = self.store, await self._opened(create=False)
        await gone.close()
        snapshot = await self.store.snapshot()
        self.latest = snapshot
        self._use(snapshot)
        return snapshot

    async def _begun(self) -> TeamSnapshot:
        """The newest version, after an empty store was given its first one."""
        newest = await self.store.newest()
        if newest.revision == 0 and self.settings.initial:
            with suppress(Conflict):  # another process was first
                await self.store.save({**newest.config.as_proposal(), **self.settings.initial}, 0)
        return await self.store.snapshot()

    @property
    def prompt(self) -> PromptFacade:
        """The prompt service, for previews."""
        facade: PromptFacade = self._ctx.system_prompt
        return facade

    async def preview(self, role: Role, config: TeamConfig | None = None, env: RuntimeEnv | None = None) -> Preview:
        """What a role reads of the newest version, or would read of `config`: see `preview_role`."""
        from workbench.team.previews import preview_role

        return await preview_role(self, self._ctx, role, config, env)

    # -- versions ----------------------------------------------------------------------------------------

    @property
    def builtins(self) -> Builtins:
        return self.store.builtins

    async def refresh(self) -> TeamSnapshot:
        """The newest version, now. Costs one look where nothing has changed. Raises `StoreError`."""
        revision = await self.store.newest_revision()
        if revision != self.latest.revision or self.latest.builtins is not self.store.builtins:
            self._use(await self.store.snapshot())
        return self.latest

    async def save(self, proposal: object, base_revision: int, origin: Origin = "panel") -> Saved:
        """Store a configuration as the next version. Raises `Conflict`, `Refused`, `StoreError`."""
        return await self._stored(self.store.save(proposal, base_revision, origin))

    async def restore(self, revision: RestoredFrom, base_revision: int, origin: Origin = "panel") -> Saved:
        """Store an earlier version, or `"defaults"`, as the next one. Raises as `save` does."""
        return await self._stored(self.store.restore(revision, base_revision, origin))

    async def _stored(self, work: Awaitable[Saved]) -> Saved:
        saved = await work
        version = saved.version
        self._use(TeamSnapshot(version.revision, version.policy_version, version.config, self.builtins))
        return saved

    def _use(self, snapshot: TeamSnapshot) -> None:
        if snapshot.revision < self.latest.revision:
            return  # a read that another one has overtaken
        self.latest = snapshot
        emit = self._ctx.runtime.events.emit
        emit(TEAM_CHANGE.name, (snapshot,), None, contain=True)
        emit(PROMPT_CHANGE.name, (), None, contain=True)

    # -- seats -------------------------------------------------------------------------------------------

    def orchestrator(
        self, environment: Iterable[tuple[str, str]] | None = None, also: Setup | None = None
    ) -> Setup:
        """A set-up for `ctx.agents.create`: the agent is the main Session. `also` is set up afterwards."""
        lines = tuple(self.settings.environment.items()) if environment is None else tuple(environment)
        return self._setup("orchestrator", RuntimeEnv(lines), also)

    def worker(self, ticket: Ticket, also: Setup | None = None) -> Setup:
        """A set-up for `ctx.agents.create`: the agent is the Executor of this Ticket."""
        return self._setup("worker", ticket.env, also)

    def _setup(self, role: Role, env: RuntimeEnv, also: Setup | None) -> Setup:
        async def set_up(ctx: Context, agent: Agent) -> None:
            take_seat(ctx, self, role, env)
            result = None if also is None else also(ctx, agent)
            if isawaitable(result):
                await result

        return set_up

    def seated(self, seat: Seat) -> Callable[[], None]:
        """Note a seat; gives its undo. For `take_seat`."""
        self._seats[id(seat.key)] = seat

        def undo() -> None:
            self._seats.pop(id(seat.key), None)

        return undo

    def seat_of(self, scope: ScopeKey | None) -> Seat | None:
        """The role of a scope: its own, or that of a scope around it."""
        for key in self._ctx.runtime.scopes.chain(scope):
            seat = self._seats.get(id(key))
            if seat is not None:
                return seat
        return None

    def seats(self) -> tuple[Seat, ...]:
        """Every seat, oldest first."""
        return tuple(self._seats.values())

    @property
    def excluded_tools(self) -> tuple[str, ...]:
        return self.settings.excluded_tools

    def is_bot(self, account: str) -> bool:
        """Whether the platform says that an account is a bot."""
        return account in self.settings.bots

    def card(self, text: str, *, pointer: str, author: str, automated: bool, **more: Any) -> Message:
        """A Trigger card of this deployment's length; `agent.followup(team.card(…))`."""
        limit = self.settings.card_limit
        return trigger_card(text, pointer=pointer, author=author, automated=automated, limit=limit, **more)

    def facts_of(self, session_id: str) -> SessionFacts:
        """What the log of a seated agent says. Empty for any other session."""
        return self._facts.get(session_id) or SessionFacts()

    def prompt_in(self, ctx: Context) -> PromptFacade:
        """The prompt service as a context registers with it, whatever its plugin has declared."""
        return PromptFacade(self._prompt, ctx)

    def tools_in(self, ctx: Context) -> ToolsFacade:
        """The tool registry, likewise."""
        return ToolsFacade(self._registry, ctx)

    # -- listeners ---------------------------------------------------------------------------------------

    async def _read_snapshot(self, context: AssembleContext) -> None:
        """One snapshot for everything that this assembly says, and for what is recorded of it."""
        if self.seat_of(context.scope) is None or SNAPSHOT in context.extras:
            return
        snapshot = await self.refresh()
        context.extras[SNAPSHOT] = snapshot
        context.extras[REVISION] = snapshot.revision
        facts = None if context.agent is None else self._facts.get(context.agent.id)
        if facts is not None:
            due: list[Any] = context.extras.setdefault(DUE_MESSAGES, [])
            due.append(lambda session: due_catalog(snapshot, facts, session))

    async def _set_up(self, agent: Agent) -> None:
        """Read the log of a seated agent; what a worker starts has no more tools than it has."""
        if self.seat_of(agent) is None:
            if any(seat is not None and seat.role == "worker" for seat in map(self.seat_of, _ancestors(agent))):
                self.tools_in(agent.ctx).exclude(self.excluded_tools, EXCLUDED_TRAITS)
            return
        facts = SessionFacts()
        events = agent.session.events
        if len(events):
            await asyncio.to_thread(facts.load, events)
        self._facts[agent.id] = facts

    def _forget(self, agent: Agent) -> None:
        self._facts.pop(agent.id, None)

    def _appended(self, session: Session, event: LoggedEvent) -> None:
        facts = self._facts.get(session.id)
        if facts is not None:
            facts.add(event)

    def describe(self) -> Any:
        """Who is seated, for snapshots of the runtime."""
        return [[seat.role, len(seat.env.variables)] for seat in self._seats.values()]


def _ancestors(agent: Agent) -> Iterable[Agent]:
    while (parent := agent.parent) is not None:
        yield parent
        agent = parent
