"""Effects: what was done together with the way to undo it.

An effect is an entry of a ledger and its own disposer. Its parts are undo functions and effects below
it, in order; an undo takes the last part, waits for its end, and goes on with the one before.

Source: docs/runtime.md 6.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from functools import partial
from inspect import isasyncgen, isawaitable, isgenerator
from threading import get_ident
from types import BuiltinMethodType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, cast

from workbench.core.calls import Call, running_chain
from workbench.core.errors import CoreError, inactive
from workbench.core.waitpoints import Waitpoint

if TYPE_CHECKING:
    from workbench.core.activation import Activation

UndoFunction = Callable[[], Any]
"""Undoes one thing. What it returns is awaited if it is awaitable."""

LIVE, UNDOING, GONE = 0, 1, 2
_PLAIN_CALLABLES = frozenset({FunctionType, MethodType, BuiltinMethodType, partial})


@dataclass(frozen=True, slots=True)
class EffectNode:
    """One entry of a ledger, for views."""

    label: str
    children: tuple[EffectNode, ...]


class _Nothing:
    """An awaitable that is over at once: the end of an undo without asynchronous parts."""

    __slots__ = ()

    def __await__(self) -> Generator[Any, Any, None]:
        yield from ()


NOTHING = _Nothing()


class Ended:
    """The end of something, to be awaited. Awaiting spares the calls that the awaiting code runs in."""

    __slots__ = ("_fact", "_point", "_refuse", "_result")

    def __init__(
        self,
        point: Waitpoint,
        fact: Callable[[], bool],
        result: Callable[[], None] | None = None,
        refuse: Callable[[list[Any]], None] | None = None,
    ) -> None:
        self._point = point
        self._fact = fact
        self._result = result
        self._refuse = refuse

    def __await__(self) -> Generator[Any, Any, None]:
        chain = running_chain()
        if chain and not self._fact():
            if self._refuse is not None:
                self._refuse(chain)
            refuse_own_disposer(self._point, chain)
            self._point.spare(set(chain))
        yield from self._point.awaited(self._fact)
        if self._result is not None:
            self._result()


def refuse_own_disposer(point: Waitpoint, chain: list[Any]) -> None:
    """Raise `SELF_AWAIT` when `point` waits for a disposer that is in the chain."""
    for call in chain:
        if not isinstance(call, Call) or call.kind != "disposer" or call.awaited_by is None:
            continue
        if point.waits_for(call.awaited_by):
            raise CoreError(
                "SELF_AWAIT",
                f"a disposer of {call.awaited_by.label!r} awaits the end of {point.label!r}, which waits for that "
                "disposer; ask for the end without awaiting it",
            )


class Effect:
    """One entry of a ledger. Calling it undoes it, once; the result can be awaited in any case.

    Awaiting the effect itself waits for an asynchronous set-up and raises what that raised.
    """

    __slots__ = ("_undo", "error", "home", "label", "ledger", "parts", "phase", "setting_up", "waitpoint")

    def __init__(self, ledger: Activation, label: str, home: Effect | None) -> None:
        self.ledger = ledger
        self.label = label
        self.home = home
        self.phase = LIVE
        self.parts: dict[Any, None] | None = None
        """Undo functions (as `_Part`) and effects, in order of set-up."""
        self._undo: UndoFunction | None = None
        """The only part, where that is one function: most effects are so."""
        self.setting_up: Call | None = None
        """The asynchronous body, while it runs."""
        self.waitpoint: Waitpoint | None = None
        self.error: BaseException | None = None

    # -- undo ------------------------------------------------------------------------------------

    def __call__(self) -> Awaitable[None]:
        if self.phase:
            return NOTHING if self.phase == GONE else Ended(self.end_point(), self.is_gone)
        ledger = self.ledger
        runtime = ledger.runtime
        if get_ident() != runtime.thread_id:
            raise runtime.wrong_thread("a disposer")
        undo = self._undo
        if undo is None or self.parts is not None or self.setting_up:
            return self._undo_parts()
        self.phase = UNDOING
        self._undo = None
        runtime.disposers_running += 1
        try:
            result = undo()
        except BaseException as error:
            runtime.report(error, ledger, self.label, "disposer")
            result = None
        finally:
            runtime.disposers_running -= 1
        if result is None or result is NOTHING or not isawaitable(result):
            self.forget()
            return NOTHING
        return self._undo_later(result)

    def is_gone(self) -> bool:
        return self.phase == GONE

    def end_point(self) -> Waitpoint:
        if self.waitpoint is None:
            self.waitpoint = Waitpoint(self.label)
        return self.waitpoint

    def forget(self) -> None:
        """The undo has ended: leave the ledger and wake whoever waits for that."""
        self.phase = GONE
        home = self.home
        if home is not None and home.parts is not None:
            home.parts.pop(self, None)
        if self.waitpoint is not None:
            self.waitpoint.notify()

    def _undo_parts(self) -> Awaitable[None]:
        self.phase = UNDOING
        pending = None
        if not self.setting_up:
            pending = self._undo_until_awaitable()
            if pending is None:
                self.forget()
                return NOTHING
        return self._undo_later(pending)

    def _undo_later(self, pending: Any) -> Awaitable[None]:
        point = self.end_point()
        self.ledger.runtime.tasks.spawn(self._undo_rest(point, pending), f"undo of {self.label}")
        return Ended(point, self.is_gone)

    async def _undo_rest(self, point: Waitpoint, pending: Any) -> None:
        await self.drain(point, pending)
        self.forget()

    def _undo_until_awaitable(self) -> Any:
        """Undo parts, last first, until one has to be waited for; return that awaitable, or None."""
        while (part := self._last_part()) is not None:
            if isinstance(part, Effect):
                part()
                if part.phase != GONE:
                    return part
            else:
                result = self._run_disposer(part)
                if result is not None:
                    return result
        return None

    def _last_part(self) -> Any:
        if self.parts:
            part = next(reversed(self.parts))
            if not isinstance(part, Effect):
                del self.parts[part]
                return part.undo
            return part
        undo, self._undo = self._undo, None
        return undo

    def _run_disposer(self, undo: UndoFunction) -> Any:
        runtime = self.ledger.runtime
        runtime.disposers_running += 1
        try:
            result = undo()
        except BaseException as error:
            runtime.report(error, self.ledger, self.label, "disposer")
            return None
        finally:
            runtime.disposers_running -= 1
        if result is None or result is NOTHING or not isawaitable(result):
            return None
        return result

    async def drain(self, point: Waitpoint, pending: Any = None) -> None:
        """Undo all parts in strictly reverse order, each awaited before the next one starts.

        `point` stands for the undo that does this: an effect's own, or that of a whole fiber.
        """
        if (setting_up := self.setting_up) is not None:
            with point.waiting(f"set-up of {self.label}"):
                end = self.end_point()
                await end.until(lambda: self.setting_up is None or setting_up in end.spared)
        while True:
            if pending is None:
                pending = self._undo_until_awaitable()
                if pending is None:
                    return
            if isinstance(pending, Effect):
                end = pending.end_point()
                with point.waiting(pending.label, end):
                    await end.until(pending.is_gone)
            else:
                await self._finish_disposer(point, pending)
            pending = None

    async def _finish_disposer(self, point: Waitpoint, pending: Awaitable[Any]) -> None:
        runtime = self.ledger.runtime
        call = Call(self.ledger, "disposer", self.label, awaited_by=point)
        task = runtime.tasks.own(call, pending)
        with point.waiting(self.label):
            await point.until(task.done)
        if not task.cancelled() and (error := task.exception()) is not None:
            runtime.report(error, self.ledger, self.label, "disposer")

    # -- set-up ----------------------------------------------------------------------------------

    def __await__(self) -> Generator[Any, Any, None]:
        if self.setting_up:
            yield from self.end_point().awaited(lambda: not self.setting_up)
        if self.error is not None:
            raise self.error

    def collect(self, disposer: Any) -> None:
        """Record one way to undo: a function, an effect (which moves here), or nothing."""
        if disposer is None:
            return
        if isinstance(disposer, Effect):
            if disposer.phase != GONE:
                disposer.move_below(self)
            return
        entry = getattr(disposer, "entry", None)
        if isinstance(entry, Effect):  # a fiber stands for the effect of having loaded it
            entry.move_below(self)
            return
        if not callable(disposer):
            raise CoreError(
                "INVALID_EFFECT",
                f"effect {self.label!r} of plugin {self.ledger.fiber.name!r} gave a "
                f"{type(disposer).__name__} as a disposer; give a function, another effect, or nothing",
            )
        if self.parts is None:
            self.parts = {}
        self.parts[_Part(disposer)] = None

    def move_below(self, home: Effect) -> None:
        if home is self or self.home is home:
            return
        if self.home is not None and self.home.parts is not None:
            self.home.parts.pop(self, None)
        self.home = home
        if home.parts is None:
            home.parts = {}
        home.parts[self] = None

    def adopt(self, result: Any) -> None:
        """Record what a body gave. Raises `INVALID_EFFECT` for anything that is no way to undo."""
        if type(result) in _PLAIN_CALLABLES and self.phase == LIVE and self.parts is None:
            self._undo = result
        elif result is None or isinstance(result, Effect):
            self.collect(result)
        elif isgenerator(result):
            for disposer in result:
                self.collect(disposer)
        elif isasyncgen(result):
            self._set_up_later(self._collect_all(cast(AsyncGenerator[Any, Any], result)))
        elif isawaitable(result) and getattr(result, "entry", None) is None:
            self._set_up_later(self._collect_one(result))
        else:
            self.collect(result)
        self._undo_what_came_late()

    def _undo_what_came_late(self) -> None:
        """What arrives after the undo is undone at once, and the owner waits for that."""
        if self.phase == GONE and (self.setting_up or self.parts or self._undo):
            self.phase = LIVE
            self.home = None
            self.move_below(self.ledger)
            self()

    def _set_up_later(self, work: Coroutine[Any, Any, None]) -> None:
        self.setting_up = Call(
            self.ledger, "set-up", self.label, awaited_by=self.end_point(), given_up=self._gives_up_set_up
        )
        task = self.ledger.runtime.tasks.own(self.setting_up, work)
        task.add_done_callback(self._set_up_ended)

    def _gives_up_set_up(self, call: Call) -> bool:
        """An undo does not wait for a set-up that waits for it."""
        return self.phase != LIVE and call in self.end_point().spared

    async def _collect_one(self, result: Awaitable[Any]) -> None:
        given = await result
        if isgenerator(given):
            for disposer in given:
                self.collect(disposer)
        elif isasyncgen(given):
            await self._collect_all(cast(AsyncGenerator[Any, Any], given))
        else:
            self.collect(given)

    async def _collect_all(self, disposers: AsyncGenerator[Any, Any]) -> None:
        try:
            async for disposer in disposers:
                self.collect(disposer)
                if self.phase != LIVE:
                    break
        finally:
            await disposers.aclose()

    def _set_up_ended(self, task: Any) -> None:
        self.setting_up = None
        if not task.cancelled():
            self.error = task.exception()
        if self.error is not None:
            self.ledger.runtime.report(self.error, self.ledger, self.label, "set-up")
            self()
        self._undo_what_came_late()
        self.end_point().notify()

    def node(self) -> EffectNode:
        """This entry and those below it, for views."""
        children = tuple(part.node() for part in self.parts or () if isinstance(part, Effect))
        return EffectNode(self.label, children)


Disposer = Effect


class _Part:
    """An undo function as a part: two equal bound methods are two parts."""

    __slots__ = ("undo",)

    def __init__(self, undo: UndoFunction) -> None:
        self.undo = undo


def open_effect(home: Effect, body: Callable[[], Any], label: str) -> Effect:
    """Run `body` now and record in `home` how to undo it.

    The entry stands in the ledger before `body` runs, so that a dispose from within finds it.
    Raises what `body` raises, after undoing what was collected; `INVALID_EFFECT`; `INACTIVE_CONTEXT`.
    """
    ledger = home.ledger
    if get_ident() != ledger.runtime.thread_id:
        raise ledger.runtime.wrong_thread(f"effect {label!r}")
    if ledger.closed or home.phase:
        raise inactive(ledger.fiber.name, f"effect {label!r}")
    effect = Effect(ledger, label, home)
    parts = home.parts
    if parts is None:
        parts = home.parts = {}
    parts[effect] = None
    try:
        result = body()
        kind = type(result)
        if (kind is FunctionType or kind is partial) and effect.phase == LIVE:
            effect._undo = result
        else:
            effect.adopt(result)
    except BaseException:
        effect()
        raise
    return effect
