"""The service `timer` (spec: Timers)."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import Boom, Log, P, Spawn, labels, nothing, refuses
from tests.support.records import Records
from workbench.core import Context, CoreError, Fiber, Runtime


@pytest.fixture
async def p(root: Context) -> Fiber:
    """An active fiber that declares `timer`."""
    return await root.plugin(P("p", inject=["timer"]))


async def test_timer_must_be_declared(root: Context) -> None:
    p = await root.plugin(P("p"))
    for use in (
        lambda ctx: ctx.timer,
        lambda ctx: ctx.timeout(nothing, 1),
        lambda ctx: ctx.interval(nothing, 1),
        lambda ctx: ctx.throttle(nothing, 1),
        lambda ctx: ctx.debounce(nothing, 1),
    ):
        with refuses("SERVICE_NOT_INJECTED", "timer", "inject"):
            use(p.context)
    assert labels(p) == []


async def test_a_timeout_fires_once_and_is_gone_before(p: Fiber, log: Log, clock: Clock) -> None:
    p.context.timeout(lambda: log.append((clock.now, labels(p))), 1)
    assert len(labels(p)) == 1
    await clock.to(5)
    assert log == [(1, [])]


async def test_a_timeout_can_be_cancelled(p: Fiber, log: Log, clock: Clock) -> None:
    cancel = p.context.timeout(lambda: log.append("fired"), 1)
    await cancel()
    assert labels(p) == []
    await clock.to(5)
    assert log == []


async def test_a_timeout_can_be_awaited(p: Fiber, clock: Clock) -> None:
    await p.context.timeout(2)
    assert clock.now == 2
    assert labels(p) == []


async def test_cancelling_an_awaited_timeout_leaves_nothing(
    rt: Runtime, p: Fiber, clock: Clock, spawn: Spawn
) -> None:
    async def waits() -> None:
        await p.context.timeout(10)

    before = rt.snapshot()
    task = spawn(waits())
    await clock.to(1)
    assert len(labels(p)) == 1
    task.cancel()
    await clock.to(2)
    assert rt.snapshot() == before


async def test_a_wait_cancelled_together_with_its_owner(p: Fiber, clock: Clock, spawn: Spawn) -> None:
    async def waits() -> None:
        await p.context.timeout(10)

    task = spawn(waits())
    await clock.to(1)
    disposed = p.dispose()
    task.cancel()
    await disposed
    await clock.settle()
    assert task.cancelled()


async def test_an_interval_repeats_until_it_is_cancelled(p: Fiber, log: Log, clock: Clock) -> None:
    cancel = p.context.interval(lambda: log.append(clock.now), 1)
    await clock.to(3.5)
    await cancel()
    await clock.to(9)
    assert log == [1, 2, 3]
    assert labels(p) == []


async def test_an_interval_survives_its_callback(p: Fiber, log: Log, clock: Clock, errors: Records) -> None:
    def fails() -> None:
        log.append(clock.now)
        raise Boom("boom")

    p.context.interval(fails, 1)
    await clock.to(2.5)
    assert log == [1, 2]
    assert len(errors.naming("p")) == 2


async def test_an_interval_can_be_waited_for(p: Fiber, log: Log, clock: Clock) -> None:
    async for _ in p.context.interval(1):
        log.append((clock.now, labels(p)))
        if len(log) == 3:
            break
    assert log == [(1, []), (2, []), (3, [])]
    assert labels(p) == []


async def test_a_waiting_interval_ends_with_its_owner(p: Fiber, log: Log, clock: Clock, spawn: Spawn) -> None:
    async def waits() -> str:
        try:
            async for _ in p.context.interval(1):
                log.append(clock.now)
        except CoreError as error:
            return error.code
        return "ended"

    task = spawn(waits())
    await clock.to(2.5)
    assert len(labels(p)) == 1
    await p.dispose()
    assert await task == "INACTIVE_CONTEXT"
    assert log == [1, 2]


async def test_a_waiting_interval_whose_owner_ended_between_turns(p: Fiber, clock: Clock) -> None:
    with refuses("INACTIVE_CONTEXT", "inactive", "p"):
        async for _ in p.context.interval(1):
            await p.dispose()


async def test_an_async_callback_is_an_owned_task(p: Fiber, log: Log, clock: Clock) -> None:
    async def callback() -> None:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            log.append(clock.now)
            raise

    p.context.timeout(callback, 1)
    await clock.to(2)
    await p.dispose()
    assert log == [2]


async def test_throttle_calls_at_once_and_then_rarely(p: Fiber, log: Log, clock: Clock) -> None:
    throttled = p.context.throttle(lambda value: log.append((clock.now, value)), 1)
    for value in range(5):
        throttled(value)
        await clock.to((value + 1) * 0.3)
    await clock.to(9)
    assert log[0] == (0, 0)
    assert all(later - earlier >= 1 for (earlier, _), (later, _) in pairwise(log))
    assert 2 <= len(log) <= 3


async def test_debounce_calls_after_a_pause_with_the_last_arguments(p: Fiber, log: Log, clock: Clock) -> None:
    debounced = p.context.debounce(lambda value: log.append((clock.now, value)), 1)
    for value in range(5):
        debounced(value)
        await clock.to((value + 1) * 0.3)
    await clock.to(9)
    assert log == [(2.2, 4)]


@pytest.mark.parametrize("kind", ["throttle", "debounce"])
async def test_delayed_calls_never_fire_after_the_end(
    root: Context, p: Fiber, log: Log, clock: Clock, kind: str
) -> None:
    call = getattr(p.context, kind)(log.append, 1)
    call(1)
    call(2)
    heard = list(log)
    await p.dispose()
    await clock.to(9)
    assert log == heard


async def test_timers_leave_nothing(rt: Runtime, root: Context, clock: Clock) -> None:
    s0 = rt.snapshot()

    def apply(ctx: Context) -> None:
        ctx.timeout(nothing, 1)
        ctx.timeout(nothing, 100)
        ctx.interval(nothing, 1)
        for make in (ctx.throttle, ctx.debounce):
            call: Any = make(nothing, 1)
            call(ctx)
            call(ctx)

    p = await root.plugin(P("p", apply, inject=["timer"]))
    await clock.to(1.5)
    assert rt.snapshot() != s0
    await p.dispose()
    assert rt.snapshot() == s0


async def test_root_has_timers_before_and_after_its_dispose(root: Context, log: Log, clock: Clock) -> None:
    root.timeout(lambda: log.append("first life"), 1)
    await root.fiber.dispose()
    root.timeout(lambda: log.append("second life"), 1)
    await clock.to(5)
    assert log == ["second life"]


async def test_the_clock_of_hours_costs_nothing(p: Fiber, clock: Clock) -> None:
    await p.context.timeout(100_000)
    assert clock.now == 100_000
