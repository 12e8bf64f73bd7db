"""Scenario T54: skills are loaded on demand, and their catalogue is of the snapshot of its request."""

from __future__ import annotations

from pathlib import Path

from tests.agent.scenario import calls, error, events, result_text, results, said, say, text
from tests.agent.test_scenarios_queues import summarizing
from tests.team.scenario import E0, TeamWorld, own_messages, skill, team_world
from workbench.agent.compaction import Compaction
from workbench.agent.log.surface_ops import Replace
from workbench.agent.messages import user_message


async def test_t54_skills_are_loaded_on_demand(tmp_path: Path) -> None:
    load = calls(("skill", {"name": "github"}, "c1"))
    async with team_world(tmp_path, text("ok"), load, text("ok"), text("ok"), text("ok")) as t:
        given = {"skill/github": {"text": "GH"}}
        await t.save(skills=[skill("identities")], overrides=given)
        executor = await t.executor()
        first = await t.step(executor)
        assert said(first)[1] == own_messages(executor, "skill-catalog")[0]
        assert "identities" in said(first)[1]
        await say(executor, "load it")
        assert result_text(results(executor)[0]) == "GH"
        await t.save(skills=[skill("identities", content="Other content")], overrides=given)
        await say(executor, "go on")
        assert len(own_messages(executor, "skill-catalog")) == 1
        await t.save(skills=[skill("identities"), skill("tides")], overrides=given)
        last = await t.step(executor)
        assert len(own_messages(executor, "skill-catalog")) == 2
        assert last.system == first.system


async def test_t54_a_catalog_that_was_taken_away_is_said_again(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        executor = await t.executor()
        await say(executor, "go")
        session = executor.session
        nodes = [event.seq for event in session.events if event.surface_op is not None]
        session.append(
            "user/message",
            user_message("a summary"),
            surface_op=Replace(nodes[0], nodes[-1]),
            source_event_seqs=nodes,
        )
        await say(executor, "go")
        assert len(own_messages(executor, "skill-catalog")) == 2


async def test_t54_a_retry_has_the_newest_catalog_before_its_runtime_context(tmp_path: Path) -> None:
    """Retries read the newest version, too: the catalogue is of the same snapshot as the rest of the request."""
    tide = ["low water"]
    worlds: list[TeamWorld] = []

    async def save(_seconds: float) -> None:
        tide[0] = "high water"
        await worlds[0].save(communication="C1", skills=[skill("tides")])

    async with team_world(tmp_path, error("SERVER"), text("ok"), text("ok"), sleep=save) as t:
        worlds.append(t)
        t.w.root.system_prompt.context("tide", 10, lambda _context: tide[0])
        executor = await t.executor()
        await say(executor, "go")
        sent = [(each.data["revision"], each.data["attempt"]) for each in events(executor, "prompts/revision")]
        assert sent == [(0, 1), (1, 2)], "revision and attempt"
        first, second = t.w.requests(executor)
        assert ["tides" in message for message in said(second)] == [False, False, False, True, False]
        assert said(second)[:3] == said(first)
        assert "high water" in said(second)[4]
        assert second.system == E0.replace("\n\nC\n", "\n\nC1\n")
        await say(executor, "go on")
        assert len(own_messages(executor, "skill-catalog")) == 2
        t.w.check(executor.session)


async def test_t54_a_request_that_is_compacted_keeps_its_catalog(tmp_path: Path) -> None:
    async with team_world(tmp_path, text("one"), error("CONTEXT_WINDOW_EXCEEDED"), text("two")) as t:
        summarizing(t.w)
        await t.w.root.plugin(Compaction)
        executor = await t.executor()
        await say(executor, "x" * 2000)
        await say(executor, "y")
        requests = t.w.requests(executor)
        assert [sum("Skills:" in message for message in said(each)) for each in requests] == [1, 1, 1]
        t.w.check(executor.session)


async def test_t54_the_catalog_stands_before_the_runtime_context(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        t.w.root.system_prompt.context("tide", 10, "high water")
        messages = said(await t.step(await t.executor()))
        assert [("Skills" in each, "high water" in each) for each in messages] == [
            (False, False),
            (True, False),
            (False, True),
        ]
