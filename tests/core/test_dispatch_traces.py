"""What a watcher is told of a dispatch, and that it disturbs nothing (spec: Events)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.plugins import Boom, Next, P, Traces, passes
from tests.support.records import Records
from workbench.core import Context, Runtime


async def test_a_trace_tells_how_often_next_was_called(rt: Runtime, root: Context) -> None:
    async def twice(next: Next) -> None:
        await next()
        await next()

    async def forgets_one(next: Next) -> None:
        next()
        await next()

    root.on("ev", twice)
    root.on("ev", forgets_one)
    root.on("ev", lambda next: next())
    traces = Traces(rt)
    await root.waterfall("ev")
    assert [entry.asked for entry in traces.waterfalls[-1].listeners] == [2, 2, 1]
    assert [outcome for _, outcome, _ in traces.last] == ["passed", "not awaited", "passed"]


async def test_a_trace_separates_a_listeners_own_time(rt: Runtime, root: Context) -> None:
    def busy(milliseconds: int) -> None:
        from time import perf_counter

        end = perf_counter() + milliseconds / 1000
        while perf_counter() < end:
            pass

    async def outer(next: Next) -> None:
        busy(2)
        await next()

    async def inner(next: Next) -> None:
        busy(10)
        await next()

    root.on("ev", outer)
    root.on("ev", inner)
    traces = Traces(rt)
    await root.waterfall("ev")
    first, second = traces.waterfalls[-1].listeners
    assert 2_000_000 <= first.own_ns < first.total_ns
    assert second.own_ns >= 10_000_000
    assert first.total_ns >= 12_000_000


async def test_a_listener_that_raises_itself_is_raised(rt: Runtime, root: Context) -> None:
    async def after_next(next: Next) -> None:
        await next()
        raise Boom("own")

    async def replaces(next: Next) -> None:
        try:
            await next()
        except Boom:
            raise ValueError("another") from None

    root.on("ev", replaces)
    root.on("ev", after_next)
    traces = Traces(rt)
    with pytest.raises(ValueError, match="another"):
        await root.waterfall("ev")
    assert [outcome for _, outcome, _ in traces.last] == ["raised", "raised"]


async def test_nothing_is_traced_when_nobody_watches(rt: Runtime, root: Context) -> None:
    root.on("ev", passes)
    traces = Traces(rt)
    await root.waterfall("ev")
    traces.stop()
    await root.waterfall("ev")
    assert len(traces.waterfalls) == 1


@pytest.mark.parametrize("error", [Boom, SystemExit, asyncio.CancelledError])
async def test_a_watcher_that_raises_disturbs_nothing(
    rt: Runtime, root: Context, errors: Records, error: type[BaseException]
) -> None:
    def watcher(kind: str, payload: Any) -> None:
        raise error

    rt.watch(watcher)
    root.on("ev", passes)
    assert await root.waterfall("ev", default=lambda: 1) == 1
    fiber = await root.plugin(P("p"))
    await fiber.dispose()
    assert fiber.state == "disposed"
    assert len(errors) >= 5


@pytest.fixture
def deep_recursion_is_unchanged() -> Iterator[None]:
    import sys

    limit = sys.getrecursionlimit()
    yield
    assert sys.getrecursionlimit() == limit


@pytest.mark.usefixtures("deep_recursion_is_unchanged")
async def test_a_traced_waterfall_reaches_the_same_depth(rt: Runtime, root: Context) -> None:
    for _ in range(300):
        root.on("ev", passes)
    traces = Traces(rt)
    assert await root.waterfall("ev", default=lambda: "reached") == "reached"
    assert len(traces.last) == 300
