"""The tool registry: registering a tool is all it takes to appear in the next assembly.

The registry is itself one provider of tool schemas. For a scope it gives the tools that are visible
there, and as known names all names before any restriction.

Source: docs/prompt-assembly.md 8.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core import Context, Effect, Event, scope_label
from workbench.prompt import AssembleContext, TextSource, ToolProviderResult, ToolSchema
from workbench.prompt.contributions import CodePlace, Contribution
from workbench.prompt.orders import code_units
from workbench.prompt.tool_schema import decode_json

if TYPE_CHECKING:
    from workbench.core.activation import Activation
    from workbench.core.scopes import ScopeKey

CHANGE = Event("tools/change", "emit")
Execute = Callable[..., Any]
"""Runs a call of the tool; who calls it comes with the agent loop."""


class ToolError(Exception):
    """A tool or a restriction was refused; nothing of it is left."""


class ToolRegistration(Contribution):
    """One registered tool."""

    __slots__ = ("execute", "schema")
    kind = "tools"

    def __init__(
        self,
        schema: ToolSchema,
        execute: Execute | None,
        ledger: Activation,
        scope: ScopeKey | None,
        source: TextSource | None,
        code: CodePlace | None,
    ) -> None:
        super().__init__(schema.name, ledger, scope, source, code)
        self.schema = schema
        self.execute = execute


class Restriction:
    """A filter over what one scope inherits. One without an allow list denies some names only."""

    __slots__ = ("allow", "deny")

    def __init__(self, allow: Iterable[str] | None, deny: Iterable[str] | None) -> None:
        self.allow = None if allow is None else frozenset(allow)
        self.deny = frozenset(deny or ())

    def admits(self, name: str) -> bool:
        return (self.allow is None or name in self.allow) and name not in self.deny


class _ScopeTools:
    """The tools and restrictions of one layer."""

    __slots__ = ("restrictions", "scope", "tools")

    def __init__(self, scope: ScopeKey | None) -> None:
        self.scope = scope
        self.tools: dict[str, ToolRegistration] = {}
        self.restrictions: list[Restriction] = []


class ToolRegistry:
    """The plugin: provides `tools`."""

    name = "tools"
    inject = ("system_prompt",)
    provides = ("tools",)
    owner_kind = "harness"

    def __init__(self, ctx: Context) -> None:
        self._runtime = ctx.runtime
        self._layers: dict[int, _ScopeTools] = {}
        self._everywhere = _ScopeTools(None)
        self._version = 0
        self._results: dict[int, tuple[int, int, ScopeKey | None, ToolProviderResult]] = {}
        ctx.declare(CHANGE)
        ctx.provide("tools", self)
        ctx.system_prompt.tools(self._provide, self.lookup)

    def for_context(self, ctx: Context) -> ToolsFacade:
        return ToolsFacade(self, ctx)

    # -- what a scope sees -------------------------------------------------------------------------------

    def known_names(self, scope: ScopeKey | None) -> list[str]:
        """All names that a scope could see without any restriction, in code-unit order."""
        names = {name for layer in self._chain(scope) for name in layer.tools}
        return sorted(names, key=code_units)

    def visible(self, scope: ScopeKey | None) -> dict[str, ToolRegistration]:
        """The tools that a scope sees, by name: the one answer for schema, lookup and execution.

        A scope's restrictions filter what it inherits, and hold for its descendants; its own tools are
        exempt. The nearest layer wins a name.
        """
        seen: dict[str, ToolRegistration] = {}
        for layer in self._chain(scope):
            for restriction in layer.restrictions:
                seen = {name: tool for name, tool in seen.items() if restriction.admits(name)}
            seen.update(layer.tools)
        return seen

    def lookup(self, name: str, scope: ScopeKey | None) -> ToolRegistration | None:
        """The tool of this name that a scope sees."""
        return self.visible(scope).get(name)

    def _provide(self, context: AssembleContext) -> ToolProviderResult:
        scope = context.scope
        links = self._runtime.scopes.version
        kept = self._results.get(id(scope))
        if kept is not None and kept[0] == self._version and kept[1] == links and kept[2] is scope:
            return kept[3]
        visible = self.visible(scope).values()
        result = ToolProviderResult(tuple([tool.schema for tool in visible]), self.known_names(scope))
        if len(self._results) >= 64:
            self._results.clear()
        self._results[id(scope)] = (self._version, links, scope, result)
        return result

    def _chain(self, scope: ScopeKey | None) -> list[_ScopeTools]:
        """The global layer, then those of the scope's chain from the farthest to the nearest."""
        chain = [self._everywhere]
        for key in reversed(self._runtime.scopes.chain(scope)):
            layer = self._layers.get(id(key))
            if layer is not None:
                chain.append(layer)
        return chain

    # -- registration ------------------------------------------------------------------------------------

    def add(self, ctx: Context, tool: ToolRegistration) -> Effect:
        def body() -> Callable[[], None]:
            layer = self._layer(tool.scope)
            if tool.name in layer.tools:
                where = "" if tool.scope is None else f" in scope {scope_label(tool.scope)!r}"
                raise ToolError(
                    f"tool {tool.name!r} is already registered{where} by plugin "
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
        inherited = self._inherited_names(scope)
        unknown = [name for name in (*(allow or ()), *(deny or ())) if name not in inherited]
        if unknown:
            known = ", ".join(sorted(inherited, key=code_units)) or "(none)"
            raise ToolError(
                f"the restriction of scope {scope_label(scope)!r} names tools that it does not inherit: "
                f"{', '.join(unknown)}; inherited tools: {known}"
            )
        restriction = Restriction(allow, deny)

        def body() -> Callable[[], None]:
            layer = self._layer(scope)
            layer.restrictions.append(restriction)
            return self._told(lambda: self._lift(layer, restriction))

        return ctx.effect(body, "tool restriction")

    def _inherited_names(self, scope: ScopeKey) -> set[str]:
        return {name for layer in self._chain(scope) if layer.scope is not scope for name in layer.tools}

    def _layer(self, scope: ScopeKey | None) -> _ScopeTools:
        if scope is None:
            return self._everywhere
        layer = self._layers.get(id(scope))
        if layer is None:
            layer = self._layers[id(scope)] = _ScopeTools(scope)
        return layer

    def _remove(self, layer: _ScopeTools, tool: ToolRegistration) -> None:
        if layer.tools.get(tool.name) is tool:
            del layer.tools[tool.name]
            self._drop_if_empty(layer)
            self._changed(undoing=True)

    def _lift(self, layer: _ScopeTools, restriction: Restriction) -> None:
        layer.restrictions = [each for each in layer.restrictions if each is not restriction]
        self._drop_if_empty(layer)
        self._changed(undoing=True)

    def _drop_if_empty(self, layer: _ScopeTools) -> None:
        if layer.scope is not None and not layer.tools and not layer.restrictions:
            self._layers.pop(id(layer.scope), None)

    def _told(self, undo: Callable[[], None]) -> Callable[[], None]:
        """Tell observers of a registration; one that raises undoes it."""
        try:
            self._changed()
        except BaseException:
            undo()
            raise
        return undo

    def _changed(self, undoing: bool = False) -> None:
        self._version += 1
        self._results.clear()
        if self._runtime.has_listeners(CHANGE.name):
            self._runtime.events.emit(CHANGE.name, (), None, contain=undoing)

    def describe(self) -> Any:
        """What is registered, for snapshots of the runtime."""
        return [
            {
                "scope": scope_label(layer.scope),
                "tools": [[tool.name, tool.owner_name] for tool in layer.tools.values()],
                "restrictions": [
                    [None if each.allow is None else sorted(each.allow), sorted(each.deny)]
                    for each in layer.restrictions
                ],
            }
            for layer in (self._everywhere, *self._layers.values())
        ]


class ToolsFacade:
    """`ctx.tools`: registers in the layer and in the name of one context."""

    __slots__ = ("_ctx", "_registry")

    def __init__(self, registry: ToolRegistry, ctx: Context) -> None:
        self._registry = registry
        self._ctx = ctx

    def register(
        self, schema: ToolSchema, execute: Execute | None = None, source: TextSource | None = None
    ) -> Effect:
        """Register a tool in this context's layer.

        Raises `ToolError` for a name that the layer has already, and for a schema that no provider takes.
        """
        check_schema(schema)
        frame = sys._getframe(1)
        ctx = self._ctx
        tool = ToolRegistration(schema, execute, ctx.home.ledger, ctx.scope, source, (frame.f_code, frame.f_lasti))
        return self._registry.add(ctx, tool)

    def restrict(self, allow: Sequence[str] | None = None, deny: Sequence[str] | None = None) -> Effect:
        """Filter what this scope inherits. Several restrictions intersect; the scope's own tools are exempt.

        Only None is an absent list: an empty `allow` admits nothing.

        Raises `ToolError` outside a scope, for an empty filter, and for names that are not inherited.
        """
        return self._registry.restrict(self._ctx, allow, deny)

    def visible(self, scope: ScopeKey | None = None) -> tuple[ToolSchema, ...]:
        """The schemas of the tools that a scope sees."""
        return tuple(tool.schema for tool in self._registry.visible(scope).values())

    def is_visible(self, name: str, scope: ScopeKey | None = None) -> bool:
        """Whether a scope sees a tool: for guidance that must follow it."""
        return name in self._registry.visible(scope)

    def known_names(self, scope: ScopeKey | None = None) -> list[str]:
        """All names that a scope could see without any restriction."""
        return self._registry.known_names(scope)


def check_schema(schema: object) -> None:
    """Raises `ToolError` for what is no tool schema at all."""
    if not isinstance(schema, ToolSchema):
        raise ToolError(f"a tool is registered with a ToolSchema, not with a {type(schema).__name__}")
    if not schema.name:
        raise ToolError("a tool needs a name")
    parameters = decode_json(schema.parameters_json)
    if not isinstance(parameters, dict) or parameters.get("type") != "object":
        raise ToolError(f"the parameters of tool {schema.name!r} must be a JSON Schema of type object")
