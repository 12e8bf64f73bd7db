"""Waterfalls with somebody watching: what each listener did, how long it took, how it treated `next`.

The runtime uses this class while somebody watches, and the plain one otherwise: tracing that is off
costs nothing.

Source: docs/runtime.md 7.1.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass
from types import coroutine
from typing import Any, Literal

from workbench.core.events import Listener
from workbench.core.waterfall import CHAINED, Dispatch, is_awaitable, steps_of

Outcome = Literal["passed", "short-circuited", "not awaited", "raised", "skipped"]


class ListenerRecord:
    """What one listener did in one watched waterfall."""

    __slots__ = (
        "asked",
        "awaited",
        "dispatch",
        "error",
        "inside_ns",
        "listener",
        "outcome",
        "started_ns",
        "total_ns",
        "travelled",
    )

    def __init__(self, dispatch: WatchedDispatch, listener: Listener) -> None:
        self.dispatch = dispatch
        self.listener = listener
        self.outcome: Outcome = "passed"
        self.started_ns = 0
        """`time.perf_counter_ns()` when it was entered."""
        self.total_ns = 0
        self.inside_ns = 0
        """Of the total, the time inside `next()`."""
        self.asked = 0
        """How often it called `next`."""
        self.awaited = 0
        self.error: BaseException | None = None
        self.travelled: BaseException | None = None
        """An error of the rest of the chain that came through it."""

    @property
    def own_ns(self) -> int:
        """Time in the listener itself, without `next()`."""
        return self.total_ns - self.inside_ns

    @property
    def owner(self) -> str:
        return self.listener.ledger.fiber.name

    @property
    def label(self) -> str:
        return self.listener.label

    def next(self) -> Any:
        self.asked += 1
        return self.dispatch.step(self)

    def close(self, error: BaseException | None) -> None:
        self.total_ns = time.perf_counter_ns() - self.started_ns
        self.error = error
        if error is not None:
            self.outcome = "passed" if error is self.travelled else "raised"
        elif self.asked == 0:
            self.outcome = "short-circuited"
        elif self.awaited < self.asked:
            self.outcome = "not awaited"


class WatchedDispatch(Dispatch):
    """A dispatch that records what each listener did. The runtime uses it while somebody watches."""

    __slots__ = ("records",)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.records: list[ListenerRecord] = []

    def trace(self) -> WaterfallTrace:
        return WaterfallTrace(self.name, tuple(self.records), self.error)

    def before(self, record: ListenerRecord) -> None:
        """A listener is about to be entered."""

    def at_next(self, record: ListenerRecord) -> None:
        """The listener awaits the rest of the chain now."""

    def after_next(self, record: ListenerRecord, result: Any) -> None:
        """The rest of the chain has given its result to the listener."""

    def after(self, record: ListenerRecord, result: Any) -> None:
        """The listener has returned."""

    def rest(self) -> Any:
        return self.step(None)

    @coroutine
    def step(self, caller: ListenerRecord | None) -> Generator[Any, Any, Any]:
        """As `rest`, for a listener whose record is `caller`. One frame, so that the depth stays the same."""
        self.check_running()
        began = time.perf_counter_ns()
        if caller is not None:
            caller.awaited += 1
            self.at_next(caller)
        record: ListenerRecord | None = None
        try:
            for listener in self.cursor:
                record = ListenerRecord(self, listener)
                self.records.append(record)
                if listener.live and not listener.ledger.closed:
                    break
                record.outcome, record = "skipped", None
            if record is None:
                result: Any = self.default(*self.args) if self.default is not None else None
            else:
                self.entered.append(listener)
                self.before(record)
                record.started_ns = time.perf_counter_ns()
                result = listener.function(*self.args, record.next)
            if is_awaitable(result):
                result = yield from steps_of(result)
            while type(result) in CHAINED and is_awaitable(result):
                result = yield from result
            if record is not None:
                self.leave(listener)
                record.close(None)
                self.after(record, result)
                self.left(listener)
        except BaseException as error:
            if record is not None and listener in self.entered:
                self.leave(listener)
                record.close(error)
                listener.ledger.fiber.point.notify()
            if caller is not None:
                caller.inside_ns += time.perf_counter_ns() - began
                caller.travelled = error
            if record is not None:
                try:
                    self.raise_at_boundary(listener, error)
                except BaseException as ordinary:
                    if caller is not None:
                        caller.travelled = ordinary
                    raise
            raise
        if caller is not None:
            caller.inside_ns += time.perf_counter_ns() - began
            self.after_next(caller, result)
        return result


@dataclass(frozen=True, slots=True)
class WaterfallTrace:
    """One watched waterfall: the listeners that were reached, in the order in which they were entered."""

    event: str
    listeners: tuple[ListenerRecord, ...]
    error: BaseException | None
