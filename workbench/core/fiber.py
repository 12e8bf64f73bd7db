"""Fibers: one load of one plugin, its state, and what it stands on.

A fiber keeps a few facts. `_next_state` reads them and says what has to happen; whoever changes a fact
calls `kick()`; one runner task does what has to be done, and looks again when it has ended.

Source: docs/runtime.md 3, 4 and 11.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Generator, Iterable
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from workbench.core.activation import Activation, FiberEntry, running_label, wake_watchers
from workbench.core.calls import Call
from workbench.core.effects import GONE, NOTHING, UNDOING, Effect, EffectNode, Ended
from workbench.core.errors import CoreError, plugin_raised
from workbench.core.plugins import PluginCode
from workbench.core.self_await import refuse_own_load, refuse_self_await
from workbench.core.services import ServiceEntry, ServiceKey
from workbench.core.waitpoints import Waitpoint

if TYPE_CHECKING:
    from workbench.core.context import Context
    from workbench.core.runtime import Runtime


MOST_NESTED_KICKS = 50
"""Fibers that start one another's transitions at once; in a longer chain the next one starts a turn later."""


class FiberState(StrEnum):
    """The states of docs/runtime.md 3."""

    PENDING = "pending"
    LOADING = "loading"
    ACTIVE = "active"
    FAILED = "failed"
    DISPOSING = "disposing"
    DISPOSED = "disposed"


