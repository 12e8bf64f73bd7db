"""Waterfalls: listeners around listeners around a default, with one cursor.

One dispatch is one object. Its `rest` is what a listener gets as `next`: awaiting what it gives runs
what is left of the chain. Serial events run through the same object, since their listeners too run in
the caller's task and have to be found, and interrupted, when their owner is undone.

Source: docs/runtime.md 6.4 and 7.1.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from inspect import CO_ITERABLE_COROUTINE
from time import monotonic
from types import CoroutineType, GeneratorType, coroutine
from typing import TYPE_CHECKING, Any, Literal

from workbench.core.calls import CURRENT, Running, is_close_from_outside
from workbench.core.errors import CoreError, plugin_raised
from workbench.core.events import Listener

if sys.version_info >= (3, 12):
    from asyncio import current_task
else:
    # There it is a Python function, and takes a tenth of a dispatch.
    from asyncio.tasks import _current_tasks  # type: ignore[attr-defined]

    current_task = _current_tasks.get

if TYPE_CHECKING:
    from workbench.core.fiber import Activation
    from workbench.core.runtime import Runtime

MAX_LISTENERS = 300
"""Listeners that one dispatch can enter: a nested chain uses the interpreter's stack."""

COROUTINE: type[Any] = CoroutineType
GENERATOR: type[Any] = GeneratorType
CHAINED = (COROUTINE, GENERATOR)
"""Types of what a listener may give instead of a value: `return next()`, or a call that it did not await."""

Outcome = Literal["passed", "short-circuited", "not awaited", "raised", "skipped"]


def is_awaitable(result: Any) -> bool:
    """As `inspect.isawaitable`, by type alone, and several times as fast."""
    kind = type(result)
    if kind is GENERATOR:
        return bool(result.gi_code.co_flags & CO_ITERABLE_COROUTINE)
    return hasattr(kind, "__await__")


def steps_of(result: Any) -> Generator[Any, Any, Any]:
    """The iterator that awaiting `result` would drive; what `next()` gives is one already."""
    if type(result) is GeneratorType:
        return result
    steps: Generator[Any, Any, Any] = result.__await__()
    return steps


