"""R41 to R52: the modes of dispatch, scopes, and what undo does to running listeners."""

from __future__ import annotations

import asyncio
import gc
import warnings
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import Boom, Key, Log, Next, P, Patient, Spawn, Traces, nothing, refuses
from tests.support.records import Records
from workbench.core import Context, CoreError, Runtime, create_scope


async def test_r41_prepended_listeners_come_first(rt: Runtime, root: Context, log: Log) -> None:
    for name in "ab":
        root.on("ev", lambda name=name: log.append(name))
    for name in "cd":
        root.on("ev", lambda name=name: log.append(name), prepend=True)

    root.emit("ev")

    assert log == list("dcab")


async def test_r42_bail_stops_at_anything_but_none_and_false(rt: Runtime, root: Context, log: Log) -> None:
    for value in (None, False, 0, 1):
        root.on("ev", lambda value=value: log.append(value) or value)

    result = root.bail("ev")

    assert result == 0
    assert result is not False
    assert log == [None, False, 0]


async def test_r43_emit_runs_coroutines_as_owned_tasks(
    rt: Runtime, root: Context, log: Log, errors: Records
) -> None:
    async def appends() -> None:
        log.append("ran")

    async def raises() -> None:
        raise Boom("boom")

    p = await root.plugin(P("loud-owner"))
    p.context.on("ev", appends)
    p.context.on("ev", raises)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        root.emit("ev")
        await rt.quiesce()
        gc.collect()

    assert log == ["ran"]
    assert caught == []
    assert len(errors) == 1
    assert errors.naming("loud-owner", "ev")


async def test_r44_an_error_in_emit_reaches_the_emitter(rt: Runtime, root: Context, log: Log) -> None:
    def raises() -> None:
        raise Boom("boom")

    root.on("ev", lambda: log.append("ok1"))
    root.on("ev", raises)
    root.on("ev", lambda: log.append("ok2"))

    with pytest.raises(Boom):
        root.emit("ev")
    await rt.quiesce()

    assert log == ["ok1"]


async def test_r45_parallel_gathers_the_errors(rt: Runtime, root: Context, log: Log) -> None:
    async def ok() -> None:
        await asyncio.sleep(1)
        log.append("ok")

    async def async_raises() -> None:
        log.append("async")
        raise Boom("async")

    def sync_raises() -> None:
        log.append("sync")
        raise Boom("sync")

    for listener in (async_raises, sync_raises, ok):
        root.on("ev", listener)

    with pytest.raises(ExceptionGroup) as caught:
        await root.parallel("ev")
    await rt.quiesce()

    assert sorted(log) == ["async", "ok", "sync"]
    assert sorted(str(error) for error in caught.value.exceptions) == ["async", "sync"]


async def test_r46_a_waterfall_is_nested(rt: Runtime, root: Context, log: Log) -> None:
    async def adds(v: int, next: Next) -> int:
        return v + await next()

    def stops(v: int, next: Next) -> int:
        return v

    async def behind(v: int, next: Next) -> int:
        log.append("behind")
        return await next()

    root.on("ev", adds)
    second = root.on("ev", adds)
    assert await root.waterfall("ev", 1, default=lambda v: 2) == 4

    await second()
    root.on("ev", stops)
    root.on("ev", behind)
    traces = Traces(rt)
    result = await root.waterfall("ev", 1, default=lambda v: 2)
    await rt.quiesce()

    assert result == 2
    assert log == []
    assert traces.last == [("root", "passed", 1), ("root", "short-circuited", 0)]


async def test_r47_a_next_that_nobody_awaits_runs_nothing(rt: Runtime, root: Context, log: Log) -> None:
    def forgets(next: Next) -> int:
        next()
        return 7

    def behind(next: Next) -> Any:
        log.append("behind")
        return next()

    root.on("ev", forgets)
    root.on("ev", behind)
    traces = Traces(rt)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = await root.waterfall("ev", default=lambda: log.append("default"))
        await rt.quiesce()
        gc.collect()

    assert result == 7
    assert log == []
    assert traces.last == [("root", "not awaited", 1)]
    assert caught == []


async def test_r48_a_second_next_continues_with_what_is_left(rt: Runtime, root: Context, log: Log) -> None:
    async def twice(next: Next) -> None:
        await next()
        await next()

    async def behind(next: Next) -> None:
        log.append("behind")
        await next()

    root.on("ev", twice)
    await root.waterfall("ev", default=lambda: log.append("default"))
    assert log == ["default", "default"]

    log.clear()
    root.on("ev", behind)
    await root.waterfall("ev", default=lambda: log.append("default"))
    await rt.quiesce()

    assert log == ["behind", "default", "default"]


async def test_r49_a_target_chooses_the_audience(rt: Runtime, root: Context, log: Log) -> None:
    g, k, x = Key("g"), Key("k"), Key("x")
    scopes = {"g": create_scope(root, g), "k": create_scope(root, k, parent=g), "x": create_scope(root, x)}
    root.on("ev", lambda: log.append("plain"))
    for name, scope in scopes.items():
        scope.ctx.on("ev", lambda name=name: log.append(name))
    scopes["x"].ctx.on("ev", lambda: log.append("everywhere"), everywhere=True)

    def audience(target: Key | None) -> str:
        log.clear()
        root.emit("ev", target=target)
        return " ".join(log)

    assert audience(k) == "plain g k everywhere"
    assert audience(g) == "plain g everywhere"
    assert audience(None) == "plain everywhere"


async def test_r50_a_running_listener_is_cancelled_and_waited_for(rt: Runtime, root: Context, clock: Clock) -> None:
    listener = Patient(takes_to_end=0.5)
    p = await root.plugin(P("p", lambda ctx: ctx.on("ev", listener) and None))
    root.emit("ev")
    await clock.settle()
    assert listener.begun == 1

    async with asyncio.timeout(2):
        await p.dispose()

    assert (listener.cancellations, listener.ended) == (1, 1)
    assert clock.now >= 0.5
    root.emit("ev")
    await rt.quiesce()
    assert listener.begun == 1


async def test_r51_a_call_that_waits_for_the_undo_is_exempt(rt: Runtime, root: Context, log: Log) -> None:
    def apply(ctx: Context) -> None:
        async def listener(next: Next) -> str:
            await next()
            with refuses("INACTIVE_CONTEXT", "p"):
                ctx.on("late", nothing)
            log.append("after next")
            return "finished"

        ctx.on("ev", listener)

    async def default() -> None:
        await p.dispose()

    p = await root.plugin(P("p", apply))
    async with asyncio.timeout(2):
        assert await root.waterfall("ev", default=default) == "finished"
    await rt.quiesce()

    assert p.state == "disposed"
    assert log == ["after next"]


async def test_r52_timers_end_with_their_owner(
    rt: Runtime, root: Context, log: Log, clock: Clock, spawn: Spawn
) -> None:
    async def waits(ctx: Context) -> str:
        try:
            await ctx.timeout(5)
        except CoreError as error:
            return error.code
        return "elapsed"

    def apply(ctx: Context) -> None:
        ctx.timeout(lambda: log.append("one-shot"), 1)
        ctx.interval(lambda: log.append("interval"), 0.3)

    p = await root.plugin(P("p", apply, inject=["timer"]))
    waiting = spawn(waits(p.context))
    await clock.to(0.5)
    await p.dispose()
    await clock.to(10)

    assert log == ["interval"]
    assert await waiting == "INACTIVE_CONTEXT"
