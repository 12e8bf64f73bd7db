"""The runtime: one loop, one thread, one root, and what all of its fibers share.

Source: docs/runtime.md.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from threading import get_ident
from time import monotonic
from types import TracebackType
from typing import Any
from weakref import WeakValueDictionary

from workbench.core.activation import Activation
from workbench.core.calls import CURRENT, running_chain
from workbench.core.context import Context
from workbench.core.effects import LIVE, NOTHING, Ended
from workbench.core.errors import CoreError, inactive
from workbench.core.events import Event, Events, Listener, Mode, event_name
from workbench.core.fiber import Fiber, FiberState
from workbench.core.hold import Hold
from workbench.core.plugin_registry import PluginRegistry
from workbench.core.plugins import PluginCode, read_plugin
from workbench.core.rings import rings_among
from workbench.core.scopes import ScopeKey, ScopeLinks
from workbench.core.self_await import refuse_self_await
from workbench.core.services import Isolation, Services, ServiceView
from workbench.core.snapshot import snapshot_of
from workbench.core.tasks import Tasks
from workbench.core.timers import Timers
from workbench.core.watched_waterfall import WatchedDispatch
from workbench.core.waterfall import Dispatch, is_awaitable

log = logging.getLogger("workbench.core")

Watcher = Callable[[str, Any], None]
"""Called as `watcher(kind, payload)`: `plugin`, `status`, `service`, `dispatch`,
`waterfall`, `error`."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that an undo, a load or a dispatch waits for, for views and for whoever asks why."""

    fiber: Fiber
    label: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Dispatched:
    """One dispatch of an event, for watchers: `internal/dispatch` of docs/runtime.md 7.3."""

    event: str
    mode: Mode
    target: ScopeKey | None


@dataclass(frozen=True, slots=True)
class ContainedError:
    """An error of plugin code that nobody but the log was told about."""

    error: BaseException
    plugin: str
    plugin_uid: int | None
    label: str
    kind: str


