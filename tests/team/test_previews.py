"""What a role would read before anything is saved, and the hooks that the rest of the team stands on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scenario import error, events, say, text, world
from tests.team.scenario import E0, M0, overriding, proposal, revisions, rule, team_world
from tests.team.stores import opened as store_at
from workbench.config import open_composition
from workbench.config.difference.first_change import first_change
from workbench.config.samples import locate
from workbench.prompt import preview
from workbench.team.compose import RuntimeEnv
from workbench.team.plugin import TeamPrompts, TeamSettings
from workbench.team.store.errors import StoreError
from workbench.tools import ToolError

MAIN = RuntimeEnv((("region", "eu"),))
EXECUTOR = RuntimeEnv((("ticket", "T-7"),))


async def test_a_preview_without_agents_leaves_nothing_behind(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        before = t.w.root.runtime.snapshot()
        assert (await t.team.preview("orchestrator", env=MAIN)).system == M0
        assert (await t.team.preview("worker", env=EXECUTOR)).system == E0
        given = proposal(overrides=overriding(work="W"), rules=[rule("docs", "Docs", "Fix")], mode="automatic")
        config = (await t.team.store.check(given, 0)).config
        seen = await t.team.preview("orchestrator", config, MAIN)
        assert seen.system is not None
        assert seen.system.endswith("POLICY 1 automatic\n- Docs (docs): Fix")
        now, then = [await t.team.preview("worker", each, EXECUTOR) for each in (None, config)]
        change = first_change(now, then)
        assert change is not None
        assert "runtime:work" in change.sentence
        assert t.w.root.runtime.snapshot() == before
        assert await t.team.store.newest_revision() == 0


async def test_a_preview_is_made_for_the_agent_that_has_the_role(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        executor = await t.executor()
        t.team.prompt_in(executor.ctx).section("own", 5000, "OWN")
        seen = await t.team.preview("worker")
        assert seen.system == E0.replace("JOBS\n\n", "JOBS\n\nOWN\n\n")
        assert events(executor, "prompts/revision") == []


async def test_agent_setup_comes_before_anybody_knows_of_the_agent() -> None:
    async with world() as w:
        order: list[str] = []
        w.root.on("agent/setup", lambda agent: order.append("setup"))
        w.root.on("agent/created", lambda agent: order.append("created"))
        await w.agent(setup=lambda ctx, agent: order.append("own"))
        assert order == ["own", "setup", "created"]

        def fail(agent: object) -> None:
            raise RuntimeError("no room")

        w.root.on("agent/setup", fail)
        with pytest.raises(RuntimeError, match="no room"):
            await w.agent()
        assert len(w.root.agents.service.all()) == 1


async def test_exclusions_need_a_scope_and_end_with_their_owner() -> None:
    async with world() as w:
        w.tool("a", traits=["asks_person"])
        w.tool("b")
        with pytest.raises(ToolError, match="scope"):
            w.root.tools.exclude(["a"])
        agent = await w.agent()
        effect = agent.ctx.tools.exclude(["later"], ["asks_person"])
        w.tool("later")
        assert [schema.name for schema in w.root.tools.visible(agent)] == ["b"]
        assert w.root.tools.get("a", agent) is None
        effect()
        assert [schema.name for schema in w.root.tools.visible(agent)] == ["a", "b", "later"]


async def test_an_agent_without_a_role_has_nothing_of_the_team(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        agent = await t.w.agent()
        await say(agent, "go")
        assert revisions(agent) == []
        assert t.w.requests(agent)[0].system == "CODING\n\nBASH\n\nJOBS"
        assert len(t.w.requests(agent)[0].messages) == 1


async def test_stopping_the_plugin_takes_everything_back(tmp_path: Path) -> None:
    async with world() as w:
        before = w.root.runtime.snapshot()
        settings = TeamSettings(store=str(tmp_path / "team.db"))
        fiber = await w.root.plugin(TeamPrompts, settings)
        team = w.root.team
        await fiber.dispose()
        assert w.root.runtime.snapshot() == before
        assert team.store.is_closed


async def test_a_save_elsewhere_is_read_at_the_next_request(tmp_path: Path) -> None:
    from workbench.team.store.versions import VersionStore

    async with team_world(tmp_path) as t:
        executor = await t.executor()
        heard: list[int] = []
        t.w.root.on("team/change", lambda snapshot: heard.append(snapshot.revision))
        await say(executor, "go")
        other = VersionStore(tmp_path / "team.db", builtins=t.team.builtins)
        other.save(proposal(communication="C1"), 0)
        other.close()
        assert "C1" in await t.system(executor)
        assert (revisions(executor), heard) == ([0, 1], [1])


async def test_a_store_that_goes_away_ends_the_turn_and_says_what_to_do(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        executor = await t.executor()
        (tmp_path / "team.db").rename(tmp_path / "moved.db")
        await say(executor, "go")
        [end] = events(executor, "turn/end")
        assert end.data["reason"]["kind"] == "error"
        assert "bring it back" in end.data["reason"]["error"]["message"]
        (tmp_path / "moved.db").rename(tmp_path / "team.db")
        assert await t.system(executor) == E0


async def test_a_store_that_was_replaced_is_opened_anew(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        await t.save(communication="C1")
        executor = await t.executor()
        _remove_store(tmp_path)
        await say(executor, "go")
        assert events(executor, "turn/end")[0].data["reason"]["kind"] == "error"
        with pytest.raises(StoreError, match="no such file"):
            await t.team.reopen()  # an empty store in its place would be nobody's wish
        with store_at(tmp_path / "team.db") as other:
            for base in range(2):
                other.save(proposal(communication=f"other {base}"), base)
        assert (await t.team.reopen()).revision == 2
        assert "other 1" in await t.system(executor)
        assert await t.save(communication="C2") == 3


async def test_a_store_in_memory_survives_being_opened_anew(tmp_path: Path) -> None:
    async with team_world(tmp_path, settings={"store": "sqlite://"}) as t:
        await t.save(communication="C1")
        assert (await t.team.reopen()).revision == 1


def _remove_store(folder: Path) -> None:
    for file in folder.glob("team.db*"):
        file.unlink()


async def test_a_retry_reads_the_newest_version(tmp_path: Path) -> None:
    async with team_world(tmp_path, error("RATE_LIMIT", message="wait"), text("ok")) as t:

        async def save_first(proposal: Any, next: Any) -> Any:
            if proposal.attempt == 1:
                await t.save(communication="C1")
            return await next()

        t.w.root.on("agent/request", save_first)
        executor = await t.executor()
        await say(executor, "go")
        recorded = [event.data for event in events(executor, "prompts/revision")]
        assert [(each["revision"], each["step"], each["attempt"]) for each in recorded] == [(0, 1, 1), (1, 1, 2)]
        assert "C1" in (t.w.requests(executor)[-1].system or "")
        t.w.check(executor.session)


async def test_without_the_extra_the_plugin_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "workbench.team.store.service", None)
    async with world() as w:
        with pytest.raises(StoreError, match=r"prompt-workbench\[team\]"):
            await w.root.plugin(TeamPrompts, TeamSettings(store="sqlite://"))


async def test_the_sample_of_a_team() -> None:
    async with open_composition(locate("team-orchestrator"), settle_seconds=40) as opened:
        texts: dict[str, Any] = {}
        for scope in ("main", "explicit", "inferred"):
            seen = await preview(opened.prompt, opened.assemble_context(scope))
            assert seen.failures == ()
            texts[scope] = seen.system
        policy = "- Stale tables (stale-tables): Update a table of tides that is older than a year."
        assert "- Typos (typos)" in texts["main"]
        assert "links" not in texts["main"]
        assert texts["inferred"].endswith(policy)
        assert policy not in texts["explicit"]
        assert texts["main"].startswith("# How this team works")
        assert not texts["explicit"].startswith("# How this team works")
