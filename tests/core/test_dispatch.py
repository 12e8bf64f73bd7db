"""Listeners and the modes of dispatch (spec: Events)."""

from __future__ import annotations

import asyncio
import gc
import warnings
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import Boom, Log, Next, P, Traces, labels, passes, raises, refuses
from tests.support.records import Records
from workbench.core import Context, Event, Runtime


async def test_once_is_gone_before_its_listener_runs(root: Context, log: Log) -> None:
    def listener() -> None:
        log.append("ran")
        root.emit("ev")

    p = await root.plugin(P("p"))
    p.context.once("ev", listener)
    root.emit("ev")
    root.emit("ev")
    assert log == ["ran"]
    assert labels(p) == []


async def test_once_can_be_disposed_unheard(root: Context, log: Log) -> None:
    dispose = root.once("ev", lambda: log.append("ran"))
    await dispose()
    root.emit("ev")
    assert log == []


async def test_once_in_a_waterfall_and_serial(root: Context, log: Log) -> None:
    root.once("w", passes)
    root.once("s", lambda: "first")
    assert [await root.waterfall("w", default=lambda: 1) for _ in range(2)] == [1, 1]
    assert [await root.serial("s") for _ in range(2)] == ["first", None]


async def test_each_registration_is_an_entry_of_its_own(root: Context, log: Log) -> None:
    class Listener:
        def hear(self) -> None:
            log.append("heard")

    listener = Listener()
    first = root.on("ev", listener.hear)
    root.on("ev", listener.hear)
    root.emit("ev")
    assert log == ["heard", "heard"]
    await first()
    await first()
    root.emit("ev")
    assert log == ["heard"] * 3


@pytest.mark.parametrize("mode", ["emit", "bail", "serial", "waterfall"])
async def test_the_list_of_a_dispatch_is_fixed(root: Context, log: Log, mode: str) -> None:
    def first(*args: Any) -> Any:
        log.append("first")
        gone()
        root.on("ev", lambda *_: log.append("added"))
        return args[-1]() if args else None

    root.on("ev", first)
    gone = root.on("ev", lambda *_: log.append("gone"))
    result = getattr(root, mode)("ev")
    if mode in ("serial", "waterfall"):
        await result
    assert log == ["first"]


@pytest.mark.parametrize("mode", ["serial", "parallel", "waterfall"])
async def test_a_listener_whose_owner_is_gone_is_skipped(root: Context, log: Log, mode: str) -> None:
    async def first(*args: Any) -> None:
        await p.dispose()
        if args:
            await args[-1]()

    p = await root.plugin(P("p"))
    root.on("ev", first)
    p.context.on("ev", lambda *_: log.append("skipped one"))
    root.on("ev", lambda *_: log.append("last"))
    await getattr(root, mode)("ev")
    # A parallel dispatch starts all its listeners before the first one has disposed anything.
    assert log == (["skipped one", "last"] if mode == "parallel" else ["last"])


async def test_a_skipped_waterfall_listener_is_traced(rt: Runtime, root: Context) -> None:
    async def first(next: Next) -> None:
        await p.dispose()
        await next()

    p = await root.plugin(P("p"))
    root.on("ev", first)
    p.context.on("ev", passes)
    q = await root.plugin(P("q"))
    q.context.on("ev", passes)
    traces = Traces(rt)
    await root.waterfall("ev")
    assert traces.last == [("root", "passed", 1), ("p", "skipped", 0), ("q", "passed", 1)]


async def test_a_declared_mode_refuses_others(rt: Runtime, root: Context) -> None:
    withdraw = root.declare(Event("ev", "waterfall"))
    with refuses("WRONG_MODE", "ev"):
        root.declare(Event("ev", "emit"))
    with refuses("WRONG_MODE", "ev"):
        root.bail("ev")
    for mode in ("serial", "parallel"):
        with refuses("WRONG_MODE", "ev"):
            await getattr(root, mode)("ev")
    again = root.declare(Event("ev", "waterfall"))
    await root.waterfall("ev")
    await withdraw()
    with refuses("WRONG_MODE", "ev"):
        root.emit("ev")
    await again()
    root.emit("ev")


async def test_the_mode_of_an_undeclared_event_is_not_remembered(root: Context) -> None:
    root.on("ev", lambda *_: None)
    root.emit("ev")
    await root.waterfall("ev")
    root.bail("ev")


async def test_events_can_be_named_by_their_object(root: Context, log: Log) -> None:
    event = Event("ev", "emit")
    root.declare(event)
    root.on(event, log.append)
    root.emit(event, 1)
    root.emit("ev", 2)
    assert log == [1, 2]


async def test_emit_gives_nothing(root: Context) -> None:
    root.on("ev", lambda: "result")
    assert root.emit("ev") is None


async def test_parallel_starts_its_listeners_together(root: Context, clock: Clock) -> None:
    for _ in range(3):
        root.on("ev", lambda: asyncio.sleep(1))
    assert await root.parallel("ev") is None
    assert clock.now == 1


async def test_serial_is_one_after_another(root: Context, clock: Clock, log: Log) -> None:
    def slow(result: object) -> Any:
        async def listener() -> object:
            await asyncio.sleep(1)
            log.append(result)
            return result

        return listener

    for result in (None, False, "found", "behind"):
        root.on("ev", slow(result))
    assert await root.serial("ev") == "found"
    assert log == [None, False, "found"]
    assert clock.now == 3


@pytest.mark.parametrize("value", [0, "", [], {}, 0.0], ids=repr)
async def test_empty_values_stop_serial_and_bail(root: Context, log: Log, value: object) -> None:
    root.on("ev", lambda: value)
    root.on("ev", lambda: log.append("behind"))
    assert await root.serial("ev") is value
    assert root.bail("ev") is value
    assert log == []


async def test_serial_and_bail_raise_at_once(root: Context, log: Log) -> None:
    root.on("ev", raises)
    root.on("ev", lambda: log.append("behind"))
    with pytest.raises(Boom):
        await root.serial("ev")
    with pytest.raises(Boom):
        root.bail("ev")
    assert log == []


async def test_bail_takes_no_coroutine(root: Context) -> None:
    async def listener() -> int:
        return 1

    root.on("ev", listener)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with refuses("WRONG_MODE", "ev"):
            root.bail("ev")
        gc.collect()
    assert caught == []


async def test_contained_changes_no_other_mode(root: Context) -> None:
    root.on("ev", raises, contained=True)
    with pytest.raises(Boom):
        root.bail("ev")
    for dispatch in (root.serial, root.waterfall):
        with pytest.raises(Boom):
            await dispatch("ev")
    with pytest.raises(ExceptionGroup):
        await root.parallel("ev")


async def test_arguments_reach_every_mode(root: Context, log: Log) -> None:
    root.on("ev", lambda *args: log.append(args[:2]))
    root.emit("ev", 1, 2)
    root.bail("ev", 1, 2)
    await root.serial("ev", 1, 2)
    await root.parallel("ev", 1, 2)
    await root.waterfall("ev", 1, 2)
    assert log == [(1, 2)] * 5


async def test_emit_in_a_disposer_called_by_hand_is_contained(
    rt: Runtime, root: Context, log: Log, errors: Records
) -> None:
    root.on("ev", raises)
    root.on("ev", lambda: log.append("second"))
    p = await root.plugin(P("p"))
    await p.context.effect(lambda: lambda: root.emit("ev"), "emits")()
    await rt.quiesce()
    assert log == ["second"]
    assert len(errors) == 1
