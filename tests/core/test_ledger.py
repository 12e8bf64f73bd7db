"""Effects, their bodies and their undo (spec: Effects 6.1 to 6.3)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.plugins import Boom, Key, Log, P, Patient, Spawn, labels, nothing, refuses
from tests.support.records import Records
from workbench.core import Context, Fiber, Runtime, create_scope


@pytest.fixture
async def p(root: Context) -> Fiber:
    """An active fiber without effects."""
    return await root.plugin(P("p"))


def undoing(log: Log, name: str = "undone") -> Callable[[], None]:
    return lambda: log.append(name)


async def test_an_effect_runs_now(p: Fiber, log: Log) -> None:
    def body() -> Any:
        log.append("body")
        return undoing(log)

    dispose = p.context.effect(body, "label")
    assert (log, labels(p)) == (["body"], ["label"])
    await dispose()
    assert (log, labels(p)) == (["body", "undone"], [])


async def test_a_body_without_a_disposer_is_an_entry_too(p: Fiber) -> None:
    dispose = p.context.effect(lambda: None, "empty")
    assert labels(p) == ["empty"]
    await dispose()
    assert labels(p) == []


async def test_what_is_not_yielded_stays_an_entry_of_its_own(p: Fiber, log: Log) -> None:
    def body() -> Iterator[Any]:
        p.context.effect(lambda: undoing(log, "not yielded"), "not yielded")
        yield p.context.effect(lambda: undoing(log, "yielded"), "yielded")

    dispose = p.context.effect(body, "outer")
    assert sorted(labels(p)) == ["not yielded", "outer"]
    await dispose()
    assert (log, labels(p)) == (["yielded"], ["not yielded"])


async def test_an_entry_is_there_before_its_body_runs(p: Fiber, log: Log) -> None:
    p.context.effect(lambda: log.append(labels(p)), "mine")
    assert log == [["mine"]]


async def test_a_body_that_ends_its_own_fiber(rt: Runtime, p: Fiber, log: Log) -> None:
    def body() -> Any:
        p.dispose()
        return undoing(log)

    p.context.effect(body, "suicidal")
    await rt.quiesce()
    assert (p.state, log) == ("disposed", ["undone"])


@pytest.mark.parametrize("kind", ["result", "yielded", "awaited", "yielded late"])
async def test_a_wrong_result_is_undone_and_refused(
    rt: Runtime, p: Fiber, log: Log, kind: str, errors: Records
) -> None:
    def yielded() -> Iterator[Any]:
        yield undoing(log)
        yield 42

    async def awaited() -> int:
        return 42

    async def yielded_late() -> AsyncIterator[Any]:
        yield undoing(log)
        yield 42

    bodies = {"result": lambda: 42, "yielded": yielded, "awaited": awaited, "yielded late": yielded_late}
    with refuses("INVALID_EFFECT", "int", "the-label"):
        dispose = p.context.effect(bodies[kind], "the-label")
        await dispose
    await rt.quiesce()
    assert log == (["undone"] if "yielded" in kind else [])
    assert labels(p) == []


async def test_an_async_body_has_an_entry_at_once(p: Fiber, log: Log, clock: Clock) -> None:
    async def body() -> Any:
        await asyncio.sleep(1)
        return undoing(log)

    dispose = p.context.effect(body, "slow")
    assert labels(p) == ["slow"]
    await dispose
    assert clock.now == 1
    await dispose()
    assert log == ["undone"]


async def test_a_load_does_not_wait_for_a_set_up(root: Context, clock: Clock) -> None:
    fiber = await root.plugin(P("p", lambda ctx: ctx.effect(lambda: asyncio.sleep(5), "slow") and None))
    assert (fiber.state, clock.now) == ("active", 0)
    await fiber.dispose()
    assert clock.now == 5


async def test_awaiting_a_disposer_that_is_set_up_returns(p: Fiber) -> None:
    await p.context.effect(lambda: None, "sync")
    await p.context.on("ev", nothing)


@pytest.mark.parametrize("form", ["coroutine", "generator"])
async def test_an_async_body_that_raises_is_undone_logged_and_raised(
    rt: Runtime, p: Fiber, log: Log, errors: Records, form: str
) -> None:
    async def generator() -> AsyncIterator[Any]:
        yield undoing(log, "1")
        yield undoing(log, "2")
        await asyncio.sleep(1)
        raise Boom("boom")

    async def coroutine() -> None:
        p.context.effect(lambda: undoing(log, "stays"), "stays")
        await asyncio.sleep(1)
        raise Boom("boom")

    dispose = p.context.effect(generator if form == "generator" else coroutine, "half-made")
    with pytest.raises(Boom):
        await dispose
    await rt.quiesce()
    assert log == (["2", "1"] if form == "generator" else [])
    assert labels(p) == ([] if form == "generator" else ["stays"])
    assert len(errors) == 1
    assert errors.naming("half-made", "p")


async def test_a_set_up_runs_to_its_end_when_its_owner_goes(p: Fiber, log: Log, clock: Clock) -> None:
    async def body() -> Any:
        await asyncio.sleep(1)
        log.append("set up")
        return undoing(log)

    p.context.effect(body, "slow")
    await clock.to(0.5)
    await p.dispose()
    assert log == ["set up", "undone"]
    assert clock.now == 1


async def test_undo_begins_with_dependents_then_calls_then_the_ledger(rt: Runtime, root: Context, log: Log) -> None:
    def provider(ctx: Context) -> None:
        async def task() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(1)
                log.append("task")

        ctx.provide("a", 1)
        ctx.effect(lambda: undoing(log, "ledger"), "ledger")
        ctx.task(task(), "task")

    def dependent(ctx: Context) -> None:
        async def dispose() -> None:
            await asyncio.sleep(1)
            log.append("dependent")

        ctx.effect(lambda: dispose, "slow")

    x = await root.plugin(P("x", provider))
    await root.plugin(P("b", dependent, inject=["a"]))
    await rt.quiesce()
    await x.dispose()
    assert log == ["dependent", "task", "ledger"]


async def test_an_owner_waits_for_an_undo_that_somebody_else_began(
    p: Fiber, log: Log, clock: Clock, spawn: Spawn
) -> None:
    async def slow() -> None:
        log.append("begun")
        await asyncio.sleep(1)

    dispose = p.context.effect(lambda: slow, "slow")
    first = spawn(clock.measure(dispose()))
    await clock.to(0.5)
    second = spawn(clock.measure(dispose()))
    owner = spawn(clock.measure(p.dispose()))
    assert [await first, await second, await owner] == [1, 1, 1]
    assert log == ["begun"]


async def test_a_synchronous_undo_is_done_when_the_call_returns(p: Fiber, log: Log) -> None:
    result = p.context.effect(lambda: undoing(log), "sync")()
    assert log == ["undone"]
    assert labels(p) == []
    await result
    await result


async def test_a_disposer_called_by_hand_contains_the_error(p: Fiber, errors: Records, rt: Runtime) -> None:
    def raising() -> None:
        raise Boom("boom")

    await p.context.effect(lambda: raising, "raising-one")()
    await rt.quiesce()
    assert errors.naming("raising-one", "p")
    assert labels(p) == []


async def test_async_disposers_that_raise_are_logged_too(
    rt: Runtime, root: Context, log: Log, errors: Records
) -> None:
    async def raising() -> None:
        await asyncio.sleep(1)
        raise Boom("boom")

    def apply(ctx: Context) -> None:
        ctx.effect(lambda: undoing(log), "first")
        ctx.effect(lambda: raising, "raising-one")

    fiber = await root.plugin(P("the-owner", apply))
    await fiber.dispose()
    assert (fiber.state, log) == ("disposed", ["undone"])
    assert len(errors) == 1
    assert errors.naming("raising-one", "the-owner")
    assert errors.records[0].exc_info is not None


async def test_a_hanging_disposer_is_named(rt: Runtime, root: Context, clock: Clock, spawn: Spawn) -> None:
    hangs = Patient()
    fiber = await root.plugin(P("the-owner", lambda ctx: ctx.effect(lambda: hangs, "the-label") and None))
    assert rt.waiting() == []
    disposed = spawn(clock.measure(fiber.dispose()))
    await clock.to(3600)
    assert fiber.state == "disposing"
    (row,) = [row for row in rt.waiting() if row.fiber is fiber]
    assert "the-label" in row.label
    assert row.seconds >= 0
    hangs.go.set()
    assert await disposed == 3600
    assert rt.waiting() == []


async def test_nothing_is_registered_on_a_fiber_that_goes(rt: Runtime, root: Context) -> None:
    p = await root.plugin(P("going", lambda ctx: ctx.effect(lambda: lambda: asyncio.sleep(1), "slow") and None))
    ctx = p.context
    p.dispose()
    await asyncio.sleep(0.5)
    assert p.state == "disposing"
    for register in (
        lambda: ctx.on("ev", nothing),
        lambda: ctx.effect(lambda: None, "late"),
        lambda: ctx.plugin(P("late")),
        lambda: ctx.provide("late", 1),
    ):
        with refuses("INACTIVE_CONTEXT", "inactive", "going"):
            register()
    await rt.quiesce()


async def test_listeners_and_timers_rest_while_their_fiber_goes(rt: Runtime, root: Context, log: Log) -> None:
    def apply(ctx: Context) -> None:
        ctx.on("ev", lambda *_: log.append("heard"))
        ctx.timeout(lambda: log.append("timeout"), 0.3)
        ctx.interval(lambda: log.append("interval"), 0.3)
        ctx.effect(lambda: lambda: asyncio.sleep(1), "slow")

    p = await root.plugin(P("p", apply, inject=["timer"]))
    p.dispose()
    await asyncio.sleep(0.5)
    assert p.state == "disposing"
    root.emit("ev")
    root.bail("ev")
    await root.serial("ev")
    await root.parallel("ev")
    await root.waterfall("ev")
    await asyncio.sleep(1)
    assert p.state == "disposed"
    assert log == []


@pytest.mark.parametrize("by", ["emit", "parallel", "task"])
async def test_a_coroutine_that_has_not_begun_is_never_entered(
    rt: Runtime, root: Context, p: Fiber, spawn: Spawn, by: str
) -> None:
    listener = Patient()
    p.context.on("ev", listener)
    if by == "emit":
        root.emit("ev")
    elif by == "task":
        p.context.task(listener(), "task")
    else:
        dispatch = spawn(root.parallel("ev"))
        await asyncio.sleep(0)
    await p.dispose()
    assert listener.begun == 0
    if by == "parallel":
        with pytest.raises(ExceptionGroup) as caught:
            await dispatch
        assert [error.code for error in caught.value.exceptions] == ["INACTIVE_CONTEXT"]  # type: ignore


async def test_a_generator_that_raises_undoes_in_reverse(p: Fiber, log: Log) -> None:
    def body() -> Iterator[Any]:
        yield undoing(log, "1")
        yield p.context.on("ev", nothing)
        yield undoing(log, "2")
        raise Boom("boom")

    with pytest.raises(Boom):
        p.context.effect(body, "half-made")
    assert (log, labels(p)) == (["2", "1"], [])


async def test_a_yielded_fiber_moves_below_the_effect(p: Fiber, log: Log) -> None:
    def body() -> Iterator[Any]:
        yield undoing(log, "d1")
        yield p.context.plugin(P("child", lambda ctx: ctx.effect(lambda: undoing(log, "child"), "c") and None))

    dispose = p.context.effect(body, "outer")
    assert labels(p) == ["outer"]
    await asyncio.sleep(0.1)
    await dispose()
    assert log == ["child", "d1"]


@pytest.mark.parametrize("kind", ["sync", "slow disposer", "async", "generator", "async generator"])
async def test_what_arrives_after_the_undo_is_undone_at_once(p: Fiber, log: Log, clock: Clock, kind: str) -> None:
    """The body disposes the scope that it is registered in."""

    async def slowly() -> None:
        await asyncio.sleep(1)
        log.append("undone")

    async def coroutine() -> Any:
        await asyncio.sleep(1)
        return undoing(log)

    def generator() -> Iterator[Any]:
        yield undoing(log)

    async def async_generator() -> AsyncIterator[Any]:
        await asyncio.sleep(1)
        yield undoing(log)

    gives = {
        "sync": lambda: undoing(log),
        "slow disposer": lambda: slowly,
        "async": coroutine,
        "generator": generator,
        "async generator": async_generator,
    }

    def body() -> Any:
        scope.dispose()
        return gives[kind]()

    scope = create_scope(p.context, Key("k"))
    scope.ctx.effect(body, "late")
    await p.dispose()
    assert log == ["undone"]
    assert clock.now == (0 if kind in ("sync", "generator") else 1)


@pytest.mark.parametrize("what", ["fiber", "effect"])
async def test_a_set_up_may_await_the_undo_of_itself(rt: Runtime, p: Fiber, log: Log, what: str) -> None:
    """Such a call is exempt; what it gives afterwards is undone at once."""

    async def body() -> Any:
        await asyncio.sleep(0.1)
        await (p.dispose() if what == "fiber" else dispose())
        log.append("finished")
        return undoing(log)

    before = rt.snapshot()
    dispose = p.context.effect(body, "set-up")
    async with asyncio.timeout(2):
        await asyncio.sleep(1)
        await rt.quiesce()
    assert log == ["finished", "undone"]
    if what == "effect":
        assert rt.snapshot() == before
    else:
        assert p.state == "disposed"


@pytest.mark.parametrize("what", ["its own effect", "its scope"])
async def test_a_disposer_cannot_await_what_it_undoes(root: Context, p: Fiber, log: Log, what: str) -> None:
    async def disposer() -> None:
        with refuses("SELF_AWAIT"):
            await (dispose() if what == "its own effect" else scope.dispose())
        log.append("refused")

    scope = create_scope(p.context, Key("k"))
    dispose = scope.ctx.effect(lambda: disposer, "effect")
    async with asyncio.timeout(2):
        await scope.dispose()
    assert log == ["refused"]


async def test_a_nested_effect_disposed_by_hand_leaves_its_parent(p: Fiber, log: Log) -> None:
    inner: list[Any] = []

    def body() -> Iterator[Any]:
        yield undoing(log, "d1")
        inner.append(p.context.effect(lambda: undoing(log, "inner"), "inner"))
        yield inner[0]

    dispose = p.context.effect(body, "outer")
    await inner[0]()
    assert "inner" not in [child.label for child in p.effects()[0].children]
    await dispose()
    assert log == ["inner", "d1"]


async def test_a_restarted_fiber_has_a_new_ledger(root: Context, log: Log) -> None:
    fiber = await root.plugin(P("p"))
    fiber.context.effect(lambda: undoing(log), "by a stranger")
    await fiber.restart()
    assert (log, labels(fiber)) == (["undone"], [])


@pytest.mark.parametrize(
    "use",
    [
        lambda ctx: ctx.on("ev", nothing),
        lambda ctx: ctx.once("ev", nothing),
        lambda ctx: ctx.effect(lambda: None, "label"),
        lambda ctx: ctx.plugin(P("late")),
        lambda ctx: ctx.provide("late", 1),
        lambda ctx: ctx.set("own", 1),
        lambda ctx: ctx.timeout(nothing, 1),
        lambda ctx: ctx.interval(nothing, 1),
        lambda ctx: ctx.task(asyncio.sleep(1), "late"),
        lambda ctx: ctx.timer,
        lambda ctx: ctx.own,
        lambda ctx: ctx.get("timer"),
        lambda ctx: ctx.zzz,
    ],
    ids="on once effect plugin provide set timeout interval task timer own get zzz".split(),
)
@pytest.mark.parametrize("after", ["restart", "dispose"])
async def test_a_context_is_for_one_activation(
    rt: Runtime, root: Context, use: Callable[[Context], Any], after: str
) -> None:
    contexts: list[Context] = []

    def apply(ctx: Context) -> None:
        contexts.append(ctx)
        ctx.provide("own", 1)

    fiber = await root.plugin(P("earlier", apply, inject=["timer"]))
    await (fiber.restart() if after == "restart" else fiber.dispose())
    before = rt.snapshot()
    with refuses("INACTIVE_CONTEXT", "inactive", "earlier"):
        use(contexts[0])
    assert rt.snapshot() == before
