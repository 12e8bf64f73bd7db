"""Waterfalls: listeners around listeners around a default, with one cursor.

One dispatch is one object. Its `rest` is what a listener gets as `next`: awaiting what it gives runs
what is left of the chain. Serial events run through the same object, since their listeners too run in
the caller's task and have to be found, and interrupted, when their owner is undone.

Source: docs/runtime.md 6.4 and 7.1.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Generator, Iterator
from inspect import CO_ITERABLE_COROUTINE
from time import monotonic
from types import CoroutineType, GeneratorType, coroutine
from typing import TYPE_CHECKING, Any

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
    from workbench.core.activation import Activation
    from workbench.core.runtime import Runtime

MAX_LISTENERS = 300
"""Listeners that one dispatch can enter: a nested chain uses the interpreter's stack."""

COROUTINE: type[Any] = CoroutineType
GENERATOR: type[Any] = GeneratorType
CHAINED = (COROUTINE, GENERATOR)
"""Types of what a listener may give instead of a value: `return next()`, or a call that it did not await."""


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
                kind = type(result)
                while (kind is GENERATOR or kind is COROUTINE) and is_awaitable(result):
                    result = yield from result  # it said `return next()`, as a plain function may
                    kind = type(result)
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
