"""Bare exceptions of plugin code, such as SystemExit, are errors like others (spec: Effects 6.4)."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.plugins import P, refuses
from tests.support.records import Records
from workbench.core import Context, CoreError, Runtime


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError])
@pytest.mark.parametrize("place", ["task", "emit task", "timer", "async timer", "disposer", "async disposer"])
async def test_bare_exceptions_are_logged_where_nobody_waits(
    rt: Runtime, root: Context, errors: Records, place: str, error: type[BaseException]
) -> None:
    def raises() -> None:
        raise error

    async def async_raises() -> None:
        raise error

    def apply(ctx: Context) -> None:
        match place:
            case "task":
                ctx.task(async_raises(), "the-label")
            case "emit task":
                ctx.on("ev", async_raises)
                ctx.emit("ev")
            case "timer":
                ctx.timeout(raises, 0.1)
            case "async timer":
                ctx.timeout(async_raises, 0.1)
            case "disposer":
                ctx.effect(lambda: raises, "the-label")
            case "async disposer":
                ctx.effect(lambda: async_raises, "the-label")

    p = await root.plugin(P("the-owner", apply, inject=["timer"]))
    await asyncio.sleep(1)
    await p.dispose()
    assert p.state == "disposed"
    assert len(errors) == 1
    assert errors.naming("the-owner")


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError])
@pytest.mark.parametrize("mode", ["emit", "bail", "serial", "waterfall"])
async def test_bare_exceptions_of_listeners_are_ordinary_errors(
    root: Context, mode: str, error: type[BaseException]
) -> None:
    def raises(*_: object) -> None:
        raise error

    p = await root.plugin(P("the-owner"))
    p.context.on("ev", raises)
    with refuses("PLUGIN_RAISED", error.__name__, "raises"):
        result = getattr(root, mode)("ev")
        if mode in ("serial", "waterfall"):
            await result


async def test_bare_exceptions_in_parallel_are_in_the_group(root: Context) -> None:
    def raises() -> None:
        raise SystemExit(3)

    root.on("ev", raises)
    with pytest.raises(ExceptionGroup) as caught:
        await root.parallel("ev")
    (error,) = caught.value.exceptions
    assert isinstance(error, CoreError)
    assert error.code == "PLUGIN_RAISED"


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError])
@pytest.mark.parametrize("is_async", [True, False])
async def test_bare_exceptions_of_a_plugin_call_fail_the_load(
    root: Context, error: type[BaseException], is_async: bool
) -> None:
    def apply(ctx: Context) -> None:
        raise error

    async def async_apply(ctx: Context) -> None:
        raise error

    fiber = root.plugin(P("p", async_apply if is_async else apply))
    with refuses("PLUGIN_RAISED", error.__name__):
        await fiber
    assert fiber.state == "failed"
