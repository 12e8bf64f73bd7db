"""Scenarios A47, A48 and A53, and the rest of the cancel table."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.agent.scenario import (
    calls,
    code,
    ends,
    error,
    events,
    kinds,
    result_text,
    results,
    said,
    say,
    text,
    types,
    until,
    world,
)
from workbench.agent.cancel import hook

ABORTED = {"kind": "aborted", "reason": {"kind": "user"}}


def waits_for(entered: asyncio.Event) -> Any:
    async def listener(*args: Any) -> Any:
        entered.set()
        await asyncio.get_running_loop().create_future()

    return listener


@pytest.mark.parametrize("event", ["agent/assemble-context", "system-prompt/assemble", "agent/pre-step"])
async def test_before_the_step_nothing_of_it_is_in_the_log(event: str) -> None:
    async with world(text("ok")) as w:
        agent = await w.agent()
        entered = asyncio.Event()
        listening = w.root.on(event, waits_for(entered))
        agent.followup("hi")
        await entered.wait()
        assert agent.cancel()
        await agent.when_idle()
        assert types(agent) == ["agent/inbox/spliced", "turn/start", "agent/inbox/spliced", "turn/end"]
        assert ends(agent) == [ABORTED]
        await listening()
        await say(agent, "again")
        assert kinds(agent) == ["aborted", "completed"]
        w.check(agent.session)


async def test_between_step_and_request() -> None:
    async with world(text("ok")) as w:
        agent = await w.agent()
        entered = asyncio.Event()
        w.root.on("agent/request", waits_for(entered))
        agent.followup("hi")
        await entered.wait()
        agent.cancel(hook("too slow"))
        await agent.when_idle()
        assert types(agent)[3:] == ["step/start", "user/message", "step/end", "turn/end"]
        assert ends(agent)[0]["reason"] == {"kind": "hook", "reason": "too slow"}
        w.check(agent.session)


async def test_a47_what_was_shown_stays() -> None:
    async with world(text("partial", hang=True), text("ok")) as w:
        agent = await w.agent()
        agent.followup("hi")
        await until(lambda: len(events(agent, "assistant/chunk")) == 2)
        agent.cancel("user")
        await agent.when_idle()
        assert types(agent)[-3:] == ["assistant/message", "step/end", "turn/end"]
        [message] = events(agent, "assistant/message")
        assert message.data["interrupted"] is True
        assert message.data["message"]["content"] == [{"type": "text", "text": "partial"}]
        assert message.source_event_seqs == tuple(event.seq for event in events(agent, "assistant/chunk"))
        assert ends(agent) == [ABORTED]
        await say(agent, "again")
        assert said(w.requests(agent)[1]) == ["hi", "partial", "again"]
        w.check(agent.session)


@pytest.mark.parametrize("shown", [{"text": " \n"}, {"tool_calls": [{"name": "echo", "arguments": "{}"}]}, {}])
async def test_what_was_not_shown_leaves_no_message(shown: dict[str, Any]) -> None:
    async with world({**shown, "hang": True}, text("ok")) as w:
        w.tool("echo")
        agent = await w.agent()
        agent.followup("hi")
        await until(lambda: bool(w.captured) and len(events(agent, "assistant/chunk")) == (2 if shown else 0))
        agent.cancel()
        await agent.when_idle()
        assert not events(agent, "assistant/message")
        assert not events(agent, "tool/call")
        await say(agent, "again")
        w.check(agent.session)


@pytest.mark.parametrize("swallows", [True, False])
async def test_a48_running_tools_are_awaited(swallows: bool) -> None:
    async with world(calls(("slow", {}, "c1"), ("slow", {}, "c2")), text("ok")) as w:
        entered, caught, may_end = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def slow(arguments: Any, run: Any) -> str:
            entered.set()
            try:
                await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:
                caught.set()
                await may_end.wait()
                if not swallows:
                    raise
            return "fin"

        w.tool("slow", slow)
        agent = await w.agent()
        agent.followup("go")
        agent.followup("queued")
        await entered.wait()
        agent.cancel("user")
        await caught.wait()
        for _ in range(20):
            await asyncio.sleep(0)
        assert (results(agent), agent.status) == ([], "running")
        may_end.set()
        await agent.when_idle()
        first, second = results(agent)
        assert (code(first), result_text(first) == "fin") == ((None, True) if swallows else ("ABORTED", False))
        assert code(second) == "ABORTED_BEFORE_DISPATCH"
        assert [event.data["callId"] for event in events(agent, "tool/call")] == ["c1", "c2"]
        assert (agent.inbox.next_turn, agent.status) == ((), "idle")
        assert events(agent, "agent/inbox/spliced")[-1].data["outcome"] == "canceled"
        assert kinds(agent) == ["aborted"]
        await say(agent, "again")
        w.check(agent.session)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("tools/pre-execute", "ABORTED_BEFORE_DISPATCH"),
        ("tools/execute", "ABORTED"),
        ("tools/post-execute", "ABORTED"),
    ],
)
async def test_a53_a_listener_that_never_ends(event: str, expected: str) -> None:
    async with world(calls(("echo", {}, "c1")), text("ok")) as w:
        w.tool("echo")
        agent = await w.agent()
        entered = asyncio.Event()
        w.root.on(event, waits_for(entered))
        agent.followup("go")
        await entered.wait()
        for _ in range(20):
            await asyncio.sleep(0)
        assert agent.status == "running"
        agent.cancel("user")
        await agent.when_idle()
        assert [code(result) for result in results(agent)] == [expected]
        assert ends(agent) == [ABORTED]
        w.check(agent.session)


async def test_during_a_retry_wait() -> None:
    entered = asyncio.Event()

    async def wait(seconds: float) -> None:
        entered.set()
        await asyncio.get_running_loop().create_future()

    async with world(error("RATE_LIMIT"), text("ok"), sleep=wait) as w:
        agent = await w.agent()
        agent.followup("hi")
        await entered.wait()
        agent.cancel()
        await agent.when_idle()
        assert types(agent)[-3:] == ["llm/retry", "step/end", "turn/end"]
        assert len(w.captured) == 1
        w.check(agent.session)


async def test_the_first_cause_wins_and_idle_agents_do_not_care() -> None:
    async with world(text("x", hang=True), text("ok")) as w:
        agent = await w.agent()
        agent.inject("stays")
        assert not agent.cancel()
        assert len(agent.inbox.next_step) == 1
        agent.followup("hi")
        await until(lambda: bool(events(agent, "assistant/chunk")))
        agent.cancel("parent")
        agent.cancel("user")
        await agent.when_idle()
        assert ends(agent)[0]["reason"] == {"kind": "parent"}
        with pytest.raises(ValueError, match="nobody"):
            agent.cancel("nobody")


async def test_what_arrives_after_the_abort_opens_a_turn() -> None:
    async with world(text("x", hang=True), text("ok"), text("kept")) as w:
        agent = await w.agent()
        agent.followup("1")
        agent.followup("dropped")
        await until(lambda: bool(events(agent, "assistant/chunk")))
        agent.cancel()
        agent.steer("2")
        await agent.when_idle()
        assert kinds(agent) == ["aborted", "completed"]
        assert said(w.requests(agent)[1]) == ["1", "x", "2"]
        w.check(agent.session)


async def test_a_cancel_that_keeps_the_inbox() -> None:
    async with world(text("x", hang=True), text("ok")) as w:
        agent = await w.agent()
        agent.followup("1")
        agent.followup("kept")
        await until(lambda: bool(events(agent, "assistant/chunk")))
        agent.cancel(keep_inbox=True)
        await agent.when_idle()
        assert kinds(agent) == ["aborted", "completed"]
        assert said(w.requests(agent)[1])[-1] == "kept"


async def test_a_cancel_before_the_turn_has_begun_drops_what_waits() -> None:
    async with world(text("ok")) as w:
        agent = await w.agent()
        agent.followup("1")
        agent.cancel()
        await agent.when_idle()
        assert types(agent) == ["agent/inbox/spliced"] * 2
        await say(agent, "2")
        assert said(w.requests(agent)[0]) == ["2"]


async def test_a_listener_can_cancel_its_own_turn() -> None:
    async with world(text("ok"), text("ok")) as w:
        agent = await w.agent()

        def cancel(payload: Any, next: Any) -> Any:
            payload.agent.cancel(hook("enough"))
            return next()

        listening = w.root.on("agent/pre-step", cancel)
        await say(agent, "1")
        assert ends(agent)[0]["reason"]["kind"] == "hook"
        await listening()
        await say(agent, "2")
        assert kinds(agent) == ["aborted", "completed"]
        w.check(agent.session)


async def test_a_tool_can_dispose_of_its_own_agent() -> None:
    async with world(calls(("end", {}, "c1"))) as w:
        agent = await w.agent()

        async def end(arguments: Any, run: Any) -> str:
            await run.agent.dispose()
            return "never"

        w.tool("end", end)
        agent.followup("go")
        await until(lambda: w.root.agents.all() == ())
        await agent.dispose()
        assert ends(agent) == [{"kind": "aborted", "reason": {"kind": "disposed"}}]
        assert code(results(agent)[0]) == "ABORTED"
        w.check(agent.session)


async def test_a_listener_whose_plugin_goes_ends_the_turn_with_an_error() -> None:
    async with world(text("ok")) as w:
        entered = asyncio.Event()
        fiber = await w.plugin(lambda ctx: ctx.on("agent/pre-step", waits_for(entered)) and None)
        agent = await w.agent()
        agent.followup("1")
        await entered.wait()
        await fiber.dispose()
        await agent.when_idle()
        assert kinds(agent) == ["error"]
        assert "inactive" in ends(agent)[0]["error"]["message"]
        await say(agent, "2")
        assert kinds(agent) == ["error", "completed"]
        w.check(agent.session)
