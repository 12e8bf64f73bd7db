"""The plugin that a composition is: scopes, contributions, and the plugins that it names as children.

It is loaded like any other. What it registers is undone with its fiber, which bears the name of the file.
An edit changes it while it runs: what is the same before and after is left alone.
Source: docs/compositions.md 2 to 9 and 13.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from workbench.config.listening import LoadOrder
from workbench.config.plan import Plan, PlannedPlugin
from workbench.config.problems import LoadProblem
from workbench.config.registered import Refusal, Registered
from workbench.config.scope_views import ScopeView as ScopeView
from workbench.config.scope_views import scope_views, take_facts
from workbench.config.settling import settled
from workbench.config.wanted import wanted_entries
from workbench.core import FiberState
from workbench.core.errors import CoreError
from workbench.prompt.errors import RegistrationError
from workbench.tools.registry import ToolError

if TYPE_CHECKING:
    from workbench.core import Context, Fiber


class LoadedPlugin(NamedTuple):
    """A plugin of the composition and its fiber."""

    planned: PlannedPlugin
    fiber: Fiber


class Changed(NamedTuple):
    """What became of an edit."""

    problems: tuple[LoadProblem, ...]
    """What the registry refused."""
    is_doubtful: bool
    """A name was taken already, which might be free if everything were loaded in the order of the file."""


class CompositionPlugin:
    """One composition, ready to be loaded with `ctx.plugin`."""

    inject = ("system_prompt", "tools")
    owner_kind = "deployment"

    def __init__(self, plan: Plan, settle_seconds: float) -> None:
        self.name = plan.composition.path.name
        self.plan = plan
        self.scopes: tuple[ScopeView, ...] = scope_views(plan.composition.entries)
        self.problems: tuple[LoadProblem, ...] = ()
        """What the registry refused, in the present activation."""
        self.plugins: tuple[LoadedPlugin, ...] = ()
        self._settle_seconds = settle_seconds
        self._registered: Registered | None = None
        self._order = LoadOrder()

    async def apply(self, ctx: Context) -> None:
        """Register everything; a refused contribution is noted and stops no other one."""
        self.plugins = ()
        self._order = LoadOrder()
        registered = self._registered = Registered(ctx)
        take_facts(self.scopes)
        composition = self.plan.composition
        refused = registered.become(composition, self.scopes)
        self.plugins = tuple(self._load(planned, registered) for planned in self.plan.plugins)
        if composition.entries.restrictions:
            # A restriction names tools, so it comes when their plugins have had their time.
            await settled(lambda: (loaded.fiber for loaded in self.plugins), self._settle_seconds)
            refused += registered.register_restrictions(composition)
        self.problems = tuple(refusal.problem for refusal in refused)

    @property
    def running(self) -> list[PlannedPlugin]:
        """Plugins that an edit can leave alone. One that has failed is loaded again with every edit."""
        return [loaded.planned for loaded in self.plugins if loaded.fiber.state is not FiberState.FAILED]

    async def change(self, new: Plan) -> Changed:
        """Become another composition while the fiber stays active."""
        registered = self._registered
        assert registered is not None, "only a loaded composition can change"
        old = self.plan
        slow = {fiber for fiber in registered.runtime.fibers() if not fiber.is_settled}
        scopes = scope_views(new.composition.entries, self.scopes)
        self.plugins = self._with_started_again(registered)
        kept = self._kept(new, scopes)
        registered.lift_restrictions()
        kept_fibers = {loaded.fiber for loaded in kept.values()}
        await _stop(loaded for loaded in self.plugins if loaded.fiber not in kept_fibers)
        self.plan, self.scopes = new, scopes
        take_facts(scopes)
        refused = registered.become(new.composition, scopes)
        self.plugins = tuple(
            LoadedPlugin(planned, kept[index].fiber) if index in kept else self._load(planned, registered)
            for index, planned in enumerate(new.plugins)
        )
        await self._settle_all_but(slow, registered)
        await self._reload_out_of_order(slow, registered)
        refused += registered.register_restrictions(new.composition)
        self.problems = tuple(refusal.problem for refusal in refused)
        return Changed(self.problems, self._is_doubtful(old, refused))

    def _kept(self, new: Plan, scopes: Iterable[ScopeView]) -> dict[int, LoadedPlugin]:
        """The plugins that go on, by their index in the new plan."""
        old_keys = {view.label: view.key for view in self.scopes}
        same_scopes = {None, *(view.label for view in scopes if old_keys.get(view.label) is view.key)}
        going_on: dict[Hashable, list[LoadedPlugin]] = {}
        for loaded in self.plugins:
            if loaded.fiber.state is not FiberState.FAILED and loaded.planned.entry.scope in same_scopes:
                going_on.setdefault(loaded.planned.identity, []).append(loaded)
        kept = {}
        for index, planned in enumerate(new.plugins):
            same = going_on.get(planned.identity, [])
            if same and same[0].planned.code is planned.code:
                kept[index] = same.pop(0)
        return kept

    def _with_started_again(self, registered: Registered) -> tuple[LoadedPlugin, ...]:
        """A plugin that a person has stopped and started again goes on as that of the file."""
        ours = {loaded.fiber for loaded in self.plugins}
        found: list[LoadedPlugin] = []
        for planned, fiber in self.plugins:
            if fiber.state is FiberState.DISPOSED:
                others = (each for each in registered.runtime.fibers() if each not in ours)
                again = next((each for each in others if _is_same_load(each, fiber)), None)
                if again is not None:
                    ours.add(again)
                    self._order.note(again)
                    fiber = again
            found.append(LoadedPlugin(planned, fiber))
        return tuple(found)

    def _load(self, planned: PlannedPlugin, registered: Registered) -> LoadedPlugin:
        fiber = registered.context(planned.entry.scope).plugin(planned.code, planned.entry.config)
        self._order.note(fiber)
        return LoadedPlugin(planned, fiber)

    async def _reload_out_of_order(self, slow: set[Fiber], registered: Registered) -> None:
        """Listeners are called in the order of loading. Where that has changed, load again by the file."""
        for _ in range(3):
            late = self._order.out_of_order([loaded.fiber for loaded in self.plugins])
            if not late:
                return
            await _stop(loaded for loaded in self.plugins if loaded.fiber in late)
            self.plugins = tuple(
                self._load(loaded.planned, registered) if loaded.fiber in late else loaded
                for loaded in self.plugins
            )
            await self._settle_all_but(slow, registered)

    async def _settle_all_but(self, slow: set[Fiber], registered: Registered) -> None:
        """Give what loads now its time. Those that were slow before have had it."""
        every = registered.runtime.fibers
        await settled(lambda: (fiber for fiber in every() if fiber not in slow), self._settle_seconds)

    def _is_doubtful(self, old: Plan, refused: list[Refusal]) -> bool:
        if any(_is_taken(refusal.error) for refusal in refused):
            return True
        failed = (loaded.fiber for loaded in self.plugins if loaded.fiber.state is FiberState.FAILED)
        return any(_is_taken(fiber.error) for fiber in failed) and _names(old) != _names(self.plan)


def _names(plan: Plan) -> object:
    """Who registers what in which order, as far as the file says it."""
    plugins = [plugin.identity for plugin in plan.plugins]
    return plugins, set(wanted_entries(plan.composition))


def _is_same_load(one: Fiber, other: Fiber) -> bool:
    return one.home is other.home and one.code.plugin is other.code.plugin and one.config == other.config


async def _stop(plugins: Iterable[LoadedPlugin]) -> None:
    """The last one first, as an undo does."""
    for loaded in reversed(tuple(plugins)):
        await loaded.fiber.dispose()


def _is_taken(error: BaseException | None) -> bool:
    """Whether a registration was refused because somebody else has the name."""
    if isinstance(error, RegistrationError | CoreError):
        return error.code in ("duplicate", "SERVICE_EXISTS")
    return isinstance(error, ToolError) and "already registered" in str(error)
