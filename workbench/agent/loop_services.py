"""What the loops of all agents share: services, and what tests replace.

Source: docs/agents.md 3 and 14.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

from workbench.models.retry import DEFAULT_POLICY, RetryPolicy
from workbench.prompt.facade import PromptFacade
from workbench.tools.facade import ToolsFacade

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.cancel import CancelSignal
    from workbench.core import Context, Event
    from workbench.core.scopes import ScopeKey


class Compactor(Protocol):
    """Shortens a conversation that the model can no longer read."""

    async def make_room(self, agent: Agent, turn: int, step: int, signal: CancelSignal) -> bool:
        """After `CONTEXT_WINDOW_EXCEEDED`: compact; True only when the surface has changed."""


class LoopServices:
    """One for each `agents` service."""

    def __init__(
        self,
        ctx: Context,
        *,
        retry: RetryPolicy = DEFAULT_POLICY,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
        draw: Callable[[], float] = random.random,
        records_parts: bool = False,
    ) -> None:
        self.ctx = ctx
        self.retry = retry
        self.sleep = sleep
        """Waits so many seconds before a retry."""
        self.random = draw
        self.compactor: Compactor | None = None
        self.records_parts = records_parts
        """Each request is looked at, and its log says who wrote what."""

    def prompt_in(self, ctx: Context) -> PromptFacade:
        """The prompt service as a context registers with it, whatever its plugin has declared."""
        return PromptFacade(self.ctx.system_prompt.service, ctx)

    def tools_in(self, ctx: Context) -> ToolsFacade:
        """The tool registry, likewise."""
        return ToolsFacade(self.ctx.tools.registry, ctx)

    @property
    def executor(self) -> Any:
        """The tool pipeline."""
        return self.ctx.tools.executor

    def tell(self, event: Event, payload: object, target: ScopeKey) -> None:
        """Emit for views: what an observer raises is logged, and stops no loop."""
        self.ctx.runtime.events.emit(event.name, (payload,), target, contain=True)
