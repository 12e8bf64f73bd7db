"""Waterfalls: what `next` does, and how errors and results travel (spec: Events)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import Boom, Log, Next, P, Patient, Spawn, Traces, passes, raises, refuses
from tests.support.records import Records
from workbench.core import Context, Runtime


@pytest.fixture(params=[False, True], ids=["plain", "traced"])
def traced(request: pytest.FixtureRequest) -> bool:
    """Whether somebody watches."""
    return bool(request.param)


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
