"""The face of the registry that plugins see: `ctx.tools`.

Source: docs/prompt-assembly.md 8, docs/tools.md 9.1.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core import Context, Effect
from workbench.prompt import TextSource, ToolProviderResult, ToolSchema
from workbench.tools.layer import Guard, Presentation
from workbench.tools.registration import ToolError, ToolRegistration, check_tool

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey
    from workbench.tools.approvals import Approvals
    from workbench.tools.executor import ToolExecutor
    from workbench.tools.output import OutputDeclaration
    from workbench.tools.registry import ToolRegistry
    from workbench.tools.runs import ConcurrencySafe, Execute, FinalizeContent


class ToolsFacade:
    """`ctx.tools`: registers in the layer and in the name of one context."""

    __slots__ = ("_ctx", "_registry")

    def __init__(self, registry: ToolRegistry, ctx: Context) -> None:
        self._registry = registry
        self._ctx = ctx

    def register(
        self,
        schema: ToolSchema,
        execute: Execute | None = None,
        source: TextSource | None = None,
        *,
        output: OutputDeclaration | None = None,
        is_concurrency_safe: ConcurrencySafe = False,
        timeout_ms: int | None = None,
        finalize_content: FinalizeContent | None = None,
        traits: Iterable[str] = (),
        judges_arguments: bool = False,
        shipped_defaults: Iterable[str] = (),
    ) -> Effect:
        """Register a tool in this context's layer.

        `execute(arguments, run)` is its body, sync or async; without one it is a schema that nothing runs.
        `timeout_ms` is the longest that one body may take. With `judges_arguments` the body gets whatever object
        the model gives, and refuses in its own words what does not fit the schema. `shipped_defaults` names the
        arguments whose default in the schema nobody has configured: see `bound_defaults`. Raises `ToolError`
        for a name that the layer has already, for a reserved name, and for a schema that no provider takes.
        """
        frame = sys._getframe(1)
        ctx = self._ctx
        if not isinstance(schema, ToolSchema):
            raise ToolError(f"a tool is registered with a ToolSchema, not with a {type(schema).__name__}")
        tool = ToolRegistration(
            schema,
            execute,
            ctx.home.ledger,
            ctx.scope,
            source,
            (frame.f_code, frame.f_lasti),
            output,
            is_concurrency_safe,
            timeout_ms,
            finalize_content,
            frozenset(traits),
            judges_arguments,
            frozenset(shipped_defaults),
        )
        check_tool(tool)
        return self._registry.add(ctx, tool)

    def show(self, schema: ToolSchema, source: TextSource | None = None) -> Effect:
        """Put a schema into the requests of this layer without making a tool of it: no call reaches it.

        For requests that other harnesses have sent, also where they name what is reserved here.
        """
        ctx = self._ctx
        shown = ToolRegistration(schema, None, ctx.home.ledger, ctx.scope, source, None)
        result = ToolProviderResult((schema,))
        effect: Effect = ctx.system_prompt.tools(lambda _context: result, lambda _name, _scope: shown)
        return effect

    def restrict(self, allow: Sequence[str] | None = None, deny: Sequence[str] | None = None) -> Effect:
        """Filter what this scope inherits. Several restrictions intersect; the scope's own tools are exempt.

        Only None is an absent list: an empty `allow` admits nothing.

        Raises `ToolError` outside a scope, for an empty filter, and for names that are not inherited.
        """
        return self._registry.restrict(self._ctx, allow, deny)

    def exclude(self, names: Iterable[str] = (), traits: Iterable[str] = ()) -> Effect:
        """Take tools away from this scope and all inside it: by name, or by a trait of their registration.

        Unlike a restriction it holds for the scope's own tools, for tools that come later, and for names that
        nobody has. Raises `ToolError` outside a scope.
        """
        return self._registry.exclude(self._ctx, names, traits)

    def bound_defaults(self, names: Iterable[str], most: Mapping[str, int]) -> Effect:
        """Give these arguments of these tools a default of at most so much, in this scope and all inside it.

        A larger default, or none, becomes the bound: in the schema, and in the calls that leave the argument
        out. A smaller one stays; so does one that somebody has configured for a tool of the scope itself.
        Raises `ToolError` outside a scope.
        """
        return self._registry.bound_defaults(self._ctx, names, most)

    def guard(self, function: Callable[[Any], Any]) -> Effect:
        """Judge every call of this scope and of the scopes inside it, behind all listeners.

        `function(call)` gives None, or a reason or `Deny` that denies the call; sync or async. It can never
        allow what somebody else has denied. One that raises denies.
        """
        if not callable(function):
            raise ToolError(f"a guard must be callable, not {type(function).__name__}")
        return self._registry.add_guard(self._ctx, Guard(function, self._ctx.home.ledger))

    def present(self, presentation: Presentation) -> Effect:
        """Decide how the tools of this scope are presented: `native`, `code` or `both`.

        Raises `ToolError` where the scope has decided already.
        """
        return self._registry.present(self._ctx, presentation)

    def get(self, name: str, scope: ScopeKey | None = None) -> ToolRegistration | None:
        """The tool of this name that a scope sees; None for a hidden or unknown one."""
        return self._registry.lookup(name, scope)

    def presentation(self, scope: ScopeKey | None = None) -> Presentation:
        """How the tools of a scope are presented."""
        return self._registry.presentation(scope)

    def visible(self, scope: ScopeKey | None = None) -> tuple[ToolSchema, ...]:
        """The schemas of the tools that a scope sees."""
        return tuple(tool.schema for tool in self._registry.visible(scope).values())

    def is_visible(self, name: str, scope: ScopeKey | None = None) -> bool:
        """Whether a scope sees a tool: for guidance that must follow it."""
        return name in self._registry.visible(scope)

    def known_names(self, scope: ScopeKey | None = None) -> list[str]:
        """All names that a scope could see without any restriction."""
        return self._registry.known_names(scope)

    @property
    def executor(self) -> ToolExecutor:
        """Runs the calls of an answer."""
        return self._registry.executor

    @property
    def approvals(self) -> Approvals:
        """The calls that wait for somebody to allow them."""
        return self._registry.approvals

    @property
    def registry(self) -> Any:
        """The registry itself, for the house's own plugins."""
        return self._registry
