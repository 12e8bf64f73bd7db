"""Scenarios A49 to A52, A55 and A56: kills, retries, compaction and queues."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
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
    results,
    roles,
    said,
    say,
    snapshots,
    text,
    types,
    until,
    world,
)
from workbench.agent.agent import Agent
from workbench.agent.compaction import Compaction, CompactionConfig
from workbench.agent.compaction.compactor import COMPACTION_PREAMBLE
from workbench.agent.log import LogError, canonical_bytes, rebuild_all
from workbench.agent.log.session_log import SessionLog
from workbench.agent.options import AgentOptions
from workbench.agent.sessions import SessionsConfig
from workbench.models import ModelCall, ModelRequest
from workbench.models.scripted import ScriptedProvider
from workbench.prompt import RUNTIME_CONTEXT_PREAMBLE

OPTIONS = AgentOptions(provider="scripted", model="m1")


async def resumed(w: World, path: Path) -> Agent:
    agent: Agent = await w.root.agents.resume(path, OPTIONS)
    return agent


async def test_a49_a_log_that_was_killed_in_a_tool(tmp_path: Path) -> None:
    async with world(calls(("slow", {}, "c1")), text("ok"), logs=SessionsConfig(tmp_path)) as w:
        copy = tmp_path / "killed.jsonl"

        def slow(arguments: Any, run: Any) -> str:
            whole = run.agent.session.path.read_bytes()
            copy.write_bytes(whole + whole.splitlines()[-1][:17])
            return "done"

        w.tool("slow", slow)
        agent = await w.agent()
        await say(agent, "go")
        await agent.dispose()
        w.captured.clear()
        killed = copy.read_bytes()
        whole = killed[: killed.rfind(b"\n") + 1]
        first = await resumed(w, copy)
        assert first.session.repair.cut_bytes == 17
        assert types(first)[-4:] == ["tool/call", "tool/result", "step/end", "turn/end"]
        assert code(results(first)[0]) == "TOOL_OUTCOME_UNKNOWN"
        assert kinds(first) == ["interrupted"]
        before = len(first.session.events)
        await first.dispose()
        closed = copy.read_bytes()
        assert closed.startswith(whole)
        assert closed[len(whole) :].count(b"\n") == 3
        second = await resumed(w, copy)
        assert (len(second.session.events), copy.read_bytes()) == (before, closed)
        await say(second, "go on")
        assert roles(w.requests(second)[-1].messages) == ["user", "assistant", "user", "user"]
        w.check(second.session)


async def test_a50_one_writer_and_any_readers(tmp_path: Path) -> None:
    async with world(text("ok"), logs=SessionsConfig(tmp_path)) as w:
        agent = await w.agent()
        await say(agent, "go")
        path = agent.session.path
        assert path is not None
        with path.open("ab") as file:
            file.write(b'{"type":"turn/st')
            file.flush()
            os.fsync(file.fileno())
        content = path.read_bytes()
        log = SessionLog.open_now(path)
        assert [event.type for event in log.events] == types(agent)
        assert log.incomplete_bytes == 16
        log.close()
        assert path.read_bytes() == content
        with pytest.raises(LogError) as refused:
            await resumed(w, path)
        assert refused.value.code == "SESSION_LOCKED"


async def test_a51_a_retry_assembles_again() -> None:
    section: list[Any] = []

    async def change(seconds: float) -> None:
        await section.pop()()
        w.root.system_prompt.section("s", 10, "2")

    async with world(error("RATE_LIMIT"), text("ok"), sleep=change) as w:
        section.append(w.root.system_prompt.section("s", 10, "1"))
        steps: list[int] = []
        w.root.on("agent/pre-step", lambda payload, next: steps.append(payload.step) or next())
        agent = await w.agent()
        await say(agent, "hi")
        assert steps == [1]
        sent = [event.data for event in events(agent, "request/sent")]
        assert [(each["turn"], each["step"], each["attempt"]) for each in sent] == [(1, 1, 1), (1, 1, 2)]
        assert [str(request.system)[-1] for request in w.requests(agent)] == ["1", "2"]
        assert headers(agent) == ["initial", "change"]
        assert w.slept == [0.5]
        w.check(agent.session)


async def test_retries_end_after_five() -> None:
    async with world(*[error("SERVER")] * 6, text("next turn")) as w:
        agent = await w.agent()
        await say(agent, "hi")
        assert ends(agent)[0]["error"]["code"] == "SERVER"
        assert [event.data["retry"] for event in events(agent, "llm/retry")] == [1, 2, 3, 4, 5]
        assert w.slept == [0.5, 1, 2, 4, 8]
        assert not events(agent, "assistant/message")
        finishes = [event.data["chunk"]["reason"]["failure"]["code"] for event in events(agent, "assistant/chunk")]
        assert finishes == ["SERVER"] * 6
        await say(agent, "again")
        w.check(agent.session)


class Summarizing(ScriptedProvider):
    """Answers the summary call by itself, and the steps from the script."""

    asked: list[ModelRequest]
    summary = "SUM"

    def stream(self, request: ModelRequest, call: ModelCall) -> Any:
        if call.purpose != "compaction":
            return super().stream(request, call)
        self.asked.append(request)
        answer = {"text": self.summary} if self.summary else {"error": {"code": "SERVER"}}
        return ScriptedProvider({"sessions": [{"calls": [answer]}]}).stream(request, call)


def summarizing(w: World, summary: str = "SUM") -> Summarizing:
    w.provider.__class__ = Summarizing
    provider: Any = w.provider
    provider.asked, provider.summary = [], summary
    return provider  # type: ignore[no-any-return]


@pytest.mark.parametrize("fails_again", [False, True])
async def test_a52_a_request_that_is_too_long_is_compacted_once(fails_again: bool) -> None:
    last = error("CONTEXT_WINDOW_EXCEEDED") if fails_again else text("two")
    async with world(text("one"), error("CONTEXT_WINDOW_EXCEEDED"), last, windows={"m1": 100}) as w:
        provider = summarizing(w)
        await w.root.plugin(Compaction, CompactionConfig(threshold=9))
        w.root.system_prompt.context("policy", 110, "ctx")
        agent = await w.agent()
        await say(agent, "x", "y")
        snapshot = f"{RUNTIME_CONTEXT_PREAMBLE}\n\nctx"
        sent = [(event.data["turn"], event.data["attempt"]) for event in events(agent, "request/sent")]
        assert sent == [(1, 1), (2, 1), (2, 2)]
        requests = w.requests(agent)
        assert said(requests[2]) == [f"{COMPACTION_PREAMBLE}\n\nSUM", "y", snapshot]
        [summary_call] = provider.asked
        assert canonical_bytes(summary_call).startswith(canonical_bytes(requests[1]))
        records = [kind for kind in types(agent) if kind.startswith("compaction/")]
        assert records == ["compaction/start", "compaction/summary", "compaction/end"]
        start, replaced, end = (
            events(agent, "compaction/start")[0],
            next(event for event in events(agent, "user/message") if event.surface_op != "append"),
            events(agent, "compaction/end")[0],
        )
        assert start.seq < events(agent, "compaction/summary")[0].seq < replaced.seq < end.seq
        if fails_again:
            assert ends(agent)[1]["error"]["code"] == "CONTEXT_WINDOW_EXCEEDED"
        else:
            assert kinds(agent) == ["completed", "completed"]
        w.check(agent.session)


async def test_what_nobody_has_answered_is_never_summarized() -> None:
    async with world(text("one"), error("CONTEXT_WINDOW_EXCEEDED"), text("two")) as w:
        summarizing(w)
        await w.root.plugin(Compaction)
        agent = await w.agent()
        await say(agent, "x" * 200)
        w.root.system_prompt.context("policy", 110, "ctx")
        agent.inject("aside")
        await say(agent, "y")
        snapshot = f"{RUNTIME_CONTEXT_PREAMBLE}\n\nctx"
        assert said(w.requests(agent)[2]) == [f"{COMPACTION_PREAMBLE}\n\nSUM", "aside", "y", snapshot]
        w.check(agent.session)


async def test_without_a_compaction_a_request_that_is_too_long_ends_the_turn() -> None:
    async with world(error("CONTEXT_WINDOW_EXCEEDED")) as w:
        agent = await w.agent()
        await say(agent, "x")
        assert ends(agent)[0]["error"]["code"] == "CONTEXT_WINDOW_EXCEEDED"
        assert len(w.captured) == 1


@pytest.mark.parametrize(("summary", "outcome"), [("SUM", "replaced"), ("S" * 4000, "unchanged"), ("", "failed")])
async def test_a_step_that_would_not_fit_is_compacted_before(summary: str, outcome: str) -> None:
    async with world(*[text("a" * 400)] * 4, windows={"m1": 400}) as w:
        summarizing(w, summary)
        await w.root.plugin(Compaction)
        agent = await w.agent()
        await say(agent, "1" * 200, "2" * 200)
        assert not events(agent, "compaction/start")
        await say(agent, "3" * 200)
        [start] = events(agent, "compaction/start")
        assert start.data["trigger"] == "threshold"
        assert start.data["tokens"] >= 320
        assert start.seq < events(agent, "step/start")[2].seq
        assert events(agent, "compaction/end")[0].data["outcome"] == outcome
        assert ("SUM" in "".join(said(w.requests(agent)[2]))) is (outcome == "replaced")
        assert kinds(agent) == ["completed"] * 3
        w.check(agent.session)


@pytest.mark.parametrize(("window", "kept"), [(900, 2), (1400, 4)])
async def test_a_cut_never_parts_a_call_from_its_result(window: int, kept: int) -> None:
    script = [calls(("echo", {"text": "b" * 300}, "c1")), text("ok"), error("CONTEXT_WINDOW_EXCEEDED"), text("ok")]
    async with world(*script, windows={"m1": window}) as w:
        w.tool("echo")
        summarizing(w)
        await w.root.plugin(Compaction, CompactionConfig(threshold=9))
        agent = await w.agent()
        await say(agent, "a" * 400, "y")
        assert (
            roles(w.requests(agent)[-1].messages) == ["user", "assistant", "user", "assistant", "user"][: kept + 1]
        )
        w.check(agent.session)


async def test_a_cancelled_compaction_changes_nothing() -> None:
    async with world(text("one"), error("CONTEXT_WINDOW_EXCEEDED"), text("two"), windows={"m1": 100}) as w:
        provider = summarizing(w)
        entered = asyncio.Event()

        async def hang() -> Any:
            entered.set()
            await asyncio.get_running_loop().create_future()
            yield {}

        provider.stream = lambda request, call: (  # type: ignore[method-assign]
            hang() if call.purpose == "compaction" else Summarizing.stream(provider, request, call)
        )
        await w.root.plugin(Compaction, CompactionConfig(threshold=9))
        agent = await w.agent()
        await say(agent, "x")
        agent.followup("y")
        await entered.wait()
        agent.cancel()
        await agent.when_idle()
        assert events(agent, "compaction/end")[0].data["outcome"] == "aborted"
        await say(agent, "z")
        assert said(w.requests(agent)[2]) == ["x", "one", "y", "z"]
        w.check(agent.session)


async def test_a55_what_waited_waits_after_a_resume(tmp_path: Path) -> None:
    async with world(sessions=[[text("first"), text("second"), text("third")]], logs=SessionsConfig(tmp_path)) as w:
        agent = await w.agent()
        copy = tmp_path / "stopped.jsonl"

        async def stop_there(payload: Any, next: Any) -> Any:
            if payload.turn == 2:
                await payload.agent.session.flush()
                lines = payload.agent.session.path.read_bytes().splitlines(keepends=True)
                last = max(index for index, line in enumerate(lines) if b'"turn/end"' in line)
                copy.write_bytes(b"".join(lines[: last + 1]))
                payload.agent.cancel()
            return await next()

        stopping = w.root.on("agent/pre-step", stop_there)
        agent.followup("p1")
        agent.followup("p2")
        await agent.when_idle()
        await stopping()
        await agent.dispose()
        again = await resumed(w, copy)
        for _ in range(50):
            await asyncio.sleep(0)
        assert again.status == "idle"
        assert [event.data["turn"] for event in events(again, "turn/start")] == [1]
        await say(again, "z")
        assert [event.data["turn"] for event in events(again, "turn/start")] == [1, 2, 3]
        requests = w.requests(again)[1:]
        assert [said(request)[-1] for request in requests] == ["p2", "z"]
        w.check(again.session)


async def test_a56_injected_messages_wait_for_others() -> None:
    async with world(text("ok")) as w:
        agent = await w.agent()
        agent.inject("i")
        for _ in range(50):
            await asyncio.sleep(0)
        assert (agent.status, events(agent, "turn/start")) == ("idle", [])
        await say(agent, "u")
        [request] = w.requests(agent)
        assert said(request) == ["i", "u"]
        w.check(agent.session)


async def test_steering_goes_into_the_turn_that_runs() -> None:
    async with world(calls(("echo", {}, "c1")), text("ok"), text("more")) as w:
        agent = await w.agent()

        def echo(arguments: Any, run: Any) -> str:
            agent.steer("left")
            agent.followup("later")
            agent.inject("aside")
            return "e"

        w.tool("echo", echo)
        await say(agent, "go")
        assert [said(request)[-2:] for request in w.requests(agent)[1:]] == [["left", "aside"], ["ok", "later"]]
        assert kinds(agent) == ["completed", "completed"]
        w.check(agent.session)


async def test_steering_behind_the_last_step_opens_one_more() -> None:
    async with world(text("one", hang=False), text("two")) as w:
        agent = await w.agent()

        async def steer(proposal: Any, next: Any) -> Any:
            if proposal.step == 1:
                proposal.agent.steer("wait")
            return await next()

        w.root.on("agent/request", steer)
        await say(agent, "go")
        assert [event.data["step"] for event in events(agent, "step/start")] == [1, 2]
        assert said(w.requests(agent)[1]) == ["go", "one", "wait"]


async def test_the_log_of_a_resumed_session_says_its_own_snapshot_only_when_it_must(tmp_path: Path) -> None:
    async with world(sessions=[[text("1"), text("2")]], logs=SessionsConfig(tmp_path)) as w:
        w.root.system_prompt.context("policy", 110, "ctx")
        agent = await w.agent()
        await say(agent, "x")
        await agent.dispose()
        assert agent.session.path is not None
        again = await resumed(w, agent.session.path)
        await say(again, "y")
        assert len(snapshots(again)) == 1
        assert len(list(rebuild_all(again.session.events))) == 2
        w.check(again.session)


async def test_a_session_can_be_open_once_only(tmp_path: Path) -> None:
    async with world(text("ok"), logs=SessionsConfig(tmp_path)) as w:
        agent = await w.agent()
        await until(lambda: agent.status == "idle")
        with pytest.raises(LogError):
            await w.agent(path=agent.session.path)


async def test_what_a_turn_has_failed_on_can_be_said_again(tmp_path: Path) -> None:
    script = [calls(("echo", {}, "c1")), text("one"), text("two")]
    async with world(sessions=[script], logs=SessionsConfig(tmp_path)) as w:
        agent = await w.agent()
        is_broken = [True]

        async def break_it(assembly: Any, context: Any, next: Any) -> Any:
            if is_broken[0]:
                raise RuntimeError("no prompt")
            return await next()

        def echo(arguments: Any, run: Any) -> str:
            agent.steer("steered")
            is_broken[0] = True
            return "e"

        w.root.on("system-prompt/assemble", break_it)
        w.tool("echo", echo)
        agent.inject({"role": "user", "content": [], "source": {"kind": "plugin", "plugin": "p"}})
        assert agent.say_again() is None
        await say(agent, "first")
        assert [each["content"][0]["text"] for each in agent.failed_input] == ["first"]
        is_broken[0] = False
        agent.say_again()
        await agent.when_idle()
        assert said(w.requests(agent)[0]) == ["first"]
        assert [each["content"][0]["text"] for each in agent.failed_input] == ["steered"]
        await agent.dispose()
        assert agent.session.path is not None
        again = await resumed(w, agent.session.path)
        is_broken[0] = False
        again.say_again()
        await again.when_idle()
        assert said(w.requests(again)[1])[-1] == "steered"
        assert (again.failed_input, kinds(again)) == ((), ["error", "error", "completed"])
        w.check(again.session)


async def test_a_fork_has_nothing_of_its_parents_to_say_again() -> None:
    async with world(persona="{{none}}") as w:
        parent = await w.agent()
        await say(parent, "first")
        assert len(parent.failed_input) == 1
        child = await w.agent(AgentOptions(parent=parent), cwd=None, seed=list(parent.session.events))
        assert child.failed_input == ()
