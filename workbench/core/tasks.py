"""Tasks: who owns each piece of plugin code that runs on its own.

Every task has an owner that waits for it; nothing is left un-awaited, and no error is lost.

Source: docs/runtime.md 6.4.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from inspect import CORO_CREATED, getcoroutinestate, iscoroutine
from typing import TYPE_CHECKING, Any

from workbench.core.calls import CURRENT, Call, is_close_from_outside
from workbench.core.effects import Effect, open_effect
from workbench.core.errors import plugin_raised

if TYPE_CHECKING:
    from workbench.core.runtime import Runtime

log = logging.getLogger("workbench.core")


class Tasks:
    """The tasks of one runtime: its own ones, and those of plugin code."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._running: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """A task of the runtime itself."""
        task = self._runtime.loop.create_task(_without_ancestors(work), name=name)
        self._running.add(task)
        task.add_done_callback(partial(self._spawned_ended, work))
        return task

    def _spawned_ended(self, work: Coroutine[Any, Any, None], task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        work.close()  # of one that was cancelled before its first step
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("the runtime itself failed in %s", task.get_name(), exc_info=error)

    def own(self, call: Call, work: Awaitable[Any]) -> asyncio.Task[Any]:
        """Run plugin code as a task that belongs to a fiber. The caller looks at its result."""
        task = self._runtime.loop.create_task(_as_call(call, work), name=call.label)
        call.task = task
        self._running.add(task)
        if call.kind in ("load", "listener", "task"):
            call.ledger.calls[call] = None
        task.add_done_callback(partial(self._owned_ended, call, work))
        return task

    def own_and_report(self, call: Call, work: Awaitable[Any]) -> asyncio.Task[Any]:
        """As `own`, for work whose result nobody looks at: its error is logged with its owner."""
        task = self.own(call, work)
        task.add_done_callback(partial(self.report_failed, call))
        return task

    def own_as_effect(self, home: Effect, work: Coroutine[Any, Any, Any], label: str) -> Effect:
        """See `Context.task`. The entry leaves the ledger when the task has ended."""
        call = Call(home.ledger, "task", label)

        def body() -> Callable[[], Awaitable[None] | None]:
            task = self.own_and_report(call, work)
            task.add_done_callback(ended)
            return lambda: None if task.done() else cancelled(task)

        def ended(_task: asyncio.Task[Any]) -> None:
            effect()
            effect.end_point().notify()

        async def cancelled(task: asyncio.Task[Any]) -> None:
            task.cancel()
            point = effect.end_point()
            await point.until(lambda: task.done() or call in point.spared)

        effect = open_effect(home, body, f"task {label}")
        return effect

    def _owned_ended(self, call: Call, work: Awaitable[Any], task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        call.ledger.calls.pop(call, None)
        if iscoroutine(work) and getcoroutinestate(work) == CORO_CREATED:
            work.close()  # cancelled before its first step: its body was never entered
        call.ledger.fiber.point.notify()
        if call.awaited_by is not None:
            call.awaited_by.notify()

    def report_failed(self, call: Call, task: asyncio.Task[Any]) -> None:
        """Log the error of a task at whose result nobody looks."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self._runtime.report(error, call.ledger, call.label, call.kind)

    async def quiesce(self) -> None:
        """Return when every transition and owned task has ended or waits for something outside."""
        this_task = asyncio.current_task()
        quiet_turns = 0
        while quiet_turns < 3:
            await asyncio.sleep(0)
            busy = any(task is not this_task and _is_runnable(task) for task in self._running)
            quiet_turns = 0 if busy else quiet_turns + 1


async def _without_ancestors(work: Coroutine[Any, Any, None]) -> None:
    CURRENT.set(None)
    await work


async def _as_call(call: Call, work: Awaitable[Any]) -> Any:
    """Run plugin code; what gets out is an ordinary error, or a cancellation that somebody asked for."""
    CURRENT.set(call)
    if call.ledger.closed and call.kind in ("listener", "task"):
        raise asyncio.CancelledError  # its owner went before its first step: plugin code is not entered
    try:
        return await work
    except Exception:
        raise
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise plugin_raised(call.ledger.fiber.name, call.label, error) from error
    except BaseException as error:
        if is_close_from_outside(error, call.task):
            raise
        raise plugin_raised(call.ledger.fiber.name, call.label, error) from error


def _is_runnable(task: asyncio.Task[Any]) -> bool:
    """Whether a task will run without anything from outside.

    The interpreter has no public way to ask; `_fut_waiter` is what the task waits for.
    """
    if task.done():
        return False
    waiter = getattr(task, "_fut_waiter", None)
    return waiter is None or waiter.done()
