"""Scenarios A18 to A27: runtime context and prefix reuse."""

from __future__ import annotations

from typing import Any

from tests.agent.scenario import events, headers, kinds, said, say, snapshots, text, world
from workbench.agent.log import Replace, canonical_bytes, first_divergence
from workbench.agent.messages import user_message
from workbench.prompt import RUNTIME_CONTEXT_CLEARED, RUNTIME_CONTEXT_PREAMBLE, PromptAssembly, ToolSchema

EMPTY = {"type": "object", "properties": {}}


def shadow(agent: Any, *, up_to: int | None = None) -> None:
    """Replace the whole surface, or its first nodes, by a short text."""
    nodes = agent.session.surface.nodes[:up_to]
    agent.session.append(
        "user/message", user_message("SUM"), surface_op=Replace(nodes[0], nodes[-1]), source_event_seqs=nodes
    )


async def test_a18_a_snapshot_for_each_change() -> None:
    async with world(*[text("ok")] * 5) as w:
        agent = await w.agent()
        now = ["a"]
        policy = w.root.system_prompt.context("policy", 110, lambda context: now[0])
        counts = []
        for turn, state in enumerate("aab--"):
            if state == "-" and turn == 3:
                await policy()
            elif state != "-":
                now[0] = state
            await say(agent, f"turn {turn}")
            counts.append(len(snapshots(agent)))
        assert counts == [1, 1, 2, 3, 3]
        assert snapshots(agent)[0] == f"{RUNTIME_CONTEXT_PREAMBLE}\n\na"
        assert snapshots(agent)[2] == RUNTIME_CONTEXT_CLEARED
        assert len({request.system for request in w.requests(agent)}) == 1
        assert headers(agent) == ["initial"]
        step_of_snapshot = [event for event in events(agent, "user/message") if "form" in event.data["source"]]
        for event in step_of_snapshot:
            following = agent.session.events[event.seq + 1]
            assert following.type in ("request/header", "request/sent")
        assert step_of_snapshot[0].data["source"]["sections"] == [{"name": "policy", "text": "a"}]
        w.check(agent.session)


async def test_a19_empty_contexts_say_nothing() -> None:
    async with world(text("ok"), text("ok")) as w:
        w.root.system_prompt.context("policy", 110, "")
        agent = await w.agent()
        await say(agent, "1", "2")
        assert snapshots(agent) == []


async def test_a20_a_removed_snapshot_is_said_again() -> None:
    async with world(text("ok"), text("ok")) as w:
        w.root.system_prompt.context("policy", 110, "a")
        agent = await w.agent()
        await say(agent, "1")
        shadow(agent)
        await say(agent, "2")
        first, second = snapshots(agent)
        assert first == second
        assert said(w.requests(agent)[1]) == ["SUM", "2", second]
        w.check(agent.session)


async def test_a21_a_removed_snapshot_of_a_context_that_is_gone() -> None:
    async with world(*[text("ok")] * 3) as w:
        policy = w.root.system_prompt.context("policy", 110, "a")
        agent = await w.agent()
        await say(agent, "1")
        shadow(agent)
        await policy()
        await say(agent, "2")
        assert snapshots(agent)[1:] == [RUNTIME_CONTEXT_CLEARED]
        await say(agent, "3")
        assert len(snapshots(agent)) == 2
        w.check(agent.session)


async def test_a22_a_compaction_before_the_step_leaves_no_request_without_context() -> None:
    async with world(text("ok"), text("ok")) as w:
        w.root.system_prompt.context("policy", 110, "the policy")

        async def compact(payload: Any, next: Any) -> Any:
            if payload.turn == 2:
                shadow(payload.agent)
            return await next()

        w.root.on("agent/pre-step", compact)
        agent = await w.agent()
        await say(agent, "1", "2")
        assert [each.count("the policy") for each in said(w.requests(agent)[1])] == [0, 0, 1]
        w.check(agent.session)


async def test_a23_appending_breaks_nothing() -> None:
    async with world(text("ok"), text("ok")) as w:
        agent = await w.agent()
        await say(agent, "1", "2")
        first, second = w.requests(agent)
        divergence = first_divergence(first, second)
        assert (divergence.kind, divergence.byte_offset) == ("none", len(canonical_bytes(first)))


