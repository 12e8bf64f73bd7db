"""Sub-calls: what a program of `run_code` calls, each through the whole pipeline.

Source: docs/tools.md 10.3.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.tools.call_run import CallRun
from workbench.tools.calls import AddedContext, CodeDispatch, ToolResult, ToolSink, failed
from workbench.tools.events import Invocation
from workbench.tools.gate import Gate
from workbench.tools.runs import RunServices

if TYPE_CHECKING:
    from workbench.tools.registry import ToolRegistry
    from workbench.tools.stages import CancelWatch


class SubCalls:
    """The sub-calls of one call of the model."""

    def __init__(
        self, registry: ToolRegistry, watch: CancelWatch, parent: Invocation, sink: ToolSink, max_parallel: int
    ) -> None:
        self._registry = registry
        self._watch = watch
        self._parent = parent
        self._sink = sink
        self._gate = Gate(max_parallel)
        self._count = 0
        self._open: set[asyncio.Task[ToolResult]] = set()
        self._is_closed = False
        self.contexts: list[AddedContext] = []
        self.callbacks: list[Callable[[], None]] = []
        """Of successful sub-calls; they wait for the success of the call itself."""
        self.concludes = False

    @property
    def open_count(self) -> int:
        return len(self._open)

    def start(self, name: str, arguments: Any) -> asyncio.Task[ToolResult]:
        """Begin a sub-call with frozen arguments. Nothing of it raises; cancelling it aborts it."""
        if self._is_closed:
            raise RuntimeError("the call has ended: no sub-call can begin")
        self._count += 1
        sub_id = f"{self._parent.id}:code:{self._count}"
        task = asyncio.get_running_loop().create_task(self._run(sub_id, name, arguments), name=sub_id)
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        return task

    async def settle(self) -> None:
        """No further sub-call begins; open ones are cancelled once, and awaited."""
        self._is_closed = True
        for task in list(self._open):
            task.cancel()
        while self._open:
            await asyncio.wait(set(self._open))

    async def _run(self, sub_id: str, name: str, arguments: Any) -> ToolResult:
        parent = self._parent
        tool = self._registry.lookup(name, parent.scope)
        call = Invocation(
            sub_id,
            name,
            arguments,
            agent=parent.agent,
            scope=parent.scope,
            turn=parent.turn,
            step=parent.step,
            owner="" if tool is None else tool.owner_name,
            signal=self._watch.signal,
            parent_id=parent.id,
            root_id=parent.root_id,
        )
        dispatch = CodeDispatch(parent.root_id, parent.id, sub_id, name, arguments)
        run = CallRun(self._registry, self._watch, call, tool, RunServices(None))
        self._sink.code_dispatch_start(dispatch)
        try:
            result = await self._through(run)
        except asyncio.CancelledError:
            run.result = failed("ABORTED", "the program ended before this call did")
            result = run.result
        self._sink.code_dispatch(dispatch, result)
        if result.error is None:
            self.callbacks += run.run.callbacks
            self.concludes = self.concludes or run.run.concludes
        self.contexts += result.contexts
        run.tell()
        return result

    async def _through(self, run: CallRun) -> ToolResult:
        if run.refuse():
            return await run.settle()
        async with self._gate.passing(run.is_concurrency_safe):
            if self._watch.signal.is_set:
                run.abort_before()
            elif await run.admit():
                run.start_unless_cancelled()
            return await run.settle()
