"""R01 to R12: what `plugin()` takes, and how a load goes."""

from __future__ import annotations

import asyncio
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from tests.support.clock import Clock
from tests.support.plugins import Boom, Log, P, Patient, States, labels, n_of, nothing, refuses
from tests.support.records import Records
from workbench.core import Context, Runtime


class Number(BaseModel):
    n: int


async def test_r01_function_plugin_is_called_once(rt: Runtime, root: Context) -> None:
    calls: list[Any] = []

    def f(ctx: Context, config: Any) -> None:
        calls.append(config)

    fiber = await root.plugin(f, {"a": 1})
    await rt.quiesce()

    assert calls == [{"a": 1}]
    assert fiber.state == "active"
    assert (root.fiber.uid, fiber.uid) == (0, 1)


async def test_r02_each_form_of_plugin_loads_under_its_name(rt: Runtime, root: Context, log: Log) -> None:
    class C:
        def __init__(self, ctx: Context, config: Any) -> None:
            self.ctx = ctx

        async def start(self) -> Any:
            log.append("start")
            return lambda: log.append("undone")

    module = ModuleType("some_package.some_module")
    module.name = "from-module"  # type: ignore[attr-defined]
    module.inject = ["timer"]  # type: ignore[attr-defined]
    module.Config = Number  # type: ignore[attr-defined]
    module.apply = lambda ctx, config: log.append((config.n, ctx.timer is not None))  # type: ignore[attr-defined]

    fibers = [root.plugin(lambda ctx: None), root.plugin(C), root.plugin(module, {"n": 4})]
    for fiber in fibers:
        await fiber
    await rt.quiesce()

    assert [fiber.state for fiber in fibers] == ["active"] * 3
    assert [fiber.name for fiber in fibers] == ["root", "C", "from-module"]
    assert sorted(log, key=str) == [(4, True), "start"]

    await fibers[1].dispose()
    await fibers[1].dispose()
    assert log.count("undone") == 1


@pytest.mark.parametrize("thing", [None, {}, 42, SimpleNamespace(apply=3)], ids=repr)
async def test_r03_anything_else_is_refused(rt: Runtime, root: Context, thing: object) -> None:
    s0 = rt.snapshot()

    with refuses("INVALID_PLUGIN", type(thing).__name__):
        root.plugin(thing)
    await rt.quiesce()

    assert rt.snapshot() == s0


async def test_r04_every_load_is_a_fiber_of_its_own(rt: Runtime, root: Context) -> None:
    configs: list[int] = []

    def f(ctx: Context, config: int) -> None:
        configs.append(config)

    first = await root.plugin(f, 1)
    second = await root.plugin(f, 2)
    await rt.quiesce()
    assert (first.uid, second.uid) == (1, 2)
    assert sorted(configs) == [1, 2]
    assert [list(fibers) for plugin, fibers in registered(rt)] == [[first, second]]

    await first.dispose()
    assert [list(fibers) for plugin, fibers in registered(rt)] == [[second]]

    await second.dispose()
    assert registered(rt) == []


def registered(rt: Runtime) -> list[tuple[object, Any]]:
    return [(plugin, rt.registry[plugin]) for plugin in rt.registry]


def booming(log: Log) -> SimpleNamespace:
    """Registers a listener, a service and a timer, then raises; probes between them see the ledger shrink."""

    def apply(ctx: Context) -> None:
        fiber = ctx.fiber

        def remaining() -> list[str]:
            return [label for label in labels(fiber) if label != "probe"]

        def probe() -> None:
            ctx.effect(lambda: lambda: log.append(remaining()), "probe")

        probe()
        ctx.on("ev", nothing)
        probe()
        ctx.provide("a", "half-made")
        probe()
        ctx.timeout(nothing, 5)
        probe()
        log.append(remaining())
        raise Boom("boom")

    return P("booming", apply, inject=["timer"])


