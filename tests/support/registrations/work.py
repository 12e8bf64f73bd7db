"""Timers, tasks, services, scopes and declarations of plugins of random programs."""

from __future__ import annotations

import asyncio

from tests.support.plugins import Boom, P
from tests.support.registrations.activation import FOREVER, Activation, registration
from workbench.core import Context, Event, create_scope


@registration("timeout")
def _(at: Activation, ctx: Context) -> None:
    ctx.timeout(lambda: at.enter("timeout"), 0.4)


@registration("late timeout", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.timeout(lambda: at.enter("late timeout"), FOREVER)


@registration("interval", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.interval(lambda: at.enter("interval"), 20)


@registration("slow timer")
def _(at: Activation, ctx: Context) -> None:
    async def callback() -> None:
        at.enter("slow timer")
        await asyncio.sleep(0.7)

    ctx.timeout(callback, 0.2)


@registration("task", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.task(asyncio.Event().wait(), "task")


@registration("stubborn task")
def _(at: Activation, ctx: Context) -> None:
    async def task() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0.4)

    ctx.task(task(), "stubborn task")


@registration("failing task")
def _(at: Activation, ctx: Context) -> None:
    async def task() -> None:
        await asyncio.sleep(0.2)
        raise Boom("task")

    ctx.task(task(), "failing task")


@registration("waiting task", calm=True)
def _(at: Activation, ctx: Context) -> None:
    async def task() -> None:
        async for _turn in ctx.interval(17):  # not at work when the pictures are taken, after some 60 s
            await asyncio.sleep(0.1)

    ctx.task(task(), "waiting task")


@registration("self-disposing task")
def _(at: Activation, ctx: Context) -> None:
    async def task() -> None:
        await asyncio.sleep(0.3)
        await at.fiber.dispose()

    ctx.task(task(), "self-disposing task")


@registration("self-restarting task")
def _(at: Activation, ctx: Context) -> None:
    async def task() -> None:
        await asyncio.sleep(0.9)
        await at.fiber.restart()

    ctx.task(task(), "self-restarting task")


# Services, scopes, declarations


@registration("isolated service", calm=True)
def _(at: Activation, ctx: Context) -> None:
    isolated = ctx.isolate("a")
    isolated.provide("a", "isolated")
    isolated.plugin(P("in isolation", inject=["a"]))


@registration("labelled service")
def _(at: Activation, ctx: Context) -> None:
    ctx.isolate("a", "label").provide("a", "labelled")


@registration("withdrawn service", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.provide("short_lived", 1)()


@registration("scope", calm=True)
def _(at: Activation, ctx: Context) -> None:
    scope = create_scope(ctx, at.world.keys[0])
    scope.ctx.on("ev", lambda: at.enter("scoped"))
    scope.ctx.plugin(P("in a scope"))


@registration("bound scope")
def _(at: Activation, ctx: Context) -> None:
    create_scope(ctx, at.world.keys[1], parent=at.world.keys[2]).ctx.on("ev", lambda: at.enter("bound"))


@registration("bound the other way")
def _(at: Activation, ctx: Context) -> None:
    create_scope(ctx, at.world.keys[2], parent=at.world.keys[1]).ctx.on("ev", lambda: at.enter("bound"))


@registration("declaration", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.declare(Event("declared", "serial"))


@registration("contrary declaration")
def _(at: Activation, ctx: Context) -> None:
    ctx.declare(Event("declared", "emit"))
