"""Contexts: what plugin code holds.

A context resolves services and makes registrations in the name of its fiber, for one activation.

Source: docs/runtime.md 1, 4, 5 and 7.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, overload

from workbench.core.effects import Effect, open_effect
from workbench.core.errors import inactive
from workbench.core.events import Event, event_name
from workbench.core.fiber import Fiber
from workbench.core.scopes import ScopeKey
from workbench.core.services import Visibility, get_service, read_service, set_service

if TYPE_CHECKING:
    from workbench.core.activation import Activation
    from workbench.core.runtime import Runtime


class Context:
    """The door through which a plugin reads services and registers effects.

    Services are attributes: `ctx.tools` for a plugin that declares `inject = ["tools"]`.
    """

    __slots__ = ("_isolated", "fiber", "home", "runtime", "scope")

    def __init__(
        self,
        runtime: Runtime,
        home: Effect,
        scope: ScopeKey | None = None,
        isolated: Mapping[str, Visibility] | None = None,
    ) -> None:
        self.runtime = runtime
        self.home = home
        """The effect under which registrations are recorded: the ledger itself, or a scope in it."""
        self.fiber: Fiber = home.ledger.fiber
        self.scope = scope
        """Key of the scope that registrations belong to; None is the global layer."""
        self._isolated: Mapping[str, Visibility] = isolated or {}

    def __repr__(self) -> str:
        return f"<Context of {self.fiber.name}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"a context has no attribute {name!r}")
        return read_service(self, name)

    # -- plugins and effects -------------------------------------------------------------------------

    def plugin(self, plugin: object, config: Any = None) -> Fiber:
        """Load a plugin as a child of this fiber. Returns at once; `await` the fiber to settle it.

        Raises `INVALID_PLUGIN`, `INACTIVE_CONTEXT`, and what an observer of `internal/plugin` raises.
        """
        return self.runtime.load(self, plugin, config)

    def effect(self, body: Callable[[], Any], label: str = "effect") -> Effect:
        """Run `body` now and record what it gives as the way to undo it.

        `body` gives a disposer, nothing, a generator of disposers, or an awaitable or asynchronous
        generator of them. Raises what `body` raises, `INVALID_EFFECT`, `INACTIVE_CONTEXT`.
        """
        return open_effect(self.home, body, label)

    def task(self, work: Coroutine[Any, Any, Any], label: str = "task") -> Effect:
        """Run a long-lived loop of the plugin; the undo cancels it and waits for its end."""
        try:
            return self.runtime.tasks.own_as_effect(self.home, work, label)
        except BaseException:
            work.close()
            raise

    def check_active(self, what: str) -> None:
        """Raise `INACTIVE_CONTEXT` unless registrations are still possible here."""
        self.runtime.check_thread(what)
        if self.home.ledger.closed or self.home.phase:
            raise inactive(self.fiber.name, what)

    # -- services ------------------------------------------------------------------------------------

    def provide(self, name: str, value: Any) -> Effect:
        """Provide a service; others see it while this fiber is active.

        Raises `SERVICE_EXISTS`, `NAME_RESERVED`, `INACTIVE_CONTEXT`.
        """
        return self.runtime.services_table.provide(self, name, value)

    def set(self, name: str, value: Any) -> None:
        """Replace the value of one's own service; restarts nobody.

        Raises `SERVICE_FOREIGN`, `SERVICE_NOT_PROVIDED`, `INACTIVE_CONTEXT`.
        """
        set_service(self, name, value)

    def get(self, name: str, default: Any = None) -> Any:
        """What the attribute would give, else what is visible from here, else `default`."""
        return get_service(self, name, default)

    def isolate(self, name: str, label: str | None = None) -> Context:
        """A child context in which `name` has a visibility of its own, shared by equal labels."""
        self.check_active(f"isolation of {name!r}")
        isolation = self.runtime.isolation(name, label, self.fiber.name)
        return Context(self.runtime, self.home, self.scope, {**self._isolated, name: isolation})

    def visibility(self, name: str) -> Visibility | None:
        """The visibility that `name` has here; None is the shared one."""
        return self._isolated.get(name)

    def within(self, home: Effect, scope: ScopeKey) -> Context:
        """This context as seen inside a scope."""
        return Context(self.runtime, home, scope, self._isolated)

    def for_activation(self, activation: Activation) -> Context:
        """The context of a plugin that was loaded here."""
        return Context(self.runtime, activation, self.scope, self._isolated)

    # -- events --------------------------------------------------------------------------------------

    def on(
        self,
        event: str | Event,
        listener: Callable[..., Any],
        prepend: bool = False,
        everywhere: bool = False,
        contained: bool = False,
    ) -> Effect:
        """Call `listener` on each dispatch of `event`.

        `prepend` puts it in front of all that exist now, `everywhere` lets it hear every scope,
        `contained` keeps what it raises in `emit` from the emitter.
        """
        return self.runtime.events.on(
            self, event, listener, prepend=prepend, everywhere=everywhere, contained=contained
        )

    def once(
        self,
        event: str | Event,
        listener: Callable[..., Any],
        prepend: bool = False,
        everywhere: bool = False,
        contained: bool = False,
    ) -> Effect:
        """As `on`, for one call: the registration is undone before the listener runs."""
        return self.runtime.events.on(
            self, event, listener, prepend=prepend, everywhere=everywhere, contained=contained, once=True
        )

    def declare(self, event: Event) -> Effect:
        """State the mode of an event. Raises `WRONG_MODE` when it is declared in another one."""
        return self.runtime.events.declare(self, event)

    def emit(self, event: str | Event, *args: Any, target: ScopeKey | None = None) -> None:
        """Call the listeners in order; what one raises reaches the caller at once."""
        self.runtime.emit(event, args, target)

    async def parallel(self, event: str | Event, *args: Any, target: ScopeKey | None = None) -> None:
        """Run the listeners together; raises an `ExceptionGroup` when all have ended."""
        await self.runtime.parallel(event, args, target)

    async def serial(self, event: str | Event, *args: Any, target: ScopeKey | None = None) -> Any:
        """Run one listener after another, up to the first result that is neither None nor False."""
        return await self.runtime.serial(event, args, target)

    def bail(self, event: str | Event, *args: Any, target: ScopeKey | None = None) -> Any:
        """As `serial`, without waiting: a listener that gives a coroutine is `WRONG_MODE`."""
        return self.runtime.bail(event, args, target)

    def waterfall(
        self,
        event: str | Event,
        *args: Any,
        default: Callable[..., Any] | None = None,
        target: ScopeKey | None = None,
    ) -> Coroutine[Any, Any, Any]:
        """Run the listeners around each other, outermost first, and `default` innermost."""
        return self.runtime.waterfall(event if type(event) is str else event_name(event), args, default, target)

    # -- timers, for those who declare `timer` -------------------------------------------------------

    @overload
    def timeout(self, function: Callable[[], Any], seconds: float, /) -> Effect: ...
    @overload
    def timeout(self, seconds: float, /) -> Awaitable[None]: ...
    def timeout(self, function: Any, seconds: float | None = None, /) -> Effect | Awaitable[None]:
        """`timeout(fn, s)` calls `fn` once; `await timeout(s)` waits."""
        timers = read_service(self, "timer")
        if seconds is None:
            waiting: Awaitable[None] = timers.sleep(function)
            return waiting
        effect: Effect = timers.once(function, seconds)
        return effect

    @overload
    def interval(self, function: Callable[[], Any], seconds: float, /) -> Effect: ...
    @overload
    def interval(self, seconds: float, /) -> AsyncIterator[None]: ...
    def interval(self, function: Any, seconds: float | None = None, /) -> Effect | AsyncIterator[None]:
        """`interval(fn, s)` calls `fn` again and again; `async for _ in interval(s)` waits for each turn."""
        timers = read_service(self, "timer")
        if seconds is None:
            turns: AsyncIterator[None] = timers.ticks(function)
            return turns
        effect: Effect = timers.every(function, seconds)
        return effect

    def throttle(self, function: Callable[..., Any], seconds: float) -> Callable[..., None]:
        """A function that calls `function` at most once per period."""
        throttled: Callable[..., None] = read_service(self, "timer").throttle(function, seconds)
        return throttled

    def debounce(self, function: Callable[..., Any], seconds: float) -> Callable[..., None]:
        """A function that calls `function` when nobody has called it for `seconds`."""
        debounced: Callable[..., None] = read_service(self, "timer").debounce(function, seconds)
        return debounced
