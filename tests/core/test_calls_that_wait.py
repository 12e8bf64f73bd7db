"""Calls that await the end of fibers, of others and of their own (spec: Effects 6.4)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import Log, Next, P, Spawn, nothing, refuses, svc
from tests.support.records import Records
from workbench.core import Context, CoreError, Fiber, Runtime


async def test_dispose_is_a_request(rt: Runtime, root: Context) -> None:
    p, q = await root.plugin(P("p")), await root.plugin(P("q"))
    p.dispose()
    q.restart()
    await rt.quiesce()
    assert (p.state, q.state) == ("disposed", "active")


@pytest.mark.parametrize("what", ["fiber", "restart", "dispose"])
async def test_ones_own_fiber_cannot_be_awaited_while_it_loads(root: Context, log: Log, what: str) -> None:
    async def apply(ctx: Context) -> None:
        if log:
            return
        log.append("first")
        own = {"fiber": lambda: ctx.fiber, "restart": ctx.fiber.restart, "dispose": ctx.fiber.dispose}
        awaitable = own[what]()
        with refuses("SELF_AWAIT", "narcissus"):
            await awaitable
        log.append("refused")

    fiber = root.plugin(P("narcissus", apply))
    async with asyncio.timeout(2):
        await fiber
    assert log == ["first", "refused"]
    assert fiber.state == ("disposed" if what == "dispose" else "active")


@pytest.mark.parametrize("who", ["plugin call", "disposer", "listener"])
async def test_the_end_of_root_awaited_from_within(rt: Runtime, root: Context, log: Log, who: str) -> None:
    async def end_of_root(*_: object) -> None:
        try:
            await root.fiber.dispose()
            log.append("went on")
        except CoreError as error:
            log.append(error.code)

    def apply(ctx: Context) -> None:
        if who == "disposer":
            ctx.effect(lambda: end_of_root, "awaits root")
        else:
            ctx.on("ev", end_of_root)

    async with asyncio.timeout(2):
        p = await root.plugin(P("p", end_of_root if who == "plugin call" else apply))
        if who == "listener":
            await root.waterfall("ev")
        await root.fiber.dispose()
        await rt.quiesce()
    assert log == ["SELF_AWAIT" if who == "disposer" else "went on"]
    assert (p.state, root.fiber.state) == ("disposed", "active")


async def test_a_provider_does_not_wait_for_a_listener_that_waits_for_it(root: Context, log: Log) -> None:
    """Down the line: the listener is of a dependent of what is disposed."""
    x = await root.plugin(svc("a"))

    def apply(ctx: Context) -> None:
        async def listener(next: Next) -> None:
            await x.dispose()
            with refuses("INACTIVE_CONTEXT", "b"):
                ctx.on("late", nothing)
            log.append("finished")

        ctx.on("ev", listener)

    b = await root.plugin(P("b", apply, inject=["a"]))
    async with asyncio.timeout(2):
        await root.waterfall("ev")
    assert log == ["finished"]
    assert (x.state, b.state) == ("disposed", "pending")


@pytest.mark.parametrize("waiter", ["plugin call", "listener"])
async def test_a_dependent_may_await_the_withdrawal_of_its_own_ground(
    rt: Runtime, root: Context, log: Log, waiter: str
) -> None:
    async def withdraw_and_wait(*_: object) -> None:
        await withdraw()
        log.append("finished")

    x = await root.plugin(P("x"))
    withdraw = x.context.provide("a", 1)
    apply = withdraw_and_wait if waiter == "plugin call" else listening_to("ev", withdraw_and_wait)
    async with asyncio.timeout(2):
        d = await root.plugin(P("d", apply, inject=["a"]))
        await root.waterfall("ev")
        await rt.quiesce()
    assert log == ["finished"]
    assert (x.state, d.state) == ("active", "pending")


def listening_to(event: str, listener: Any) -> Any:
    """A plugin call that registers one listener."""

    def apply(ctx: Context) -> None:
        ctx.on(event, listener)

    return apply


async def test_disposers_that_await_each_others_fibers(root: Context, log: Log) -> None:
    fibers: dict[str, Fiber] = {}

    def disposing(other: str) -> Any:
        async def disposer() -> None:
            try:
                await fibers[other].dispose()
            except CoreError as error:
                log.append(error.code)

        return lambda ctx: ctx.effect(lambda: disposer, "awaits the other") and None

    fibers["p"] = await root.plugin(P("p", disposing("q")))
    fibers["q"] = await root.plugin(P("q", disposing("p")))
    async with asyncio.timeout(2):
        await fibers["p"].dispose()
    assert [fiber.state for fiber in fibers.values()] == ["disposed", "disposed"]
    assert log == ["SELF_AWAIT"]


@pytest.mark.parametrize("first", ["provider", "dependent"])
async def test_a_provider_inside_of_what_its_dependent_waits_for(root: Context, first: str) -> None:
    """outer stands on a of middle, which stands on x of inner, which is undone as a part of outer."""
    outer = root.plugin(P("outer", inject=["a"]))
    inner = await outer.context.plugin(svc("x"))
    middle = await root.plugin(P("middle", lambda ctx: ctx.provide("a", 1) and None, inject=["x"]))
    await outer
    async with asyncio.timeout(2):
        await (inner if first == "provider" else middle).dispose()
        await outer.dispose()
        await middle.dispose()
    assert {fiber.state for fiber in (outer, inner, middle)} == {"disposed"}


@pytest.mark.parametrize("how", ["plugin call", "set-up"])
async def test_a_ring_of_calls_that_wait_for_one_another(rt: Runtime, root: Context, log: Log, how: str) -> None:
    """A disposer of p awaits the restart of q, which awaits the end of r, one of whose disposers awaits p's."""
    fibers: dict[str, Fiber] = {}

    def disposing(what: str, other: str) -> Any:
        async def disposer() -> None:
            try:
                await getattr(fibers[other], what)()
            except CoreError as error:
                log.append(error.code)

        return lambda ctx: ctx.effect(lambda: disposer, "awaits another") and None

    async def apply(ctx: Context) -> None:
        async def end_of_r() -> None:
            await fibers["r"].dispose()

        if log:
            if how == "plugin call":
                await end_of_r()
            else:
                await ctx.effect(end_of_r, "a set-up")
        log.append("loaded")

    fibers["p"] = await root.plugin(P("p", disposing("restart", "q")))
    fibers["q"] = await root.plugin(P("q", apply))
    fibers["r"] = await root.plugin(P("r", disposing("dispose", "p")))
    async with asyncio.timeout(2):
        await fibers["p"].dispose()
        await rt.quiesce()
    assert log == ["loaded", "SELF_AWAIT", "loaded"]
    assert [str(fiber.state) for fiber in fibers.values()] == ["disposed", "active", "disposed"]


