"""Scenarios A38 to A41 and A54: children."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.agent.scenario import (
    World,
    calls,
    code,
    ends,
    error,
    events,
    headers,
    kinds,
    result_text,
    results,
    said,
    say,
    text,
    until,
    world,
)
from workbench.agent.agent import Agent
from workbench.agent.log import first_divergence
from workbench.agent.messages import text_of
from workbench.agent.options import AgentOptions
from workbench.agent.sessions import SessionsConfig
from workbench.agent.subagents.in_process import DELEGATION_CONTEXT
from workbench.plugins import first_party
from workbench.prompt import RUNTIME_CONTEXT_PREAMBLE

DELEGATION = f"{RUNTIME_CONTEXT_PREAMBLE}\n\n{DELEGATION_CONTEXT}"


async def children(w: World, *, inherits: bool = False, max_depth: int = 3, mode: str = "none") -> None:
    """The delegation tool `subagent` and its provider `p`."""
    provider, tool = first_party("subagent_provider"), first_party("subagent")
    await w.root.plugin(first_party("subagents"))
    await w.root.plugin(provider, {"name": "p", "inherits_parent_context": inherits})
    await w.root.plugin(tool, {"provider": "p", "max_depth": max_depth, "background_mode": mode})


def delegate(task: str, id: str = "c1", **more: Any) -> Any:
    return calls(("subagent", {"title": "a child", "task": task, **more}, id))


@dataclass
class Made:
    """The agents that were published, in order."""

    agents: list[Agent]

    @classmethod
    def by(cls, w: World) -> Made:
        made = cls([])
        w.root.on("agent/created", made.agents.append)
        return made


async def test_a39_spawn() -> None:
    parent_calls = [delegate("do it"), text("thanks")]
    async with world(sessions=[parent_calls, [text("done it")]]) as w:
        await children(w)
        made = Made.by(w)
        parent = await w.agent(AgentOptions(provider="scripted", model="m1", max_tokens=99))
        await say(parent, "go")
        child = made.agents[1]
        header = child.session.header
        assert (header.cwd, header.origin, header.delegation_depth) == ("/w", "subagent", 1)
        assert (header.parent_session, header.seed_length) == (parent.id, None)
        [request] = w.requests(child)
        assert said(request) == ["do it", DELEGATION]
        assert request.config == w.requests(parent)[0].config
        assert request.system == w.requests(parent)[0].system
        assert headers(child) == ["initial"]
        assert result_text(results(parent)[0]) == "done it"
        assert w.root.agents.all() == (parent,)
        w.check(parent.session, child.session)


async def test_a39_no_session_beyond_the_depth() -> None:
    async with world(sessions=[[delegate("do it"), text("then not")]]) as w:
        await children(w, max_depth=0)
        made = Made.by(w)
        parent = await w.agent()
        await say(parent, "go")
        assert made.agents == [parent]
        assert code(results(parent)[0]) == "DEPTH_EXCEEDED"
        assert kinds(parent) == ["completed"]
        w.check(parent.session)


async def test_the_depth_of_a_header_cannot_be_lowered() -> None:
    from workbench.agent.log import SessionHeader

    async with world() as w:
        parent = await w.agent()
        deep = await w.agent(AgentOptions(parent=parent), cwd=None, header=SessionHeader(delegation_depth=5))
        shallow = await w.agent(AgentOptions(parent=deep), cwd=None, header=SessionHeader())
        assert (deep.depth, shallow.depth) == (5, 6)


async def test_a41_the_tool_follows_its_provider() -> None:
    async with world(*[text("ok")] * 4) as w:
        provider, tool = first_party("subagent_provider"), first_party("subagent")
        await w.root.plugin(first_party("subagents"))
        await w.root.plugin(tool, {"provider": "p"})
        agent = await w.agent()
        await say(agent, "1")
        fresh = await w.root.plugin(provider, {"name": "p"})
        await say(agent, "2")
        await fresh.dispose()
        await say(agent, "3")
        await w.root.plugin(provider, {"name": "p", "inherits_parent_context": True})
        await say(agent, "4")
        offered = [[tool["name"] for tool in request.tools] for request in w.requests(agent)]
        assert offered == [[], ["subagent"], [], ["subagent"]]
        second, fourth = (w.requests(agent)[index].tools[0]["description"] for index in (1, 3))
        assert second != fourth
        assert headers(agent) == ["initial", "change", "change", "change"]
        w.check(agent.session)


async def test_a_run_outlives_its_provider() -> None:
    async with world(sessions=[[delegate("do it"), text("thanks")], [calls(("gate", {}, "g")), text("done")]]) as w:
        provider, tool = first_party("subagent_provider"), first_party("subagent")
        await w.root.plugin(first_party("subagents"))
        spawning = await w.root.plugin(provider, {"name": "p"})
        await w.root.plugin(tool, {"provider": "p"})
        entered, opened = asyncio.Event(), asyncio.Event()

        async def gate(arguments: Any, run: Any) -> str:
            entered.set()
            await opened.wait()
            return "open"

        w.tool("gate", gate)
        parent = await w.agent()
        parent.followup("go")
        await entered.wait()
        await spawning.dispose()
        opened.set()
        await parent.when_idle()
        assert kinds(parent) == ["completed"]


@pytest.mark.parametrize("has_context", [False, True])
async def test_a54_fork(has_context: bool, tmp_path: Any) -> None:
    parent_calls = [text("first answer"), delegate("sub"), text("parent done")]
    logs = SessionsConfig(tmp_path)
    async with world(sessions=[parent_calls, [text("child done")]], logs=logs) as w:
        await children(w, inherits=True)
        if has_context:
            w.root.system_prompt.context("policy", 110, "ctx")
        made = Made.by(w)
        parent = await w.agent()
        parent.followup("p1")
        parent.followup("p2")
        await parent.when_idle()
        child = made.agents[1]
        [request] = w.requests(child)
        inherited = ["p1", *([f"{RUNTIME_CONTEXT_PREAMBLE}\n\nctx"] if has_context else []), "first answer", "sub"]
        assert said(request)[:-1] == inherited
        assert DELEGATION_CONTEXT in said(request)[-1]
        assert [event.data["turn"] for event in events(child, "turn/start")] == [1, 2]
        assert (child.inbox.next_turn, child.inbox.next_step) == ((), ())
        assert headers(child) == ["initial", "resume"]
        assert first_divergence(w.requests(parent)[0], request).kind == "none"
        assert child.session.header.seed_length == events(child, "session/end-seed")[0].seq
        assert [event.type for event in child.session.events[: child.session.header.seed_length]][-1] == "turn/end"
        assert child.session.path is not None
        assert parent.session.path is not None
        assert child.session.path.name == parent.session.path.name.replace(".jsonl", ".1.jsonl")
        w.check(parent.session, child.session)


async def test_a_fork_before_any_turn_has_ended_begins_with_nothing() -> None:
    async with world(sessions=[[delegate("sub"), text("done")], [text("child")]]) as w:
        await children(w, inherits=True)
        made = Made.by(w)
        parent = await w.agent()
        await say(parent, "p1")
        child = made.agents[1]
        assert child.session.header.seed_length is None
        assert headers(child) == ["initial"]


async def test_a_child_that_fails_is_an_error_with_what_it_had_said() -> None:
    async with world(sessions=[[delegate("x"), text("ok")], [text("half", finish="max-tokens")]]) as w:
        await children(w)
        parent = await w.agent()
        await say(parent, "go")
        told = result_text(results(parent)[0])
        assert code(results(parent)[0]) == "SUBAGENT_FAILED"
        assert "max-tokens" in told
        assert told.endswith("What it had said until then:\nhalf")
        assert w.root.agents.all() == (parent,)


async def test_a_child_that_breaks_names_the_error() -> None:
    async with world(sessions=[[delegate("x"), text("ok")], [error("AUTH", message="no key")]]) as w:
        await children(w)
        parent = await w.agent()
        await say(parent, "go")
        assert "AUTH: no key" in result_text(results(parent)[0])


async def test_the_parents_cancel_reaches_the_child() -> None:
    async with world(sessions=[[delegate("x")], [text("half", hang=True)]]) as w:
        await children(w)
        made = Made.by(w)
        parent = await w.agent()
        parent.followup("go")
        await until(lambda: len(made.agents) == 2 and bool(events(made.agents[1], "assistant/chunk")))
        child = made.agents[1]
        parent.cancel()
        await parent.when_idle()
        assert ends(child) == [{"kind": "aborted", "reason": {"kind": "parent"}}]
        assert code(results(parent)[0]) == "ABORTED"
        assert w.root.agents.all() == (parent,)
        w.check(parent.session, child.session)


async def test_a_child_in_the_background_reports_by_itself() -> None:
    script = [[delegate("x", run_in_background=True), text("started"), text("noted")], [text("the result")]]
    async with world(sessions=script) as w:
        await children(w, mode="one-shot")
        parent = await w.agent()
        await say(parent, "go")
        await until(lambda: len(kinds(parent)) == 2)
        await parent.when_idle()
        assert "the result" in said(w.requests(parent)[2])[-1]
        assert kinds(parent) == ["completed", "completed"]
        await until(lambda: w.root.agents.all() == (parent,))
        w.check(parent.session)


async def test_a_child_that_is_kept_gets_more_work() -> None:
    made: list[Agent] = []

    def more(call: Any) -> Any:
        call["tool_calls"][0]["arguments"]["child"] = "?"
        return call

    parent_calls = [delegate("x"), more(delegate("y", "c2")), delegate("z", "c3", child="nobody"), text("ok")]
    async with world(sessions=[parent_calls, [text("first"), text("second")]]) as w:
        await children(w, mode="continuable")
        w.root.on("agent/created", made.append)
        stream = w.provider.stream

        def with_id(request: Any, call: Any) -> Any:
            async def chunks() -> Any:
                async for chunk in stream(request, call):
                    if len(made) > 1 and "block" in chunk and "arguments" in chunk["block"]:
                        block = chunk["block"]
                        yield {
                            **chunk,
                            "block": {**block, "arguments": block["arguments"].replace("?", made[1].id)},
                        }
                    else:
                        yield chunk

            return chunks()

        w.provider.stream = with_id  # type: ignore[method-assign]
        parent = await w.agent()
        await say(parent, "go")
        child = made[1]
        first, second, third = results(parent)
        assert result_text(first).startswith("first")
        assert child.id in result_text(first)
        assert result_text(second).startswith("second")
        assert said(w.requests(child)[1])[-1] == "y"
        assert (code(third), child.id in result_text(third)) == ("UNKNOWN_CHILD", True)
        assert w.root.agents.all() == (parent, child)
        await parent.dispose()
        assert w.root.agents.all() == ()
        w.check(parent.session, child.session)


async def test_children_go_with_their_parent() -> None:
    async with world(
        sessions=[[delegate("x", run_in_background=True), text("started")], [text("a", hang=True)]]
    ) as w:
        await children(w, mode="one-shot")
        made = Made.by(w)
        before = w.root.runtime.snapshot()
        parent = await w.agent()
        await say(parent, "go")
        await until(lambda: bool(events(made.agents[1], "assistant/chunk")))
        await parent.dispose()
        assert w.root.agents.all() == ()
        assert ends(made.agents[1])[0]["kind"] == "aborted"
        assert w.root.runtime.snapshot() == before
        w.check(parent.session, made.agents[1].session)


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties]}


async def structured(w: World, parent: Agent, output_schema: Any) -> Any:
    """Start a child with an output schema, and give its result."""
    from workbench.agent.subagents.contract import SubagentRequest, start_child
    from workbench.agent.subagents.in_process import InProcessProvider

    provider = InProcessProvider(w.root.agents.service, "p", False)
    run = await start_child(provider, SubagentRequest(parent, "do it", output_schema=output_schema))
    try:
        return await run.result(), run
    finally:
        await run.dispose()


async def test_a38_structured_output() -> None:
    wrong = calls(("structured_output", {"n": "x"}, "c1"))
    right = calls(("structured_output", {"n": 3}, "c2"), ("echo", {"text": "x"}, "c3"))
    async with world(wrong, right) as w:
        ran: list[Any] = []
        w.tool("echo", lambda arguments, run: ran.append(run.id))
        parent = await w.agent()
        result, run = await structured(w, parent, schema(n={"type": "integer"}))
        assert (result.stop_reason, result.value) == ("completed", {"n": 3})
        assert code(results(run.agent)[0]) == "INVALID_ARGS"
        assert code(results(run.agent)[2]) is not None
        assert ran == []
        assert len(w.requests(run.agent)) == 2
        assert "structured_output" in json.dumps([tool["name"] for tool in w.requests(run.agent)[0].tools])
        assert not w.root.tools.is_visible("structured_output", parent)
        w.check(run.agent.session)


async def test_a38_a_child_that_only_talks() -> None:
    async with world(text("it is 3")) as w:
        parent = await w.agent()
        result, _ = await structured(w, parent, schema(n={"type": "integer"}))
        assert (result.stop_reason, result.value, result.text) == ("error", None, "it is 3")


async def test_a_schema_that_no_value_can_have_is_refused_at_the_start() -> None:
    from workbench.agent.subagents.contract import SubagentError

    async with world() as w:
        made = Made.by(w)
        parent = await w.agent()
        for wrong in ({"type": "string"}, {"type": "object", "properties": {"n": {"type": "nothing"}}}):
            with pytest.raises(SubagentError):
                await structured(w, parent, wrong)
        assert made.agents == [parent]


async def test_a_request_that_needs_what_the_provider_cannot_is_refused() -> None:
    from workbench.agent.subagents.contract import SubagentError, SubagentRequest, start_child

    @dataclass
    class Weak:
        name: str = "weak"
        inherits_parent_context: bool = False
        capabilities: frozenset[str] = frozenset({"depth_limit"})

        async def start(self, request: Any) -> Any:
            raise AssertionError("started")

    async with world() as w:
        parent = await w.agent()
        with pytest.raises(SubagentError, match="tool_filter, persona"):
            await start_child(Weak(), SubagentRequest(parent, "x", persona="p", deny=["echo"]))


async def test_a_child_with_a_persona_and_fewer_tools() -> None:
    from workbench.agent.subagents.contract import SubagentRequest
    from workbench.agent.subagents.in_process import InProcessProvider

    async with world(text("ok")) as w:
        w.tool("echo")
        w.tool("other")
        parent = await w.agent()
        provider = InProcessProvider(w.root.agents.service, "p", False)
        run = await provider.start(SubagentRequest(parent, "x", persona="A child.", deny=["other"]))
        result = await run.result()
        [request] = w.requests(run.agent)
        assert (request.system, [tool["name"] for tool in request.tools]) == ("A child.", ["echo"])
        assert result.text == text_of(events(run.agent, "assistant/message")[0].data["message"])
        await run.dispose()
