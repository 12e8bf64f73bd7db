"""Who is running, and who waits for whom: what keeps an undo from waiting for itself.

A *call* is plugin code in progress. A *waitpoint* is something that can be waited for: a fiber, or the
undo of one effect. Whoever awaits a waitpoint spares the calls it runs inside of, so that the undo
neither cancels them nor waits for them.

Source: docs/runtime.md 6.4.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from workbench.core.activation import Activation

CallKind = Literal["load", "listener", "task", "disposer", "set-up"]


class Running(Protocol):
    """Plugin code in progress: a `Call`, or a dispatch with the listeners it has entered."""

    @property
    def outer(self) -> Running | None: ...

    def holds(self, ledger: Activation) -> bool: ...


CURRENT: ContextVar[Running | None] = ContextVar("workbench-running-call", default=None)
"""The innermost call that the present code runs inside of."""


class Call:
    """Plugin code that runs in a task of its own."""

    __slots__ = ("disposes", "kind", "label", "ledger", "outer", "started", "task")

    def __init__(
        self,
        ledger: Activation,
        kind: CallKind,
        label: str,
        outer: Running | None = None,
        disposes: Waitpoint | None = None,
    ) -> None:
        self.ledger = ledger
        self.kind: CallKind = kind
        self.label = label
        self.outer = outer
        self.disposes = disposes
        """For a disposer: the undo that waits for it."""
        self.task: asyncio.Task[Any] | None = None
        self.started = ledger.runtime.loop.time()

    def holds(self, ledger: Activation) -> bool:
        return self.ledger is ledger


def is_close_from_outside(error: BaseException, task: asyncio.Task[Any] | None) -> bool:
    """Whether a `GeneratorExit` means that a coroutine is being closed, and not that its code raised one."""
    if not isinstance(error, GeneratorExit):
        return False
    try:
        return asyncio.current_task() is not task
    except RuntimeError:
        return True


def running_chain() -> list[Running]:
    """The calls that the present code runs inside of, innermost first."""
    chain: list[Running] = []
    call = CURRENT.get()
    while call is not None:
        chain.append(call)
        call = call.outer
    return chain


@contextmanager
def awaited_by_disposers(point: Waitpoint) -> Iterator[None]:
    """While the body runs, the undos whose disposers the present code runs inside of wait for `point`."""
    undos = [call.disposes for call in running_chain() if isinstance(call, Call) and call.disposes is not None]
    for undo in undos:
        undo.link(point)
    try:
        yield
    finally:
        for undo in undos:
            undo.unlink(point)


class Waitpoint:
    """Something whose end can be awaited by anyone, any number of times."""

    __slots__ = ("_wakers", "label", "spared", "waiting_for", "waits")

    def __init__(self, label: str) -> None:
        self.label = label
        self.spared: set[Running] = set()
        """Calls that wait for this end; the undo leaves them alone."""
        self.waits: dict[Waitpoint, int] = {}
        """The ends that this one waits for now, and how often."""
        self.waiting_for: tuple[str, float] | None = None
        """What it waits for now, in words, and since when (time of the loop)."""
        self._wakers: list[asyncio.Future[None]] = []

    def notify(self) -> None:
        """Some fact has changed: whoever waits looks again."""
        if self._wakers:
            wakers, self._wakers = self._wakers, []
            for waker in wakers:
                if not waker.done():
                    waker.set_result(None)

    async def until(self, fact: Callable[[], bool]) -> None:
        """Return as soon as `fact()` holds. Cancelling this ends the waiting and nothing else."""
        while not fact():
            waker = asyncio.get_running_loop().create_future()
            self._wakers.append(waker)
            await waker

    def spare(self, calls: set[Running]) -> None:
        """Leave these calls alone, here and in everything that is waited for from here."""
        new = calls - self.spared
        if not new:
            return
        self.spared |= new
        self.notify()
        for other in list(self.waits):
            other.spare(new)

    @contextmanager
    def waiting(self, label: str, *others: Waitpoint) -> Iterator[None]:
        """While the body runs, this undo waits for `others`; they spare what it spares."""
        before, self.waiting_for = self.waiting_for, (label, asyncio.get_running_loop().time())
        for other in others:
            self.link(other)
        try:
            yield
        finally:
            self.waiting_for = before
            for other in others:
                self.unlink(other)

    def link(self, other: Waitpoint) -> None:
        """From now on this end waits for `other`, which spares what this one spares."""
        self.waits[other] = self.waits.get(other, 0) + 1
        other.spare(self.spared)

    def unlink(self, other: Waitpoint) -> None:
        self.waits[other] -= 1
        if not self.waits[other]:
            del self.waits[other]

    def waits_for(self, other: Waitpoint) -> bool:
        """Whether this end waits for `other`, directly or through others."""
        seen: set[Waitpoint] = set()
        todo = [self]
        while todo:
            point = todo.pop()
            if point is other:
                return True
            if point not in seen:
                seen.add(point)
                todo.extend(point.waits)
        return False