async def test_a_ring_that_an_undo_closes(rt: Runtime, root: Context, errors: Records) -> None:
    """A disposer of child awaits the restart of q, whose call awaits the end of parent, which is being undone."""
    fibers: dict[str, Fiber] = {}

    async def disposer() -> None:
        asked.set()
        await fibers["q"].restart()

    async def apply(ctx: Context) -> None:
        if asked.is_set():
            await fibers["parent"].dispose()

    asked = asyncio.Event()
    fibers["q"] = await root.plugin(P("q", apply))
    fibers["parent"] = await root.plugin(P("parent"))
    child = await fibers["parent"].context.plugin(
        P("child", lambda ctx: ctx.effect(lambda: disposer, "awaits q") and None)
    )
    async with asyncio.timeout(2):
        await child.dispose()
        await rt.quiesce()
    assert (fibers["parent"].state, child.state) == ("disposed", "disposed")
    assert errors.naming("awaits the end of")


@pytest.mark.parametrize("what", ["dispose", "restart"])
async def test_a_call_is_exempt_through_the_undo_that_it_awaits(
    rt: Runtime, root: Context, log: Log, what: str
) -> None:
    """p's call awaits the dispose of q, one of whose disposers awaits an undo of p."""
    fibers: dict[str, Fiber] = {}

    async def apply_p(ctx: Context) -> None:
        if not log:
            log.append("begun")
            await fibers["q"].dispose()
            log.append("finished")

    async def disposer() -> None:
        await getattr(fibers["p"], what)()

    fibers["q"] = await root.plugin(P("q", lambda ctx: ctx.effect(lambda: disposer, "awaits p") and None))
    fibers["p"] = root.plugin(P("p", apply_p))
    async with asyncio.timeout(2):
        await fibers["p"]
        await rt.quiesce()
    assert log == ["begun", "finished"]
    assert fibers["q"].state == "disposed"
    assert fibers["p"].state == ("disposed" if what == "dispose" else "active")


