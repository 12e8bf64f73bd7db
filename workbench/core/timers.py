"""Timers as effects. The clock is the loop's; times are in seconds.

Source: docs/runtime.md 9.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from workbench.core.calls import Call
from workbench.core.effects import Effect, open_effect
from workbench.core.errors import inactive, plugin_raised

if TYPE_CHECKING:
    from workbench.core.context import Context


class Timers:
    """The service `timer`. Read through a context, it makes its effects in that context's name."""

    def for_context(self, ctx: Context) -> ContextTimers:
        return ContextTimers(ctx)


class ContextTimers:
    """The timers of one context."""

    __slots__ = ("_ctx",)

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def once(self, function: Callable[[], Any], seconds: float) -> Effect:
        """Call `function` once, `seconds` from now."""
        ctx = self._ctx

        def body() -> Callable[[], None]:
            def fire() -> None:
                effect()  # a one-shot timer leaves the ledger before its callback runs
                run_callback(ctx, function, "timeout")

            return ctx.runtime.loop.call_later(seconds, fire).cancel

        effect = open_effect(ctx.home, body, f"timeout {seconds:g} s")
        return effect

    def sleep(self, seconds: float) -> Sleep:
        """Awaitable: returns after `seconds`, raises `INACTIVE_CONTEXT` when the context is undone."""
        return Sleep(self._ctx, seconds)

    def every(self, function: Callable[[], Any], seconds: float) -> Effect:
        """Call `function` every `seconds`, first one period from now."""
        ctx = self._ctx
        loop = ctx.runtime.loop

        def body() -> Callable[[], None]:
            due = loop.time()
            handle: asyncio.TimerHandle

            def fire() -> None:
                schedule()
                run_callback(ctx, function, "interval")

            def schedule() -> None:
                nonlocal due, handle
                due = max(due + seconds, loop.time())
                handle = loop.call_at(due, fire)

            schedule()
            return lambda: handle.cancel()

        return open_effect(ctx.home, body, f"interval {seconds:g} s")

    def ticks(self, seconds: float) -> Ticks:
        """One turn every `seconds`, first one period from now."""
        return Ticks(self._ctx, seconds)

    def throttle(self, function: Callable[..., Any], seconds: float) -> Callable[..., None]:
        """At most one call per period: the first at once, the last of a burst at the end of the period."""
        return _Throttle(self._ctx, function, seconds)

    def debounce(self, function: Callable[..., Any], seconds: float) -> Callable[..., None]:
        """One call, with the last arguments, when nobody has called for `seconds`."""
        return _Debounce(self._ctx, function, seconds)


class Sleep:
    """A timeout that is waited for: an effect from the moment in which it is awaited."""

    __slots__ = ("_ctx", "_seconds")

    def __init__(self, ctx: Context, seconds: float) -> None:
        self._ctx = ctx
        self._seconds = seconds

    def __await__(self) -> Generator[Any, Any, None]:
        ctx = self._ctx
        loop = ctx.runtime.loop
        waker: asyncio.Future[None] = loop.create_future()
        elapsed = False

        def body() -> Callable[[], None]:
            handle = loop.call_later(self._seconds, fire)

            def undo() -> None:
                handle.cancel()
                if not waker.done():
                    if elapsed:
                        waker.set_result(None)
                    else:
                        waker.set_exception(inactive(ctx.fiber.name, f"timeout of {self._seconds:g} s"))

            return undo

        def fire() -> None:
            nonlocal elapsed
            elapsed = True
            effect()

        effect = open_effect(ctx.home, body, f"timeout {self._seconds:g} s")
        try:
            yield from waker
        finally:
            effect()
            if waker.done() and not waker.cancelled():
                waker.exception()  # seen, also when the wait itself was cancelled


class Ticks:
    """An endless iterator. Each turn is a one-shot timer, so that a `break` leaves nothing."""

    __slots__ = ("_ctx", "_seconds")

    def __init__(self, ctx: Context, seconds: float) -> None:
        self._ctx = ctx
        self._seconds = seconds

    def __aiter__(self) -> Ticks:
        return self

    async def __anext__(self) -> None:
        await Sleep(self._ctx, self._seconds)


class _Throttle:
    def __init__(self, ctx: Context, function: Callable[..., Any], seconds: float) -> None:
        self._ctx = ctx
        self._function = function
        self._seconds = seconds
        self._period: Effect | None = None
        self._waiting: tuple[Any, ...] | None = None

    def __call__(self, *args: Any) -> None:
        self._ctx.check_active("a throttled function")
        if self._period is not None:
            self._waiting = args
            return
        self._begin_period()
        run_callback(self._ctx, lambda: self._function(*args), "throttle")

    def _begin_period(self) -> None:
        self._period = ContextTimers(self._ctx).once(self._end_period, self._seconds)

    def _end_period(self) -> Any:
        self._period = None
        if self._waiting is None:
            return None
        args, self._waiting = self._waiting, None
        self._begin_period()
        return self._function(*args)


class _Debounce:
    def __init__(self, ctx: Context, function: Callable[..., Any], seconds: float) -> None:
        self._ctx = ctx
        self._function = function
        self._seconds = seconds
        self._pending: Effect | None = None

    def __call__(self, *args: Any) -> None:
        self._ctx.check_active("a debounced function")
        if self._pending is not None:
            self._pending()
        self._pending = ContextTimers(self._ctx).once(lambda: self._function(*args), self._seconds)


def run_callback(ctx: Context, function: Callable[[], Any], label: str) -> None:
    """Run a callback of the loop: nothing that it raises reaches the loop."""
    ledger = ctx.home.ledger
    if ledger.closed:
        return
    runtime = ctx.runtime
    try:
        result: Any = function()
    except Exception as error:
        runtime.report(error, ledger, label, "timer")
        return
    except BaseException as error:
        runtime.report(plugin_raised(ledger.fiber.name, label, error), ledger, label, "timer")
        return
    if result is not None and isawaitable(result):
        runtime.tasks.own_and_report(Call(ledger, "listener", label), result)
