"""The runtime: one loop, one thread, one root, and what all of its fibers share.

Source: docs/runtime.md.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass
from functools import partial
from inspect import CORO_CREATED, getcoroutinestate, iscoroutine
from threading import get_ident
from time import monotonic
from types import TracebackType
from typing import Any
from weakref import WeakValueDictionary

from workbench.core.calls import CURRENT, Call, is_close_from_outside, running_chain
from workbench.core.context import Context
from workbench.core.effects import LIVE, NOTHING, Effect, Ended, open_effect
from workbench.core.errors import CoreError, inactive, plugin_raised
from workbench.core.events import Event, Events, Listener, event_name
from workbench.core.fiber import Activation, Fiber, FiberState
from workbench.core.plugins import PluginCode, read_plugin
from workbench.core.scopes import ScopeKey, ScopeLinks
from workbench.core.services import Isolation, Services, ServiceView
from workbench.core.snapshot import snapshot_of
from workbench.core.timers import Timers
from workbench.core.waterfall import Dispatch, WatchedDispatch, is_awaitable

log = logging.getLogger("workbench.core")

Watcher = Callable[[str, Any], None]
"""Called as `watcher(kind, payload)`: `plugin`, `status`, `service`, `waterfall`, `error`."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that an undo, a load or a dispatch waits for, for views and for whoever asks why."""

    fiber: Fiber
    label: str
    seconds: float


@dataclass(frozen=True, slots=True)
class ContainedError:
    """An error of plugin code that nobody but the log was told about."""

    error: BaseException
    plugin: str
    plugin_uid: int | None
    label: str
    kind: str


class PluginRegistry:
    """Fibers by plugin. Plugins are told apart by identity; one without fibers is not in it."""

    def __init__(self) -> None:
        self._by_id: dict[int, tuple[object, list[Fiber]]] = {}

    def __contains__(self, plugin: object) -> bool:
        return id(plugin) in self._by_id

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[object]:
        return iter([plugin for plugin, _ in self._by_id.values()])

    def __getitem__(self, plugin: object) -> tuple[Fiber, ...]:
        entry = self._by_id.get(id(plugin))
        return () if entry is None else tuple(entry[1])

    def add(self, fiber: Fiber) -> None:
        self._by_id.setdefault(id(fiber.code.plugin), (fiber.code.plugin, []))[1].append(fiber)

    def remove(self, fiber: Fiber) -> None:
        entry = self._by_id.get(id(fiber.code.plugin))
        if entry is not None and fiber in entry[1]:
            entry[1].remove(fiber)
            if not entry[1]:
                del self._by_id[id(fiber.code.plugin)]


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
        self.dispatches: dict[Dispatch, None] = {}
        """Waterfalls and serial dispatches that run now."""
        self.dispatch_class: type[Dispatch] = Dispatch
        """Swapped while somebody watches; the plain class does not know about tracing."""
        self.disposers_running = 0
        self._last_uid = -1
        self._tasks: set[asyncio.Task[Any]] = set()
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
            self._root_runner = self.spawn(self._undo_root(), "dispose of root")
        return Ended(root.point, lambda: self._root_runner is None, refuse=root._refuse_self_await)

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
        self.check_thread("emit")
        name = event_name(event)
        self.events.check_mode(name, "emit")
        self.events.emit(name, args, target)

    def announce(self, name: str, *args: Any) -> None:
        """Emit an event of the runtime itself: an observer that raises is only logged."""
        if self.events.has_listeners(name):
            self.events.emit(name, args, None, contain=True)
        if self._watchers:
            self.tell_watchers(name.removeprefix("internal/"), args[0] if len(args) == 1 else args)

    async def parallel(self, event: str | Event, args: tuple[Any, ...], target: ScopeKey | None) -> None:
        self.check_thread("parallel")
        name = event_name(event)
        self.events.check_mode(name, "parallel")
        await self.events.parallel(name, args, target)

    def bail(self, event: str | Event, args: tuple[Any, ...], target: ScopeKey | None) -> Any:
        self.check_thread("bail")
        name = event_name(event)
        self.events.check_mode(name, "bail")
        return self.events.bail(name, args, target)

    async def serial(self, event: str | Event, args: tuple[Any, ...], target: ScopeKey | None) -> Any:
        self.check_thread("serial")
        name = event_name(event)
        self.events.check_mode(name, "serial")
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
            if dispatch_class is not Dispatch:
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
            except Exception:
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

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """A task of the runtime itself."""
        task = self.loop.create_task(_without_ancestors(work), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._spawned_ended)
        return task

    def _spawned_ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("the runtime itself failed in %s", task.get_name(), exc_info=error)

    def own(self, call: Call, work: Awaitable[Any]) -> asyncio.Task[Any]:
        """Run plugin code as a task that belongs to a fiber. The caller looks at its result."""
        task = self.loop.create_task(_as_call(call, work), name=call.label)
        call.task = task
        self._tasks.add(task)
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
        self._tasks.discard(task)
        call.ledger.calls.pop(call, None)
        if iscoroutine(work) and getcoroutinestate(work) == CORO_CREATED:
            work.close()  # cancelled before its first step: its body was never entered
        call.ledger.fiber.point.notify()
        if call.disposes is not None:
            call.disposes.notify()

    def report_failed(self, call: Call, task: asyncio.Task[Any]) -> None:
        """Log the error of a task at whose result nobody looks."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self.report(error, call.ledger, call.label, call.kind)

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
        providers: dict[str, list[Fiber]] = {}
        pending = [fiber for fiber in self._fibers if fiber.state == FiberState.PENDING]
        for fiber in pending:
            for name in {*fiber.code.provides, *fiber.has_provided}:
                providers.setdefault(name, []).append(fiber)
        rings: dict[frozenset[Fiber], tuple[Fiber, ...]] = {}
        for start in pending:
            ring = _ring_through(start, providers)
            if ring is not None:
                rings.setdefault(frozenset(ring), ring)
        return list(rings.values())

    def snapshot(self) -> bytes:
        """Everything that fibers have caused and that exists now, as canonical JSON."""
        return snapshot_of(self)

    async def quiesce(self) -> None:
        """Return when every transition and owned task has ended or waits for something outside."""
        this_task = asyncio.current_task()
        quiet_turns = 0
        while quiet_turns < 3:
            await asyncio.sleep(0)
            busy = any(task is not this_task and _is_runnable(task) for task in self._tasks)
            quiet_turns = 0 if busy else quiet_turns + 1


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


def _ring_through(start: Fiber, providers: dict[str, list[Fiber]]) -> tuple[Fiber, ...] | None:
    """The shortest ring of waiting fibers that `start` is in."""
    paths: list[tuple[Fiber, ...]] = [(start,)]
    seen: set[Fiber] = set()
    while paths:
        path = paths.pop(0)
        for name in path[-1].missing:
            for provider in providers.get(name, ()):
                if provider is start:
                    return path
                if provider not in seen:
                    seen.add(provider)
                    paths.append((*path, provider))
    return None
