"""R13 to R26: services gate activation."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import Boom, Log, P, Spawn, States, hears, labels, refuses, svc
from workbench.core import Context, Fiber, Runtime, Service


class Dependent:
    """Plugin `b`: requires `a`, listens to "ev", and notes what it reads in its call and in its disposer."""

    def __init__(self, root: Context) -> None:
        self._root = root
        self.read_in_call: list[object] = []
        self.read_in_disposer: list[tuple[object, object]] = []
        self.heard: list[str] = []
        self.plugin = P("b", self._apply, inject=["a"])

    def _apply(self, ctx: Context) -> None:
        self.read_in_call.append(ctx.a)
        ctx.on("ev", lambda: self.heard.append("b"))
        ctx.effect(lambda: lambda: self.read_in_disposer.append((ctx.a, self._root.get("a"))), "reads a")


async def test_r13_a_dependent_waits_for_its_service(rt: Runtime, root: Context) -> None:
    dependent = Dependent(root)
    b = await root.plugin(dependent.plugin)
    assert b.state == "pending"

    await root.plugin(svc("a"))
    await rt.quiesce()

    assert b.state == "active"
    assert dependent.read_in_call == ["v:a"]


async def test_r14_a_dependent_is_undone_before_its_service(rt: Runtime, root: Context) -> None:
    dependent = Dependent(root)
    b = await root.plugin(dependent.plugin)
    provider = await root.plugin(svc("a"))
    await rt.quiesce()
    assert hears(root, "ev", dependent.heard) == 1

    await provider.dispose()

    assert b.state == "pending"
    assert hears(root, "ev", dependent.heard) == 0
    assert root.get("a") is None
    assert dependent.read_in_disposer == [("v:a", None)]


async def test_r15_a_dependent_comes_back_behind_everybody_else(rt: Runtime, root: Context) -> None:
    dependent = Dependent(root)
    b = await root.plugin(dependent.plugin)
    provider = await root.plugin(svc("a"))
    await rt.quiesce()
    await provider.dispose()
    root.on("ev", lambda: dependent.heard.append("root"))

    await root.plugin(svc("a"))
    await rt.quiesce()

    assert b.state == "active"
    assert dependent.read_in_call == ["v:a", "v:a"]
    root.emit("ev")
    assert dependent.heard == ["root", "b"]


async def test_r16_another_provider_is_another_ground(
    rt: Runtime, root: Context, clock: Clock, log: Log, spawn: Spawn
) -> None:
    def apply(ctx: Context) -> None:
        log.append(ctx.a)
        ctx.effect(lambda: lambda: asyncio.sleep(1), "slow")

    states = States(root)
    x = await root.plugin(svc("a", "of X"))
    b = await root.plugin(P("b", apply, inject=["a"]))
    assert b.state == "active"
    states.clear()

    x_disposed = spawn(clock.measure(x.dispose()))
    await clock.to(0.5)
    root.plugin(svc("a", "of Y"))
    await rt.quiesce()
    await clock.to(3)

    assert states.of("b") == "active → disposing → loading → active"
    assert log == ["of X", "of Y"]
    assert await x_disposed == 1


def slow_dependent(log: Log) -> SimpleNamespace:
    async def apply(ctx: Context) -> None:
        log.append("begun")
        ctx.on("ev", lambda: log.append("heard"))
        await asyncio.sleep(1)

    return P("b", apply, inject=["a"])


async def test_r17_a_load_that_lost_its_service_ends_first(
    rt: Runtime, root: Context, clock: Clock, log: Log, spawn: Spawn
) -> None:
    states = States(root)
    provider = await root.plugin(svc("a"))
    b = root.plugin(slow_dependent(log))
    await clock.to(0.4)
    provider_disposed = spawn(clock.measure(provider.dispose()))

    await clock.to(0.9)
    assert b.state == "loading"
    await clock.to(1.1)

    assert states.of("b") == "pending → loading → disposing → pending"
    assert labels(b) == []
    assert hears(root, "ev", log) == 0
    assert await provider_disposed == 1


async def test_r18_the_same_activation_may_withdraw_and_provide_again(
    rt: Runtime, root: Context, clock: Clock, log: Log
) -> None:
    provider = await root.plugin(P("provider"))
    withdraw = provider.context.provide("a", 1)
    b = root.plugin(slow_dependent(log))

    await clock.to(0.4)
    withdraw()
    await clock.to(0.8)
    provider.context.provide("a", 1)
    await clock.to(1.1)

    assert b.state == "active"
    assert provider.state == "active"
    assert log == ["begun"]


async def test_r19_an_optional_service_never_gates(rt: Runtime, root: Context, log: Log) -> None:
    states = States(root)
    await root.plugin(svc("a"))
    inject = {"required": ["a"], "optional": ["o"]}
    b = await root.plugin(P("b", lambda ctx: log.append("ran"), inject=inject))
    states.clear()
    seen = []

    async def look() -> None:
        await rt.quiesce()
        seen.append(b.context.get("o"))

    await look()
    with refuses("SERVICE_INACTIVE", "o"):
        _ = b.context.o
    o = await root.plugin(svc("o"))
    await look()
    assert b.context.o == "v:o"
    await o.dispose()
    await look()
    with refuses("SERVICE_INACTIVE", "o"):
        _ = b.context.o

    assert seen == [None, "v:o", None]
    assert (b.state, states.of("b"), log) == ("active", "", ["ran"])


async def test_r20_an_undeclared_read_is_refused(rt: Runtime, root: Context) -> None:
    await root.plugin(svc("a"))
    p = await root.plugin(P("p"))
    await rt.quiesce()

    with refuses("SERVICE_NOT_INJECTED", "a", "inject"):
        _ = p.context.a
    with refuses("SERVICE_NOT_INJECTED", "zzz"):
        _ = p.context.zzz
    assert root.zzz is None


async def test_r21_a_child_reads_what_its_parent_declared(rt: Runtime, root: Context, log: Log) -> None:
    await root.plugin(svc("a"))
    child = P("child", lambda ctx: log.append(ctx.a))
    await root.plugin(P("parent", lambda ctx: ctx.plugin(child) and None, inject=["a"]))
    await rt.quiesce()

    assert log == ["v:a"]


async def test_r22_none_is_a_provided_value(rt: Runtime, root: Context, log: Log) -> None:
    root.provide("n", None)
    b = await root.plugin(P("b", lambda ctx: log.append(ctx.n is None), inject=["n"]))
    await rt.quiesce()

    assert b.state == "active"
    assert log == [True]


async def test_r23_a_ring_stays_pending_and_is_reported(rt: Runtime, root: Context) -> None:
    a = root.plugin(P("A", inject=["b"], provides=["a"]))
    b = root.plugin(P("B", inject=["a"], provides=["b"]))
    await a
    await b
    await rt.quiesce()

    assert (a.state, b.state) == ("pending", "pending")
    assert (a.error, b.error) == (None, None)
    rings = [{getattr(member, "name", member) for member in ring} for ring in rt.cycles()]
    assert rings == [{"A", "B"}]
    assert "cycle" in a.status_text
    assert "cycle" in b.status_text


async def test_r24_a_service_class_is_visible_when_it_has_started(rt: Runtime, root: Context) -> None:
    go = asyncio.Event()
    root.on("go", go.set)

    class Foo(Service):
        name = "foo"

        async def start(self) -> None:
            await go.wait()

    foo = root.plugin(Foo)
    d = root.plugin(P("d", inject=["foo"]))
    await rt.quiesce()
    assert (foo.state, d.state) == ("loading", "pending")

    root.emit("go")
    await rt.quiesce()

    assert (foo.state, d.state) == ("active", "active")
    assert isinstance(root.foo, Foo)


async def test_r25_a_parent_may_await_a_child_that_waits_for_it(rt: Runtime, root: Context, log: Log) -> None:
    children: list[Fiber] = []

    async def apply(ctx: Context) -> None:
        ctx.provide("p", 1)
        children.append(await ctx.plugin(P("child", inject=["p"])))
        log.append(str(children[0].state))

    async with asyncio.timeout(2):
        parent = await root.plugin(P("parent", apply))
    await rt.quiesce()

    assert log == ["pending"]
    assert (parent.state, children[0].state) == ("active", "active")


async def test_r26_only_a_service_brings_a_failed_plugin_back(rt: Runtime, root: Context, log: Log) -> None:
    def failing(name: str, **metadata: Any) -> SimpleNamespace:
        def apply(ctx: Context) -> None:
            log.append(name)
            raise Boom(name)

        return P(name, apply, **metadata)

    provider = await root.plugin(svc("a"))
    fibers = [root.plugin(failing("needs a", inject=["a"])), root.plugin(failing("needs nothing"))]
    for fiber in fibers:
        with pytest.raises(Boom):
            await fiber

    await provider.dispose()
    await rt.quiesce()
    assert [fiber.state for fiber in fibers] == ["failed", "failed"]
    await root.plugin(svc("a"))
    await rt.quiesce()

    assert sorted(log) == ["needs a", "needs a", "needs nothing"]
    assert [fiber.state for fiber in fibers] == ["failed", "failed"]


async def test_a_long_chain_of_dependents(rt: Runtime, root: Context) -> None:
    """Longer than the interpreter lets calls nest."""
    fibers = [root.plugin(P("p0", lambda ctx: ctx.provide("s0", 0) and None))]
    for i in range(1, 400):

        def apply(ctx: Context, _config: Any, i: int = i) -> None:
            ctx.provide(f"s{i}", i)

        fibers.append(root.plugin(P(f"p{i}", apply, inject=[f"s{i - 1}"])))
    async with asyncio.timeout(20):
        await rt.quiesce()
        assert {str(fiber.state) for fiber in fibers} == {"active"}
        await fibers[0].dispose()
        await rt.quiesce()
    assert [str(fiber.state) for fiber in fibers] == ["disposed", *["pending"] * 399]
    assert rt.waiting() == []
