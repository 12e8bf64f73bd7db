"""State changes that no scenario row walks through (spec: Fiber states, Interleaving)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import Boom, Log, P, Spawn, States, labels, n_of, refuses, svc
from tests.support.records import Records
from workbench.core import Context, Fiber, Runtime


def sleeper(log: Log, seconds: float = 1) -> Any:
    """An async plugin call that takes its time."""

    async def apply(ctx: Context) -> None:
        log.append("begun")
        await asyncio.sleep(seconds)
        log.append("ended")

    return apply


def slow_to_undo(log: Log, seconds: float = 1) -> Any:
    """A plugin call whose only effect takes its time to be undone."""

    def apply(ctx: Context, config: Any) -> None:
        log.append(("ran", config))
        ctx.effect(lambda: lambda: asyncio.sleep(seconds), "slow")

    return apply


async def test_a_new_fiber_is_owned_and_pending_when_it_is_announced(root: Context, log: Log) -> None:
    parent = await root.plugin(P("parent"))
    root.on(
        "internal/plugin",
        lambda fiber, *_: log.append((fiber.name, fiber.state, len(labels(parent)), fiber.parent is parent)),
    )
    await parent.context.plugin(P("child"))
    assert log == [("child", "pending", 1, True)]


async def test_dependencies_are_looked_at_after_the_announcement(root: Context, log: Log) -> None:
    states = States(root)
    root.on("internal/plugin", lambda fiber, *_: log.append(states.of("p")))
    fiber = root.plugin(P("p"))
    assert log == [""]
    await fiber
    assert states.of("p") == "pending → loading → active"


async def test_a_ground_that_is_gone_when_the_call_is_due(rt: Runtime, root: Context, log: Log) -> None:
    b = root.plugin(P("b", lambda ctx: log.append("ran"), inject=["a"]))
    withdraw = root.provide("a", 1)
    withdraw()
    await rt.quiesce()
    assert (b.state, log) == ("pending", [])


async def test_a_fiber_disposed_in_its_first_turn_never_runs(root: Context, log: Log) -> None:
    fiber = root.plugin(P("p", lambda ctx: log.append("ran")))
    await fiber.dispose()
    assert (fiber.state, log) == ("disposed", [])


async def test_a_load_that_raises_after_its_service_left_is_failed(
    rt: Runtime, root: Context, clock: Clock, errors: Records
) -> None:
    async def apply(ctx: Context) -> None:
        await asyncio.sleep(1)
        raise Boom("boom")

    states = States(root)
    withdraw = root.provide("a", 1)
    b = root.plugin(P("b", apply, inject=["a"]))
    await clock.to(0.5)
    withdraw()
    await clock.to(2)
    assert states.of("b") == "pending → loading → disposing → failed"
    assert len(errors) == 1
    with pytest.raises(Boom):
        await b


@pytest.mark.parametrize("by", ["restart", "update"])
async def test_restart_while_loading_waits_for_the_call(root: Context, log: Log, clock: Clock, by: str) -> None:
    states = States(root)
    fiber = root.plugin(P("p", sleeper(log)))
    await clock.to(0.4)
    await (fiber.restart() if by == "restart" else fiber.update({"n": 2}))
    assert states.of("p") == "pending → loading → disposing → loading → active"
    assert log == ["begun", "ended", "begun", "ended"]
    assert clock.now == 2


async def test_dispose_while_loading_waits_for_a_call_that_swallows_it(
    root: Context, log: Log, clock: Clock
) -> None:
    async def apply(ctx: Context) -> None:
        for _ in range(2):
            try:
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                log.append("cancelled")

    fiber = root.plugin(P("stubborn", apply))
    await clock.to(0.5)
    await fiber.dispose()
    assert log == ["cancelled"]
    assert clock.now == 1.5
    assert fiber.state == "disposed"


async def test_a_provider_replaced_within_one_turn_is_another_ground(rt: Runtime, root: Context, log: Log) -> None:
    x, y = await root.plugin(P("X")), await root.plugin(P("Y"))
    withdraw = x.context.provide("a", "of X")
    b = await root.plugin(P("b", lambda ctx: log.append(ctx.a), inject=["a"]))
    withdraw()
    y.context.provide("a", "of Y")
    await rt.quiesce()
    assert (b.state, log) == ("active", ["of X", "of Y"])


async def test_restart_of_an_active_fiber(root: Context, log: Log) -> None:
    states = States(root)
    fiber = await root.plugin(P("p", lambda ctx: log.append("ran")))
    states.clear()
    await fiber.restart()
    assert states.of("p") == "active → disposing → loading → active"
    assert log == ["ran", "ran"]


async def test_restart_and_update_bring_a_failed_fiber_back(rt: Runtime, root: Context) -> None:
    def apply(ctx: Context, config: Any) -> None:
        if config is None:
            raise Boom("boom")

    fiber = root.plugin(P("p", apply))
    for _ in range(2):
        with pytest.raises(Boom):
            await fiber
    assert isinstance(fiber.error, Boom)
    with pytest.raises(Boom):
        await fiber.restart()
    assert fiber.state == "failed"
    await fiber.update(1)
    assert (fiber.state, fiber.error) == ("active", None)


async def test_a_failed_fiber_goes_to_pending_when_asked_without_its_service(rt: Runtime, root: Context) -> None:
    def apply(ctx: Context) -> None:
        raise Boom("boom")

    withdraw = root.provide("a", 1)
    fiber = root.plugin(P("p", apply, inject=["a"]))
    with pytest.raises(Boom):
        await fiber
    withdraw()
    await rt.quiesce()
    assert fiber.state == "failed"
    await fiber.restart()
    assert (fiber.state, fiber.error) == ("pending", None)


async def test_a_pending_fiber_is_undone_too(rt: Runtime, root: Context, log: Log) -> None:
    states = States(root)

    def observer(fiber: Fiber, *_: object) -> None:
        if fiber.state == "pending":
            fiber.context.effect(lambda: lambda: log.append("undone"), "of an observer")

    root.on("internal/plugin", observer)
    fiber = await root.plugin(P("p", inject=["absent"]))
    await fiber.dispose()
    assert log == ["undone"]
    assert states.of("p") == "pending → disposing → disposed"


async def test_a_second_dispose_joins_the_first(root: Context, log: Log, clock: Clock, spawn: Spawn) -> None:
    fiber = await root.plugin(P("p", slow_to_undo(log)))
    first = spawn(clock.measure(fiber.dispose()))
    await clock.to(0.5)
    second = spawn(clock.measure(fiber.dispose()))
    assert (await first, await second) == (1, 1)


async def test_after_the_end_only_dispose_and_await_are_left(root: Context) -> None:
    fiber = await root.plugin(P("ended"))
    await fiber.dispose()
    await fiber.dispose()
    assert await fiber is fiber
    with refuses("INACTIVE_CONTEXT", "inactive", "ended"):
        await fiber.restart()
    with refuses("INACTIVE_CONTEXT", "inactive", "ended"):
        await fiber.update({})


async def test_await_settles_in_pending(root: Context) -> None:
    fiber = await root.plugin(P("p", inject=["absent"]))
    assert fiber.state == "pending"
    assert fiber.status_text == "pending (waits for absent)"


async def test_root_is_emptied_and_stays_usable(rt: Runtime, root: Context, log: Log) -> None:
    s0 = rt.snapshot()
    await root.plugin(svc("a"))
    root.on("ev", lambda: log.append("heard"))
    await root.fiber.dispose()
    assert root.fiber.state == "active"
    assert rt.snapshot() == s0
    root.emit("ev")
    assert log == []
    b = await root.plugin(P("b", lambda ctx: log.append(ctx.timer is not None), inject=["timer"]))
    assert (b.state, log) == ("active", [True])


@pytest.mark.parametrize("by", ["restart", "update"])
async def test_root_is_always_active(rt: Runtime, root: Context, log: Log, by: str) -> None:
    states = States(root)
    root.effect(lambda: lambda: log.append("undone"), "effect")
    await (root.fiber.restart() if by == "restart" else root.fiber.update({}))
    assert root.fiber.state == "active"
    assert states.of("root") == ""
    assert log == ["undone"]
    assert (await root.plugin(P("p"))).state == "active"


async def test_a_restart_reloads_the_children(root: Context, log: Log) -> None:
    def apply(ctx: Context) -> None:
        log.append("parent")
        ctx.plugin(P("child", lambda ctx: log.append("child")))

    parent = await root.plugin(P("parent", apply))
    await asyncio.sleep(0.1)
    await parent.restart()
    await asyncio.sleep(0.1)
    assert log == ["parent", "child", "parent", "child"]


async def test_a_fiber_restarted_twice_at_once_runs_once_more(root: Context, log: Log) -> None:
    fiber = await root.plugin(P("p", slow_to_undo(log)))
    first, second = fiber.restart(), fiber.restart()
    await first
    await second
    assert log == [("ran", None), ("ran", None)]


async def test_dispose_during_a_restart_wins(root: Context, log: Log, clock: Clock) -> None:
    fiber = await root.plugin(P("p", slow_to_undo(log)))
    fiber.restart()
    await clock.to(0.5)
    await fiber.dispose()
    assert (fiber.state, log) == ("disposed", [("ran", None)])
    assert clock.now == 1


async def test_an_update_during_the_undo_is_for_the_next_activation(
    rt: Runtime, root: Context, log: Log, clock: Clock
) -> None:
    withdraw = root.provide("a", 1)
    fiber = await root.plugin(P("p", slow_to_undo(log), inject=["a"]), 1)
    withdraw()
    await clock.to(0.5)
    assert fiber.state == "disposing"
    await fiber.update(2)
    assert fiber.state == "pending"
    root.provide("a", 1)
    await rt.quiesce()
    assert log == [("ran", 1), ("ran", 2)]


async def test_an_update_of_a_pending_fiber_is_stored(rt: Runtime, root: Context, log: Log) -> None:
    fiber = await root.plugin(P("p", lambda ctx, config: log.append(config), inject=["a"]), 1)
    await fiber.update(2)
    assert fiber.state == "pending"
    root.provide("a", 1)
    await rt.quiesce()
    assert log == [2]


async def test_a_parent_waits_for_a_child_that_loads(root: Context, log: Log, clock: Clock) -> None:
    async def apply(ctx: Context) -> None:
        try:
            await asyncio.sleep(10)
        finally:
            await asyncio.sleep(1)
            log.append("child ended")

    parent = await root.plugin(P("parent"))
    parent.context.plugin(P("child", apply))
    await clock.to(0.5)
    await parent.dispose()
    assert log == ["child ended"]
    assert clock.now == 1.5


async def test_a_parent_disposed_in_the_announcement_of_its_child(rt: Runtime, root: Context, log: Log) -> None:
    parent = await root.plugin(P("parent"))

    def observer(fiber: Fiber, *_: object) -> None:
        if fiber.parent is parent:
            parent.dispose()

    root.on("internal/plugin", observer)
    child = parent.context.plugin(P("child", lambda ctx: log.append("ran")))
    await rt.quiesce()
    assert (parent.state, child.state, log) == ("disposed", "disposed", [])


async def test_an_observer_that_raises_on_creation_stops_the_plugin(rt: Runtime, root: Context, log: Log) -> None:
    s0 = rt.snapshot()

    def observer(fiber: Fiber, *_: object) -> None:
        if fiber.state == "pending":
            raise Boom("observer")

    stop = root.on("internal/plugin", observer)
    with pytest.raises(Boom, match="observer"):
        root.plugin(P("p", lambda ctx: log.append("ran")))
    await rt.quiesce()
    await stop()
    assert log == []
    assert rt.snapshot() == s0


async def test_an_observer_that_raises_on_removal_is_logged(
    rt: Runtime, root: Context, log: Log, errors: Records
) -> None:
    def observer(fiber: Fiber, *_: object) -> None:
        if fiber.state != "pending":
            raise Boom("observer")

    watcher = await root.plugin(P("the-watcher"))
    watcher.context.on("internal/plugin", observer)
    root.on("internal/plugin", lambda fiber, *_: log.append(fiber.name))
    fiber = await root.plugin(P("p"))
    log.clear()
    await fiber.dispose()
    assert fiber.state == "disposed"
    assert log == ["p"]
    assert len(errors) == 1
    assert errors.naming("the-watcher")


async def test_two_providers_race_for_one_name(rt: Runtime, root: Context) -> None:
    fibers = [root.plugin(svc("a", name="one")), root.plugin(svc("a", name="two"))]
    await rt.quiesce()
    assert sorted(fiber.state for fiber in fibers) == ["active", "failed"]
    (loser,) = [fiber for fiber in fibers if fiber.state == "failed"]
    with refuses("SERVICE_EXISTS"):
        await loser
    assert labels(loser) == []


async def test_dependents_are_undone_together(root: Context, clock: Clock, log: Log) -> None:
    provider = await root.plugin(svc("a"))
    for _ in range(3):
        await root.plugin(P("b", slow_to_undo(log), inject=["a"]))
    await provider.dispose()
    assert clock.now == 1


async def test_a_restarting_provider_comes_back_after_its_dependents_undo(
    rt: Runtime, root: Context, log: Log
) -> None:
    def provider(ctx: Context) -> None:
        log.append("a up")
        ctx.provide("a", 1)
        ctx.effect(lambda: lambda: log.append("a down"), "down")

    def dependent(ctx: Context) -> None:
        async def down() -> None:
            await asyncio.sleep(1)
            log.append("b down")

        log.append("b up")
        ctx.effect(lambda: down, "down")

    x = await root.plugin(P("x", provider))
    await root.plugin(P("b", dependent, inject=["a"]))
    log.clear()
    await x.restart()
    await rt.quiesce()
    assert log == ["b down", "a down", "a up", "b up"]


async def test_update_touches_nothing_else(rt: Runtime, root: Context) -> None:
    provider = await root.plugin(svc("a"))
    await root.plugin(P("dependent", inject=["a"]))
    await root.plugin(P("stranger"))
    states = States(root)
    await provider.update({"n": 1})
    await rt.quiesce()
    assert n_of(provider.config) == 1
    assert states.of("dependent") == "active → disposing → pending → loading → active"
    assert states.of("stranger") == ""
