"""Packages and real agents: what the model reads, notes to the owner, what-if of its next request, cancelling."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.agent.scenario import World as AgentWorld
from tests.agent.scenario import calls, say, text, world
from tests.dynamic.conftest import PATIENT_BUDGET_MS
from tests.dynamic.world import B_OK, H_GREET, H_NOP, H_SEC
from workbench.agent.log.timeline import timeline
from workbench.agent.messages import text_of
from workbench.dynamic.durable import durable_cards
from workbench.dynamic.people import People
from workbench.dynamic.report import trial_lines
from workbench.dynamic.runner import PackageRunner, RunnerConfig
from workbench.dynamic.service import DynamicPackages
from workbench.dynamic.source.browser import is_available
from workbench.dynamic.toolset import PackageTools

LATE = 'inject = ["greeter"]\ndef apply(ctx):\n    raise ValueError("late")\n'
BOOM = (
    'def apply(ctx):\n    async def fail(assembly, context, next):\n        raise ValueError("boom")\n'
    '    ctx.on("system-prompt/assemble", fail)\n'
)


def define(code: str, call_id: str, **more: Any) -> tuple[str, Any, str]:
    return "cordis_define", {"name": "p", "purpose": "test", "code": code, **more}, call_id


async def with_packages(w: AgentWorld) -> DynamicPackages:
    await w.root.plugin(PackageRunner, RunnerConfig(PATIENT_BUDGET_MS))
    await w.root.plugin(PackageTools)
    dynamic: DynamicPackages = w.root.dynamic
    return dynamic


def tools_of(request: Any) -> set[str]:
    return {tool["name"] for tool in request.tools}


async def test_the_next_request_sees_it_and_the_one_after_the_stop_does_not() -> None:
    script = (
        calls(define(H_SEC, "1")),
        calls(("cordis_run", {"id": "dyn-1"}, "2")),
        text("there"),
        calls(("cordis_stop", {"id": "dyn-1"}, "3")),
        text("gone"),
    )
    async with world(*script) as w:
        await with_packages(w)
        agent = await w.agent()
        await say(agent, "go", "stop")
        systems = [request.system for request in w.requests(agent)]
        assert ["NOTE" in (system or "") for system in systems] == [False, False, True, True, False]
        assert systems[4] == systems[0]
        w.check(agent.session)


async def test_an_owner_is_told_at_its_next_step_and_is_not_woken() -> None:
    script = (
        calls(define(LATE, "1"), define(H_GREET, "2"), ("cordis_run", {"id": "dyn-1"}, "3")),
        text("waiting"),
        text("read"),
    )
    async with world(*script) as w:
        dynamic = await with_packages(w)
        agent = await w.agent()
        await say(agent, "go")
        await People(dynamic).start("dyn-2")
        package = dynamic.package("dyn-1")
        assert package is not None
        await w.root.runtime.quiesce()
        assert (package.state, agent.status) == ("failed", "idle")
        assert len(w.requests(agent)) == 2
        await say(agent, "on")
        said = [text_of(message) for message in w.requests(agent)[-1].messages if message["role"] == "user"]
        assert sum("late" in each for each in said) == 1
        assert any("a person started dyn-2" in each for each in said)
        w.check(agent.session)


async def test_what_if_shows_the_owners_next_request() -> None:
    async with world(calls(define(H_SEC, "1")), text("defined"), persona="You run on {{model}}.") as w:
        dynamic = await with_packages(w)
        agent = await w.agent()
        await say(agent, "go")
        result = await People(dynamic).what_if("dyn-1")
        assert result.before is not None
        assert result.after is not None
        assert "You run on m1." in (result.before.system or "")
        assert "NOTE" in (result.after.system or "")
        assert result.change is not None
        assert result.change.first is not None
        assert (result.change.first.name, result.change.first.action) == ("x:note", "added")
        owner = result.change.first.owner
        assert owner is not None
        assert (owner.plugin, owner.kind) == ("dyn-1:p", "package")
        assert not [event for event in agent.session.events if "NOTE" in str(event.data.get("header", ""))]


async def test_what_a_what_if_costs_holds_the_conversation_behind_it() -> None:
    """It says beforehand what the session says of the request afterwards."""
    script = (calls(define(H_SEC, "1")), text("defined " * 200), text("on"))
    async with world(*script) as w:
        dynamic = await with_packages(w)
        agent = await w.agent()
        await say(agent, "go")
        result = await People(dynamic).what_if("dyn-1")
        assert result.change is not None
        assert f"{result.conversation:,} of the conversation behind them" in "\n".join(trial_lines(result))
        await People(dynamic).start("dyn-1")
        await say(agent, "on")
        requests = timeline(agent.session.header, agent.session.events).requests
        assert requests is not None
        broken = requests[requests.breaks[0]]
        anew = {group.name: group.tokens - group.kept for group in broken.verdict.groups}
        assert result.conversation > 200
        assert 0 < anew["messages"] - result.conversation < 200, "what was said since then comes on top"


@pytest.mark.skipif(not is_available(), reason="needs the extra `page`")
async def test_a_cancelled_turn_takes_its_request_back() -> None:
    script = (calls(define(H_NOP, "1", client=B_OK), ("cordis_run", {"id": "dyn-1"}, "2")), text("on"))
    async with world(*script) as w:
        dynamic = await with_packages(w)
        agent = await w.agent()
        agent.followup("go")
        while not dynamic.requests.pending():
            await asyncio.sleep(0.001)
        assert agent.status == "running"
        assert (
            await People(dynamic).what_if("dyn-1")
        ).outcome == "active"  # the suspended call does not hold it up
        agent.cancel()
        await agent.when_idle()
        assert dynamic.requests.pending() == ()
        results = [event.data for event in agent.session.events if event.type == "tool/result"]
        assert results[-1]["error"]["code"] == "cancelled"
        await say(agent, "again")
        w.check(agent.session)


async def test_a_listener_that_breaks_every_step_is_named_and_can_be_stopped() -> None:
    script = (calls(define(BOOM, "1"), ("cordis_run", {"id": "dyn-1"}, "2")), text("back"))
    async with world(*script) as w:
        dynamic = await with_packages(w)
        agent = await w.agent()
        await say(agent, "go")
        end = [event.data["reason"] for event in agent.session.events if event.type == "turn/end"][-1]
        assert end["kind"] == "error"
        assert "boom" in end["error"]["message"]
        await People(dynamic).stop("dyn-1")
        await say(agent, "again")
        assert len(w.requests(agent)) == 2
        w.check(agent.session)


async def test_the_end_of_the_owner_stops_nothing() -> None:
    async with world(calls(define(H_SEC, "1"), ("cordis_run", {"id": "dyn-1"}, "2")), text("on")) as w:
        dynamic = await with_packages(w)
        agent = await w.agent()
        await say(agent, "go")
        await agent.dispose()
        package = dynamic.package("dyn-1")
        assert package is not None
        assert package.state == "running"
        await People(dynamic).undefine("dyn-1")
        assert dynamic.undefined[-1].name == "p"


async def test_the_log_knows_what_a_person_has_undefined() -> None:
    script = (calls(define(H_SEC, "1"), ("cordis_run", {"id": "dyn-1"}, "2")), text("on"), text("read"))
    async with world(*script) as w:
        dynamic = await with_packages(w)
        agent = await w.agent()
        await say(agent, "go")
        await People(dynamic).undefine("dyn-1")
        await say(agent, "again")
        (card,) = durable_cards(agent.session.events)
        assert (card.state, card.name, card.code) == ("unloaded", "p", H_SEC)
        assert [fact.verb for fact in card.life] == ["run", "person"]
        assert "a person undefined dyn-1" in card.life[1].words
