"""Listeners of plugins of random programs, of plain events and of waterfalls."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.support.plugins import Boom
from tests.support.registrations.activation import Activation, registration
from workbench.core import Context


@registration("listener", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.on("ev", lambda: at.enter("listener"))


@registration("prepended", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.on("ev", lambda: at.enter("prepended"), prepend=True, everywhere=True)


@registration("once")
def _(at: Activation, ctx: Context) -> None:
    ctx.once("ev", lambda: at.enter("once"))


@registration("slow listener", calm=True)
def _(at: Activation, ctx: Context) -> None:
    async def listener() -> None:
        at.enter("slow listener")
        await asyncio.sleep(0.7)

    ctx.on("ev", listener)


@registration("stubborn listener")
def _(at: Activation, ctx: Context) -> None:
    async def listener() -> None:
        at.enter("stubborn listener")
        try:
            await asyncio.sleep(0.7)
        except asyncio.CancelledError:
            await asyncio.sleep(0.4)
            raise

    ctx.on("ev", listener)


@registration("failing listener")
def _(at: Activation, ctx: Context) -> None:
    def listener() -> None:
        at.enter("failing listener")
        raise Boom("listener")

    ctx.on("ev", listener)


@registration("contained listener", calm=True)
def _(at: Activation, ctx: Context) -> None:
    def listener() -> None:
        at.enter("contained listener")
        raise SystemExit(3)

    ctx.on("ev", listener, contained=True)


@registration("self-disposing listener")
def _(at: Activation, ctx: Context) -> None:
    async def listener() -> None:
        at.enter("self-disposing listener")
        await at.fiber.dispose()

    ctx.on("ev", listener)


# Waterfall listeners


@registration("passing", calm=True)
def _(at: Activation, ctx: Context) -> None:
    def listener(next: Any) -> Any:
        at.enter("passing")
        return next()

    ctx.on("w", listener)


@registration("slowly passing", calm=True)
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        at.enter("slowly passing")
        await asyncio.sleep(0.4)
        await next()
        await asyncio.sleep(0.4)

    ctx.on("w", listener)


@registration("forgetting")
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        next()

    ctx.on("w", listener)


@registration("asking twice")
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        await next()
        await next()

    ctx.on("w", listener)


@registration("disposing in a waterfall")
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        await next()
        await at.fiber.dispose()

    ctx.on("w", listener)


@registration("restarting in a waterfall")
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        await next()
        await at.fiber.restart()
        ctx.on("late", lambda: None)

    ctx.on("w", listener)


@registration("disposing a neighbour")
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        await at.neighbour().dispose()
        await next()

    ctx.on("w", listener)
