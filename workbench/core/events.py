"""Events and their listeners.

Source: docs/runtime.md 7.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Literal

from workbench.core.calls import CURRENT, Call
from workbench.core.effects import Effect, open_effect
from workbench.core.errors import CoreError, plugin_raised

if TYPE_CHECKING:
    from workbench.core.activation import Activation
    from workbench.core.context import Context
    from workbench.core.runtime import Runtime
    from workbench.core.scopes import ScopeKey

Mode = Literal["emit", "parallel", "serial", "bail", "waterfall"]


@dataclass(frozen=True, slots=True)
class Event:
    """An event as its owner declares it, once."""

    name: str
    """The public name, such as `system-prompt/assemble`."""
    mode: Mode
    payload: tuple[type, ...] = ()
    """Types of the arguments, for readers and views."""


def event_name(event: str | Event) -> str:
    return event if isinstance(event, str) else event.name


class Listener:
    """One registration of one function."""

    __slots__ = ("contained", "effect", "everywhere", "function", "label", "ledger", "live", "scope")

    def __init__(
        self,
        function: Callable[..., Any],
        ledger: Activation,
        scope: ScopeKey | None,
        everywhere: bool,
        contained: bool,
    ) -> None:
        self.function = function
        self.ledger = ledger
        self.scope = scope
        self.everywhere = everywhere
        self.contained = contained
        self.live = True
        self.label = getattr(function, "__qualname__", type(function).__name__).rpartition("<locals>.")[2]
        self.effect: Effect | None = None


class Events:
    """The listeners of every event, in call order, and the modes that were declared."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._listeners: dict[str, tuple[Listener, ...]] = {}
        self._scoped: dict[str, int] = {}
        """How many listeners of an event hear only some scopes."""
        self.declared: dict[str, Event] = {}
        self._declarations: dict[str, int] = {}
        """How many declarations of an event stand; they all agree in its mode."""

    # -- registration ------------------------------------------------------------------------------

    def on(
        self,
        ctx: Context,
        event: str | Event,
        function: Callable[..., Any],
        *,
        prepend: bool,
        everywhere: bool,
        contained: bool,
        once: bool = False,
    ) -> Effect:
        name = event_name(event)
        if not callable(function):
            raise TypeError(f"a listener of {name!r} must be callable, not {type(function).__name__}")
        listener = Listener(function, ctx.home.ledger, ctx.scope, everywhere, contained)
        if once:
            listener.function = _once(listener)

        def body() -> Callable[[], None]:
            present = self._listeners.get(name, ())
            self._listeners[name] = (listener, *present) if prepend else (*present, listener)
            if listener.scope is not None and not everywhere:
                self._scoped[name] = self._scoped.get(name, 0) + 1
            return lambda: self._remove(name, listener)

        listener.effect = open_effect(ctx.home, body, f"on {name}")
        return listener.effect

    def _remove(self, name: str, listener: Listener) -> None:
        listener.live = False
        left = tuple(each for each in self._listeners.get(name, ()) if each is not listener)
        if left:
            self._listeners[name] = left
        else:
            self._listeners.pop(name, None)
        if listener.scope is not None and not listener.everywhere:
            count = self._scoped.get(name, 0) - 1
            if count > 0:
                self._scoped[name] = count
            else:
                self._scoped.pop(name, None)

    def declare(self, ctx: Context, event: Event) -> Effect:
        """While the effect stands, another mode raises `WRONG_MODE`."""
        present = self.declared.get(event.name)
        if present is not None and present.mode != event.mode:
            raise self._wrong_mode(event.name, event.mode, present.mode)

        def body() -> Callable[[], None]:
            self.declared[event.name] = event
            self._declarations[event.name] = self._declarations.get(event.name, 0) + 1
            return lambda: self._undeclare(event.name)

        return open_effect(ctx.home, body, f"declare {event.name}")

    def _undeclare(self, name: str) -> None:
        self._declarations[name] -= 1
        if not self._declarations[name]:
            del self._declarations[name], self.declared[name]

    # -- dispatch ----------------------------------------------------------------------------------

    def has_listeners(self, name: str) -> bool:
        return name in self._listeners

    def audience(self, name: str, target: ScopeKey | None) -> tuple[Listener, ...]:
        """The listeners that hear a dispatch to `target`, in call order."""
        listeners = self._listeners.get(name, ())
        if name not in self._scoped:
            return listeners
        chain = self._runtime.scopes.chain(target)
        return tuple(
            each
            for each in listeners
            if each.scope is None or each.everywhere or any(each.scope is key for key in chain)
        )

    def all_listeners(self) -> dict[str, tuple[Listener, ...]]:
        """Every event that somebody listens to, with its listeners in call order."""
        return dict(self._listeners)

    def declared_modes(self) -> dict[str, str]:
        return {name: event.mode for name, event in self.declared.items()}

    def check_mode(self, name: str, mode: Mode) -> None:
        declared = self.declared.get(name)
        if declared is not None and declared.mode != mode:
            raise self._wrong_mode(name, mode, declared.mode)

    def _wrong_mode(self, name: str, mode: Mode, declared: Mode) -> CoreError:
        return CoreError("WRONG_MODE", f"event {name!r} is declared as {declared!r} and cannot be used as {mode!r}")

    def emit(self, name: str, args: tuple[Any, ...], target: ScopeKey | None, *, contain: bool = False) -> None:
        """Call the listeners in order. With `contain`, or inside a disposer, errors are only logged."""
        runtime = self._runtime
        contain = contain or runtime.in_disposer()
        for listener in self.audience(name, target):
            if not listener.live or listener.ledger.closed:
                continue
            try:
                result = listener.function(*args)
            except BaseException as error:
                made = as_ordinary(error, listener, name)
                if not contain and not listener.contained:
                    if made is error:
                        raise
                    raise made from error
                runtime.report(made, listener.ledger, f"{listener.label} on {name}", "listener")
                continue
            if result is not None and isawaitable(result):
                runtime.tasks.own_and_report(
                    Call(listener.ledger, "listener", f"{listener.label} on {name}"), result
                )

    def bail(self, name: str, args: tuple[Any, ...], target: ScopeKey | None) -> Any:
        for listener in self.audience(name, target):
            if not listener.live or listener.ledger.closed:
                continue
            try:
                result = listener.function(*args)
            except Exception:
                raise
            except BaseException as error:
                raise as_ordinary(error, listener, name) from error
            if isawaitable(result):
                close_unawaited(result)
                raise CoreError(
                    "WRONG_MODE",
                    f"listener {listener.label!r} of plugin {listener.ledger.fiber.name!r} gave a coroutine to "
                    f"{name!r}, which is dispatched as 'bail': make it a plain function",
                )
            if result is not None and result is not False:
                return result
        return None

    async def parallel(self, name: str, args: tuple[Any, ...], target: ScopeKey | None) -> None:
        """Start all listeners together; when all have ended, raise what they raised as one group."""
        runtime = self._runtime
        outer = CURRENT.get()
        errors: list[BaseException] = []
        tasks: dict[asyncio.Task[Any], Listener] = {}
        for listener in self.audience(name, target):
            if not listener.live or listener.ledger.closed:
                continue
            try:
                result = listener.function(*args)
            except BaseException as error:
                errors.append(as_ordinary(error, listener, name))
                continue
            if isawaitable(result):
                call = Call(listener.ledger, "listener", f"{listener.label} on {name}", outer)
                tasks[runtime.tasks.own(call, result)] = listener
        await _all_ended(tasks)
        for task, listener in tasks.items():
            if task.cancelled():
                errors.append(runtime.interrupted(listener, name))
            elif (failure := task.exception()) is not None:
                errors.append(failure)
        if errors:
            raise BaseExceptionGroup(f"listeners of {name!r} raised", errors)


async def _all_ended(tasks: dict[asyncio.Task[Any], Listener]) -> None:
    """Wait for all; when the waiting is cancelled, cancel them and still wait."""
    pending = set(tasks)
    if not pending:
        return
    try:
        await asyncio.wait(pending)
    except asyncio.CancelledError:
        for task in pending:
            task.cancel()
        await asyncio.wait(pending)
        raise


def _once(listener: Listener) -> Callable[..., Any]:
    function = listener.function

    def run_once(*args: Any) -> Any:
        if listener.effect is not None:
            listener.effect()
        return function(*args)

    run_once.__wrapped__ = function  # type: ignore[attr-defined] # who asks where a listener stands means that one
    return run_once


def as_ordinary(error: BaseException, listener: Listener, event: str) -> BaseException:
    """A bare `BaseException` out of a synchronous listener, as an ordinary error."""
    if isinstance(error, Exception):
        return error
    return plugin_raised(listener.ledger.fiber.name, f"{listener.label} on {event}", error)


def close_unawaited(result: Any) -> None:
    """Close a coroutine that nobody will await, so that Python does not warn."""
    close = getattr(result, "close", None)
    if callable(close):
        close()
