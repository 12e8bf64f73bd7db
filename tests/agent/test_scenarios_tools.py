"""Scenarios A28 to A35: tools as the loop runs them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.agent.scenario import (
    calls,
    code,
    ends,
    events,
    kinds,
    result_text,
    results,
    said,
    say,
    text,
    until,
    world,
)
from workbench.plugins import first_party
from workbench.tools import ToolError
from workbench.tools.decisions import Accept, Allow, Deny, Success
from workbench.tools.output import OutputDeclaration

ECHO = calls(("echo", {"text": "x"}, "c1"))


def visible(w: Any, agent: Any) -> list[str]:
    return sorted(schema.name for schema in w.root.tools.visible(agent))


async def test_a28_a_hidden_tool_is_unknown() -> None:
    async with world(calls(("b", {}, "c1")), text("ok")) as w:
        w.tool("a")
        w.tool("b")
        agent = await w.agent(setup=lambda ctx, agent: ctx.tools.restrict(deny=["b"]))
        await say(agent, "go")
        assert [tool["name"] for tool in w.requests(agent)[0].tools] == ["a"]
        assert w.root.tools.get("b", agent) is None
        assert code(results(agent)[0]) == "UNKNOWN_TOOL"
        assert len(events(agent, "step/start")) == 2
        w.check(agent.session)


async def test_a29_restrictions_that_mean_nothing() -> None:
    async with world() as w:
        w.tool("a")
        agent = await w.agent()
        for wrong in ({}, {"allow": ["nope"]}, {"deny": ["run_code"]}):
            with pytest.raises(ToolError):
                agent.ctx.tools.restrict(**wrong)
        with pytest.raises(ToolError):
            w.root.tools.restrict(deny=["a"])
        assert visible(w, agent) == ["a"]


async def test_a30_restrictions_are_evaluated_live() -> None:
    async with world() as w:
        w.tool("a")
        w.tool("b")

        def owning(**restriction: Any) -> Any:
            def setup(ctx: Any, agent: Any) -> None:
                w.tool("mine", ctx=ctx)
                ctx.tools.restrict(**restriction)

            return setup

        denies = await w.agent(setup=owning(deny=["b"]))
        allows = await w.agent(setup=owning(allow=["a"]))
        w.tool("c")
        assert (visible(w, denies), visible(w, allows)) == (["a", "c", "mine"], ["a", "mine"])


async def test_a31_a_denied_call_passes_post_execute() -> None:
    async with world(ECHO, text("ok")) as w:
        ran: list[str] = []
        w.tool("echo", lambda arguments, run: ran.append("body"))
        w.root.on("tools/pre-execute", lambda call, next: Deny("no"))

        async def after(settled: Any, next: Any) -> Any:
            ran.append(f"post {settled.agent.label}")
            return await next()

        w.root.on("tools/post-execute", after)
        agent = await w.agent()
        await say(agent, "go")
        assert ran == [f"post {agent.id}"]
        assert (code(results(agent)[0]), "no" in result_text(results(agent)[0])) == ("DENIED", True)
        assert results(agent)[0].source_event_seqs == (events(agent, "tool/call")[0].seq,)
        w.check(agent.session)


@pytest.mark.parametrize("is_guarded", [True, False])
async def test_a32_a_listener_that_does_not_call_next_hides_the_others_but_no_guard(is_guarded: bool) -> None:
    async with world(ECHO, text("ok")) as w:
        ran: list[str] = []
        w.tool("echo", lambda arguments, run: ran.append("body") or "done")
        w.root.on("tools/pre-execute", lambda call, next: Allow())
        w.root.on("tools/pre-execute", lambda call, next: ran.append("second") or Deny("second"))
        if is_guarded:
            w.root.tools.guard(lambda call: "guarded")
        agent = await w.agent()
        await say(agent, "go")
        assert ran == ([] if is_guarded else ["body"])
        assert code(results(agent)[0]) == ("DENIED" if is_guarded else None)
        assert ("guarded" in result_text(results(agent)[0])) is is_guarded
        w.check(agent.session)


@pytest.mark.parametrize("value", ["made", 7])
async def test_a33_an_execute_listener_in_place_of_the_body(value: Any) -> None:
    async with world(ECHO, text("ok")) as w:
        ran: list[Any] = []
        w.tool("echo", lambda arguments, run: ran.append("body"), output=OutputDeclaration({"type": "string"}))
        w.root.on("tools/execute", lambda call, next: Success(value))

        async def after(settled: Any, next: Any) -> Any:
            ran.append(settled.result.value)
            return await next()

        w.root.on("tools/post-execute", after)
        agent = await w.agent()
        await say(agent, "go")
        if value == "made":
            assert (ran, result_text(results(agent)[0])) == (["made"], "made")
        else:
            assert code(results(agent)[0]) == "INVALID_TOOL_OUTPUT"
            assert "body" not in ran
        w.check(agent.session)


@pytest.mark.parametrize("calls_next", [True, False])
async def test_a34_an_execute_listener_without_a_result(calls_next: bool) -> None:
    async def silent(call: Any, next: Any) -> None:
        if calls_next:
            await next()

    async with world(ECHO, text("ok")) as w:
        after: list[Any] = []
        w.tool("echo")
        w.root.on("tools/execute", silent)
        w.root.on("tools/post-execute", lambda settled, next: after.append(settled) or next())
        agent = await w.agent()
        await say(agent, "go")
        assert (code(results(agent)[0]), after) == ("LISTENER_NO_RESULT", [])
        assert kinds(agent) == ["completed"]
        assert len(w.requests(agent)) == 2
        w.check(agent.session)


@pytest.mark.parametrize("has_exclusive", [False, True])
async def test_a35_results_keep_the_order_of_the_model(has_exclusive: bool) -> None:
    script = calls(("safe", {}, "c1"), ("lone" if has_exclusive else "safe", {}, "c2"), ("safe", {}, "c3"))
    async with world(script, text("ok")) as w:
        running: set[str] = set()
        overlaps: list[frozenset[str]] = []
        ended = {name: asyncio.Event() for name in ("c1", "c2", "c3")}
        order = ["c3", "c1", "c2"] if not has_exclusive else ["c1", "c2", "c3"]

        async def body(arguments: Any, run: Any) -> str:
            running.add(run.id)
            overlaps.append(frozenset(running))
            index = order.index(run.id)
            if index:
                await ended[order[index - 1]].wait()
            running.discard(run.id)
            ended[run.id].set()
            return str(run.id)

        async def add(settled: Any, next: Any) -> Any:
            decision = await next()
            return Accept(contexts=["beside c1"]) if settled.id == "c1" else decision

        w.tool("safe", body, is_concurrency_safe=True)
        w.tool("lone", body)
        w.root.on("tools/post-execute", add)
        agent = await w.agent()
        await say(agent, "go")
        assert [result_text(event) for event in results(agent)] == ["c1", "c2", "c3"]
        assert said(w.requests(agent)[1])[-1] == "beside c1"
        second = events(agent, "step/start")[1].seq
        [context] = [event for event in events(agent, "user/message") if event.data["source"]["kind"] == "plugin"]
        assert context.seq > second
        assert max(map(len, overlaps)) == (1 if has_exclusive else 3)
        w.check(agent.session)


async def test_a36_in_code_mode_other_tools_cannot_be_called_directly() -> None:
    async with world(ECHO, text("ok")) as w:
        seen: list[Any] = []
        w.tool("echo")
        w.tool("a")
        await w.root.plugin(first_party("code_mode"), {"presentation": "code"})
        w.root.system_prompt.section("tool:echo", 1000, "ECHO SECTION")
        w.root.on("tools/pre-execute", lambda call, next: seen.append(call) or next())
        agent = await w.agent()
        await say(agent, "go")
        [request, _] = w.requests(agent)
        assert [tool["name"] for tool in request.tools] == ["run_code"]
        assert (code(results(agent)[0]), "run_code" in result_text(results(agent)[0])) == ("UNKNOWN_TOOL", True)
        assert seen == []
        assert str(request.system).index("# Tools through programs") < str(request.system).index("ECHO SECTION")
        w.check(agent.session)


async def test_a37_the_sdk_is_a_function_of_the_visible_tools() -> None:
    texts: set[str] = set()
    for names in (["zulu", "alpha"], ["alpha", "zulu"]):
        async with world(text("ok"), text("ok")) as w:
            for name in names:
                w.tool(name)
            await w.root.plugin(first_party("code_mode"), {"presentation": "code"})
            agent = await w.agent()
            await say(agent, "1", "2")
            texts |= {str(request.system) for request in w.requests(agent)}
    assert len(texts) == 1
    async with world(text("ok")) as w:
        w.tool("zulu")
        w.tool("alpha")
        await w.root.plugin(first_party("code_mode"), {"presentation": "both"})
        agent = await w.agent()
        await say(agent, "1")
        [request] = w.requests(agent)
        assert [tool["name"] for tool in request.tools] == ["alpha", "run_code", "zulu"]
        assert "# Tools through programs" not in str(request.system)
        assert "alpha" in str(request.system)


async def test_a_program_calls_tools_and_the_model_reads_its_result() -> None:
    program = "return tools.echo(text='a') + '!'"
    async with world(calls(("run_code", {"code": program, "description": "echo"}, "c1")), text("ok")) as w:
        w.tool("echo")
        await w.root.plugin(first_party("code_mode"), {"presentation": "code"})
        agent = await w.agent()
        await say(agent, "go")
        assert "echo: a!" in result_text(results(agent)[0])
        [begun], [ended] = events(agent, "tool/code-dispatch-start"), events(agent, "tool/code-dispatch")
        assert (begun.data["subCallId"], ended.data["name"]) == ("c1:code:1", "echo")
        w.check(agent.session)


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


@pytest.mark.parametrize("event", ["the body", "tools/pre-execute", "agent/pre-step", "system-prompt/assemble"])
async def test_an_error_that_cannot_be_told_stops_no_loop(event: str) -> None:
    async with world(ECHO, text("ok"), text("ok")) as w:
        is_broken = [True]

        def fail(*given: Any) -> Any:
            if is_broken[0]:
                raise Unspeakable
            return given[-1]() if event != "the body" else "fine"

        w.tool("echo", fail if event == "the body" else None)
        if event != "the body":
            w.root.on(event, fail)
        agent = await w.agent()
        await say(agent, "go")
        told = result_text(results(agent)[0]) if results(agent) else ends(agent)[0]["error"]["message"]
        assert "Unspeakable: (its text cannot be made: RuntimeError)" in told
        is_broken[0] = False
        await say(agent, "again")
        assert kinds(agent)[-1] == "completed"
        w.check(agent.session)


async def test_conclude_turn_ends_the_turn_unless_steering_waits() -> None:
    script = [calls(("stop", {}, "c1")), calls(("stop", {}, "c2")), text("ok")]
    async with world(*script) as w:
        agent = await w.agent()

        def stop(arguments: Any, run: Any) -> str:
            run.conclude_turn()
            if run.turn == 2:
                agent.steer("not yet")
            return "stopped"

        w.tool("stop", stop)
        await say(agent, "1")
        assert len(w.requests(agent)) == 1
        await say(agent, "2")
        assert said(w.requests(agent)[2])[-1] == "not yet"
        assert kinds(agent) == ["completed", "completed"]
        w.check(agent.session)


async def test_a_log_that_fails_in_the_middle_of_a_batch_leaves_no_call_without_a_result() -> None:
    async with world(calls(("echo", {}, "c1"), ("echo", {}, "c2")), text("ok")) as w:
        w.tool("echo")
        agent = await w.agent()
        flush = agent.session.flush
        is_broken = [False]

        async def failing() -> None:
            if is_broken[0]:
                raise OSError("disk full")
            await flush()

        agent.session.flush = failing  # type: ignore[method-assign]

        def break_it(call: Any, next: Any) -> Any:
            is_broken[0] = True
            return next()

        listening = w.root.on("tools/pre-execute", break_it)
        agent.followup("go")
        await until(lambda: bool(events(agent, "turn/end")))
        is_broken[0] = False
        await listening()
        await agent.when_idle()
        assert "disk full" in events(agent, "turn/end")[0].data["reason"]["error"]["message"]
        await say(agent, "again")
        assert kinds(agent) == ["error", "completed"]
        w.check(agent.session)