class Dispatch:
    """One waterfall while it runs."""

    __slots__ = (
        "args",
        "cursor",
        "default",
        "ended",
        "entered",
        "error",
        "interrupts",
        "listener_args",
        "name",
        "outer",
        "runtime",
        "started",
        "task",
    )

    kind = "dispatch"

    def __init__(
        self,
        runtime: Runtime,
        name: str,
        listeners: tuple[Listener, ...],
        args: tuple[Any, ...],
        default: Callable[..., Any] | None,
    ) -> None:
        self.runtime = runtime
        self.name = name
        self.default = default
        self.args = args
        self.listener_args: tuple[Any, ...] = (*args, self.rest)
        self.cursor = iter(listeners) if len(listeners) <= MAX_LISTENERS else self._limited(listeners)
        self.entered: list[Listener] = []
        """The listeners on the stack now, outermost first."""
        self.interrupts: set[Activation] | None = None
        """Ledgers whose undo has asked this dispatch to end."""
        self.ended = False
        self.error: BaseException | None = None
        self.outer: Running | None = CURRENT.get()
        self.task: asyncio.Task[Any] | None = current_task(runtime.loop)
        self.started = monotonic()

    @property
    def label(self) -> str:
        inside = self.entered[-1] if self.entered else None
        return self.name if inside is None else f"{inside.label} on {self.name}"

    def holds(self, ledger: Activation) -> bool:
        return any(listener.ledger is ledger for listener in self.entered)

    def interrupt(self, ledger: Activation) -> None:
        """Ask the call of this ledger's listener to end, once. Its caller gets `INACTIVE_CONTEXT`."""
        if self.interrupts is None:
            self.interrupts = set()
        if ledger not in self.interrupts and self.task is not None:
            self.interrupts.add(ledger)
            self.task.cancel()

    @coroutine  # a generator, not a coroutine: one that is not awaited needs no closing
    def rest(self) -> Generator[Any, Any, Any]:
        """What is left of the chain; behind the last listener, the default. This is `next`."""
        if self.ended:
            self.check_running()
        entered = self.entered
        for listener in self.cursor:
            ledger = listener.ledger
            if not listener.live or ledger.closed:
                continue
            entered.append(listener)
            try:
                result: Any = listener.function(*self.listener_args)
                if type(result) is COROUTINE:
                    result = yield from result
                elif is_awaitable(result):
                    result = yield from steps_of(result)
                while type(result) in CHAINED and is_awaitable(result):
                    result = yield from result  # it said `return next()`, as a plain function may
            except BaseException as error:
                self.leave(listener)
                if listener.ledger.closed:
                    listener.ledger.fiber.point.notify()
                if self.interrupts is None and isinstance(error, Exception):
                    raise
                self.raise_at_boundary(listener, error)
                raise
            if entered[-1] is listener:
                entered.pop()
            else:
                self.leave(listener)
            if listener.ledger.closed:
                self.left(listener)
            return result
        default = self.default
        if default is None:
            return None
        result = default(*self.args)
        if type(result) is COROUTINE:
            return (yield from result)
        if hasattr(type(result), "__await__"):
            return (yield from steps_of(result))
        return result

    def end(self) -> None:
        """Nothing of the chain runs from here on; drop the circle of references that `next` is."""
        self.ended = True
        self.listener_args = ()

    def trace(self) -> WaterfallTrace:
        """The record of this dispatch; a plain one has none of its listeners."""
        return WaterfallTrace(self.name, (), self.error)

    def check_running(self) -> None:
        """Raise `INACTIVE_CONTEXT` when the dispatch has ended."""
        if self.ended:
            raise CoreError(
                "INACTIVE_CONTEXT",
                f"next() of {self.name!r} is inactive: the dispatch has ended; await it inside",
            )

    def leave(self, listener: Listener) -> None:
        """It is not on the stack any more. Not always the last one: two `next()` may run side by side."""
        self.entered.remove(listener)

    def left(self, listener: Listener) -> None:
        """A listener has returned whose owner is being undone: the undo looks again."""
        listener.ledger.fiber.point.notify()
        self.raise_at_boundary(listener, None)

    def raise_at_boundary(self, listener: Listener, error: BaseException | None) -> None:
        """Turn a cancellation by the runtime, and any bare `BaseException`, into an ordinary error."""
        ledger = listener.ledger
        task = self.task
        if self.interrupts is not None and ledger in self.interrupts and not self._is_held_further_out(ledger):
            self.interrupts.discard(ledger)
            left = task.uncancel() if task is not None else 0
            if left and isinstance(error, asyncio.CancelledError):
                return  # somebody else wants this task to end as well
            if self.interrupts and task is not None:
                # Two undos asked, and this listener swallowed the one cancellation: ask anew for the other.
                task.uncancel()
                task.cancel()
            raise self.runtime.interrupted(listener, self.name) from (
                None if isinstance(error, asyncio.CancelledError) else error
            )
        if error is None or isinstance(error, Exception) or is_close_from_outside(error, task):
            return
        if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
            return
        raise plugin_raised(ledger.fiber.name, f"{listener.label} on {self.name}", error) from error

    def _is_held_further_out(self, ledger: Activation) -> bool:
        if self.holds(ledger):
            return True
        outer = self.outer
        while outer is not None:
            if isinstance(outer, Dispatch) and outer.task is self.task and outer.holds(ledger):
                return True
            outer = outer.outer
        return False

    def _limited(self, listeners: tuple[Listener, ...]) -> Iterator[Listener]:
        entered = 0
        for listener in listeners:
            if not listener.live or listener.ledger.closed:
                continue
            if entered == MAX_LISTENERS:
                raise CoreError(
                    "WATERFALL_DEPTH",
                    f"{self.name!r} has entered {MAX_LISTENERS} listeners, and the next one is of plugin "
                    f"{listener.ledger.fiber.name!r}: register fewer listeners",
                )
            entered += 1
            yield listener

    async def serial(self) -> Any:
        """One listener after another, until one gives something that is neither None nor False."""
        for listener in self.cursor:
            if not listener.live or listener.ledger.closed:
                continue
            self.entered.append(listener)
            try:
                result = listener.function(*self.args)
                if is_awaitable(result):
                    result = await result
            except BaseException as error:
                self.entered.pop()
                listener.ledger.fiber.point.notify()
                self.raise_at_boundary(listener, error)
                raise
            self.entered.pop()
            listener.ledger.fiber.point.notify()
            self.raise_at_boundary(listener, None)
            if result is not None and result is not False:
                return result
        return None