class Fiber:
    """One load of one plugin. `await fiber` settles it, and raises what its load raised."""

    def __init__(self, runtime: Runtime, code: PluginCode, config: Any, home: Context | None) -> None:
        self.runtime = runtime
        self.code = code
        self.config = config
        """As `plugin()` or the last accepted `update()` gave it."""
        self.state = FiberState.PENDING
        self.since = runtime.loop.time()
        """When it came into its state, by the clock of the loop."""
        self.uid: int | None = runtime.next_uid()
        self.error: BaseException | None = None
        self.parent: Fiber | None = None if home is None else home.fiber
        self.home = home
        self.name = self._display_name()
        self.point = Waitpoint(self.name)
        self.has_provided: set[str] = set()
        self.entry: FiberEntry | None = None
        self._failed_ground: dict[str, ServiceEntry] = {}
        self._end_asked = False
        self._again = False
        self._load_call: Call | None = None
        self._runner: asyncio.Task[None] | None = None
        if home is not None:
            self.entry = FiberEntry(home.home, self)
            if home.home.parts is None:
                home.home.parts = {}
            home.home.parts[self.entry] = None
        self.activation = Activation(self, {})
        """The ledger of the present activation. A fiber that is not loaded has an empty one of its own."""
        self.context = self._new_context()
        self._keys: dict[str, ServiceKey] = (
            {} if home is None else {name: (name, home.visibility(name)) for name in code.required}
        )

    def __repr__(self) -> str:
        return f"<Fiber {self.name} {self.state}>"

    def _display_name(self) -> str:
        if self.code.name is not None:
            return self.code.name
        return "root" if self.parent is None else self.parent.name

    def _new_context(self) -> Context:
        if self.home is None:
            return self.runtime.context_of(self.activation)
        return self.home.for_activation(self.activation)

    # -- what others ask ---------------------------------------------------------------------------

    @property
    def is_root(self) -> bool:
        return self.parent is None

    @property
    def is_settled(self) -> bool:
        """Whether no transition runs."""
        return self._runner is None

    @property
    def ending(self) -> bool:
        """Whether the end was asked for: of this fiber, of an ancestor, or of the ground they share."""
        fiber = self
        while True:
            if fiber._end_asked:
                return True
            entry = fiber.entry
            if entry is None or fiber.parent is None:
                return False
            if entry.ledger.closed:
                return True
            fiber = fiber.parent

    @property
    def required_keys(self) -> Iterable[ServiceKey]:
        return self._keys.values()

    @property
    def missing(self) -> tuple[str, ...]:
        """Required services that are absent now."""
        visible = self.runtime.services_table.visible
        return tuple(name for name, key in self._keys.items() if visible(key) is None)

    @property
    def status_text(self) -> str:
        """The state with the one fact that matters: what it waits for, the ring it is in, its error."""
        if self.state == FiberState.PENDING:
            for ring in self.runtime.cycles():
                if self in ring:
                    names = [fiber.name for fiber in ring]
                    return f"pending (cycle: {' → '.join([*names, names[0]])})"
            return f"pending (waits for {', '.join(self.missing)})" if self.missing else "pending"
        if self.state == FiberState.FAILED and self.error is not None:
            return f"failed ({type(self.error).__name__}: {self.error})"
        return str(self.state)

    def effects(self) -> tuple[EffectNode, ...]:
        """The labels of its ledger as a tree, in order of registration."""
        return self.activation.node().children

    def stands_on(self, entry: ServiceEntry) -> bool:
        return self.activation.ground.get(entry.key[0]) is entry

    def is_ancestor_of(self, other: Fiber) -> bool:
        fiber = other.parent
        while fiber is not None and fiber is not self:
            fiber = fiber.parent
        return fiber is self

    def load_is_spared(self, point: Waitpoint) -> bool:
        """Whether its plugin call waits for `point`, which therefore must not wait for it."""
        return self.state == FiberState.LOADING and self._load_call in point.spared

    def _gives_up_load(self, call: Call) -> bool:
        """It goes on without the end of this plugin call where that waits for it."""
        return self._load_call is not call or self.state != FiberState.LOADING or self.ending or self._again

    # -- what others tell --------------------------------------------------------------------------

    def __await__(self) -> Generator[Any, Any, Fiber]:
        yield from Ended(self.point, lambda: self.is_settled, refuse=partial(refuse_own_load, self)).__await__()
        if self.error is not None and self.state == FiberState.FAILED:
            raise self.error
        return self

    def dispose(self) -> Awaitable[None]:
        """Ask for the end. Awaiting the result waits for it; cancelling that ends only the waiting."""
        self.runtime.check_thread("dispose()")
        if self.is_root:
            return self.runtime.dispose_root()
        if self.state == FiberState.DISPOSED:
            return NOTHING
        self._end_asked = True
        self.kick()
        return Ended(self.point, lambda: self.state == FiberState.DISPOSED, refuse=partial(refuse_self_await, self))

    def restart(self) -> Awaitable[None]:
        """Undo and load again. Awaiting the result raises what the load raises. Root is only undone."""
        self._refuse_disposed("restart()")
        if self.is_root:
            return self.runtime.dispose_root()
        self._again = True
        self.kick()
        return Ended(self.point, lambda: self.is_settled, self._raise_error, partial(refuse_self_await, self))

    async def update(self, config: Any) -> None:
        """Take another config. Raises `CONFIG_INVALID` on an active fiber, which then keeps its old one."""
        self._refuse_disposed("update()")
        if self.state != FiberState.ACTIVE or self._runner is not None:
            self.config = config
            await self.restart()
            return
        await self._prepared_config(config)

        async def accept(_fiber: Fiber, config: Any) -> None:
            self.config = config
            await self.restart()

        await self.runtime.waterfall("internal/update", (self, config), accept, None)

    def kick(self) -> None:
        """A fact has changed: look whether something has to happen, and start it."""
        if self._runner is None:
            state = self._next_state()
            if state is None:
                self.point.notify()
                return
            runtime = self.runtime
            if runtime.kicks_nested == MOST_NESTED_KICKS:
                runtime.loop.call_soon(self.kick)
                return
            runtime.kicks_nested += 1
            try:
                self._enter(state)
            finally:
                runtime.kicks_nested -= 1
            if self._runner is None:  # entering may have told others, who kicked this fiber again
                self._runner = runtime.tasks.spawn(self._run(), f"fiber {self.name}")
        self.point.notify()

    # -- decisions ---------------------------------------------------------------------------------

    def _next_state(self) -> FiberState | None:
        match self.state:
            case FiberState.PENDING:
                if self.ending:
                    return FiberState.DISPOSING
                return FiberState.LOADING if not self.missing else None
            case FiberState.ACTIVE:
                if self.ending or self._again or not self._ground_stands(by_entry=True):
                    return FiberState.DISPOSING
            case FiberState.FAILED:
                if self.ending:
                    return FiberState.DISPOSING
                if self._again:
                    return FiberState.PENDING if self.missing else FiberState.LOADING
                if self._keys and not self.missing and self._ground_is_new():
                    return FiberState.LOADING
            case _:
                pass
        return None

    def _ground_stands(self, *, by_entry: bool) -> bool:
        """Whether what it stands on is still there: the same entry, or one of the same activation."""
        for name, entry in self.activation.ground.items():
            present = self.runtime.services_table.visible(self._keys[name])
            if present is entry:
                continue
            if by_entry or present is None or present.ledger is not entry.ledger:
                return False
        return True

    def _ground_is_new(self) -> bool:
        return any(
            self.runtime.services_table.visible(key) is not self._failed_ground.get(name)
            for name, key in self._keys.items()
        )

    def _ground(self) -> dict[str, ServiceEntry]:
        visible = self.runtime.services_table.visible
        return {name: entry for name, key in self._keys.items() if (entry := visible(key)) is not None}

    # -- transitions -------------------------------------------------------------------------------

    def _enter(self, state: FiberState) -> None:
        """Change the state, and tell whom it concerns, in one step."""
        old, self.state = self.state, state
        self.since = self.runtime.loop.time()
        services = self.runtime.services_table
        left: list[ServiceEntry] = []
        entered: list[ServiceEntry] = []
        if state == FiberState.LOADING:
            self._again = False
            self.error = None
            self.activation.ground = self._ground()
        elif state == FiberState.DISPOSING:
            self.activation.closed = True
            left = services.hide_all(self.activation)
        elif state == FiberState.ACTIVE:
            entered = services.show_all(self.activation)
        elif state == FiberState.PENDING:
            self._again = False
            self.error = None
        self.runtime.announce("internal/status", self, old)
        services.tell_entered(entered)
        services.tell_left(left)
        self.point.notify()

    async def _run(self) -> None:
        try:
            while True:
                if self.state == FiberState.LOADING:
                    await self._load()
                elif self.state == FiberState.DISPOSING:
                    await self._undo()
                elif (state := self._next_state()) is not None:
                    self._enter(state)
                else:
                    break
        finally:
            self._runner = None
            self.point.spared.clear()
            self.point.notify()

    async def _load(self) -> None:
        activation = self.activation
        point = self.point
        call = self._load_call = Call(
            activation, "load", f"plugin call of {self.name}", awaited_by=point, given_up=self._gives_up_load
        )
        task = self.runtime.tasks.own(call, self._call_plugin(activation))
        point.waiting_for = (call.label, call.started)
        await point.until(
            lambda: task.done() or self.ending or (self._again and call in point.spared)
        )  # a call that waits for this restart, through others, is not waited for
        if not task.done() and call not in point.spared:
            task.cancel()
            await point.until(lambda: task.done() or call in point.spared)
        point.waiting_for = None
        self._load_call = None if task.done() else call
        if not task.done():  # it waits for this undo, and goes on without anybody who looks at its end
            task.add_done_callback(partial(self.runtime.tasks.report_failed, call))
        if task.done() and (error := self._load_error(task)) is not None:
            self.error = error
            self._failed_ground = dict(activation.ground)
            self.runtime.report(error, activation, self.name, "plugin call")
        stands = self._ground_stands(by_entry=False)
        if self.error is not None or self.ending or self._again or not stands or not task.done():
            self._enter(FiberState.DISPOSING)
            return
        before, activation.ground = activation.ground, self._ground()
        self._enter(FiberState.ACTIVE)
        wake_watchers(entry for entry in before.values() if entry not in activation.ground.values())

    def _load_error(self, task: asyncio.Task[None]) -> BaseException | None:
        if not task.cancelled():
            return task.exception()
        if self.ending:
            return None
        return plugin_raised(self.name, "plugin call", asyncio.CancelledError("it cancelled its own task"))

    async def _call_plugin(self, activation: Activation) -> None:
        # The decision to load and this step lie in different turns of the loop: look again.
        if self.ending or self._again or not self._ground_stands(by_entry=False):
            return
        config = await self._prepared_config(self.config)
        if self.ending or not self._ground_stands(by_entry=False):
            return
        result = await self.code.call(self.context, config)
        effect = Effect(activation, f"result of {self.name}", activation)
        assert activation.parts is not None
        activation.parts[effect] = None
        effect.adopt(result)
        if effect.setting_up:
            await effect
        elif effect.parts is None and effect._undo is None:
            effect()

    async def _prepared_config(self, config: Any) -> Any:
        if self.runtime.has_listeners("internal/config"):
            config = await self.runtime.waterfall(
                "internal/config", (self, config), lambda _fiber, config: config, None
            )
        return self.code.validated(config, self.name)

    async def _undo(self) -> None:
        activation = self.activation
        await self.undo_activation(activation)
        activation.phase = GONE
        ground, activation.ground = activation.ground, {}
        wake_watchers(ground.values())
        if self.ending:
            self._end()
            return
        self.activation = Activation(self, {})
        self.context = self._new_context()
        if self.error is not None and not self._again:
            self._enter(FiberState.FAILED)
        else:
            self._enter(FiberState.PENDING if self.missing else FiberState.LOADING)

    async def undo_activation(self, activation: Activation) -> None:
        """Dependents first, then running calls and tasks, then the ledger in reverse order."""
        point = self.point
        runtime = self.runtime
        activation.phase = UNDOING
        entries = list(activation.provided.values())
        if entries:
            await runtime.services_table.dependents_gone(entries, point)
        # One more turn of the loop: whoever asked for this end may be about to await it.
        await asyncio.sleep(0)
        for call in list(activation.calls):
            if call not in point.spared and call.kind != "set-up" and call.task is not None:
                call.task.cancel()
        for dispatch in list(runtime.dispatches):
            if dispatch.holds(activation) and dispatch not in point.spared:
                dispatch.interrupt(activation)
        if activation.holds_calls(point.spared):
            with point.waiting(running_label(activation)):
                await point.until(lambda: not activation.holds_calls(point.spared))
        await activation.drain(point)

    def _end(self) -> None:
        """Removed for ever."""
        self.runtime.services_table.release(self, self.required_keys)
        self._enter(FiberState.DISPOSED)
        self.uid = None
        if self.entry is not None:
            self.entry.forget()
        self.runtime.forget_fiber(self)

    # -- refusals ----------------------------------------------------------------------------------

    def _raise_error(self) -> None:
        if self.error is not None and self.state == FiberState.FAILED:
            raise self.error

    def _refuse_disposed(self, what: str) -> None:
        self.runtime.check_thread(what)
        if self.state == FiberState.DISPOSED or (self.ending and not self.is_root):
            raise CoreError(
                "INACTIVE_CONTEXT",
                f"{what}: plugin {self.name!r} is inactive: it was disposed; load it again",
            )
