"""Scenarios A01 to A17: turn, step and header."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agent.scenario import (
    calls,
    ends,
    events,
    headers,
    kinds,
    result_text,
    results,
    roles,
    said,
    say,
    text,
    types,
    until,
    world,
)
from workbench.agent.events import Reject
from workbench.agent.log import first_divergence
from workbench.agent.options import AgentError, AgentOptions
from workbench.agent.sessions import SessionsConfig
from workbench.prompt import PromptAssembly, ToolSchema

FAILED_EARLY = ["agent/inbox/spliced", "turn/start", "agent/inbox/spliced", "turn/end"]


async def test_a01_one_answer() -> None:
    async with world(text("hello there")) as w:
        agent = await w.agent()
        await say(agent, "hi")
        assert w.requests(agent)[0].system == "You run on m1."
        assert types(agent) == [
            *("agent/inbox/spliced", "turn/start", "agent/inbox/spliced", "step/start", "user/message"),
            *("request/header", "request/context", "request/sent"),
            *["assistant/chunk"] * 4,
            *("assistant/message", "step/end", "turn/end"),
        ]
        assert headers(agent) == ["initial"]
        assert ends(agent) == [{"kind": "completed"}]
        assert roles(agent.messages) == ["user", "assistant"]
        w.check(agent.session)


async def test_a02_a_tool_call_and_a_second_step() -> None:
    async with world(calls(("echo", '{"text":"ping"}', "c1")), text("done")) as w:
        w.tool("echo")
        agent = await w.agent()
        await say(agent, "use it")
        assert [event.data["step"] for event in events(agent, "step/start")] == [1, 2]
        assert len(events(agent, "turn/start")) == 1
        assert (len(events(agent, "request/sent")), headers(agent)) == (2, ["initial"])
        second = w.requests(agent)[1]
        assert roles(second.messages) == ["user", "assistant", "user"]
        block = second.messages[-1]["content"][-1]
        assert (block["type"], block["toolCallId"], block["isError"]) == ("tool-result", "c1", False)
        assert result_text(results(agent)[0]) == "echo: ping"
        assert events(agent, "tool/call")[0].data["arguments"] == '{"text":"ping"}'
        w.check(agent.session)


async def test_a03_the_working_directory() -> None:
    async with world(text("ok"), persona="In {{cwd}}.") as w:
        agent = await w.agent()
        await say(agent, "hi")
        assert w.requests(agent)[0].system == "In /w."


async def test_a04_a_variable_without_a_value_ends_the_turn_and_not_the_loop() -> None:
    async with world(text("ok"), persona="In {{cwd}}.") as w:
        agent = await w.agent(cwd=None)
        await say(agent, "hi")
        assert types(agent) == FAILED_EARLY
        message = ends(agent)[0]["error"]["message"]
        assert "{{cwd}}" in message
        assert "deployment:persona" in message

        async def late(assembly: PromptAssembly, _context: Any, next: Any) -> Any:
            assembly.variables["cwd"] = "/r"
            return await next()

        w.root.on("system-prompt/assemble", late)
        await say(agent, "again")
        assert kinds(agent) == ["error", "completed"]
        [request] = w.requests(agent)
        assert (request.system, said(request)) == ("In /r.", ["again"])
        w.check(agent.session)


async def test_a05_an_unknown_variable() -> None:
    async with world(persona="You run on {{modle}}.") as w:
        agent = await w.agent()
        await say(agent, "hi")
        message = ends(agent)[0]["error"]["message"]
        for part in ("{{modle}}", "deployment:persona", "cwd", "model", "provider"):
            assert part in message
        assert not events(agent, "request/sent")


@pytest.mark.parametrize("is_stated_early", [True, False], ids=["a06", "a07"])
async def test_a06_a07_a_late_model_is_stated_early_as_well(is_stated_early: bool) -> None:
    async with world(text("ok")) as w:
        agent = await w.agent(AgentOptions())
        asked = []

        async def state(assembly: PromptAssembly, _context: Any, next: Any) -> Any:
            assembly.variables["model"] = "m9"
            return await next()

        async def route(proposal: Any, next: Any) -> Any:
            asked.append(proposal.agent)
            return (await next()).with_(provider="scripted", model="m9")

        if is_stated_early:
            w.root.on("system-prompt/assemble", state)
        w.root.on("agent/request", route)
        await say(agent, "hi")
        if is_stated_early:
            [request] = w.requests(agent)
            assert (request.system, request.config.model) == ("You run on m9.", "m9")
            assert len(events(agent, "request/sent")) == 1
            assert events(agent, "request/header")[0].data["header"]["config"]["model"] == "m9"
            assert asked == [agent]
        else:
            assert kinds(agent) == ["error"]
            assert asked == []
        w.check(agent.session)


async def test_a08_a_switched_model_is_not_what_the_text_says() -> None:
    async with world(text("ok")) as w:
        agent = await w.agent()
        w.root.on("agent/request", lambda proposal, next: proposal.config.with_(model="m2"))
        await say(agent, "hi")
        [request] = w.requests(agent)
        assert (request.system, request.config.model) == ("You run on m1.", "m2")
        assert kinds(agent) == ["completed"]
        w.check(agent.session)


async def test_a09_no_route_at_all() -> None:
    async with world(persona="No variables.") as w:
        agent = await w.agent(AgentOptions())
        await say(agent, "hi")
        assert types(agent)[3:] == ["step/start", "user/message", "step/end", "turn/end"]
        assert ends(agent)[0]["error"]["code"] == "NO_ROUTE"


async def test_an_unknown_provider_is_named_before_anything_is_recorded() -> None:
    async with world() as w:
        agent = await w.agent(AgentOptions(provider="nobody", model="m1"))
        await say(agent, "hi")
        assert ends(agent)[0]["error"]["code"] == "NO_ADAPTER"
        assert not events(agent, "request/header")


async def test_a10_the_header_is_recorded_once() -> None:
    async with world(*[text("ok")] * 4) as w:
        agent = await w.agent()
        await say(agent, "1", "2", "3", "4")
        [header] = events(agent, "request/header")
        assert [event.data["headerSeq"] for event in events(agent, "request/sent")] == [header.seq] * 4
        w.check(agent.session)


async def test_a11_a_change_is_recorded_whole() -> None:
    async with world(*[text("ok")] * 3) as w:
        w.tool("echo")
        agent = await w.agent()
        await say(agent, "1", "2")
        w.root.system_prompt.section("extra", 10, "X")
        await say(agent, "3")
        assert headers(agent) == ["initial", "change"]
        header = events(agent, "request/header")[1].data["header"]
        assert header["system"] == "You run on m1.\n\nX"
        assert [tool["name"] for tool in header["tools"]] == ["echo"]
        w.check(agent.session)


async def test_a12_a_resumed_session_says_its_header_again(tmp_path: Any) -> None:
    async with world(sessions=[[text("ok"), text("two")]], logs=SessionsConfig(tmp_path)) as w:
        agent = await w.agent()
        path = agent.session.path
        await say(agent, "first")
        await agent.dispose()
        again = await w.root.agents.resume(path, AgentOptions(provider="scripted", model="m1"))
        assert again.id == agent.id
        assert again.status == "idle"
        await say(again, "second")
        assert headers(again) == ["initial", "resume"]
        first, second = events(again, "request/header")
        assert first.data["header"] == second.data["header"]
        assert first_divergence(*w.requests(again)).kind == "none"
        w.check(again.session)


async def test_a13_the_order_of_keys_is_what_a_provider_caches() -> None:
    async with world(text("ok"), text("ok")) as w:
        agent = await w.agent()
        first = w.root.tools.register(ToolSchema("a", "A", {"type": "object", "properties": {}}))
        await say(agent, "1")
        await first()
        w.root.tools.register(ToolSchema("a", "A", {"properties": {}, "type": "object"}))
        await say(agent, "2")
        assert headers(agent) == ["initial", "change"]
        divergence = first_divergence(*w.requests(agent))
        assert (divergence.kind, divergence.segment) == ("tools", "tool[0]")
        w.check(agent.session)


async def test_a14_what_is_empty_is_absent() -> None:
    async with world(text("ok")) as w:
        w.tool("echo")
        w.root.on("system-prompt/assemble", lambda assembly, context, next: PromptAssembly())
        agent = await w.agent()
        await say(agent, "hi")
        [request] = w.requests(agent)
        assert (request.system, request.tools) == (None, ())
        assert set(events(agent, "request/header")[0].data["header"]) == {"config"}
        w.check(agent.session)


async def test_a15_running_out_of_tokens_is_sticky() -> None:
    cut = calls(("echo", {"text": "x"}, "c1"), text="begun", finish="max-tokens")
    async with world(cut, text("ok")) as w:
        ran: list[Any] = []
        w.tool("echo", lambda arguments, run: ran.append(run.id))
        agent = await w.agent()

        async def steer(payload: Any, next: Any) -> Any:
            if payload.step == 1:
                agent.steer("go on")
            return await next()

        w.root.on("agent/pre-step", steer)
        await say(agent, "go")
        assert ran == []
        assert not any(
            block["type"] == "tool-call" for m in w.requests(agent)[1].messages for block in m["content"]
        )
        assert said(w.requests(agent)[1]) == ["go", "begun", "go on"]
        assert kinds(agent) == ["max-tokens"]
        w.check(agent.session)


@pytest.mark.parametrize("answer", [Reject("not now"), {"kind": "reject"}])
async def test_a16_a_rejected_step(answer: Any) -> None:
    async with world(text("ok")) as w:
        agent = await w.agent()
        listening = w.root.on("agent/pre-step", lambda payload, next: answer)
        await say(agent, "hi")
        assert types(agent) == FAILED_EARLY
        assert kinds(agent) == ["blocked"]
        await listening()
        await say(agent, "again")
        assert [event.data["turn"] for event in events(agent, "turn/start")] == [1, 2]
        assert said(w.requests(agent)[0]) == ["again"]
        w.check(agent.session)


# A17 holds for each log above: `World.check` rebuilds every request of it.


async def test_a17_a_failed_turn_leaves_nothing_to_rebuild() -> None:
    async with world(persona="{{cwd}}") as w:
        agent = await w.agent(cwd=None)
        await say(agent, "hi")
        w.check(agent.session)
        assert not w.captured


@pytest.mark.parametrize("calls_next", [True, False])
@pytest.mark.parametrize("event", ["agent/pre-step", "agent/request"])
async def test_a_listener_that_returns_nothing_ends_the_turn(event: str, calls_next: bool) -> None:
    async def silent(payload: Any, next: Any) -> None:
        if calls_next:
            await next()

    async with world(text("ok")) as w:
        agent = await w.agent()
        listening = w.root.on(event, silent)
        await say(agent, "hi")
        assert ends(agent)[0]["error"]["code"] == "LISTENER_NO_RESULT"
        await listening()
        await say(agent, "again")
        assert kinds(agent) == ["error", "completed"]
        w.check(agent.session)


async def test_listeners_see_the_exact_prompt_and_cannot_change_the_request() -> None:
    async with world(text("ok")) as w:
        w.tool("echo")
        seen: list[Any] = []

        def look(payload: Any, next: Any) -> Any:
            seen.append((payload.system, [tool["name"] for tool in payload.tools], payload.agent.label))
            with pytest.raises(TypeError):
                payload.tools[0]["name"] = "other"
            return next()

        w.root.on("agent/pre-step", look)
        agent = await w.agent()
        await say(agent, "hi")
        assert seen == [("You run on m1.", ["echo"], agent.id)]
        assert kinds(agent) == ["completed"]


async def test_entered_messages_replace_what_was_claimed() -> None:
    async with world(text("ok")) as w:
        agent = await w.agent()
        own = {"role": "user", "content": [{"type": "text", "text": "other"}]}
        listening = w.root.on("agent/pre-step", lambda payload, next: {"kind": "enter", "messages": [own]})
        await say(agent, "hi")
        assert said(w.requests(agent)[0]) == ["other"]
        await listening()
        w.root.on("agent/pre-step", lambda payload, next: {"kind": "enter", "messages": []})
        await say(agent, "nothing")
        assert kinds(agent) == ["completed", "completed"]
        assert len(events(agent, "step/start")) == 1
        w.check(agent.session)


async def test_turn_stopping_and_status_are_told() -> None:
    async with world(text("ok"), text("more")) as w:
        told: list[Any] = []
        w.root.on("agent/status", lambda change: told.append(change.status))
        w.root.on("agent/turn-stopping", lambda stopping: told.append((stopping.turn, stopping.reason)))
        agent = await w.agent()
        agent.followup("1")
        agent.followup("2")
        await agent.when_idle()
        assert told == ["running", (1, "completed"), (2, "completed"), "idle"]


async def test_an_error_is_told_and_an_observer_that_raises_stops_nothing(caplog: Any) -> None:
    async with world(persona="{{none}}") as w:
        told: list[Any] = []

        def observe(failure: Any) -> None:
            told.append((failure.turn, failure.failure["code"]))
            raise RuntimeError("observer")

        w.root.on("agent/error", observe)
        agent = await w.agent()
        await say(agent, "hi", "again")
        assert told == [(1, "UNKNOWN"), (2, "UNKNOWN")]
        assert "observer" in caplog.text


@pytest.mark.parametrize(
    "wrong", [{"max_tokens": 0}, {"max_tokens": True}, {"model": 3}, {"config": {"temperature": "x"}}]
)
def test_options_without_a_meaning(wrong: dict[str, Any]) -> None:
    with pytest.raises(AgentError, match=r"max_tokens|model|temperature"):
        AgentOptions(**wrong)


async def test_a_failed_set_up_publishes_nothing(tmp_path: Any) -> None:
    async with world(text("ok"), logs=SessionsConfig(tmp_path)) as w:
        before = w.root.runtime.snapshot()
        told: list[Any] = []
        undo = w.root.on("agent/created", told.append)

        async def setup(ctx: Any, agent: Any) -> None:
            ctx.system_prompt.section("mine", 5, "text")
            raise RuntimeError("no")

        with pytest.raises(RuntimeError, match="no"):
            await w.agent(setup=setup)
        await undo()
        assert (w.root.agents.all(), told, list(tmp_path.iterdir())) == ((), [], [])
        assert w.root.runtime.snapshot() == before


async def test_what_an_agent_registers_goes_with_it() -> None:
    async with world(text("ok")) as w:
        before = w.root.runtime.snapshot()

        def setup(ctx: Any, agent: Any) -> None:
            ctx.system_prompt.section("mine", 5, "Only mine.")
            w.tool("own", ctx=ctx)

        agent = await w.agent(AgentOptions(provider="scripted", model="m1", persona="I am {{model}}."), setup=setup)
        other = await w.agent()
        await say(agent, "hi")
        assert w.requests(agent)[0].system == "I am m1.\n\nOnly mine."
        assert w.root.tools.is_visible("own", agent)
        assert not w.root.tools.is_visible("own", other)
        ctx = agent.ctx
        await agent.dispose()
        await other.dispose()
        assert w.root.runtime.snapshot() == before
        with pytest.raises(Exception, match="inactive"):
            ctx.system_prompt.section("late", 1, "x")
        with pytest.raises(AgentError, match="disposed"):
            agent.followup("more")


async def test_an_agent_goes_with_the_plugin_that_made_it() -> None:
    async with world(text("begun", hang=True)) as w:
        made: list[Any] = []

        async def apply(ctx: Any) -> None:
            made.append(await ctx.agents.create(AgentOptions(provider="scripted", model="m1"), cwd="/w"))

        fiber = await w.plugin(apply, ["agents", "system_prompt", "tools"])
        [agent] = made
        agent.followup("hi")
        await until(lambda: bool(events(agent, "assistant/chunk")))
        await fiber.dispose()
        assert ends(agent) == [{"kind": "aborted", "reason": {"kind": "disposed"}}]
        assert w.root.agents.all() == ()
        w.check(agent.session)