class Runtime:
    """A runtime of its own, on the running loop.

    Use as `async with Runtime() as runtime`, or dispose of `runtime.root.fiber` at the end.
    """

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.thread_id = get_ident()
        self.scopes = ScopeLinks()
        self.events = Events(self)
        self.services_table = Services(self)
        self.registry = PluginRegistry()
        self.tasks = Tasks(self)
        self.kicks_nested = 0
        """See `Fiber.kick`."""
        self.dispatches: dict[Dispatch, None] = {}
        """Waterfalls and serial dispatches that run now."""
        self.dispatch_class: type[Dispatch] = Dispatch
        """Swapped while somebody watches; the plain class does not know about tracing."""
        self.hold = Hold()
        """Keeps assemblies and tool calls from beginning, while somebody tries something."""
        self.disposers_running = 0
        self._last_uid = -1
        self._fibers: dict[Fiber, None] = {}
        self._watchers: list[Watcher] = []
        self._isolations: WeakValueDictionary[tuple[str, str], Isolation] = WeakValueDictionary()
        """By service name and label, for as long as some context or service has it."""
        self.root_fiber = Fiber(self, _root_code(), None, None)
        self.root_fiber.state = FiberState.ACTIVE
        self._root_runner: asyncio.Task[None] | None = None
        self.root = self.root_fiber.context
        self.services_table.provide_built_in("timer", Timers(), self.root_fiber.activation)

    async def __aenter__(self) -> Runtime:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.root_fiber.dispose()

    # -- plugins -------------------------------------------------------------------------------------

    def load(self, ctx: Context, plugin: object, config: Any) -> Fiber:
        """See `Context.plugin`."""
        code = read_plugin(plugin)
        ctx.check_active(f"plugin {code.name or type(plugin).__name__!r}")
        fiber = Fiber(self, code, config, ctx)
        self._fibers[fiber] = None
        self.registry.add(fiber)
        self.services_table.require(fiber, fiber.required_keys)
        try:
            self.events.emit("internal/plugin", (fiber,), None)
            self.tell_watchers("plugin", fiber)
        except BaseException:
            fiber.dispose()
            raise
        fiber.kick()
        return fiber

    def forget_fiber(self, fiber: Fiber) -> None:
        self._fibers.pop(fiber, None)
        self.registry.remove(fiber)
        self.announce("internal/plugin", fiber)

    def fibers(self) -> tuple[Fiber, ...]:
        """All live fibers but root, in the order in which they were loaded."""
        return tuple(self._fibers)

    def context_of(self, activation: Activation) -> Context:
        return Context(self, activation)

    def next_uid(self) -> int:
        self._last_uid += 1
        return self._last_uid

    def dispose_root(self) -> Awaitable[None]:
        """Undo everything; an empty, usable root is left."""
        root = self.root_fiber
        if self._root_runner is None:
            root._end_asked = True
            self._root_runner = self.tasks.spawn(self._undo_root(), "dispose of root")
        return Ended(root.point, lambda: self._root_runner is None, refuse=partial(refuse_self_await, root))

    async def _undo_root(self) -> None:
        root = self.root_fiber
        activation = root.activation
        try:
            activation.closed = True
            entries = self.services_table.hide_all(activation)
            self.services_table.tell_left(entries)
            await root.undo_activation(activation)
        finally:
            activation.closed = False
            activation.phase = LIVE
            activation.provided.clear()
            root._end_asked = False
            root.point.spared.clear()
            self._root_runner = None
            root.point.notify()

    # -- events --------------------------------------------------------------------------------------

    def has_listeners(self, name: str) -> bool:
        return self.events.has_listeners(name)

    def emit(self, event: str | Event, args: tuple[Any, ...], target: ScopeKey | None) -> None:
        self.events.emit(self._dispatched(event, "emit", target), args, target)

    def _dispatched(self, event: str | Event, mode: Mode, target: ScopeKey | None) -> str:
        """The name of an event that may be dispatched in this mode; watchers hear of it."""
        self.check_thread(mode)
        name = event_name(event)
        self.events.check_mode(name, mode)
        if self._watchers:
            self.tell_watchers("dispatch", Dispatched(name, mode, target))
        return name

    def announce(self, name: str, *args: Any) -> None:
        """Emit an event of the runtime itself: an observer that raises is only logged."""
        if self.events.has_listeners(name):
            self.events.emit(name, args, None, contain=True)
        if self._watchers:
            self.tell_watchers(name.removeprefix("internal/"), args[0] if len(args) == 1 else args)

    async def parallel(self, event: str | Event, args: tuple[Any, ...], target: ScopeKey | None) -> None:
        await self.events.parallel(self._dispatched(event, "parallel", target), args, target)

    def bail(self, event: str | Event, args: tuple[Any, ...], target: ScopeKey | None) -> Any:
        return self.events.bail(self._dispatched(event, "bail", target), args, target)

    async def serial(self, event: str | Event, args: tuple[Any, ...], target: ScopeKey | None) -> Any:
        name = self._dispatched(event, "serial", target)
        listeners = self.events.audience(name, target)
        if not listeners:
            return None
        dispatch = Dispatch(self, name, listeners, args, None)
        dispatch.cursor = iter(listeners)  # one after another: no depth to limit
        token = CURRENT.set(dispatch)
        self.dispatches[dispatch] = None
        try:
            return await dispatch.serial()
        finally:
            del self.dispatches[dispatch]
            CURRENT.reset(token)

    async def waterfall(
        self,
        name: str,
        args: tuple[Any, ...],
        default: Callable[..., Any] | None,
        target: ScopeKey | None,
        dispatch_class: Callable[..., Dispatch] | None = None,
    ) -> Any:
        """See `Context.waterfall`. `dispatch_class` records this one dispatch, for whoever asks."""
        if get_ident() != self.thread_id:
            raise self.wrong_thread("waterfall")
        events = self.events
        if name in events.declared:
            events.check_mode(name, "waterfall")
        listeners = events.audience(name, target)
        if self._watchers:
            self.tell_watchers("dispatch", Dispatched(name, "waterfall", target))
        dispatch_class = dispatch_class or self.dispatch_class
        if not listeners and dispatch_class is Dispatch:
            result: Any = None if default is None else default(*args)
            return await result if is_awaitable(result) else result
        dispatch = dispatch_class(self, name, listeners, args, default)
        token = CURRENT.set(dispatch)
        dispatches = self.dispatches
        dispatches[dispatch] = None
        try:
            return await dispatch.rest()
        except BaseException as error:
            dispatch.error = error
            raise
        finally:
            dispatch.end()
            del dispatches[dispatch]
            CURRENT.reset(token)
            if dispatch_class is not Dispatch and isinstance(dispatch, WatchedDispatch):
                self.tell_watchers("waterfall", dispatch.trace())

    # -- watching ------------------------------------------------------------------------------------

    def watch(self, watcher: Watcher) -> Callable[[], Awaitable[None]]:
        """Call `watcher(kind, payload)` on every event of the runtime, and with the trace of every waterfall.

        Returns the function that ends it. What a watcher raises is logged.
        """
        self._watchers.append(watcher)
        self.dispatch_class = WatchedDispatch

        def end() -> Awaitable[None]:
            if watcher in self._watchers:
                self._watchers.remove(watcher)
            if not self._watchers:
                self.dispatch_class = Dispatch
            return NOTHING

        return end

    def tell_watchers(self, kind: str, payload: Any) -> None:
        for watcher in tuple(self._watchers):
            try:
                watcher(kind, payload)
            except BaseException:
                log.exception("a watcher raised on %s", kind)

    # -- running -------------------------------------------------------------------------------------

    def check_thread(self, what: str) -> None:
        """Raise `WRONG_THREAD` anywhere but on the runtime's own thread."""
        if get_ident() != self.thread_id:
            raise self.wrong_thread(what)

    def wrong_thread(self, what: str) -> CoreError:
        return CoreError(
            "WRONG_THREAD",
            f"{what} was called from thread {get_ident()}, but the runtime lives on thread {self.thread_id}; "
            "use loop.call_soon_threadsafe",
        )

    def report(self, error: BaseException, ledger: Activation, label: str, kind: str) -> None:
        """Log an error of plugin code once, with its label and its owner."""
        fiber = ledger.fiber
        log.error("%s %r of plugin %r raised: %s", kind, label, fiber.name, error, exc_info=error)
        if self._watchers:
            self.tell_watchers("error", ContainedError(error, fiber.name, fiber.uid, label, kind))

    def interrupted(self, listener: Listener, name: str) -> CoreError:
        """What the caller of a listener gets whose owner was undone meanwhile."""
        return inactive(
            listener.ledger.fiber.name, f"listener {listener.label!r} of {name!r} was ended by the undo"
        )

    def in_disposer(self) -> bool:
        """Whether the present code runs inside a disposer, synchronous or not."""
        return self.disposers_running > 0 or any(
            getattr(call, "kind", "") == "disposer" for call in running_chain()
        )

    # -- questions -----------------------------------------------------------------------------------

    def services(self) -> list[ServiceView]:
        """Who provides what, to whom."""
        return self.services_table.views()

    def isolation(self, name: str, label: str | None, maker: str) -> Isolation:
        if label is None:
            return Isolation(None, maker)
        return self._isolations.setdefault((name, label), Isolation(label, maker))

    def waiting(self) -> list[Waiting]:
        """What loads, undos and dispatches wait for now, and for how long."""
        now = self.loop.time()
        found = []
        for fiber in (self.root_fiber, *self._fibers):
            if fiber.point.waiting_for is not None:
                label, since = fiber.point.waiting_for
                found.append(Waiting(fiber, label, now - since))
        for dispatch in self.dispatches:
            if dispatch.entered:
                owner = dispatch.entered[-1].ledger.fiber
                found.append(Waiting(owner, dispatch.label, monotonic() - dispatch.started))
        return found

    def cycles(self) -> list[tuple[Fiber, ...]]:
        """Each ring of pending fibers that wait for one another's services."""
        return rings_among(self._fibers)

    def snapshot(self) -> bytes:
        """Everything that fibers have caused and that exists now, as canonical JSON."""
        return snapshot_of(self)

    async def quiesce(self) -> None:
        """Return when every transition and owned task has ended or waits for something outside."""
        await self.tasks.quiesce()


def _root_code() -> PluginCode:
    return PluginCode(
        plugin=object(),
        name="root",
        target=lambda: None,
        takes_config=False,
        is_class=False,
        required=(),
        optional=(),
        provides=(),
        config_type=None,
    )
