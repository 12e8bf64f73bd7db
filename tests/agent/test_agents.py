"""The services `agents` and `sessions`: who owns an agent, who hears of it, and what is left of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.agent.scenario import calls, ends, events, kinds, said, say, text, until, world
from workbench.agent.log import LogError
from workbench.agent.log.session_log import SessionLog
from workbench.agent.options import AgentError, AgentOptions
from workbench.agent.sessions import SessionsConfig
from workbench.prompt import preview

OPTIONS = AgentOptions(provider="scripted", model="m1")


async def test_the_end_of_the_service_is_the_end_of_its_agents(tmp_path: Path) -> None:
    async with world(text("begun", hang=True), logs=SessionsConfig(tmp_path)) as w:
        agent = await w.agent()
        agent.followup("go")
        await until(lambda: bool(events(agent, "assistant/chunk")))
        [service] = [fiber for fiber in w.root.runtime.fibers() if fiber.name == "agents"]
        await service.dispose()
        assert ends(agent) == [{"kind": "aborted", "reason": {"kind": "disposed"}}]
        assert agent.session.is_closed
        assert agent.session.path is not None
        log = SessionLog.open_now(agent.session.path)
        assert log.events[-1].type == "turn/end"
        log.close()
        w.check(agent.session)


async def test_listeners_of_a_scope_hear_their_own_agent(tmp_path: Path) -> None:
    async with world(sessions=[[text("1")], [text("2")]]) as w:
        one, two = await w.agent(), await w.agent()
        heard: list[Any] = []

        def hear(payload: Any, next: Any) -> Any:
            heard.append(payload.agent)
            return next()

        one.ctx.on("agent/pre-step", hear)
        await say(one, "a")
        await say(two, "b")
        assert heard == [one]


async def test_an_agent_in_a_scope_sees_what_the_scope_has() -> None:
    from workbench.core import create_scope

    async with world(text("ok")) as w:
        team = create_scope(w.root, "team")
        team.ctx.system_prompt.section("team:rules", 10, "Be brief.")
        agent = await w.agent(AgentOptions(provider="scripted", model="m1", around="team"))
        await say(agent, "hi")
        assert w.requests(agent)[0].system == "You run on m1.\n\nBe brief."


async def test_everything_that_is_recorded_is_told(tmp_path: Path) -> None:
    async with world(text("ok")) as w:
        told: list[Any] = []
        w.root.on("session/appended", lambda session, event: told.append((session.id, event.seq)))
        agent = await w.agent()
        await say(agent, "hi")
        assert told == [(agent.id, event.seq) for event in agent.session.events]
        assert w.root.sessions.get(agent.id) is agent.session
        assert w.root.sessions.all() == (agent.session,)
        await agent.dispose()
        assert w.root.sessions.all() == ()


async def test_a_live_agent_can_be_looked_at() -> None:
    async with world(text("ok")) as w:
        agent = await w.agent(setup=lambda ctx, agent: ctx.system_prompt.section("own", 5, "Mine, {{model}}."))
        await say(agent, "hi")
        context = await w.root.system_prompt.assemble_context_for(agent)
        seen = await preview(w.root.system_prompt, context)
        assert seen.system == w.requests(agent)[0].system
        assert seen.trace.scope == agent.label


async def test_what_the_disk_refuses_is_told_and_nothing_is_sent() -> None:
    async with world(text("ok")) as w:
        told: list[Any] = []
        w.root.on("agent/error", lambda failure: told.append(failure.failure["message"]))
        agent = await w.agent()
        flush = agent.session.flush

        async def full() -> None:
            raise LogError("WRITE_FAILED", "the disk is full")

        agent.session.flush = full  # type: ignore[method-assign]
        agent.followup("hi")
        await agent.when_idle()
        assert w.captured == []
        assert told[0] == "LogError: the disk is full"
        agent.session.flush = flush  # type: ignore[method-assign]
        await say(agent, "again")
        assert said(w.requests(agent)[0]) == ["hi", "again"]
        assert kinds(agent) == ["error", "completed"]
        w.check(agent.session)


async def test_a_log_that_takes_nothing_any_more_stops_the_agent_and_not_the_process(caplog: Any) -> None:
    async with world(text("ok"), text("ok")) as w:
        agent = await w.agent()
        append = agent.session.append

        def refuse(kind: str, *args: Any, **more: Any) -> Any:
            if kind == "turn/start":
                raise LogError("SESSION_CLOSED", "no more")
            return append(kind, *args, **more)

        agent.session.append = refuse  # type: ignore[method-assign]
        await say(agent, "hi")
        assert agent.status == "idle"
        assert "could not be recorded" in caplog.text
        agent.session.append = append  # type: ignore[method-assign]
        await say(agent, "again")
        assert [said(request)[-1] for request in w.requests(agent)] == ["hi", "again"]


async def test_what_cannot_be_created(tmp_path: Path) -> None:
    async with world() as w:
        with pytest.raises(LogError, match="absolute"):
            await w.agent(cwd="relative")
        with pytest.raises(LogError):
            await w.root.agents.resume(_file(tmp_path, "no log\n"), OPTIONS)
        with pytest.raises(OSError, match="nowhere"):
            await w.root.agents.resume(tmp_path / "nowhere.jsonl", OPTIONS)
        from workbench.agent.log import SessionHeader

        with pytest.raises(AgentError, match="not both"):
            await w.agent(header=SessionHeader())
        assert (w.root.agents.all(), w.root.sessions.all()) == ((), ())


def _file(folder: Path, content: str) -> Path:
    path = folder / "bad.jsonl"
    path.write_text(content)
    return path


async def test_input_of_any_form() -> None:
    async with world(text("ok")) as w:
        agent = await w.agent()
        whole = {
            "role": "user",
            "content": [{"type": "text", "text": "whole"}],
            "source": {"kind": "user"},
            "id": "m1",
        }
        agent.inject([{"type": "text", "text": "blocks \ud800"}])
        agent.inject(whole)
        for wrong in (5, {"role": "assistant", "content": []}):
            with pytest.raises(TypeError):
                agent.followup(wrong)  # type: ignore[arg-type]
        await say(agent, "text \udfff")
        assert said(w.requests(agent)[0]) == ["blocks \ufffd", "whole", "text \ufffd"]
        assert w.requests(agent)[0].messages[1]["id"] == "m1"
        w.check(agent.session)


async def test_two_agents_at_once() -> None:
    script = [calls(("slow", {}, "c1")), text("ok")]
    async with world(sessions=[script, script]) as w:
        import asyncio

        both = asyncio.Barrier(2)

        async def slow(arguments: Any, run: Any) -> str:
            await both.wait()
            return run.session_id  # type: ignore[no-any-return]

        w.tool("slow", slow)
        agents = [await w.agent(), await w.agent()]
        for agent in agents:
            agent.followup("go")
        for agent in agents:
            await agent.when_idle()
            [result] = events(agent, "tool/result")
            assert result.data["message"]["content"][0]["content"][0]["text"] == agent.id
            w.check(agent.session)


async def test_a_long_log_is_forked_beside_the_loop(tmp_path: Path) -> None:
    from workbench.agent.log import fork_seed
    from workbench.agent.subagents.contract import SubagentRequest
    from workbench.agent.subagents.in_process import InProcessProvider

    chunks = [{"type": "text-delta", "index": 0, "text": "a"}] * 700
    whole = [
        {"type": "block-start", "index": 0, "blockType": "text"},
        *chunks,
        {"type": "finish", "reason": {"kind": "stop"}},
    ]
    async with world(
        sessions=[[{"chunks": whole}], [text("c1")], [text("c2")]], logs=SessionsConfig(tmp_path)
    ) as w:
        import asyncio

        parent = await w.agent()
        await say(parent, "long")
        provider = InProcessProvider(w.root.agents.service, "fork", True)
        runs = await asyncio.gather(*[provider.start(SubagentRequest(parent, f"sub {n}")) for n in (1, 2)])
        for run in runs:
            assert (await run.result()).is_completed
            seed = run.agent.session.header.seed_length
            assert [event.line() for event in run.agent.session.events[:seed]] == [
                event.line() for event in fork_seed(parent.session.events)
            ]
            w.check(run.agent.session)
        assert parent.session.path is not None
        stem = parent.session.path.name.removesuffix(".jsonl")
        assert sorted(run.agent.session.path.name for run in runs) == [f"{stem}.1.jsonl", f"{stem}.2.jsonl"]
