"""Sub-calls: what a program of `run_code` calls, each through the whole pipeline.

Source: docs/tools.md 10.3.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.tools.call_run import CallRun
from workbench.tools.calls import AddedContext, CodeDispatch, ToolResult, ToolSink
from workbench.tools.events import Invocation
from workbench.tools.gate import Gate
from workbench.tools.runs import RunServices
from workbench.tools.stages import Aborted, CancelWatch

if TYPE_CHECKING:
    from workbench.tools.registry import ToolRegistry


class EndSignal:
    """Set when the program has ended, or when the turn is cancelled."""

    def __init__(self) -> None:
        self.cause: Any = None
        self._set = asyncio.Event()

    @property
    def is_set(self) -> bool:
        return self._set.is_set()

    def set(self, cause: Any) -> None:
        if not self.is_set:
            self.cause = cause
            self._set.set()

    async def wait(self) -> None:
        await self._set.wait()


class SubCalls:
    """The sub-calls of one call of the model."""

    def __init__(
        self, registry: ToolRegistry, watch: CancelWatch, parent: Invocation, sink: ToolSink, max_parallel: int
    ) -> None:
        self._registry = registry
        self._turn = watch
        self._end = EndSignal()
        self._watch: CancelWatch | None = None
        """Of the sub-calls; made with the first one."""
        self._parent = parent
        self._sink = sink
        self._gate = Gate(max_parallel)
        self._count = 0
        self._open: set[asyncio.Task[ToolResult]] = set()
        self._is_closed = False
        self._take_back: Callable[[], None] = lambda: None
        self.error: BaseException | None = None
        """What the log raised; a call itself never raises."""
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
        if self._watch is None:
            self._watch = CancelWatch(self._end)
            self._take_back = self._turn.when_set(lambda: self._end.set(self._turn.signal.cause))
        self._count += 1
        sub_id = f"{self._parent.id}:code:{self._count}"
        work = self._run(self._watch, sub_id, name, arguments)
        task = asyncio.get_running_loop().create_task(work, name=sub_id)
        self._open.add(task)
        task.add_done_callback(self._closed)
        return task

    def _closed(self, task: asyncio.Task[ToolResult]) -> None:
        self._open.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.error = self.error or error

    async def settle(self) -> None:
        """No further sub-call begins; open ones are cancelled once, and awaited."""
        self._is_closed = True
        if self._watch is None:
            return
        self._end.set("the program has ended")
        while self._open:
            await asyncio.wait(set(self._open))
        self._take_back()
        await self._watch.close()

    async def _run(self, watch: CancelWatch, sub_id: str, name: str, arguments: Any) -> ToolResult:
        parent = self._parent
        tool = self._registry.lookup(name, parent.scope)
        call = Invocation(
            sub_id,
            name,
            arguments if tool is None else tool.completed(arguments),
            agent=parent.agent,
            scope=parent.scope,
            turn=parent.turn,
            step=parent.step,
            owner="" if tool is None else tool.owner_name,
            signal=self._end,
            parent_id=parent.id,
            root_id=parent.root_id,
        )
        dispatch = CodeDispatch(parent.root_id, parent.id, sub_id, name, arguments)
        run = CallRun(self._registry, watch, call, tool, RunServices(None))
        self._sink.code_dispatch_start(dispatch)
        result = await self._through(watch, run)
        self._sink.code_dispatch(dispatch, result)
        if result.error is None:
            self.callbacks += run.run.callbacks
            self.concludes = self.concludes or run.run.concludes
        self.contexts += result.contexts
        run.tell()
        return result

    async def _through(self, watch: CancelWatch, run: CallRun) -> ToolResult:
        if run.refuse():
            return await run.settle()
        try:
            await watch.run(self._gate.enter(run.is_concurrency_safe))
        except Aborted:
            run.abort_before()
            return await run.settle()
        try:
            if await run.admit():
                run.start_unless_cancelled()
            return await run.settle()
        finally:
            self._gate.leave()
