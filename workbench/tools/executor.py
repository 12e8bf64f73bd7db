"""Runs the calls of one answer. (Signature first; the stages follow.)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.tools.calls import BatchOutcome, CancelLike, ToolCall, ToolSink

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey
    from workbench.tools.registry import ToolRegistry


class ToolExecutor:
    """Runs calls through the pipeline. One for each registry: `ctx.tools.executor`."""

    def __init__(self, registry: ToolRegistry, max_parallel: int = 10) -> None:
        self.registry = registry
        self.max_parallel = max_parallel

    async def run_batch(
        self,
        calls: Sequence[ToolCall],
        *,
        agent: Any,
        scope: ScopeKey | None,
        turn: int,
        step: int,
        sink: ToolSink,
        cancel: CancelLike,
    ) -> BatchOutcome:
        """Run the calls of one answer in model order."""
        raise NotImplementedError