class ListenerRecord:
    """What one listener did in one watched waterfall."""

    __slots__ = (
        "asked",
        "awaited",
        "dispatch",
        "error",
        "inside_ns",
        "listener",
        "outcome",
        "started_ns",
        "total_ns",
        "travelled",
    )

    def __init__(self, dispatch: WatchedDispatch, listener: Listener) -> None:
        self.dispatch = dispatch
        self.listener = listener
        self.outcome: Outcome = "passed"
        self.started_ns = 0
        """`time.perf_counter_ns()` when it was entered."""
        self.total_ns = 0
        self.inside_ns = 0
        """Of the total, the time inside `next()`."""
        self.asked = 0
        """How often it called `next`."""
        self.awaited = 0
        self.error: BaseException | None = None
        self.travelled: BaseException | None = None
        """An error of the rest of the chain that came through it."""

    @property
    def own_ns(self) -> int:
        """Time in the listener itself, without `next()`."""
        return self.total_ns - self.inside_ns

    @property
    def owner(self) -> str:
        return self.listener.ledger.fiber.name

    @property
    def label(self) -> str:
        return self.listener.label

    def next(self) -> Any:
        self.asked += 1
        return self.dispatch.step(self)

    def close(self, error: BaseException | None) -> None:
        self.total_ns = time.perf_counter_ns() - self.started_ns
        self.error = error
        if error is not None:
            self.outcome = "passed" if error is self.travelled else "raised"
        elif self.asked == 0:
            self.outcome = "short-circuited"
        elif self.awaited < self.asked:
            self.outcome = "not awaited"


class WatchedDispatch(Dispatch):
    """A dispatch that records what each listener did. The runtime uses it while somebody watches."""

    __slots__ = ("records",)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.records: list[ListenerRecord] = []

    def trace(self) -> WaterfallTrace:
        return WaterfallTrace(self.name, tuple(self.records), self.error)

    def before(self, record: ListenerRecord) -> None:
        """A listener is about to be entered."""

    def at_next(self, record: ListenerRecord) -> None:
        """The listener awaits the rest of the chain now."""

    def after_next(self, record: ListenerRecord, result: Any) -> None:
        """The rest of the chain has given its result to the listener."""

    def after(self, record: ListenerRecord, result: Any) -> None:
        """The listener has returned."""

    def rest(self) -> Any:
        return self.step(None)

    @coroutine
    def step(self, caller: ListenerRecord | None) -> Generator[Any, Any, Any]:
        """As `rest`, for a listener whose record is `caller`. One frame, so that the depth stays the same."""
        self.check_running()
        began = time.perf_counter_ns()
        if caller is not None:
            caller.awaited += 1
            self.at_next(caller)
        record: ListenerRecord | None = None
        try:
            for listener in self.cursor:
                record = ListenerRecord(self, listener)
                self.records.append(record)
                if listener.live and not listener.ledger.closed:
                    break
                record.outcome, record = "skipped", None
            if record is None:
                result: Any = self.default(*self.args) if self.default is not None else None
            else:
                self.entered.append(listener)
                self.before(record)
                record.started_ns = time.perf_counter_ns()
                result = listener.function(*self.args, record.next)
            if is_awaitable(result):
                result = yield from steps_of(result)
            while type(result) in CHAINED and is_awaitable(result):
                result = yield from result
            if record is not None:
                self.leave(listener)
                record.close(None)
                self.after(record, result)
                self.left(listener)
        except BaseException as error:
            if record is not None and listener in self.entered:
                self.leave(listener)
                record.close(error)
                listener.ledger.fiber.point.notify()
            if caller is not None:
                caller.inside_ns += time.perf_counter_ns() - began
                caller.travelled = error
            if record is not None:
                try:
                    self.raise_at_boundary(listener, error)
                except BaseException as ordinary:
                    if caller is not None:
                        caller.travelled = ordinary
                    raise
            raise
        if caller is not None:
            caller.inside_ns += time.perf_counter_ns() - began
            self.after_next(caller, result)
        return result


@dataclass(frozen=True, slots=True)
class WaterfallTrace:
    """One watched waterfall: the listeners that were reached, in the order in which they were entered."""

    event: str
    listeners: tuple[ListenerRecord, ...]
    error: BaseException | None
