"""Running calls and tasks of plugins when their fiber is undone (spec: Effects 6.4)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import Boom, Log, Next, P, Patient, Spawn, refuses
from tests.support.records import Records
from workbench.core import Context, CoreError, Runtime


async def test_a_task_ends_with_its_fiber(root: Context, clock: Clock) -> None:
    loop = Patient(takes_to_end=1)
    p = await root.plugin(P("p", lambda ctx: ctx.task(loop(), "loop") and None))
    await clock.settle()
    assert loop.begun == 1
    await p.dispose()
    assert (loop.cancellations, loop.ended) == (1, 1)
    assert clock.now >= 1


async def test_a_task_that_never_began_is_closed(root: Context) -> None:
    loop = Patient()

    async def apply(ctx: Context) -> None:
        ctx.task(loop(), "loop")
        ctx.fiber.dispose()

    p = await root.plugin(P("p", apply))
    assert (p.state, loop.begun - loop.ended) == ("disposed", 0)


async def test_the_error_of_a_task_is_logged(rt: Runtime, root: Context, errors: Records) -> None:
    async def fails() -> None:
        raise Boom("boom")

    p = await root.plugin(P("the-owner", lambda ctx: ctx.task(fails(), "the-label") and None))
    await rt.quiesce()
    assert p.state == "active"
    assert len(errors) == 1
    assert errors.naming("the-owner", "the-label")


async def test_code_that_swallows_its_cancellation_delays_the_undo(
    rt: Runtime, root: Context, clock: Clock, spawn: Spawn
) -> None:
    release = asyncio.Event()

    async def stubborn() -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                pass

    p = await root.plugin(P("the-owner", lambda ctx: ctx.task(stubborn(), "the-stubborn") and None))
    await clock.settle()
    disposed = spawn(clock.measure(p.dispose()))
    await clock.to(60)
    assert not disposed.done()
    (row,) = [row for row in rt.waiting() if row.fiber is p]
    assert "the-stubborn" in row.label
    release.set()
    assert await disposed == 60


async def test_a_plugin_call_that_ignores_its_cancellation_is_named(
    rt: Runtime, root: Context, clock: Clock, spawn: Spawn
) -> None:
    release = asyncio.Event()

    async def apply(ctx: Context) -> None:
        try:
            await release.wait()
        except asyncio.CancelledError:
            await release.wait()

    p = root.plugin(P("the-owner", apply))
    await clock.settle()
    disposed = spawn(clock.measure(p.dispose()))
    await clock.to(60)
    assert [row.fiber for row in rt.waiting()] == [p]
    release.set()
    assert await disposed == 60


async def test_a_call_in_a_task_of_the_plugin_inherits_the_chain(root: Context, log: Log) -> None:
    """`gather` and task groups inside plugin code start tasks that are still part of the call."""

    async def apply(ctx: Context) -> None:
        async def inner() -> None:
            with refuses("SELF_AWAIT"):
                await ctx.fiber.dispose()
            log.append("refused")

        await asyncio.gather(inner())

    async with asyncio.timeout(2):
        await root.plugin(P("p", apply))
    assert log == ["refused"]


async def test_a_dispatch_in_a_foreign_task_survives_the_undo(
    rt: Runtime, root: Context, clock: Clock, spawn: Spawn
) -> None:
    """The caller gets INACTIVE_CONTEXT for `serial` and `parallel` too, and its task goes on."""
    for mode in ("serial", "parallel"):
        listener = Patient()
        p = await root.plugin(P("p"))
        p.context.on("ev", listener)

        async def dispatch(mode: str = mode) -> list[str]:
            try:
                await getattr(root, mode)("ev")
            except CoreError as error:
                codes = [error.code]
            except ExceptionGroup as group:
                codes = [getattr(error, "code", "") for error in group.exceptions]
            await asyncio.sleep(0.1)
            return codes

        t = spawn(dispatch())
        await clock.settle()
        await p.dispose()
        assert await t == ["INACTIVE_CONTEXT"]
        assert listener.cancellations == 1


@pytest.mark.parametrize("answer", ["an error", "a value"])
@pytest.mark.parametrize("mode", ["waterfall", "serial"])
async def test_whatever_a_listener_makes_of_its_cancellation(
    rt: Runtime, root: Context, clock: Clock, spawn: Spawn, mode: str, answer: str
) -> None:
    """The caller gets INACTIVE_CONTEXT, and its task is not left cancelled."""

    async def listener(*_: object) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if answer == "an error":
                raise Boom("boom") from None
        return answer

    async def dispatch() -> int:
        with refuses("INACTIVE_CONTEXT", "p"):
            await getattr(root, mode)("ev")
        await asyncio.sleep(1)
        task = asyncio.current_task()
        assert task is not None
        return task.cancelling()

    p = await root.plugin(P("p"))
    p.context.on("ev", listener)
    t = spawn(dispatch())
    await clock.settle()
    await p.dispose()
    assert await t == 0


async def test_a_caller_cancelled_together_with_the_undo_stays_cancelled(
    rt: Runtime, root: Context, clock: Clock, spawn: Spawn
) -> None:
    listener = Patient(takes_to_end=1)
    p = await root.plugin(P("p"))
    p.context.on("ev", listener)

    async def dispatch() -> None:
        await root.waterfall("ev")

    t = spawn(dispatch())
    await clock.settle()
    disposed = p.dispose()
    await clock.to(0.5)
    t.cancel()
    await disposed
    await clock.settle()
    assert t.cancelled()


async def test_an_outer_listener_may_go_on_after_the_inner_one_was_undone(
    rt: Runtime, root: Context, clock: Clock, spawn: Spawn, log: Log
) -> None:
    async def outer(next: Next) -> str:
        with refuses("INACTIVE_CONTEXT", "inner"):
            await next()
        await asyncio.sleep(1)
        return "outer goes on"

    p, q = await root.plugin(P("outer")), await root.plugin(P("inner"))
    p.context.on("ev", outer)
    q.context.on("ev", Patient())

    async def dispatch() -> Any:
        return await root.waterfall("ev")

    t = spawn(dispatch())
    await clock.settle()
    await q.dispose()
    assert await t == "outer goes on"


async def test_the_outer_listener_is_undone_with_everything_below_it(
    rt: Runtime, root: Context, clock: Clock, spawn: Spawn
) -> None:
    inner = Patient()

    async def outer(next: Next) -> Any:
        return await next()

    p, q = await root.plugin(P("outer")), await root.plugin(P("inner"))
    p.context.on("ev", outer)
    q.context.on("ev", inner)

    async def dispatch() -> str:
        try:
            await root.waterfall("ev")
        except CoreError as error:
            return f"{error.code} {'outer' in str(error)}"
        return "no error"

    t = spawn(dispatch())
    await clock.settle()
    await p.dispose()
    assert await t == "INACTIVE_CONTEXT True"
    assert inner.cancellations == 1
    assert q.state == "active"