async def test_r05_a_failed_load_is_undone_in_reverse(
    rt: Runtime, root: Context, log: Log, errors: Records
) -> None:
    def fails_at_once(ctx: Context) -> None:
        raise Boom("boom")

    async def world(runtime: Runtime) -> tuple[States, list[str]]:
        ran: list[str] = []
        await runtime.root.plugin(P("waits-for-a", lambda ctx: ran.append("ran"), inject=["a"]))
        return States(runtime.root), ran

    states, ran = await world(rt)
    with pytest.raises(Boom, match="boom"):
        await root.plugin(booming(log))
    await rt.quiesce()

    assert states.of("booming") == "pending → loading → disposing → failed"
    listener, service, timer = log[0]
    assert log[1:] == [[listener, service, timer], [listener, service], [listener], []]
    assert ran == []
    assert len(errors) == 1
    assert errors.naming("booming")

    async with Runtime() as other:
        await world(other)
        with pytest.raises(Boom):
            await other.root.plugin(P("booming", fails_at_once, inject=["timer"]))
        assert rt.snapshot() == other.snapshot()


async def test_r06_a_failed_fiber_is_disposed_without_a_trace(rt: Runtime, root: Context, log: Log) -> None:
    s0 = rt.snapshot()
    fiber = root.plugin(booming(log))
    with pytest.raises(Boom):
        await fiber

    await fiber.dispose()
    await rt.quiesce()

    assert fiber.state == "disposed"
    assert rt.snapshot() == s0


def numbered(configs: list[Any]) -> SimpleNamespace:
    return P("numbered", lambda ctx, config: configs.append(config.n), Config=Number)


async def test_r07_invalid_config_fails_the_load(rt: Runtime, root: Context, log: Log) -> None:
    fiber = root.plugin(numbered(log), {"n": "x"})
    with refuses("CONFIG_INVALID", "n"):
        await fiber
    await rt.quiesce()

    assert fiber.state == "failed"
    assert log == []


async def test_r08_a_good_update_mends_it(rt: Runtime, root: Context, log: Log) -> None:
    fiber = root.plugin(numbered(log), {"n": "x"})
    with refuses("CONFIG_INVALID"):
        await fiber

    await fiber.update({"n": 3})
    await rt.quiesce()

    assert fiber.state == "active"
    assert log == [3]


async def test_r09_a_bad_update_changes_nothing(rt: Runtime, root: Context, log: Log) -> None:
    fiber = await root.plugin(numbered(log), {"n": 1})

    with refuses("CONFIG_INVALID", "n"):
        await fiber.update({"n": "x"})
    await rt.quiesce()

    assert fiber.state == "active"
    assert log == [1]
    assert n_of(fiber.config) == 1


async def test_r10_an_update_can_be_vetoed(rt: Runtime, root: Context, log: Log) -> None:
    fiber = await root.plugin(P("p", lambda ctx, config: log.append(n_of(config))), {"n": 1})
    root.on("internal/update", lambda *args: None)

    await fiber.update({"n": 2})
    await rt.quiesce()

    assert log == [1]
    assert n_of(fiber.config) == 1


async def test_r11_dispose_cancels_a_waiting_load_once(rt: Runtime, root: Context, clock: Clock) -> None:
    states = States(root)
    s0 = rt.snapshot()
    apply = Patient()
    fiber = root.plugin(P("p", apply))
    await clock.settle()
    assert apply.begun == 1

    await fiber.dispose()
    await rt.quiesce()

    assert (apply.cancellations, apply.ended) == (1, 1)
    assert states.of("p") == "pending → loading → disposing → disposed"
    assert rt.snapshot() == s0


@pytest.mark.parametrize("asked_by", ["parent", "stranger"])
async def test_r12_a_child_of_a_dying_parent_never_runs(
    rt: Runtime, root: Context, log: Log, asked_by: str
) -> None:
    children = []

    def load_child(ctx: Context) -> None:
        children.append(ctx.plugin(P("child", lambda ctx: log.append("child ran"))))
        if asked_by == "parent":
            ctx.fiber.dispose()

    if asked_by == "parent":
        parent = await root.plugin(P("parent", load_child))
    else:
        parent = await root.plugin(P("parent"))
        load_child(parent.context)
        await parent.dispose()
    await asyncio.wait_for(rt.quiesce(), 2)

    assert log == []
    assert (parent.state, children[0].state) == ("disposed", "disposed")
