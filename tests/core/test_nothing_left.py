"""Snapshots, waiting, quiescence and what the process is like afterwards (spec: Nothing is left)."""

from __future__ import annotations

import asyncio
import gc
import json
import linecache
import re
import signal
import sys
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import Boom, Key, Log, P, Patient, Spawn, nothing, refuses, svc
from workbench.core import Context, Event, Fiber, Runtime, create_scope


def everything(ctx: Context) -> None:
    """A plugin call that registers one of each."""
    ctx.on("ev", nothing)
    ctx.once("ev", nothing, prepend=True)
    ctx.provide("everything", object())
    ctx.effect(lambda: lambda: None, "effect")
    ctx.timeout(nothing, 10)
    ctx.interval(nothing, 10)
    ctx.task(asyncio.sleep(100), "task")
    ctx.isolate("name").provide("name", 1)
    ctx.isolate("name", "label").provide("name", 1)
    create_scope(ctx, Key("k"), parent=Key("g")).ctx.on("ev", nothing)
    ctx.plugin(P("child", inject=["everything"]))
    ctx.plugin(P("waiting child", inject=["absent"]))


async def test_a_snapshot_is_canonical_json(rt: Runtime, root: Context) -> None:
    await root.plugin(P("p", everything, inject=["timer"]))
    await rt.quiesce()
    snapshot = rt.snapshot()
    assert isinstance(snapshot, bytes)
    read = json.loads(snapshot)
    assert (
        snapshot == json.dumps(read, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        or snapshot == json.dumps(read, sort_keys=True).encode()
    )
    assert not re.search(rb"0x[0-9a-f]{6,}", snapshot)


async def test_the_same_programs_give_the_same_snapshot(rt: Runtime, root: Context) -> None:
    await root.plugin(P("p", everything, inject=["timer"]))
    await rt.quiesce()
    await asyncio.sleep(3)
    async with Runtime() as other:
        await (await other.root.plugin(P("an earlier one"))).dispose()
        await other.root.plugin(P("p", everything, inject=["timer"]))
        await other.quiesce()
        assert rt.snapshot() == other.snapshot()


@pytest.mark.parametrize(
    "register",
    [
        lambda ctx: ctx.on("ev", nothing),
        lambda ctx: ctx.effect(lambda: None, "label"),
        lambda ctx: ctx.provide("a", 1),
        lambda ctx: ctx.timeout(nothing, 10),
        lambda ctx: ctx.interval(nothing, 10),
        lambda ctx: ctx.task(asyncio.sleep(10), "task"),
        lambda ctx: ctx.plugin(P("child")).dispose,
        lambda ctx: ctx.plugin(P("child", inject=["absent"])).dispose,
        lambda ctx: create_scope(ctx, Key("k")).dispose,
        lambda ctx: create_scope(ctx, Key("k"), parent=Key("g")).dispose,
        lambda ctx: ctx.isolate("a").provide("a", 1),
    ],
    ids="on effect provide timeout interval task plugin pending scope binding isolated".split(),
)
async def test_a_snapshot_shows_each_registration(
    rt: Runtime, root: Context, register: Callable[[Context], Callable[[], Any]]
) -> None:
    p = await root.plugin(P("p", inject=["timer"]))
    before = rt.snapshot()
    dispose = register(p.context)
    await rt.quiesce()
    assert rt.snapshot() != before
    dispose()
    await rt.quiesce()
    assert rt.snapshot() == before


async def test_a_snapshot_shows_the_order_of_listeners(rt: Runtime, root: Context) -> None:
    p, q = await root.plugin(P("p")), await root.plugin(P("q"))
    first = p.context.on("ev", nothing)
    q.context.on("ev", nothing)
    before = rt.snapshot()
    await first()
    p.context.on("ev", nothing)
    assert rt.snapshot() != before


async def test_a_snapshot_shows_running_calls(rt: Runtime, root: Context, clock: Clock) -> None:
    listener = Patient()
    p = await root.plugin(P("p"))
    p.context.on("ev", listener)
    before = rt.snapshot()
    root.emit("ev")
    await clock.settle()
    assert rt.snapshot() != before
    listener.go.set()
    await rt.quiesce()
    assert rt.snapshot() == before


async def test_a_registry_describes_itself(rt: Runtime, root: Context) -> None:
    class Registry:
        def __init__(self) -> None:
            self.entries: list[str] = []

        def describe(self) -> list[str]:
            return self.entries

    registry = Registry()
    root.provide("reg", registry)
    before = rt.snapshot()
    registry.entries.append("an entry")
    assert b"an entry" in rt.snapshot()
    registry.entries.clear()
    assert rt.snapshot() == before


async def test_a_disposed_root_leaves_the_process_as_it_was(rt: Runtime, root: Context) -> None:
    def process() -> tuple[Any, ...]:
        return (
            set(sys.modules),
            list(warnings.filters),
            {number: signal.getsignal(number) for number in signal.valid_signals()},
            dict(linecache.cache),
            sys.gettrace(),
            sys.getprofile(),
            {task for task in asyncio.all_tasks() if task is not asyncio.current_task()},
            threading.active_count(),
        )

    async def world() -> None:
        async with Runtime() as other:
            await other.root.plugin(P("p", everything, inject=["timer"]))
            stop = other.watch(lambda kind, payload: None)
            with pytest.raises(Boom):
                await other.root.plugin(P("fails", fails))
            await other.root.waterfall("ev")
            await other.quiesce()
            stop()

    def fails(ctx: Context) -> None:
        everything_but_services(ctx)
        raise Boom("boom")

    def everything_but_services(ctx: Context) -> None:
        ctx.on("ev", nothing)
        ctx.task(asyncio.sleep(100), "task")

    await world()
    before = process()
    await world()
    assert process() == before


async def test_nothing_refers_to_what_is_gone(rt: Runtime, root: Context) -> None:
    class Canary:
        """Held by everything that the plugin registers."""

    def canary_in_everything() -> weakref.ref[Canary]:
        canary = Canary()

        def apply(ctx: Context) -> None:
            ctx.on("ev", lambda *_: canary)
            ctx.once("never", lambda: canary)
            ctx.effect(lambda: lambda: canary, "effect")
            ctx.timeout(lambda: canary, 10)
            ctx.provide("a", canary)
            ctx.isolate("a", f"label {id(canary)}").provide("a", canary)
            ctx.declare(Event("declared", "serial"))
            create_scope(ctx, canary, parent=Key("g")).ctx.on("ev", lambda *_: canary)
            ctx.plugin(P("child", lambda ctx: canary and None, inject=["a"]))

        loaded.append(root.plugin(P("p", apply, inject=["timer"])))
        return weakref.ref(canary)

    loaded: list[Fiber] = []
    canary = canary_in_everything()
    await loaded[0]
    await root.waterfall("ev")
    await rt.quiesce()
    assert canary() is not None
    await loaded.pop().dispose()
    gc.collect()
    assert canary() is None
    assert list(rt._isolations) == []


async def test_leaving_the_block_disposes_root(log: Log) -> None:
    async with Runtime() as rt:
        rt.root.effect(lambda: lambda: log.append("undone"), "effect")
        fiber = await rt.root.plugin(P("p"))
    assert log == ["undone"]
    assert fiber.state == "disposed"


async def test_an_error_in_the_block_passes(log: Log) -> None:
    with pytest.raises(Boom):
        async with Runtime() as rt:
            rt.root.effect(lambda: lambda: log.append("undone"), "effect")
            raise Boom("boom")
    assert log == ["undone"]


# Waiting and quiescence


async def test_waiting_names_fiber_label_and_seconds(
    rt: Runtime, root: Context, clock: Clock, spawn: Spawn
) -> None:
    async def dispose() -> None:
        await asyncio.sleep(5)

    p = await root.plugin(P("p", lambda ctx: ctx.effect(lambda: dispose, "the-label") and None))
    p.dispose()
    await clock.to(3)
    (row,) = rt.waiting()
    assert row.fiber is p
    assert "the-label" in row.label
    assert row.seconds == pytest.approx(3)
    await clock.to(6)
    assert rt.waiting() == []


async def test_a_provider_that_waits_for_a_dependent_is_named(rt: Runtime, root: Context, clock: Clock) -> None:
    def apply(ctx: Context) -> None:
        ctx.effect(lambda: lambda: asyncio.sleep(5), "slow")

    x = await root.plugin(svc("a"))
    b = await root.plugin(P("the-dependent", apply, inject=["a"]))
    x.dispose()
    await clock.to(3)
    assert {row.fiber.name for row in rt.waiting()} == {"svc:a", "the-dependent"}
    assert [row for row in rt.waiting() if row.fiber is x and "the-dependent" in row.label]
    await clock.to(6)
    assert (x.state, b.state) == ("disposed", "pending")
    assert rt.waiting() == []


async def test_a_deadlock_by_construction_is_shown(rt: Runtime, root: Context, clock: Clock) -> None:
    undone = asyncio.Event()

    async def waits() -> None:
        await undone.wait()

    def apply(ctx: Context) -> None:
        ctx.effect(lambda: undone.set, "sets it")
        ctx.effect(lambda: waits, "waits for it")

    p = await root.plugin(P("p", apply))
    p.dispose()
    await clock.to(60)
    assert ["waits for it" in row.label for row in rt.waiting()] == [True]
    undone.set()
    await rt.quiesce()
    assert p.state == "disposed"


async def test_quiesce_waits_for_all_that_can_happen(rt: Runtime, root: Context, log: Log) -> None:
    async def dependent(ctx: Context) -> None:
        for _ in range(20):
            await asyncio.sleep(0)
        ctx.task(chain(20), "chain")

    async def chain(n: int) -> None:
        await asyncio.sleep(0)
        log.append(n)
        if n:
            await chain(n - 1)

    fibers = [root.plugin(P("b", dependent, inject=["a"])), root.plugin(svc("a"))]
    await rt.quiesce()
    assert [fiber.state for fiber in fibers] == ["active", "active"]
    assert log[-1] == 0


async def test_quiesce_is_not_held_up_by_a_call_that_waits_outside(rt: Runtime, root: Context) -> None:
    apply = Patient()
    fiber = root.plugin(P("p", apply))
    async with asyncio.timeout(2):
        await rt.quiesce()
    assert fiber.state == "loading"
    assert apply.begun == 1
    apply.go.set()
    await rt.quiesce()
    assert fiber.state == "active"


async def test_fibers_lists_all_that_live(rt: Runtime, root: Context) -> None:
    p = await root.plugin(P("p"))
    child = await p.context.plugin(P("child"))
    assert [fiber for fiber in rt.fibers() if fiber is not root.fiber] == [p, child]
    await p.dispose()
    assert [fiber for fiber in rt.fibers() if fiber is not root.fiber] == []


@pytest.mark.parametrize(
    "use",
    [
        lambda root, fiber: root.on("ev", nothing),
        lambda root, fiber: root.effect(lambda: None, "label"),
        lambda root, fiber: root.plugin(P("late")),
        lambda root, fiber: root.provide("late", 1),
        lambda root, fiber: root.emit("ev"),
        lambda root, fiber: root.bail("ev"),
        lambda root, fiber: fiber.dispose(),
        lambda root, fiber: fiber.restart(),
        lambda root, fiber: fiber.context.own,
    ],
    ids="on effect plugin provide emit bail dispose restart read".split(),
)
async def test_another_thread_is_refused(rt: Runtime, root: Context, use: Callable[[Context, Any], Any]) -> None:
    caught: list[BaseException] = []
    fiber = await root.plugin(P("p", lambda ctx: ctx.provide("own", 1) and None))
    before = rt.snapshot()

    def work() -> None:
        try:
            with refuses("WRONG_THREAD", "thread"):
                use(root, fiber)
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if caught:
        raise caught[0]
    assert rt.snapshot() == before
