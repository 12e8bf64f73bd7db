"""The face of the prompt service that plugins see: `ctx.system_prompt`.

Source: docs/prompt-assembly.md 2 and 3.
"""

from __future__ import annotations

import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from workbench.core import Context, Effect, Event
from workbench.prompt.assembly import AssembleContext, PromptAssembly
from workbench.prompt.contributions import (
    ContextContribution,
    SectionContribution,
    SourceOfTool,
    SuppressorContribution,
    TextProvider,
    ToolProvider,
    ToolsContribution,
    VariableContribution,
    VariableProvider,
    check_text,
    check_variable,
)
from workbench.prompt.errors import RegistrationError
from workbench.prompt.orders import CONTEXT_POSITIONS, SECTION_POSITIONS, order_of
from workbench.prompt.source import TextSource

AGENT_CONTEXT = Event("agent/assemble-context", "parallel", (AssembleContext,))

if TYPE_CHECKING:
    from workbench.core.activation import Activation
    from workbench.prompt.service import PromptService


class PromptFacade:
    """`ctx.system_prompt`: registers in the layer and in the name of one context.

    That one context decides both which layer a contribution is visible in and whose undo removes it.
    """

    __slots__ = ("_ctx", "_ledger", "_scope", "service")

    def __init__(self, service: PromptService, ctx: Context) -> None:
        self.service = service
        self._ctx = ctx
        self._ledger: Activation = ctx.home.ledger
        self._scope = ctx.scope

    def section(
        self,
        name: str,
        order: float,
        text: str | TextProvider,
        complete: bool = False,
        literal: bool = False,
        source: TextSource | None = None,
    ) -> Effect:
        """Contribute a paragraph block of the system text.

        `complete` takes the whole prompt over; `literal` keeps every brace. Both count only when exactly
        True. Raises `RegistrationError`, `CoreError` (`INACTIVE_CONTEXT`), and what an observer raises.
        """
        check_text("section", name, order, text)
        frame = sys._getframe(1)
        entry = SectionContribution(
            name,
            order,
            text,
            complete is True,
            literal is True,
            self._ledger,
            self._scope,
            source,
            (frame.f_code, frame.f_lasti),
        )
        return self.service.add(self._ctx, "sections", name, entry, f"section {name}")

    def context(
        self,
        name: str,
        order: float,
        text: str | TextProvider,
        literal: bool = False,
        source: TextSource | None = None,
    ) -> Effect:
        """Contribute a part of the runtime-context snapshot. Raises as `section` does."""
        check_text("context", name, order, text)
        frame = sys._getframe(1)
        entry = ContextContribution(
            name,
            order,
            text,
            False,
            literal is True,
            self._ledger,
            self._scope,
            source,
            (frame.f_code, frame.f_lasti),
        )
        return self.service.add(self._ctx, "contexts", name, entry, f"context {name}")

    def variable(self, name: str, provider: VariableProvider, source: TextSource | None = None) -> Effect:
        """Give `{{name}}` a value: a string, or None for no value. Raises as `section` does."""
        check_variable(name, provider)
        frame = sys._getframe(1)
        entry = VariableContribution(
            name, provider, self._ledger, self._scope, source, (frame.f_code, frame.f_lasti)
        )
        return self.service.add(self._ctx, "variables", name, entry, f"variable {name}")

    def tools(self, provider: ToolProvider, source_of: SourceOfTool | None = None) -> Effect:
        """Contribute tool schemas. Raises `CoreError` (`INACTIVE_CONTEXT`) and what an observer raises."""
        if not callable(provider):
            raise RegistrationError("provider", f"a tool-schema provider must be callable, not {provider!r}")
        frame = sys._getframe(1)
        entry = ToolsContribution(provider, self._ledger, self._scope, (frame.f_code, frame.f_lasti), source_of)
        return self.service.add(self._ctx, "tools", entry, entry, "tools")

    def suppress_runtime_context(self) -> Effect:
        """Hide all contexts of this layer's assemblies, without touching who owns the facts."""
        frame = sys._getframe(1)
        entry = SuppressorContribution("", self._ledger, self._scope, None, (frame.f_code, frame.f_lasti))
        return self.service.add(self._ctx, "suppressors", entry, entry, "suppress runtime context")

    def get_section_order(self, key: str) -> int:
        """The position of a first-party section. Raises `PromptError` for an unknown key."""
        return order_of(SECTION_POSITIONS, key)

    def get_context_order(self, key: str) -> int:
        """The position of a first-party context. Raises `PromptError` for an unknown key."""
        return order_of(CONTEXT_POSITIONS, key)

    async def assemble_context_for(self, agent: Any, signal: Any = None) -> AssembleContext:
        """The context of an agent's next assembly; an agent is its own scope.

        What synchronous providers cannot fetch, a listener of `agent/assemble-context` (`parallel`, with
        the context as argument) awaits here and leaves in `extras`. Raises what such listeners raise.
        """
        context = AssembleContext(scope=agent, agent=agent, signal=signal)
        await self.service.runtime.parallel(AGENT_CONTEXT, (context,), agent)
        return context

    def assemble(self, context: AssembleContext | None = None) -> Coroutine[Any, Any, PromptAssembly]:
        """Assemble the prompt. Every failure comes through the awaitable. See `PromptService.assemble`."""
        return self.service.assemble(context)
