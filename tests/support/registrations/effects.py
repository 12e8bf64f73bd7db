"""Effects of plugins of random programs: disposers, generators, and set-ups."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from tests.support.plugins import Boom
from tests.support.registrations.activation import Activation, registration, unless_self
from workbench.core import Context, create_scope


@registration("disposer", calm=True)
def _(at: Activation, ctx: Context) -> None:
    at.effect("disposer", lambda: at.disposer("disposer"))


@registration("slow disposer", calm=True)
def _(at: Activation, ctx: Context) -> None:
    at.effect("slow disposer", lambda: at.disposer("slow disposer", 0.6))


@registration("failing disposer", calm=True)
def _(at: Activation, ctx: Context) -> None:
    at.effect("failing disposer", lambda: at.disposer("failing disposer", fails=True))


@registration("slow failing disposer", calm=True)
def _(at: Activation, ctx: Context) -> None:
    at.effect("slow failing disposer", lambda: at.disposer("slow failing disposer", 0.6, fails=True))


@registration("emitting disposer")
def _(at: Activation, ctx: Context) -> None:
    at.effect("emitting disposer", lambda: at.disposer("emitting", does=lambda: at.world.rt.root.emit("ev")))


@registration("registering disposer")
def _(at: Activation, ctx: Context) -> None:
    at.effect(
        "registering disposer",
        lambda: at.disposer("registering", does=lambda: ctx.on("late", lambda: None)),
    )


@registration("asking disposer")
def _(at: Activation, ctx: Context) -> None:
    def ask() -> None:
        at.neighbour().dispose()

    at.effect("asking disposer", lambda: at.disposer("asking", does=ask))


@registration("disposer that awaits its own fiber")
def _(at: Activation, ctx: Context) -> None:
    ctx.effect(lambda: lambda: unless_self(at.fiber.dispose()), "awaits its own fiber")


@registration("disposer that awaits a neighbour's dispose")
def _(at: Activation, ctx: Context) -> None:
    ctx.effect(lambda: lambda: unless_self(at.neighbour().dispose()), "disposes a neighbour")


@registration("disposer that awaits a neighbour's restart")
def _(at: Activation, ctx: Context) -> None:
    ctx.effect(lambda: at.restart_neighbour, "restarts a neighbour")


@registration("listener that awaits withdrawals")
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        for withdraw in list(at.world.root_services.values()):
            await withdraw()
        await next()

    ctx.on("w", listener)


@registration("generator", calm=True)
def _(at: Activation, ctx: Context) -> None:
    def body() -> Iterator[Any]:
        yield at.disposer("generator")
        yield ctx.on("ev", lambda: at.enter("generator"))
        yield ctx.effect(lambda: at.disposer("nested", 0.2), "nested")

    at.effect("generator", body)


@registration("failing generator")
def _(at: Activation, ctx: Context) -> None:
    def body() -> Iterator[Any]:
        yield at.disposer("failing generator")
        yield ctx.on("ev", lambda: at.enter("failing generator"))
        raise Boom("generator")

    ctx.effect(body, "failing generator")


@registration("slow generator", calm=True)
def _(at: Activation, ctx: Context) -> None:
    async def body() -> AsyncIterator[Any]:
        yield at.disposer("slow generator")
        await asyncio.sleep(0.4)
        yield at.disposer("slow generator", 0.2)
        await asyncio.sleep(0.4)
        yield at.disposer("slow generator")

    ctx.effect(body, "slow generator")


@registration("slow failing generator")
def _(at: Activation, ctx: Context) -> None:
    async def body() -> AsyncIterator[Any]:
        yield at.disposer("slow failing generator", 0.2)
        await asyncio.sleep(0.4)
        raise Boom("slow generator")

    ctx.effect(body, "slow failing generator")


@registration("slow set-up", calm=True)
def _(at: Activation, ctx: Context) -> None:
    async def body() -> Any:
        await asyncio.sleep(0.4)
        return at.disposer("slow set-up", 0.2)

    ctx.effect(body, "slow set-up")


@registration("set-up that awaits its own fiber")
def _(at: Activation, ctx: Context) -> None:
    async def body() -> Any:
        await asyncio.sleep(0.4)
        await at.fiber.dispose()
        return at.disposer("late", 0.2)

    ctx.effect(body, "self-disposing set-up")


@registration("set-up that awaits a neighbour's dispose")
def _(at: Activation, ctx: Context) -> None:
    async def body() -> Any:
        await asyncio.sleep(0.4)
        await unless_self(at.neighbour().dispose())
        return at.disposer("after the neighbour", 0.2)

    ctx.effect(body, "set-up that disposes a neighbour")


@registration("set-up that awaits a neighbour's restart")
def _(at: Activation, ctx: Context) -> None:
    async def body() -> Any:
        await at.restart_neighbour()
        return at.disposer("after the neighbour", 0.2)

    ctx.effect(body, "set-up that restarts a neighbour")


@registration("body that disposes its scope")
def _(at: Activation, ctx: Context) -> None:
    scope = create_scope(ctx, at.world.keys[0])

    def body() -> Any:
        scope.dispose()
        return at.disposer("in a gone scope", 0.2)

    scope.ctx.effect(body, "in a gone scope")