async def test_a24_the_first_changed_character_of_the_system_text() -> None:
    async with world(text("ok"), text("ok"), persona="") as w:
        alpha = w.root.system_prompt.section("s", 1, "alpha")
        agent = await w.agent()
        await say(agent, "1")
        await alpha()
        w.root.system_prompt.section("s", 1, "alpha beta")
        await say(agent, "2")
        found = first_divergence(*w.requests(agent))
        assert (found.kind, found.byte_offset, found.char_offset, found.reused_tokens) == ("system", 8, 8, 2)
        assert found.is_estimate
        w.check(agent.session)


async def test_a25_a_tool_behind_and_a_tool_before() -> None:
    async with world(*[text("ok")] * 4) as w:
        w.root.tools.register(ToolSchema("a", "A", EMPTY))
        agent = await w.agent()
        await say(agent, "1")
        second = w.root.tools.register(ToolSchema("b", "B", EMPTY))
        await say(agent, "2")
        await second()
        await say(agent, "3")
        w.root.tools.register(ToolSchema("Z", "Z", EMPTY))
        await say(agent, "4")
        first, with_b, without, with_z = w.requests(agent)
        behind, before = first_divergence(first, with_b), first_divergence(without, with_z)
        assert (behind.kind, behind.segment, behind.byte_offset, behind.segment_start) == (
            "tools",
            "tool[1]",
            99,
            99,
        )
        assert (before.kind, before.segment, before.byte_offset) == ("tools", "tool[0]", 30)
        w.check(agent.session)


async def test_a26_another_route_is_another_cache() -> None:
    async with world(text("ok"), text("ok"), persona="Hello.") as w:
        agent = await w.agent()
        await say(agent, "1")
        w.root.on("agent/request", lambda proposal, next: proposal.config.with_(model="m2"))
        await say(agent, "2")
        found = first_divergence(*w.requests(agent))
        assert (found.kind, found.reused_tokens) == ("route", 0)
        assert headers(agent) == ["initial", "change"]
        assert [event.data["model"] for event in events(agent, "request/context")] == ["m1", "m2"]
        w.check(agent.session)


async def test_a27_a_temperature_moves_no_prefix() -> None:
    async with world(text("ok"), text("ok")) as w:
        agent = await w.agent()
        await say(agent, "1")

        async def cooler(proposal: Any, next: Any) -> Any:
            return (await next()).with_(temperature=0.5)

        w.root.on("agent/request", cooler)
        await say(agent, "2")
        assert headers(agent) == ["initial", "change"]
        assert first_divergence(*w.requests(agent)).kind == "none"
        w.check(agent.session)


async def test_values_of_the_adapter_are_marked_and_not_carried_along() -> None:
    async with world(text("ok"), text("ok"), windows={"m1": 1000}) as w:
        given: list[Any] = []

        def defaults(config: Any) -> Any:
            given.append(config.temperature)
            return {"temperature": 0.3} if config.model == "m1" else {}

        w.provider.defaults = defaults  # type: ignore[method-assign]
        agent = await w.agent()
        await say(agent, "1")
        w.root.on("agent/request", lambda proposal, next: proposal.config.with_(model="m2"))
        await say(agent, "2")
        first, second = (event.data["header"] for event in events(agent, "request/header"))
        assert (first["config"]["temperature"], first["adapterDefaults"]) == (0.3, {"temperature": 0.3})
        assert "temperature" not in second["config"]
        assert given == [None, None]
        assert [event.data.get("contextWindow") for event in events(agent, "request/context")] == [1000, None]
        w.check(agent.session)


async def test_a_revision_that_the_assembly_was_made_with_is_recorded() -> None:
    async with world(text("ok")) as w:
        w.root.on("agent/assemble-context", lambda context: context.extras.update({"prompts/revision": 7}))
        agent = await w.agent()
        await say(agent, "1")
        [record] = events(agent, "prompts/revision")
        assert (record.data, record.ignorable) == ({"revision": 7, "turn": 1, "step": 1, "attempt": 1}, True)
        assert agent.session.events[record.seq + 1].type == "request/sent"


async def test_an_assembly_of_a_listener_is_what_is_sent() -> None:
    async with world(text("ok")) as w:
        w.tool("echo")

        async def more(assembly: PromptAssembly, _context: Any, next: Any) -> Any:
            built = await next()
            built.tools[0].parameters["additionalProperties"] = False
            return built

        w.root.on("system-prompt/assemble", more)
        agent = await w.agent()
        await say(agent, "1")
        assert w.requests(agent)[0].tools[0]["parameters"]["additionalProperties"] is False
        assert kinds(agent) == ["completed"]
        w.check(agent.session)
