"""The tool registry: registering a tool is all it takes to appear in the next assembly.

The registry is itself one provider of tool schemas. For a scope it gives the tools that are visible
there, and as known names all names before any restriction. Schema list, lookup and execution ask the same
function for what a scope sees.

Source: docs/prompt-assembly.md 8, docs/tools.md 9 and 10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core import Context, Effect, scope_label
from workbench.prompt import AssembleContext, PromptError, ToolProviderResult
from workbench.prompt.orders import code_units
from workbench.tools.default_bounds import DefaultBounds
from workbench.tools.events import ALL_EVENTS, CHANGE
from workbench.tools.facade import ToolsFacade
from workbench.tools.layer import PRESENTATIONS, Exclusion, Guard, Presentation, Restriction, ToolLayer
from workbench.tools.registration import RUN_CODE, ToolError, ToolRegistration

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey
    from workbench.tools.approvals import Approvals
    from workbench.tools.executor import ToolExecutor

__all__ = ["ToolError", "ToolRegistry"]


class ToolRegistry:
    """The plugin: provides `tools`."""

    name = "tools"
    inject = ("system_prompt",)
    provides = ("tools",)
    owner_kind = "harness"

    def __init__(self, ctx: Context) -> None:
        self.runtime = ctx.runtime
        self._layers: dict[int, ToolLayer] = {}
        self._everywhere = ToolLayer(None)
        self.version = 0
        """Counts up with every change, for whoever keeps what depends on it."""
        self._results: dict[int, tuple[int, int, ScopeKey | None, ToolProviderResult]] = {}
        self._executor: ToolExecutor | None = None
        self._approvals: Approvals | None = None
        for event in ALL_EVENTS:
            ctx.declare(event)
        ctx.provide("tools", self)
        ctx.system_prompt.tools(self._provide, self.lookup)

    def for_context(self, ctx: Context) -> ToolsFacade:
        return ToolsFacade(self, ctx)

    @property
    def executor(self) -> ToolExecutor:
        """Runs calls; made when the first one comes."""
        if self._executor is None:
            from workbench.tools.executor import ToolExecutor

            self._executor = ToolExecutor(self)
        return self._executor

    @property
    def approvals(self) -> Approvals:
        """The calls that wait for somebody to allow them."""
        if self._approvals is None:
            from workbench.tools.approvals import Approvals

            self._approvals = Approvals(self.runtime)
        return self._approvals

    # -- what a scope sees -------------------------------------------------------------------------------

    def known_names(self, scope: ScopeKey | None) -> list[str]:
        """All names that a scope could see without any restriction, in code-unit order."""
        names = {name for layer in self._chain(scope) for name in layer.tools}
        return sorted(names, key=code_units)

    def visible(self, scope: ScopeKey | None) -> dict[str, ToolRegistration]:
        """The tools that a scope sees, by name: the one answer for schema, lookup and execution.

        A scope's restrictions filter what it inherits, and hold for its descendants; its own tools are
        exempt. The nearest layer wins a name. What is excluded on the way goes last of all; then defaults are
        bounded. `run_code` is not among them.
        """
        seen: dict[str, ToolRegistration] = {}
        chain = self._chain(scope)
        for layer in chain:
            for restriction in layer.restrictions:
                seen = {name: tool for name, tool in seen.items() if restriction.admits(name)}
            seen.update(layer.tools)
        for layer in chain:
            for exclusion in layer.exclusions:
                seen = {name: tool for name, tool in seen.items() if exclusion.admits(name, tool)}
        for depth, layer in enumerate(chain):
            for bounds in layer.default_bounds:
                around = chain[:depth]
                for name in bounds.names & seen.keys():
                    tool = seen[name]
                    is_inherited = any(each.scope is tool.scope for each in around)
                    seen[name] = bounds.applied(tool, is_inherited=is_inherited)
        return seen

    def lookup(self, name: str, scope: ScopeKey | None) -> ToolRegistration | None:
        """The tool of this name that a scope sees."""
        if name == RUN_CODE:
            return None if self.presentation(scope) == "native" else self.code_tool(scope)
        return self.visible(scope).get(name)

    def presentation(self, scope: ScopeKey | None) -> Presentation:
        """How a scope's tools are presented; the nearest declaration counts."""
        for layer in reversed(self._chain(scope)):
            if layer.presentation is not None:
                return layer.presentation
        return "native"

    def is_direct(self, name: str, scope: ScopeKey | None) -> bool:
        """Whether the model itself may call a tool that the scope sees; programs reach the others."""
        return name == RUN_CODE or not self.needs_programs(scope)

    def needs_programs(self, scope: ScopeKey | None) -> bool:
        """Whether `run_code` is all that the model can call. The section that says so asks this, too."""
        return self.presentation(scope) == "code"

    def code_tool(self, scope: ScopeKey | None) -> ToolRegistration | None:
        """`run_code` with the nearest runtime; None where there is none."""
        return next((layer.code_tool for layer in reversed(self._chain(scope)) if layer.code_tool), None)

    def guards(self, scope: ScopeKey | None) -> list[Guard]:
        """The guards that a call of this scope has to pass, the farthest layer first."""
        return [guard for layer in self._chain(scope) for guard in layer.guards]

    def _provide(self, context: AssembleContext) -> ToolProviderResult:
        scope = context.scope
        links = self.runtime.scopes.version
        kept = self._results.get(id(scope))
        if kept is not None and kept[0] == self.version and kept[1] == links and kept[2] is scope:
            return kept[3]
        result = self._provided(scope)
        if len(self._results) >= 64:
            self._results.clear()
        self._results[id(scope)] = (self.version, links, scope, result)
        return result

    def _provided(self, scope: ScopeKey | None) -> ToolProviderResult:
        presentation = self.presentation(scope)
        tools = tuple([tool.schema for tool in self.visible(scope).values()])
        if presentation == "native":
            return ToolProviderResult(tools, self.known_names(scope))
        code = self.code_tool(scope)
        if code is None:
            raise PromptError(
                "code mode",
                f"the tools of scope {scope_label(scope)!r} are presented as {presentation!r}, and nothing here "
                "runs programs: load the plugin code_mode",
            )
        if presentation == "code":
            return ToolProviderResult((code.schema,), [RUN_CODE])
        return ToolProviderResult((*tools, code.schema), [*self.known_names(scope), RUN_CODE])

    def _chain(self, scope: ScopeKey | None) -> list[ToolLayer]:
        """The global layer, then those of the scope's chain from the farthest to the nearest."""
        chain = [self._everywhere]
        for key in reversed(self.runtime.scopes.chain(scope)):
            layer = self._layers.get(id(key))
            if layer is not None:
                chain.append(layer)
        return chain

    # -- registration ------------------------------------------------------------------------------------

    def add(self, ctx: Context, tool: ToolRegistration) -> Effect:
        def body() -> Callable[[], None]:
            layer = self._layer(tool.scope)
            if tool.name in layer.tools:
                raise ToolError(
                    f"tool {tool.name!r} is already registered{_where(tool.scope)} by plugin "
                    f"{layer.tools[tool.name].owner_name!r}; choose another name"
                )
            layer.tools[tool.name] = tool
            return self._told(lambda: self._remove(layer, tool))

        return ctx.effect(body, f"tool {tool.name}")

    def restrict(self, ctx: Context, allow: Sequence[str] | None, deny: Sequence[str] | None) -> Effect:
        scope = ctx.scope
        if scope is None:
            raise ToolError("restrict() needs a scope: a restriction of the global layer would hide tools from all")
        if allow is None and deny is None:
            raise ToolError(f"the restriction of scope {scope_label(scope)!r} is empty: give allow or deny")
        names = (*(allow or ()), *(deny or ()))
        if RUN_CODE in names:
            raise ToolError(
                f"the restriction of scope {scope_label(scope)!r} names {RUN_CODE!r}, which the presentation "
                "decides about; restrict the tools that programs can reach"
            )
        inherited = self._inherited_names(scope)
        unknown = [name for name in names if name not in inherited]
        if unknown:
            known = ", ".join(sorted(inherited, key=code_units)) or "(none)"
            raise ToolError(
                f"the restriction of scope {scope_label(scope)!r} names tools that it does not inherit: "
                f"{', '.join(unknown)}; inherited tools: {known}"
            )
        restriction = Restriction(allow, deny, ctx.home.ledger)

        def body() -> Callable[[], None]:
            layer = self._layer(scope)
            layer.restrictions.append(restriction)
            return self._told(lambda: self._drop(layer, layer.restrictions, restriction))

        return ctx.effect(body, "tool restriction")

    def exclude(self, ctx: Context, names: Iterable[str], traits: Iterable[str]) -> Effect:
        if ctx.scope is None:
            raise ToolError("exclude() needs a scope: what nobody may have need not be registered")
        exclusion = Exclusion(names, traits, ctx.home.ledger)

        def body() -> Callable[[], None]:
            layer = self._layer(ctx.scope)
            layer.exclusions.append(exclusion)
            return self._told(lambda: self._drop(layer, layer.exclusions, exclusion))

        return ctx.effect(body, "tool exclusion")

    def bound_defaults(self, ctx: Context, names: Iterable[str], most: Mapping[str, int]) -> Effect:
        if ctx.scope is None:
            raise ToolError("bound_defaults() needs a scope: tools state their own defaults for everybody")
        bounds = DefaultBounds(names, most, ctx.home.ledger)

        def body() -> Callable[[], None]:
            layer = self._layer(ctx.scope)
            layer.default_bounds.append(bounds)
            return self._told(lambda: self._drop(layer, layer.default_bounds, bounds))

        return ctx.effect(body, "bounds of defaults")

    def add_guard(self, ctx: Context, guard: Guard) -> Effect:
        def body() -> Callable[[], None]:
            layer = self._layer(ctx.scope)
            layer.guards.append(guard)
            return self._told(lambda: self._drop(layer, layer.guards, guard))

        return ctx.effect(body, f"tool guard {guard.label}")

    def present(self, ctx: Context, presentation: Presentation) -> Effect:
        if presentation not in PRESENTATIONS:
            raise ToolError(f"tools are presented as {', '.join(PRESENTATIONS)}, not as {presentation!r}")

        def body() -> Callable[[], None]:
            layer = self._layer(ctx.scope)
            if layer.presentation is not None:
                raise ToolError(
                    f"the presentation{_where(ctx.scope)} is already declared as {layer.presentation!r} by plugin "
                    f"{layer.presented_by!r}; declare it once"
                )
            layer.presentation, layer.presented_by = presentation, ctx.fiber.name
            return self._told(lambda: self._clear(layer, "presentation"))

        return ctx.effect(body, f"presentation {presentation}")

    def add_code_tool(self, ctx: Context, tool: ToolRegistration) -> Effect:
        """Make `run_code` possible in a layer. Raises `ToolError` where it is already."""

        def body() -> Callable[[], None]:
            layer = self._layer(ctx.scope)
            if layer.code_tool is not None:
                raise ToolError(
                    f"a code runtime is already registered{_where(ctx.scope)} by plugin "
                    f"{layer.code_tool.owner_name!r}"
                )
            layer.code_tool = tool
            return self._told(lambda: self._clear(layer, "code_tool"))

        return ctx.effect(body, "code runtime")

    def _inherited_names(self, scope: ScopeKey) -> set[str]:
        return {name for layer in self._chain(scope) if layer.scope is not scope for name in layer.tools}

    def _layer(self, scope: ScopeKey | None) -> ToolLayer:
        if scope is None:
            return self._everywhere
        layer = self._layers.get(id(scope))
        if layer is None:
            layer = self._layers[id(scope)] = ToolLayer(scope)
        return layer

    def _remove(self, layer: ToolLayer, tool: ToolRegistration) -> None:
        if layer.tools.get(tool.name) is tool:
            del layer.tools[tool.name]
            self._undone(layer)

    def _drop(self, layer: ToolLayer, entries: list[Any], entry: object) -> None:
        entries[:] = [each for each in entries if each is not entry]
        self._undone(layer)

    def _clear(self, layer: ToolLayer, what: str) -> None:
        setattr(layer, what, None)
        self._undone(layer)

    def _undone(self, layer: ToolLayer) -> None:
        if layer.scope is not None and layer.is_empty:
            self._layers.pop(id(layer.scope), None)
        self._changed(undoing=True)

    def _told(self, undo: Callable[[], None]) -> Callable[[], None]:
        """Tell observers of a registration; one that raises undoes it."""
        try:
            self._changed()
        except BaseException:
            undo()
            raise
        return undo

    def _changed(self, undoing: bool = False) -> None:
        self.version += 1
        self._results.clear()
        if self.runtime.has_listeners(CHANGE.name):
            self.runtime.events.emit(CHANGE.name, (), None, contain=undoing)

    def layers(self) -> tuple[ToolLayer, ...]:
        """The global layer, then those of all scopes that hold anything, for views."""
        return (self._everywhere, *self._layers.values())

    def describe(self) -> Any:
        """What is registered, for snapshots of the runtime."""
        return [layer.described(scope_label(layer.scope)) for layer in self.layers()]


def _where(scope: ScopeKey | None) -> str:
    return "" if scope is None else f" in scope {scope_label(scope)!r}"
