"""The calls of one answer together: A35 and A48 at the level of the executor, barriers, overlap, a failing log."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.tool_calls import Caller, call, error_of
from workbench.core import Context, Runtime
from workbench.prompt import PromptConfig, SystemPrompt, ToolSchema
from workbench.tools import ToolRegistry, ToolsFacade
from workbench.tools.pipeline import Accept, ToolRun


class Gated:
    """Tools whose bodies wait until the test lets them go on, by call id."""

    def __init__(self, tools: ToolsFacade, safe: bool | Callable[[Any], bool] = True) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.changed = asyncio.Event()
        tools.register(ToolSchema("safe"), self.body, is_concurrency_safe=safe)
        tools.register(ToolSchema("alone"), self.body)

    def gate(self, call_id: str) -> asyncio.Event:
        return self.gates.setdefault(call_id, asyncio.Event())

    async def body(self, _arguments: Any, run: ToolRun) -> str:
        self.note(self.begun, run.id)
        await self.gate(run.id).wait()
        self.note(self.ended, run.id)
        return f"done {run.id}"

    def note(self, where: list[str], call_id: str) -> None:
        where.append(call_id)
        self.changed.set()

    async def until(self, fact: Callable[[], bool]) -> None:
        while not fact():
            self.changed.clear()
            await self.changed.wait()


@pytest.fixture
def gated(tools: ToolsFacade) -> Gated:
    return Gated(tools)


async def test_a35_results_keep_model_order(caller: Caller, gated: Gated, root: Context) -> None:
    reviewed: list[str] = []

    async def adds(settled: Any, next: Callable[[], Any]) -> object:
        reviewed.append(settled.id)
        await next()
        return Accept(contexts=["seen c1"] if settled.id == "c1" else [])

    root.on("tools/post-execute", adds)
    running = asyncio.create_task(caller.batch(*(call("safe", id=f"c{index}") for index in (1, 2, 3))))
    await gated.until(lambda: len(gated.begun) == 3)
    for call_id in ("c3", "c1", "c2"):
        gated.gate(call_id).set()
        await gated.until(lambda wanted=call_id: wanted in gated.ended)
    outcome = await running
    assert gated.ended == ["c3", "c1", "c2"]
    assert reviewed == caller.sink.order("result") == ["c1", "c2", "c3"]
    assert [(each.call_id, each.content[0]["text"]) for each in outcome.contexts] == [("c1", "seen c1")]


async def test_a35_an_exclusive_call_overlaps_neither_neighbour(caller: Caller, gated: Gated) -> None:
    calls = [call("safe", id="c1"), call("alone", id="c2"), call("safe", id="c3")]
    running = asyncio.create_task(caller.batch(*calls))
    for index, call_id in enumerate(("c1", "c2", "c3")):
        await gated.until(lambda wanted=index + 1: len(gated.begun) == wanted)
        assert gated.begun == ["c1", "c2", "c3"][: index + 1]
        gated.gate(call_id).set()
    await running
    assert [kind + call_id for kind, call_id in caller.sink.events if kind != "flush"] == [
        "callc1",
        "resultc1",
        "callc2",
        "resultc2",
        "callc3",
        "resultc3",
    ]


async def test_not_more_than_ten_overlap(caller: Caller, gated: Gated) -> None:
    running = asyncio.create_task(caller.batch(*(call("safe", id=str(index)) for index in range(12))))
    await gated.until(lambda: len(gated.begun) == 10)
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(gated.begun) == 10
    gated.gate("5").set()
    await gated.until(lambda: "5" in gated.ended)
    gated.gate("0").set()
    await gated.until(lambda: len(gated.begun) == 11)
    for index in range(12):
        gated.gate(str(index)).set()
    await running
    assert caller.sink.order("result") == [str(index) for index in range(12)]


async def test_safety_may_depend_on_arguments_and_fails_closed(caller: Caller, tools: ToolsFacade) -> None:
    gated = Gated(tools, safe=lambda arguments: arguments["read_only"])
    calls = [call("safe", {"read_only": True}, "c1"), call("safe", {}, "c2"), call("safe", {"read_only": 1}, "c3")]
    running = asyncio.create_task(caller.batch(*calls))
    for call_id in ("c1", "c2", "c3"):
        await gated.until(lambda wanted=call_id: wanted in gated.begun)
        assert gated.begun[-1] == call_id
        gated.gate(call_id).set()
    await running


async def test_a48_a_running_call_is_cancelled_once_and_awaited(caller: Caller, tools: ToolsFacade) -> None:
    begun, cancelled, release = asyncio.Event(), asyncio.Event(), asyncio.Event()
    cancellations = 0

    async def stubborn(_arguments: Any, _run: ToolRun) -> str:
        nonlocal cancellations
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancellations += 1
            cancelled.set()
            await release.wait()
        return "fin"

    tools.register(ToolSchema("stubborn"), stubborn, is_concurrency_safe=True)
    ran: list[str] = []
    tools.register(ToolSchema("alone"), lambda _arguments, run: ran.append(run.id) or "")
    running = asyncio.create_task(caller.batch(call("stubborn"), call("alone", id="c2")))
    await begun.wait()
    caller.cancel.set()
    await cancelled.wait()
    for _ in range(20):
        await asyncio.sleep(0)
    assert caller.sink.order("result") == []
    release.set()
    await running
    assert (caller.sink.results["c1"].text, cancellations, ran) == ("fin", 1, [])
    assert error_of(caller.sink.results["c2"]) == "ABORTED_BEFORE_DISPATCH"
    assert caller.sink.order("call") == caller.sink.order("result") == ["c1", "c2"]


async def test_a48_a_body_that_lets_the_cancellation_through(caller: Caller, gated: Gated) -> None:
    running = asyncio.create_task(caller.batch(call("safe"), call("safe", id="c2"), call("alone", id="c3")))
    await gated.until(lambda: len(gated.begun) == 2)
    caller.cancel.set()
    await running
    codes = [error_of(caller.sink.results[call_id]) for call_id in ("c1", "c2", "c3")]
    assert codes == ["ABORTED", "ABORTED", "ABORTED_BEFORE_DISPATCH"]


async def test_a_listener_that_need_not_wait_still_sees_a_result_behind_the_cancel(
    caller: Caller, root: Context, tools: ToolsFacade
) -> None:
    """A listener that hides something hides it also when the turn was cancelled; one that waits is cut off."""
    begun = asyncio.Event()

    async def returns(_arguments: Any, _run: ToolRun) -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "secret"

    tools.register(ToolSchema("t"), returns)

    async def hide(settled: Any, _next: Any) -> object:
        if settled.id == "waits":
            await asyncio.Event().wait()
        return Accept(content="hidden")

    root.on("tools/post-execute", hide)
    for call_id, expected in (("quick", "hidden"), ("waits", "Error (ABORTED)")):
        own = Caller(root)
        begun.clear()
        running = asyncio.create_task(own.one("t", id=call_id))
        await begun.wait()
        own.cancel.set()
        assert (await running).text.startswith(expected)


async def test_no_body_starts_when_the_log_cannot_be_written(caller: Caller, gated: Gated) -> None:
    caller.sink.flush_fails = True
    with pytest.raises(OSError, match="disk full"):
        await caller.batch(call("safe"))
    assert gated.begun == []


async def test_a_log_that_fails_in_between_leaves_nothing_running(caller: Caller, gated: Gated) -> None:
    running = asyncio.create_task(caller.batch(call("safe"), call("safe", id="c2"), call("alone", id="c3")))
    await gated.until(lambda: len(gated.begun) == 2)
    caller.sink.flush_fails = True
    for call_id in ("c1", "c2"):
        gated.gate(call_id).set()
    with pytest.raises(OSError, match="disk full"):
        await running
    assert gated.begun == gated.ended == ["c1", "c2"]


async def test_cancelling_the_task_of_the_batch_ends_every_body(caller: Caller, gated: Gated) -> None:
    running = asyncio.create_task(caller.batch(call("safe"), call("safe", id="c2")))
    await gated.until(lambda: len(gated.begun) == 2)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert gated.ended == []
    assert caller.sink.order("result") == ["c1", "c2"]
    assert [task for task in asyncio.all_tasks() if task.get_name().startswith(("tool", "listener"))] == []


ANSWERS = st.lists(
    st.tuples(st.sampled_from(["safe", "alone", "fails", "unknown"]), st.integers(0, 3)), max_size=14
)


@given(calls=ANSWERS, cancel_after=st.none() | st.integers(0, 30), seed=st.randoms(use_true_random=False))
@settings(deadline=None, database=None, derandomize=True, max_examples=60, suppress_health_check=list(HealthCheck))
def test_random_answers_have_one_result_per_call_in_model_order(
    calls: list[tuple[str, int]], cancel_after: int | None, seed: Any
) -> None:
    asyncio.run(asyncio.wait_for(_has_one_result_per_call(calls, cancel_after, seed), 15))


@pytest.mark.slow
@pytest.mark.timeout(900)
@given(calls=ANSWERS, cancel_after=st.none() | st.integers(0, 60), seed=st.randoms(use_true_random=False))
@settings(deadline=None, database=None, max_examples=3_000, suppress_health_check=list(HealthCheck))
def test_many_random_answers(calls: list[tuple[str, int]], cancel_after: int | None, seed: Any) -> None:
    asyncio.run(asyncio.wait_for(_has_one_result_per_call(calls, cancel_after, seed), 15))


async def _has_one_result_per_call(calls: list[tuple[str, int]], cancel_after: int | None, seed: Any) -> None:
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig())
        await rt.root.plugin(ToolRegistry)
        inside: set[str] = set()
        alone: set[str] = set()

        async def body(arguments: Any, run: ToolRun) -> str:
            inside.add(run.id)
            if run.name == "alone":
                alone.add(run.id)
            assert not alone or len(inside) == 1
            try:
                for _ in range(arguments["turns"]):
                    await asyncio.sleep(0)
                if run.name == "fails":
                    raise ValueError("asked to fail")
                return run.id
            finally:
                inside.discard(run.id)
                alone.discard(run.id)

        for name in ("safe", "alone", "fails"):
            rt.root.tools.register(ToolSchema(name), body, is_concurrency_safe=name != "alone")
        caller = Caller(rt.root)
        wanted = [call(name, {"turns": turns}, f"c{index}") for index, (name, turns) in enumerate(calls)]
        running = asyncio.create_task(caller.batch(*wanted))
        if cancel_after is not None:
            for _ in range(cancel_after):
                await asyncio.sleep(0)
            caller.cancel.set()
        await running
        ids = [each.id for each in wanted]
        assert caller.sink.order("call") == caller.sink.order("result") == ids
        expected = {"safe": {None}, "alone": {None}, "fails": {"TOOL_FAILED"}, "unknown": {"UNKNOWN_TOOL"}}
        aborted = {"ABORTED", "ABORTED_BEFORE_DISPATCH"} if cancel_after is not None else set()
        for each in wanted:
            assert error_of(caller.sink.results[each.id]) in expected[each.name] | aborted
        assert not inside
