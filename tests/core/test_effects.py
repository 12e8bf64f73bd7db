"""R32 to R40: what is undone, in which order, and how often."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import Boom, Log, P, Spawn, hears, labels, nothing, refuses
from tests.support.records import Records
from workbench.core import Context, Runtime


def noting(log: Log, entry: object) -> Callable[[], None]:
    """A disposer that adds `entry` to the log."""
    return lambda: log.append(entry)


async def test_r32_undo_is_reverse_and_one_at_a_time(rt: Runtime, root: Context, log: Log) -> None:
    def slow(name: str) -> Callable[[], Any]:
        async def dispose() -> None:
            log.append(f"{name}s")
            await asyncio.sleep(0.01)
            log.append(f"{name}e")

        return dispose

    def apply(ctx: Context) -> None:
        for name in "123":
            ctx.effect(lambda name=name: slow(name), name)

    fiber = await root.plugin(P("p", apply))
    await fiber.dispose()

    assert " ".join(log) == "3s 3e 2s 2e 1s 1e"


async def test_r33_a_generator_effect_is_a_tree(rt: Runtime, root: Context, log: Log) -> None:
    heard: list[Any] = []
    fiber = await root.plugin(P("p"))
    ctx = fiber.context

    def noting_whether_heard(name: str) -> Callable[[], None]:
        return lambda: log.append((name, hears(root, "ev", heard)))

    def body() -> Iterator[Any]:
        yield noting_whether_heard("d1")
        yield ctx.on("ev", lambda: heard.append(1))
        yield noting_whether_heard("d2")
        yield ctx.effect(lambda: noting_whether_heard("d3"), "nested")

    dispose = ctx.effect(body, "outer")
    (outer,) = [node for node in fiber.effects() if node.label == "outer"]
    assert labels(fiber) == ["outer"]
    assert "nested" in [node.label for node in outer.children]

    await dispose()
    await dispose()
    await rt.quiesce()

    assert log == [("d3", 1), ("d2", 1), ("d1", 0)]
    assert labels(fiber) == []


async def test_r34_a_disposer_that_raises_stops_nobody(
    rt: Runtime, root: Context, log: Log, errors: Records
) -> None:
    def raising() -> None:
        raise Boom("boom")

    def apply(ctx: Context) -> None:
        ctx.effect(lambda: noting(log, "first"), "first")
        ctx.effect(lambda: raising, "the middle one")
        ctx.effect(lambda: noting(log, "last"), "last")

    fiber = await root.plugin(P("owner-of-it", apply))
    await fiber.dispose()
    await rt.quiesce()

    assert log == ["last", "first"]
    assert len(errors) == 1
    assert errors.naming("the middle one", "owner-of-it")
    assert fiber.state == "disposed"


async def test_r35_a_body_that_raises_leaves_nothing(rt: Runtime, root: Context, log: Log) -> None:
    fiber = await root.plugin(P("p"))

    def body() -> Iterator[Any]:
        yield noting(log, "d1")
        raise Boom("boom")

    with pytest.raises(Boom):
        fiber.context.effect(body, "half")
    await rt.quiesce()

    assert log == ["d1"]
    assert labels(fiber) == []


async def test_r36_an_async_body_ends_at_its_next_yield(rt: Runtime, root: Context, log: Log, clock: Clock) -> None:
    async def body() -> AsyncIterator[Any]:
        await asyncio.sleep(1)
        yield noting(log, "d1")
        await asyncio.sleep(1)
        yield noting(log, "d2")
        log.append("ran on")

    fiber = await root.plugin(P("p"))
    dispose = fiber.context.effect(body, "slow")
    await clock.to(1.5)

    async with asyncio.timeout(5):
        await dispose()
    await rt.quiesce()

    assert log == ["d2", "d1"]
    assert clock.now == 2
    assert labels(fiber) == []


async def test_r37_a_disposer_can_register_nothing(rt: Runtime, root: Context, log: Log, errors: Records) -> None:
    def apply(ctx: Context) -> None:
        def dispose() -> None:
            with refuses("INACTIVE_CONTEXT", "inactive", "late"):
                ctx.on("ev", nothing)
            log.append("refused")

        ctx.effect(lambda: dispose, "registers")

    fiber = await root.plugin(P("late", apply))
    await fiber.dispose()

    assert log == ["refused"]
    assert fiber.state == "disposed"
    assert errors.messages == []


async def test_r38_cancelling_who_waits_does_not_cancel_the_undo(
    rt: Runtime, root: Context, log: Log, clock: Clock, spawn: Spawn
) -> None:
    s0 = rt.snapshot()

    async def slow() -> None:
        log.append("begun")
        await asyncio.sleep(1)
        log.append("ended")

    def apply(ctx: Context) -> None:
        ctx.effect(lambda: noting(log, "first"), "first")
        ctx.effect(lambda: slow, "slow")

    async def dispose() -> None:
        await fiber.dispose()

    fiber = await root.plugin(P("p", apply))
    impatient, patient = spawn(dispose()), spawn(dispose())
    await clock.to(0.5)
    impatient.cancel()
    await clock.to(0.6)
    assert impatient.cancelled()
    assert not patient.done()
    await patient
    await rt.quiesce()

    assert log == ["begun", "ended", "first"]
    assert rt.snapshot() == s0


@pytest.mark.parametrize("awaited", [True, False])
async def test_r39_a_plugin_call_cannot_await_its_own_end(
    rt: Runtime, root: Context, log: Log, errors: Records, awaited: bool
) -> None:
    async def apply(ctx: Context) -> None:
        disposed = ctx.fiber.dispose()
        if awaited:
            with refuses("SELF_AWAIT", "suicidal"):
                await disposed
            log.append("refused")

    fiber = root.plugin(P("suicidal", apply))
    async with asyncio.timeout(2):
        await fiber
        await rt.quiesce()

    assert log == (["refused"] if awaited else [])
    assert fiber.state == "disposed"
    assert errors.messages == []


async def test_r40_exits_of_plugin_code_are_ordinary_errors(rt: Runtime, root: Context) -> None:
    def exits() -> None:
        raise SystemExit(3)

    async def interrupts(ctx: Context) -> None:
        raise KeyboardInterrupt

    root.on("ev", exits)
    with refuses("PLUGIN_RAISED", "SystemExit"):
        root.emit("ev")

    fiber = root.plugin(P("p", interrupts))
    with refuses("PLUGIN_RAISED", "KeyboardInterrupt"):
        await fiber
    await rt.quiesce()

    assert fiber.state == "failed"
    assert fiber.error is not None
    assert getattr(fiber.error, "code", None) == "PLUGIN_RAISED"
