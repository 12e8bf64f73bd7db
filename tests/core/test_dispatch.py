"""Listeners and the modes of dispatch (spec: Events)."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import Boom, Log, Next, P, Patient, Spawn, Traces, labels, refuses
from tests.support.records import Records
from workbench.core import Context, Event, Runtime


@pytest.fixture(params=[False, True], ids=["plain", "traced"])
def traced(request: pytest.FixtureRequest) -> bool:
    """Whether somebody watches."""
    return bool(request.param)


def raises(*_: object) -> None:
    raise Boom("boom")


async def passes(*args: Any) -> Any:
    return await args[-1]()


async def test_once_is_gone_before_its_listener_runs(root: Context, log: Log) -> None:
    def listener() -> None:
        log.append("ran")
        root.emit("ev")

    p = await root.plugin(P("p"))
    p.context.once("ev", listener)
    root.emit("ev")
    root.emit("ev")
    assert log == ["ran"]
    assert labels(p) == []


async def test_once_can_be_disposed_unheard(root: Context, log: Log) -> None:
    dispose = root.once("ev", lambda: log.append("ran"))
    await dispose()
    root.emit("ev")
    assert log == []


async def test_once_in_a_waterfall_and_serial(root: Context, log: Log) -> None:
    root.once("w", passes)
    root.once("s", lambda: "first")
    assert [await root.waterfall("w", default=lambda: 1) for _ in range(2)] == [1, 1]
    assert [await root.serial("s") for _ in range(2)] == ["first", None]


async def test_each_registration_is_an_entry_of_its_own(root: Context, log: Log) -> None:
    class Listener:
        def hear(self) -> None:
            log.append("heard")

    listener = Listener()
    first = root.on("ev", listener.hear)
    root.on("ev", listener.hear)
    root.emit("ev")
    assert log == ["heard", "heard"]
    await first()
    await first()
    root.emit("ev")
    assert log == ["heard"] * 3


@pytest.mark.parametrize("mode", ["emit", "bail", "serial", "waterfall"])
async def test_the_list_of_a_dispatch_is_fixed(root: Context, log: Log, mode: str) -> None:
    def first(*args: Any) -> Any:
        log.append("first")
        gone()
        root.on("ev", lambda *_: log.append("added"))
        return args[-1]() if args else None

    root.on("ev", first)
    gone = root.on("ev", lambda *_: log.append("gone"))
    result = getattr(root, mode)("ev")
    if mode in ("serial", "waterfall"):
        await result
    assert log == ["first"]


@pytest.mark.parametrize("mode", ["serial", "parallel", "waterfall"])
async def test_a_listener_whose_owner_is_gone_is_skipped(root: Context, log: Log, mode: str) -> None:
    async def first(*args: Any) -> None:
        await p.dispose()
        if args:
            await args[-1]()

    p = await root.plugin(P("p"))
    root.on("ev", first)
    p.context.on("ev", lambda *_: log.append("skipped one"))
    root.on("ev", lambda *_: log.append("last"))
    await getattr(root, mode)("ev")
    # A parallel dispatch starts all its listeners before the first one has disposed anything.
    assert log == (["skipped one", "last"] if mode == "parallel" else ["last"])


async def test_a_skipped_waterfall_listener_is_traced(rt: Runtime, root: Context) -> None:
    async def first(next: Next) -> None:
        await p.dispose()
        await next()

    p = await root.plugin(P("p"))
    root.on("ev", first)
    p.context.on("ev", passes)
    q = await root.plugin(P("q"))
    q.context.on("ev", passes)
    traces = Traces(rt)
    await root.waterfall("ev")
    assert traces.last == [("root", "passed", 1), ("p", "skipped", 0), ("q", "passed", 1)]


async def test_a_declared_mode_refuses_others(rt: Runtime, root: Context) -> None:
    withdraw = root.declare(Event("ev", "waterfall"))
    with refuses("WRONG_MODE", "ev"):
        root.declare(Event("ev", "emit"))
    with refuses("WRONG_MODE", "ev"):
        root.bail("ev")
    for mode in ("serial", "parallel"):
        with refuses("WRONG_MODE", "ev"):
            await getattr(root, mode)("ev")
    again = root.declare(Event("ev", "waterfall"))
    await root.waterfall("ev")
    await withdraw()
    with refuses("WRONG_MODE", "ev"):
        root.emit("ev")
    await again()
    root.emit("ev")


async def test_the_mode_of_an_undeclared_event_is_not_remembered(root: Context) -> None:
    root.on("ev", lambda *_: None)
    root.emit("ev")
    await root.waterfall("ev")
    root.bail("ev")


async def test_events_can_be_named_by_their_object(root: Context, log: Log) -> None:
    event = Event("ev", "emit")
    root.declare(event)
    root.on(event, log.append)
    root.emit(event, 1)
    root.emit("ev", 2)
    assert log == [1, 2]


async def test_emit_gives_nothing(root: Context) -> None:
    root.on("ev", lambda: "result")
    assert root.emit("ev") is None


async def test_parallel_starts_its_listeners_together(root: Context, clock: Clock) -> None:
    for _ in range(3):
        root.on("ev", lambda: asyncio.sleep(1))
    assert await root.parallel("ev") is None
    assert clock.now == 1


async def test_serial_is_one_after_another(root: Context, clock: Clock, log: Log) -> None:
    def slow(result: object) -> Any:
        async def listener() -> object:
            await asyncio.sleep(1)
            log.append(result)
            return result

        return listener

    for result in (None, False, "found", "behind"):
        root.on("ev", slow(result))
    assert await root.serial("ev") == "found"
    assert log == [None, False, "found"]
    assert clock.now == 3


@pytest.mark.parametrize("value", [0, "", [], {}, 0.0], ids=repr)
async def test_empty_values_stop_serial_and_bail(root: Context, log: Log, value: object) -> None:
    root.on("ev", lambda: value)
    root.on("ev", lambda: log.append("behind"))
    assert await root.serial("ev") is value
    assert root.bail("ev") is value
    assert log == []


async def test_serial_and_bail_raise_at_once(root: Context, log: Log) -> None:
    root.on("ev", raises)
    root.on("ev", lambda: log.append("behind"))
    with pytest.raises(Boom):
        await root.serial("ev")
    with pytest.raises(Boom):
        root.bail("ev")
    assert log == []


async def test_bail_takes_no_coroutine(root: Context) -> None:
    async def listener() -> int:
        return 1

    root.on("ev", listener)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with refuses("WRONG_MODE", "ev"):
            root.bail("ev")
        gc.collect()
    assert caught == []


async def test_contained_changes_no_other_mode(root: Context) -> None:
    root.on("ev", raises, contained=True)
    with pytest.raises(Boom):
        root.bail("ev")
    for dispatch in (root.serial, root.waterfall):
        with pytest.raises(Boom):
            await dispatch("ev")
    with pytest.raises(ExceptionGroup):
        await root.parallel("ev")


async def test_arguments_reach_every_mode(root: Context, log: Log) -> None:
    root.on("ev", lambda *args: log.append(args[:2]))
    root.emit("ev", 1, 2)
    root.bail("ev", 1, 2)
    await root.serial("ev", 1, 2)
    await root.parallel("ev", 1, 2)
    await root.waterfall("ev", 1, 2)
    assert log == [(1, 2)] * 5


async def test_emit_in_a_disposer_called_by_hand_is_contained(
    rt: Runtime, root: Context, log: Log, errors: Records
) -> None:
    root.on("ev", raises)
    root.on("ev", lambda: log.append("second"))
    p = await root.plugin(P("p"))
    await p.context.effect(lambda: lambda: root.emit("ev"), "emits")()
    await rt.quiesce()
    assert log == ["second"]
    assert len(errors) == 1


# Waterfalls


async def test_a_waterfall_without_listeners_is_its_default(root: Context) -> None:
    async def twice(v: int) -> int:
        return 2 * v

    assert await root.waterfall("ev", 3, default=twice) == 6
    assert await root.waterfall("ev", 3, default=lambda v: v) == 3
    assert await root.waterfall("ev", 3) is None


async def test_a_synchronous_listener_may_return_next(root: Context, log: Log) -> None:
    def outer(v: int, next: Next) -> Any:
        log.append("outer")
        return next()

    async def inner(v: int, next: Next) -> Any:
        log.append("inner")
        return next()

    root.on("ev", outer)
    root.on("ev", inner)
    assert await root.waterfall("ev", 3, default=lambda v: v + 1) == 4
    assert log == ["outer", "inner"]


async def test_next_without_a_default_gives_none(root: Context) -> None:
    root.on("ev", passes)
    assert await root.waterfall("ev", 1) is None


async def test_next_takes_no_arguments(root: Context) -> None:
    async def listener(next: Any) -> Any:
        return await next(1)

    root.on("ev", listener)
    with pytest.raises(TypeError):
        await root.waterfall("ev")


async def test_a_shared_argument_and_the_result_can_be_changed(root: Context) -> None:
    async def outer(words: list[str], next: Next) -> list[str]:
        words.append("down")
        result = await next()
        result.append("up")
        return list(result)

    root.on("ev", outer)
    words: list[str] = []
    assert await root.waterfall("ev", words, default=lambda words: words) == ["down", "up"]


async def test_a_retry_wrapper_works_innermost(root: Context, log: Log) -> None:
    async def retries(next: Next) -> Any:
        for _ in range(3):
            try:
                return await next()
            except Boom:
                log.append("again")
        raise AssertionError("the third attempt succeeds")

    attempts = iter([raises, raises, lambda: "done"])
    root.on("ev", passes)
    root.on("ev", retries)
    assert await root.waterfall("ev", default=lambda: next(attempts)()) == "done"
    assert log == ["again", "again"]


async def test_an_error_travels_outwards_and_can_be_caught(root: Context) -> None:
    async def catches(next: Next) -> str:
        try:
            await next()
        except Boom:
            return "caught"
        return "nothing to catch"

    root.on("ev", catches)
    root.on("ev", passes)
    root.on("ev", raises)
    assert await root.waterfall("ev") == "caught"


async def test_next_may_be_awaited_under_a_time_limit(root: Context, clock: Clock) -> None:
    async def impatient(next: Next) -> str:
        try:
            await asyncio.wait_for(next(), 1)
        except TimeoutError:
            return "too slow"
        return "in time"

    root.on("ev", impatient)
    assert await root.waterfall("ev", default=lambda: asyncio.sleep(5)) == "too slow"
    assert clock.now == 1


async def test_two_nexts_side_by_side(rt: Runtime, root: Context, clock: Clock, spawn: Spawn, traced: bool) -> None:
    """The one that ends first is not mistaken for the other, whose owner goes later."""
    if traced:
        Traces(rt)
    listener = Patient()

    async def both(next: Next) -> Any:
        return await asyncio.gather(next(), next())

    async def quick(next: Next) -> None:
        await asyncio.sleep(1)

    async def dispatch() -> None:
        with refuses("INACTIVE_CONTEXT"):
            await root.waterfall("ev")

    p, q, r = [await root.plugin(P(name)) for name in "pqr"]
    p.context.on("ev", both)
    q.context.on("ev", quick)
    r.context.on("ev", listener)
    t = spawn(dispatch())
    await clock.to(2)
    await q.dispose()
    assert (clock.now, listener.cancellations) == (2, 0)
    await p.dispose()
    await t
    assert (listener.cancellations, listener.ended) == (1, 1)


async def test_what_a_listener_forgot_to_await_is_awaited(rt: Runtime, root: Context, traced: bool) -> None:
    if traced:
        Traces(rt)

    async def adds_one(next: Next) -> Any:
        return 1 + await next()

    async def forgets(next: Next) -> Any:
        return adds_one(next)

    root.on("ev", forgets)
    root.on("ev", lambda next: adds_one(next))
    root.on("ev", lambda next: next())
    assert await root.waterfall("ev", default=lambda: 1) == 3


async def test_a_generator_as_a_value_is_left_alone(rt: Runtime, root: Context, traced: bool) -> None:
    if traced:
        Traces(rt)

    async def listener(next: Next) -> Any:
        return (value for value in await next())

    root.on("ev", lambda next: next())
    root.on("ev", listener)
    assert list(await root.waterfall("ev", default=lambda: iter([1, 2]))) == [1, 2]


async def test_next_after_the_end_is_inactive(rt: Runtime, root: Context, log: Log) -> None:
    kept: list[Any] = []

    async def keeps(next: Next) -> None:
        kept.append(next())
        kept.append(next)

    root.on("ev", keeps)
    await root.waterfall("ev", default=lambda: log.append("ran"))
    with refuses("INACTIVE_CONTEXT", "inactive"):
        await kept[0]
    with refuses("INACTIVE_CONTEXT", "inactive"):
        await kept[1]()
    assert log == []


async def test_an_owned_task_that_awaits_next_too_late(
    rt: Runtime, root: Context, errors: Records, log: Log
) -> None:
    p = await root.plugin(P("the-owner"))

    async def later(next: Next) -> None:
        await asyncio.sleep(1)
        await next()
        log.append("ran on")

    def listener(next: Next) -> None:
        p.context.task(later(next), "later")

    p.context.on("ev", listener)
    await root.waterfall("ev", default=lambda: log.append("default"))
    await asyncio.sleep(2)
    assert log == []
    assert errors.naming("the-owner", "later")


async def test_dispatches_do_not_share_a_cursor(root: Context, spawn: Spawn, log: Log) -> None:
    async def slow(v: int, next: Next) -> int:
        await asyncio.sleep(0.1)
        return v + await next()

    async def dispatch(v: int) -> int:
        return await root.waterfall("ev", v, default=lambda v: v)

    root.on("ev", slow)
    root.on("ev", slow)
    tasks = [spawn(dispatch(v)) for v in (1, 10)]
    assert [await task for task in tasks] == [3, 30]


async def test_a_waterfall_in_a_listener_is_a_dispatch_of_its_own(rt: Runtime, root: Context) -> None:
    async def outer(next: Next) -> Any:
        return [await root.waterfall("inner", default=lambda: "inner"), await next()]

    root.on("outer", outer)
    root.on("inner", passes)
    traces = Traces(rt)
    assert await root.waterfall("outer", default=lambda: "outer") == ["inner", "outer"]
    assert [trace.event for trace in traces.waterfalls] == ["inner", "outer"]


async def test_the_limit_is_of_listeners_entered(root: Context) -> None:
    """Listeners behind a short circuit do not count, nor do those that are gone."""
    root.on("ev", lambda next: "stopped")
    for _ in range(400):
        root.on("ev", passes)
    assert await root.waterfall("ev") == "stopped"


# Traces


async def test_a_trace_tells_how_often_next_was_called(rt: Runtime, root: Context) -> None:
    async def twice(next: Next) -> None:
        await next()
        await next()

    async def forgets_one(next: Next) -> None:
        next()
        await next()

    root.on("ev", twice)
    root.on("ev", forgets_one)
    root.on("ev", lambda next: next())
    traces = Traces(rt)
    await root.waterfall("ev")
    assert [entry.asked for entry in traces.waterfalls[-1].listeners] == [2, 2, 1]
    assert [outcome for _, outcome, _ in traces.last] == ["passed", "not awaited", "passed"]


async def test_a_trace_separates_a_listeners_own_time(rt: Runtime, root: Context) -> None:
    def busy(milliseconds: int) -> None:
        from time import perf_counter

        end = perf_counter() + milliseconds / 1000
        while perf_counter() < end:
            pass

    async def outer(next: Next) -> None:
        busy(2)
        await next()

    async def inner(next: Next) -> None:
        busy(10)
        await next()

    root.on("ev", outer)
    root.on("ev", inner)
    traces = Traces(rt)
    await root.waterfall("ev")
    first, second = traces.waterfalls[-1].listeners
    assert 2_000_000 <= first.own_ns < first.total_ns
    assert second.own_ns >= 10_000_000
    assert first.total_ns >= 12_000_000


async def test_a_listener_that_raises_itself_is_raised(rt: Runtime, root: Context) -> None:
    async def after_next(next: Next) -> None:
        await next()
        raise Boom("own")

    async def replaces(next: Next) -> None:
        try:
            await next()
        except Boom:
            raise ValueError("another") from None

    root.on("ev", replaces)
    root.on("ev", after_next)
    traces = Traces(rt)
    with pytest.raises(ValueError, match="another"):
        await root.waterfall("ev")
    assert [outcome for _, outcome, _ in traces.last] == ["raised", "raised"]


async def test_nothing_is_traced_when_nobody_watches(rt: Runtime, root: Context) -> None:
    root.on("ev", passes)
    traces = Traces(rt)
    await root.waterfall("ev")
    traces.stop()
    await root.waterfall("ev")
    assert len(traces.waterfalls) == 1


@pytest.mark.parametrize("error", [Boom, SystemExit, asyncio.CancelledError])
async def test_a_watcher_that_raises_disturbs_nothing(
    rt: Runtime, root: Context, errors: Records, error: type[BaseException]
) -> None:
    def watcher(kind: str, payload: Any) -> None:
        raise error

    rt.watch(watcher)
    root.on("ev", passes)
    assert await root.waterfall("ev", default=lambda: 1) == 1
    fiber = await root.plugin(P("p"))
    await fiber.dispose()
    assert fiber.state == "disposed"
    assert len(errors) >= 5


@pytest.fixture
def deep_recursion_is_unchanged() -> Iterator[None]:
    import sys

    limit = sys.getrecursionlimit()
    yield
    assert sys.getrecursionlimit() == limit


@pytest.mark.usefixtures("deep_recursion_is_unchanged")
async def test_a_traced_waterfall_reaches_the_same_depth(rt: Runtime, root: Context) -> None:
    for _ in range(300):
        root.on("ev", passes)
    traces = Traces(rt)
    assert await root.waterfall("ev", default=lambda: "reached") == "reached"
    assert len(traces.last) == 300
