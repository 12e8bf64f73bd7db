"""The calls of one answer: in model order, exclusive ones as barriers, safe neighbours side by side.

Source: docs/tools.md 9.3 and 9.5.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workbench.tools.call_run import CallRun
from workbench.tools.calls import AddedContext, BatchOutcome, CancelLike, ToolCall, ToolSink
from workbench.tools.events import Invocation
from workbench.tools.runs import RunServices
from workbench.tools.stages import CancelWatch
from workbench.tools.sub_calls import SubCalls
from workbench.tools.validation import load_validators, materialize

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey
    from workbench.tools.registry import ToolRegistry

log = logging.getLogger("workbench.tools")

MAX_PARALLEL_TOOL_CALLS = 10


class ToolExecutor:
    """Runs calls through the pipeline. One for each registry: `ctx.tools.executor`."""

    def __init__(self, registry: ToolRegistry) -> None:
        self.registry = registry
        self.max_parallel_tool_calls = MAX_PARALLEL_TOOL_CALLS
        """How many calls may overlap."""

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
        """Run the calls of one answer. Every call has its result in the sink when this returns.

        No failure of a call raises. What the sink raises does, when every started body has ended.
        """
        await load_validators()
        batch = _Batch(self, agent, scope, turn, step, sink, cancel)
        try:
            return await batch.run(calls)
        finally:
            await batch.watch.close()


class _Batch:
    """One answer's calls while they run."""

    def __init__(
        self,
        executor: ToolExecutor,
        agent: Any,
        scope: ScopeKey | None,
        turn: int,
        step: int,
        sink: ToolSink,
        cancel: CancelLike,
    ) -> None:
        self._registry = executor.registry
        self._max_parallel = executor.max_parallel_tool_calls
        self._agent = agent
        self._scope = scope
        self._turn = turn
        self._step = step
        self._sink = sink
        self._cancel = cancel
        self.watch = CancelWatch(cancel)
        self._running: deque[tuple[ToolCall, CallRun, SubCalls]] = deque()
        self._contexts: list[AddedContext] = []
        self._concludes = False

    async def run(self, calls: Sequence[ToolCall]) -> BatchOutcome:
        try:
            for call in calls:
                await self._take(call)
            await self._settle_all()
        except BaseException:
            await self._abandon()
            raise
        return BatchOutcome(tuple(self._contexts), self._concludes)

    async def _take(self, call: ToolCall) -> None:
        """Bring one call to where its body runs; what must not overlap with it has ended before."""
        arguments = materialize(call.arguments)
        if self._may_overlap(call, arguments):
            while len(self._running) >= self._max_parallel:
                await self._settle_oldest()
        else:
            await self._settle_all()
        is_exclusive = not self._may_overlap(call, arguments)
        run = self._prepare(call, arguments)
        self._sink.called(call)
        self._running.append(run)
        await self._begin(run[1])
        if is_exclusive:
            await self._settle_all()

    def _prepare(self, call: ToolCall, arguments: Any) -> tuple[ToolCall, CallRun, SubCalls]:
        tool = self._registry.lookup(call.name, self._scope)
        invocation = Invocation(
            call.id,
            call.name,
            arguments if tool is None else tool.completed(arguments),
            agent=self._agent,
            scope=self._scope,
            turn=self._turn,
            step=self._step,
            owner="" if tool is None else tool.owner_name,
            signal=self._cancel,
        )
        subs = SubCalls(self._registry, self.watch, invocation, self._sink, self._max_parallel)
        return call, CallRun(self._registry, self.watch, invocation, tool, RunServices(subs)), subs

    async def _begin(self, run: CallRun) -> None:
        if self._cancel.is_set:
            run.abort_before()
        elif not run.refuse() and await run.admit():
            await self._sink.flush()
            run.start_unless_cancelled()

    def _may_overlap(self, call: ToolCall, arguments: Any) -> bool:
        tool = self._registry.lookup(call.name, self._scope)
        return tool is not None and tool.may_overlap(arguments)

    async def _settle_all(self) -> None:
        while self._running:
            await self._settle_oldest()

    async def _settle_oldest(self) -> None:
        call, run, subs = self._running[0]
        result = await run.settle()
        await subs.settle()
        self._running.popleft()
        if subs.error is not None:
            raise subs.error
        self._sink.result(call, result)
        self._contexts += [*subs.contexts, *result.contexts]
        if result.error is None:
            call_back([*subs.callbacks, *run.run.callbacks])
            self._concludes = self._concludes or run.run.concludes or subs.concludes
        run.tell()

    async def _abandon(self) -> None:
        """The log or the caller is gone: end what runs, and wait for it."""
        for _, run, _ in self._running:
            run.cancel()
        for call, run, subs in self._running:
            if run.is_started:
                result = await run.settle()
                await subs.settle()
                try:
                    self._sink.result(call, result)
                except Exception as error:
                    log.error("the result of call %s could not be recorded: %s", call.id, error)


def call_back(callbacks: Sequence[Callable[[], None]]) -> None:
    """Tell bodies that their success is recorded. One that raises is logged, and stops nobody."""
    for callback in callbacks:
        try:
            callback()
        except Exception:
            log.exception("a callback of a recorded tool result raised")