async def test_a_wait_that_is_over_refuses_nobody(rt: Runtime, root: Context, log: Log) -> None:
    """First a disposer of p awaits q, and some time later one of q awaits p."""
    fibers: dict[str, Fiber] = {}
    awaiting = {"p": "q"}

    def restarting_the_other(name: str) -> Any:
        async def disposer() -> None:
            if name in awaiting:
                await fibers[awaiting[name]].restart()
                log.append(f"{name} awaited {awaiting[name]}")

        return lambda ctx: ctx.effect(lambda: disposer, "awaits the other") and None

    for name in "pq":
        fibers[name] = await root.plugin(P(name, restarting_the_other(name)))
    async with asyncio.timeout(2):
        await fibers["p"].restart()
        awaiting.clear()
        awaiting["q"] = "p"
        await fibers["q"].restart()
    assert log == ["p awaited q", "q awaited p"]


async def test_the_error_of_an_exempt_call_is_logged(rt: Runtime, root: Context, errors: Records, log: Log) -> None:
    async def apply(ctx: Context) -> None:
        if not log:
            log.append("begun")
            await fibers[0].dispose()
            ctx.on("ev", nothing)

    async def disposer() -> None:
        await fibers[1].restart()

    fibers = [await root.plugin(P("q", lambda ctx: ctx.effect(lambda: disposer, "awaits p") and None))]
    fibers.append(root.plugin(P("the-owner", apply)))
    await fibers[1]
    await rt.quiesce()
    assert fibers[1].state == "active"
    assert len(errors) == 1
    assert errors.naming("the-owner", "inactive")


async def test_one_listener_cannot_swallow_the_cancellation_of_another(
    rt: Runtime, root: Context, log: Log, clock: Clock, spawn: Spawn
) -> None:
    async def outer(next: Next) -> None:
        with refuses("INACTIVE_CONTEXT", "inner"):
            await next()
        log.append("outer goes on")
        await asyncio.Event().wait()

    async def swallows(next: Next) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            log.append("swallowed")

    p, q = await root.plugin(P("outer")), await root.plugin(P("inner"))
    p.context.on("ev", outer)
    q.context.on("ev", swallows)

    async def dispatch() -> int:
        with refuses("INACTIVE_CONTEXT", "outer"):
            await root.waterfall("ev")
        task = asyncio.current_task()
        assert task is not None
        return task.cancelling()

    t = spawn(dispatch())
    await clock.settle()
    undos = [q.dispose(), p.dispose()]
    async with asyncio.timeout(2):
        for undo in undos:
            await undo
    assert log == ["swallowed", "outer goes on"]
    assert await t == 0


async def test_an_exempt_call_that_is_disposed_through_a_task_it_awaits(root: Context, log: Log) -> None:
    async def disposes() -> None:
        await p.dispose()

    async def listener(next: Next) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(disposes())
        log.append("finished")

    p = await root.plugin(P("p"))
    p.context.on("ev", listener)
    async with asyncio.timeout(2):
        await root.waterfall("ev")
    assert log == ["finished"]
    assert p.state == "disposed"


async def test_a_listener_that_only_asks_for_the_dispose_is_cancelled(root: Context, log: Log) -> None:
    async def listener(next: Next) -> None:
        p.dispose()
        await asyncio.Event().wait()

    p = await root.plugin(P("p"))
    p.context.on("ev", listener)
    async with asyncio.timeout(2):
        with refuses("INACTIVE_CONTEXT", "p"):
            await root.waterfall("ev")
        await p.dispose()
    assert p.state == "disposed"
