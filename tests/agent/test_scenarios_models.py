"""Scenarios A40 and A42 to A46: recorded logs, and a real HTTP endpoint on loopback."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scenario import code, ends, events, headers, kinds, result_text, results, said, say, text, world
from tests.support.model_server import HANG, Answer, ModelServer, error_answer, piece, stream_answer, text_answer
from workbench.agent.log import rebuild_all
from workbench.agent.log.session_log import SessionLog
from workbench.agent.messages import text_of
from workbench.agent.options import AgentOptions
from workbench.agent.subagents.contract import SubagentRequest
from workbench.agent.subagents.in_process import InProcessProvider
from workbench.models.openai import OpenAIProvider, OpenAISettings
from workbench.models.recording import Recording, RecordingError
from workbench.models.replay import ReplayProvider
from workbench.prompt import ToolSchema

SESSIONS = Path(__file__).parents[3] / "shared/data/dsh/sessions"
recorded = pytest.mark.skipif(not SESSIONS.is_dir(), reason="the recorded logs are not beside this checkout")
REPLAY = AgentOptions(provider="replay", model="m1")
HTTP = AgentOptions(provider="openai", model="m1")


def replay(*names: str) -> ReplayProvider:
    return ReplayProvider([Recording.from_file(SESSIONS / name) for name in names])


@recorded
def test_a40_a_recorded_fork() -> None:
    log = SessionLog.open_now(SESSIONS / "subagent-fork-in-process/session.1.jsonl")
    try:
        recorded_events = list(log.events)
        assert log.header.seed_length == 42
        assert (recorded_events[41].type, recorded_events[41].data["turn"]) == ("turn/end", 1)
        own = recorded_events[42:]
        assert [event.data["turn"] for event in own if event.type == "turn/start"] == [2]
        reasons = [event.data["reason"] for event in recorded_events if event.type == "request/header"]
        assert reasons == ["initial", "resume"]
        asked = [text_of(event.data) for event in recorded_events if event.type == "user/message"]
        assert not any("subagent_fork" in each for each in asked)
    finally:
        log.close()


@recorded
async def test_a42_a_replay_under_another_persona_and_other_tools() -> None:
    provider = replay("tool-call-turn/session.jsonl")
    async with world(persona="Another persona.") as w:
        w.serve(provider)
        w.root.tools.register(
            ToolSchema("bash", "A stub.", {"type": "object"}), lambda arguments, run: f"ran {arguments['command']}"
        )
        w.tool("echo")
        agent = await w.agent(REPLAY)
        await say(agent, "anything")
        chunks = [event.data["step"] for event in events(agent, "assistant/chunk")]
        assert (chunks.count(1), chunks.count(2)) == (54, 33)
        assert result_text(results(agent)[0]) == "ran echo SNAPSHOT_OK"
        assert text_of(events(agent, "assistant/message")[-1].data["message"]) == "DONE"
        provider.assert_consumed()
        w.check(agent.session)


@recorded
async def test_a43_a_replay_of_a_parent_and_its_fork() -> None:
    folder = "subagent-fork-in-process"
    provider = replay(f"{folder}/session.1.jsonl", f"{folder}/session.jsonl")
    async with world() as w:
        w.serve(provider)
        forks = InProcessProvider(w.root.agents.service, "fork", True)
        children: list[Any] = []

        async def fork(arguments: Any, run: Any) -> str:
            child = await forks.start(SubagentRequest(run.agent, arguments["prompt"]))
            children.append(child.agent)
            try:
                return (await child.result()).text
            finally:
                await child.dispose()

        w.root.tools.register(ToolSchema("subagent_fork", "Forks.", {"type": "object"}), fork)
        agent = await w.agent(REPLAY)
        await say(agent, "Remember MARMALADE.", "Ask a child.")
        provider.assert_consumed()
        [child] = children
        own = child.session.header.seed_length
        steps = [(event.data["turn"], event.data["step"]) for event in events(agent, "assistant/chunk")]
        assert [steps.count(step) for step in ((1, 1), (2, 1), (2, 2))] == [30, 110, 35]
        assert len([event for event in events(child, "assistant/chunk") if event.seq > own]) == 44
        assert result_text(results(agent)[0]) == "MARMALADE"
        assert "Ask a child." not in "".join(said(w.requests(child)[0]))
        w.check(agent.session, child.session)


@recorded
async def test_a44_a_recorded_error_and_a_recording_without_an_end() -> None:
    async with world() as w:
        w.serve(replay("error-finish/session.jsonl"))
        agent = await w.agent(REPLAY)
        await say(agent, "go")
        assert ends(agent)[0]["error"]["code"] == "AUTH"
        assert not events(agent, "assistant/message")
        w.check(agent.session)
    with pytest.raises(RecordingError, match="1/1"):
        replay("cancel/session.jsonl")


@recorded
@pytest.mark.parametrize("log", sorted(SESSIONS.glob("*/session.jsonl")), ids=lambda path: path.parent.name)
async def test_a_log_of_another_harness_is_gone_on_with(log: Path, tmp_path: Path) -> None:
    copy = tmp_path / "session.jsonl"
    shutil.copy(log, copy)
    async with world(text("gone on")) as w:
        agent = await w.root.agents.resume(copy, AgentOptions(provider="scripted", model="m1"))
        before, turns = len(agent.session.events), len(events(agent, "turn/start"))
        await say(agent, "go on")
        assert kinds(agent)[-1] == "completed"
        assert headers(agent)[-1] == "resume"
        assert events(agent, "turn/start")[-1].data["turn"] == turns + 1
        [request] = w.requests(agent)
        assert said(request)[-1] == "go on"
        made = list(rebuild_all(agent.session.events))[-1]
        assert (made.sent.seq > before, made.mismatch, made.request) == (True, None, request)
        await agent.dispose()


def endpoint(server: ModelServer, **settings: Any) -> OpenAIProvider:
    return OpenAIProvider(OpenAISettings(base_url=server.base_url, **settings))


async def test_a45_a_rate_limit_and_its_replay(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    async with ModelServer([error_answer(429, "slow down", retry_after="1"), text_answer("hello there")]) as server:
        provider = endpoint(server)
        async with world() as w:
            w.serve(provider)
            agent = await w.agent(HTTP, path=log)
            await say(agent, "hi")
            await provider.aclose()
            _check_two_attempts(agent, w.slept)
            w.check(agent.session)
    again = ReplayProvider([Recording.from_file(log)])
    async with world() as w:
        w.serve(again)
        agent = await w.agent(REPLAY)
        await say(agent, "hi")
        _check_two_attempts(agent, w.slept)
        again.assert_consumed()
        w.check(agent.session)


def _check_two_attempts(agent: Any, slept: list[float]) -> None:
    assert (len(events(agent, "turn/start")), len(events(agent, "step/start"))) == (1, 1)
    assert [event.data["attempt"] for event in events(agent, "request/sent")] == [1, 2]
    [retry] = events(agent, "llm/retry")
    assert (retry.data["delayMs"], retry.data["code"], slept) == (1000, "RATE_LIMIT", [1.0])
    first, *others = events(agent, "assistant/chunk")
    assert first.seq < retry.seq < others[0].seq
    assert first.data["chunk"]["reason"]["kind"] == "error"
    assert first.data["chunk"]["reason"]["failure"]["code"] == "RATE_LIMIT"
    [message] = events(agent, "assistant/message")
    assert message.source_event_seqs == tuple(event.seq for event in others)
    assert text_of(message.data["message"]) == "hello there"
    assert kinds(agent) == ["completed"]


async def test_a45_a_refused_key_is_not_tried_again() -> None:
    async with ModelServer([error_answer(401, "wrong key")]) as server:
        provider = endpoint(server)
        async with world() as w:
            w.serve(provider)
            agent = await w.agent(HTTP)
            await say(agent, "hi")
            await provider.aclose()
            assert len(server.requests) == 1
            assert ends(agent)[0]["error"]["code"] == "AUTH"
            w.check(agent.session)


def _call_in_pieces(*, done: bool) -> Answer:
    head = {"index": 0, "id": "c1", "type": "function", "function": {"name": "echo", "arguments": ""}}
    rest = [{"index": 0, "function": {"arguments": part}} for part in ('{"te', 'xt":"a"}')]
    objects = [piece({"tool_calls": [each]}) for each in (head, *rest)]
    return stream_answer([*objects, piece({}, "tool_calls")], done=done)


@pytest.mark.parametrize("is_whole", [True, False])
async def test_a46_a_call_in_pieces(is_whole: bool) -> None:
    async with ModelServer([_call_in_pieces(done=is_whole), text_answer("done")]) as server:
        provider = endpoint(server)
        async with world() as w:
            w.serve(provider)
            ran: list[Any] = []
            w.tool("echo", lambda arguments, run: ran.append(arguments) or "echo")
            agent = await w.agent(HTTP)
            await say(agent, "hi")
            await provider.aclose()
            if is_whole:
                assert [event.data["arguments"] for event in events(agent, "tool/call")] == ['{"text":"a"}']
                assert ran == [{"text": "a"}]
                assert server.requests[1].body["messages"][-1] == {
                    "role": "tool", "tool_call_id": "c1", "content": "echo",
                }  # fmt: skip
                assert code(results(agent)[0]) is None
            else:
                assert ends(agent)[0]["error"]["code"] == "STREAM_CLOSED"
                assert ran == []
            w.check(agent.session)


async def test_a46_a_stream_that_says_nothing_more_is_tried_again() -> None:
    silent = Answer([b": still here\n\n", HANG], headers={"Content-Type": "text/event-stream"})
    async with ModelServer([silent, text_answer("ok")]) as server:
        provider = endpoint(server, stream_idle_timeout_s=0.3)
        async with world() as w:
            w.serve(provider)
            agent = await w.agent(HTTP)
            await say(agent, "hi")
            await provider.aclose()
            assert [event.data["code"] for event in events(agent, "llm/retry")] == ["TIMEOUT"]
            assert kinds(agent) == ["completed"]
            w.check(agent.session)


async def test_a_cancel_closes_the_connection() -> None:
    async with ModelServer([text_answer("begun", done=False).then(HANG)]) as server:
        provider = endpoint(server)
        async with world() as w:
            w.serve(provider)
            agent = await w.agent(HTTP)
            agent.followup("hi")
            while not events(agent, "assistant/chunk"):
                await server_turn()
            agent.cancel()
            await agent.when_idle()
            await server.requests[0].closed.wait()
            await provider.aclose()
            w.check(agent.session)


async def server_turn() -> None:
    """Let the sockets do their work."""
    import asyncio

    await asyncio.sleep(0.001)
