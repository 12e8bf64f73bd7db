"""R53 to R67: who waits for whom, who is cancelled, and whose error it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import (
    Boom,
    Log,
    Next,
    P,
    Patient,
    Spawn,
    States,
    Traces,
    hears,
    labels,
    passes,
    raises,
    refuses,
    svc,
)
from tests.support.records import Records
from workbench.core import Context, Event, Fiber, Runtime


async def test_r53_the_callers_task_is_not_left_cancelled(
    rt: Runtime, root: Context, clock: Clock, spawn: Spawn
) -> None:
    listener = Patient()

    async def dispatch() -> tuple[str, int]:
        task = asyncio.current_task()
        assert task is not None
        with refuses("INACTIVE_CONTEXT", "inactive", "p") as caught:
            await root.waterfall("ev")
        await asyncio.sleep(1)
        return caught.value.code, task.cancelling()

    p = await root.plugin(P("p"))
    p.context.on("ev", listener)
    t = spawn(dispatch())
    await clock.settle()

    async with asyncio.timeout(2):
        await p.dispose()
        assert await t == ("INACTIVE_CONTEXT", 0)
    assert listener.cancellations == 1


async def test_r54_a_callers_own_cancellation_passes(
    rt: Runtime, root: Context, clock: Clock, errors: Records, spawn: Spawn
) -> None:
    async def dispatch() -> None:
        await root.waterfall("ev", default=Patient())

    p = await root.plugin(P("p"))
    p.context.on("ev", passes)
    t = spawn(dispatch())
    await clock.settle()
    t.cancel()
    await clock.settle()
    assert t.cancelled()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1):
            await dispatch()
    await rt.quiesce()
    assert errors.messages == []


async def test_r55_a_cancellation_that_nobody_asked_for_is_an_error(rt: Runtime, root: Context) -> None:
    async def listener(next: Next) -> None:
        task = asyncio.ensure_future(asyncio.sleep(10))
        task.cancel()
        await task

    p = await root.plugin(P("p"))
    p.context.on("ev", listener)

    with refuses("PLUGIN_RAISED", "CancelledError"):
        await root.waterfall("ev")
    await rt.quiesce()
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_r56_a_load_may_dispose_its_own_ground(rt: Runtime, root: Context, log: Log) -> None:
    async def apply(ctx: Context) -> None:
        await x.dispose()
        log.append(str(x.state))

    x = await root.plugin(svc("a"))
    async with asyncio.timeout(2):
        d = await root.plugin(P("d", apply, inject=["a"]))
        await rt.quiesce()

    assert log == ["disposed"]
    assert (x.state, d.state) == ("disposed", "pending")


async def test_r57_a_disposer_cannot_await_the_undo_it_is_part_of(
    rt: Runtime, root: Context, log: Log, errors: Records
) -> None:
    def awaiting(target: Callable[[], Fiber], name: str) -> Callable[[], Any]:
        async def dispose() -> None:
            with refuses("SELF_AWAIT", name):
                await target().dispose()
            log.append(name)

        return dispose

    def apply_p(ctx: Context) -> None:
        ctx.effect(lambda: awaiting(lambda: p, "p"), "awaits p")

    def apply_child(ctx: Context) -> None:
        ctx.effect(lambda: awaiting(lambda: parent, "parent"), "awaits parent")

    def apply_parent(ctx: Context) -> None:
        ctx.plugin(P("child", apply_child))

    p = await root.plugin(P("p", apply_p))
    parent = await root.plugin(P("parent", apply_parent))
    await rt.quiesce()
    async with asyncio.timeout(2):
        await p.dispose()
        await parent.dispose()

    assert log == ["p", "parent"]
    assert errors.messages == []
    assert (p.state, parent.state) == ("disposed", "disposed")


async def test_r58_a_listener_may_await_the_restart_of_its_fiber(rt: Runtime, root: Context, log: Log) -> None:
    def apply(ctx: Context) -> None:
        async def listener(next: Next) -> None:
            await ctx.fiber.restart()
            with refuses("INACTIVE_CONTEXT", "p"):
                ctx.on("late", lambda: log.append("late"))
            log.append("refused")

        ctx.on("ev", listener)

    p = await root.plugin(P("p", apply))
    before = labels(p)
    async with asyncio.timeout(2):
        await root.waterfall("ev")
    await rt.quiesce()

    assert log == ["refused"]
    assert p.state == "active"
    assert labels(p) == before
    assert hears(root, "late", log) == 0


async def test_r59_restart_waits_for_dependents_that_still_load(
    rt: Runtime, root: Context, log: Log, clock: Clock, spawn: Spawn
) -> None:
    activations = iter((1, 2))

    async def apply(ctx: Context) -> None:
        log.append(ctx.a)
        await asyncio.sleep(1)

    async def restart() -> None:
        await x.restart()

    x = await root.plugin(P("X", lambda ctx: ctx.provide("a", next(activations)) and None))
    b = root.plugin(P("b", apply, inject=["a"]))
    await clock.to(0.4)
    restarted = spawn(clock.measure(restart()))
    await clock.to(5)

    assert await restarted == 1
    assert log == [1, 2]
    assert b.state == "active"


async def test_r60_a_child_of_a_dying_parent_takes_no_detour(rt: Runtime, root: Context) -> None:
    def apply(ctx: Context) -> None:
        ctx.provide("p", 1)
        ctx.plugin(P("child", inject=["p"]))

    parent = await root.plugin(P("parent", apply))
    await rt.quiesce()
    states = States(root)

    await parent.dispose()
    await rt.quiesce()

    assert states.of("child") == "active → disposing → disposed"


async def test_r61_a_cancelled_listener_may_await_the_dispose(
    rt: Runtime, root: Context, log: Log, clock: Clock
) -> None:
    async def listener() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            log.append("cancelled")
            await p.dispose()
            log.append("released")
            raise

    p = await root.plugin(P("p"))
    p.context.on("ev", listener)
    root.emit("ev")
    await clock.settle()

    async with asyncio.timeout(2):
        await p.dispose()
        await rt.quiesce()

    assert log == ["cancelled", "released"]
    assert p.state == "disposed"


async def test_r62_an_owned_task_has_no_ancestors(rt: Runtime, root: Context) -> None:
    waits = Patient()

    async def listener() -> None:
        await p.dispose()

    async def apply(ctx: Context) -> None:
        ctx.emit("ev")
        await waits()

    root.on("ev", listener)
    p = root.plugin(P("p", apply))
    async with asyncio.timeout(2):
        await p
        await rt.quiesce()

    assert p.state == "disposed"
    assert waits.cancellations == 1


async def test_r63_emit_within_a_disposer_is_contained(
    rt: Runtime, root: Context, log: Log, errors: Records
) -> None:
    def sync_disposer() -> None:
        root.emit("ev")

    async def async_disposer() -> None:
        await asyncio.sleep(0.1)
        root.emit("ev")

    root.on("ev", raises)
    root.on("ev", lambda: log.append("second"))
    p = await root.plugin(P("p"))
    p.context.effect(lambda: sync_disposer, "sync")
    p.context.effect(lambda: async_disposer, "async")

    await p.dispose()
    await rt.quiesce()

    assert log == ["second", "second"]
    assert len(errors) == 2
    assert p.state == "disposed"


async def test_r64_a_declared_mode_holds_while_it_stands(rt: Runtime, root: Context) -> None:
    p = await root.plugin(P("p", lambda ctx: ctx.declare(Event("ev", "serial")) and None))

    with refuses("WRONG_MODE", "ev"):
        root.emit("ev")
    assert await root.serial("ev") is None
    await p.dispose()
    root.emit("ev")


async def test_r65_an_error_that_travels_through_is_passed(rt: Runtime, root: Context) -> None:
    a, b = await root.plugin(P("A")), await root.plugin(P("B"))
    a.context.on("ev", passes)
    b.context.on("ev", raises)
    traces = Traces(rt)

    with pytest.raises(Boom):
        await root.waterfall("ev")
    await rt.quiesce()

    assert traces.last == [("A", "passed", 1), ("B", "raised", 0)]


async def test_r66_three_hundred_listeners_are_the_limit(rt: Runtime, root: Context) -> None:
    async def deep(frames: int) -> Any:
        return await (deep(frames - 1) if frames else root.waterfall("ev", default=lambda: "reached"))

    for _ in range(300):
        root.on("ev", passes)
    assert await deep(40) == "reached"

    one_more = await root.plugin(P("one-more"))
    one_more.context.on("ev", passes)
    with refuses("WATERFALL_DEPTH", "ev", "one-more", "300"):
        await deep(40)

    await one_more.dispose()
    assert await deep(40) == "reached"


async def test_r67_a_contained_listener_disturbs_nobody(
    rt: Runtime, root: Context, log: Log, errors: Records
) -> None:
    def noisy(name: str) -> Callable[[], None]:
        def listener() -> None:
            log.append(name)
            raise Boom(name)

        return listener

    p = await root.plugin(P("contained-owner"))
    first = root.on("ev", lambda: log.append("first"))
    p.context.on("ev", noisy("second"), contained=True)
    root.on("ev", lambda: log.append("third"))

    root.emit("ev")
    await rt.quiesce()
    assert log == ["first", "second", "third"]
    assert len(errors) == 1
    assert errors.naming("contained-owner")

    log.clear()
    await first()
    root.on("ev", noisy("first"), prepend=True)
    with pytest.raises(Boom, match="first"):
        root.emit("ev")
    await rt.quiesce()
    assert log == ["first"]
