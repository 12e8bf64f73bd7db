"""Who waits for whom: what keeps an undo from waiting for itself.

A *waitpoint* is something whose end can be waited for: a fiber, or the undo of one effect. Whoever awaits
one spares the calls it runs inside of, so that the undo neither cancels them nor waits for them. Waits
that would close a ring are broken where that is allowed: an undo leaves out a dependent that waits for it,
or an `await` in plugin code is refused.

Source: docs/runtime.md 6.4.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from workbench.core.calls import Call, Running, running_chain
from workbench.core.errors import CoreError

WHO = {"load": "the plugin call", "disposer": "a disposer", "set-up": "a set-up"}
"""The calls that something waits for, in words."""


class Await:
    """One `await` in a call that others wait for."""

    __slots__ = ("call", "refused")

    def __init__(self, call: Call) -> None:
        self.call = call
        self.refused = False

    @property
    def holds_up(self) -> bool:
        """Whether whoever waits for the call waits for this, too."""
        return not self.refused and not (self.call.given_up is not None and self.call.given_up(self.call))


class Wait:
    """That one end waits for another, for any number of reasons."""

    __slots__ = ("awaits", "exempt", "left_out", "times")

    def __init__(self) -> None:
        self.times = 0
        """Waits that nothing can break: an undo waits for each of its parts."""
        self.exempt = 0
        """Waits that end where the two wait for each other."""
        self.left_out = False
        """Whether those have ended so."""
        self.awaits: tuple[Await, ...] = ()

    @property
    def is_over(self) -> bool:
        return not (self.times or self.exempt or self.awaits)

    @property
    def holds_up(self) -> bool:
        if self.times or (self.exempt and not self.left_out):
            return True
        return any(each.holds_up for each in self.awaits)

    def leave_out(self) -> bool:
        """End it as an exempt one. False if it is none, or not only that."""
        if not self.exempt or self.left_out or self.times or self.awaits:
            return False
        self.left_out = True
        return True

    def refuse(self) -> bool:
        """Refuse what awaits. False if nothing does, or there are other reasons."""
        if not self.awaits or self.times or self.exempt:
            return False
        for each in self.awaits:
            each.refused = True
        return True


class Waitpoint:
    """Something whose end can be awaited by anyone, any number of times."""

    __slots__ = ("_wakers", "label", "spared", "waiting_for", "waits")

    def __init__(self, label: str) -> None:
        self.label = label
        self.spared: set[Running] = set()
        """Calls that wait for this end; the undo leaves them alone."""
        self.waits: dict[Waitpoint, Wait] = {}
        """The ends that this one waits for now."""
        self.waiting_for: tuple[str, float] | None = None
        """What it waits for now, in words, and since when (time of the loop)."""
        self._wakers: list[asyncio.Future[None]] = []

    # -- waiting -----------------------------------------------------------------------------------

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

    def awaited(self, fact: Callable[[], bool]) -> Generator[Any, Any, None]:
        """Wait in plugin code, or anywhere else. Raises `SELF_AWAIT` where that would wait for itself."""
        awaits: list[tuple[Waitpoint, Await]] = []
        try:
            for call in running_chain():
                if isinstance(call, Call) and call.awaited_by is not None:
                    awaits.append((call.awaited_by, Await(call)))
                    call.awaited_by.link_await(self, awaits[-1][1])
            yield from self.until(lambda: fact() or any(each.refused for _, each in awaits)).__await__()
        finally:
            for source, each in awaits:
                source.unlink_await(self, each)
        for _, each in awaits:
            if each.refused and not fact():
                raise CoreError(
                    "SELF_AWAIT",
                    f"{WHO[each.call.kind]} of {each.call.ledger.fiber.name!r} awaits the end of {self.label!r}, "
                    "which waits for that call; ask for the end without awaiting it",
                )

    def spare(self, calls: set[Running]) -> None:
        """Leave these calls alone, here and in everything that is waited for from here."""
        todo = [(self, calls)]
        while todo:
            point, given = todo.pop()
            new = given - point.spared
            if new:
                point.spared |= new
                point.notify()
                todo += [(other, new) for other in point.waits]

    # -- who waits for whom ------------------------------------------------------------------------

    @contextmanager
    def waiting(self, label: str, *others: Waitpoint, exempt: bool = False) -> Iterator[None]:
        """While the body runs, this undo waits for `others`; they spare what it spares."""
        before, self.waiting_for = self.waiting_for, (label, asyncio.get_running_loop().time())
        for other in others:
            self.link(other, exempt=exempt)
        try:
            yield
        finally:
            self.waiting_for = before
            for other in others:
                self.unlink(other, exempt=exempt)

    def link(self, other: Waitpoint, *, exempt: bool = False) -> None:
        """From now on this end waits for `other`: an exempt one unless that waits for this one, too."""
        wait = self._wait(other)
        if exempt:
            wait.exempt += 1
        else:
            wait.times += 1
        self._linked(other)

    def unlink(self, other: Waitpoint, *, exempt: bool = False) -> None:
        wait = self.waits[other]
        if exempt:
            wait.exempt -= 1
        else:
            wait.times -= 1
        self._unlinked(other, wait)

    def link_await(self, other: Waitpoint, each: Await) -> None:
        """From now on plugin code that this end waits for awaits `other`."""
        self._wait(other).awaits += (each,)
        self._linked(other)

    def unlink_await(self, other: Waitpoint, each: Await) -> None:
        wait = self.waits[other]
        wait.awaits = tuple(kept for kept in wait.awaits if kept is not each)
        self._unlinked(other, wait)

    def leaves_out(self, other: Waitpoint) -> bool:
        """Whether this end does not wait for `other` any more, since that waits for this one."""
        wait = self.waits.get(other)
        return wait is not None and wait.left_out

    def waits_for(self, other: Waitpoint) -> bool:
        """Whether this end waits for `other`, directly or through others, or is it."""
        return self is other or bool(self.path_to(other))

    def path_to(self, other: Waitpoint) -> list[Waitpoint]:
        """The ends from this one to `other`, each of which waits for the next. Empty if there is no such path."""
        reached: dict[Waitpoint, Waitpoint | None] = {self: None}
        todo = [self]
        while todo:
            point = todo.pop()
            for following, wait in point.waits.items():
                if following in reached or not wait.holds_up:
                    continue
                reached[following] = point
                if following is other:
                    return list(_back(following, reached))[::-1]
                todo.append(following)
        return []

    def _wait(self, other: Waitpoint) -> Wait:
        wait = self.waits.get(other)
        if wait is None:
            wait = self.waits[other] = Wait()
        return wait

    def _linked(self, other: Waitpoint) -> None:
        """`other` spares what this one spares; ends that wait for one another in a ring would do so for ever."""
        if self.spared:
            other.spare(self.spared)
        if not other.waits:
            return
        wait = self.waits[other]
        while wait.holds_up and (path := other.path_to(self)):
            if not _break(pairwise([self, *path])):
                return

    def _unlinked(self, other: Waitpoint, wait: Wait) -> None:
        if wait.is_over:
            del self.waits[other]


def _back(point: Waitpoint, reached: dict[Waitpoint, Waitpoint | None]) -> Iterator[Waitpoint]:
    each: Waitpoint | None = point
    while each is not None:
        yield each
        each = reached[each]


def _break(ring: Iterable[tuple[Waitpoint, Waitpoint]]) -> bool:
    """End one wait of a ring: rather one that is exempt than one that has to be refused."""
    pairs = list(ring)
    for point, following in pairs:
        if point.waits[following].leave_out():
            point.notify()
            return True
    for point, following in pairs:
        if point.waits[following].refuse():
            following.notify()
            return True
    return False
