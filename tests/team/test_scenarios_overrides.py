"""Scenarios T20 to T44: overrides and defaults, versions, validation and size."""

from __future__ import annotations

from datetime import UTC
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scenario import calls, events, headers, kinds, say, text
from tests.support.tool_calls import Caller, FakeAgent, call, error_of
from tests.team.scenario import (
    D0,
    E0,
    EXPLICIT,
    SIZE_LIMIT,
    codes,
    overriding,
    proposal,
    revisions,
    skill,
    team_world,
)
from workbench.team.drafts import Draft, DraftFolder
from workbench.team.problems import Conflict, Refused
from workbench.team.validation import size_of

WORK = "runtime/work"
OLD = "P:runtime/work"


def digest(content: str) -> str:
    return sha256(content.encode()).hexdigest()


def reading(work: str) -> str:
    """E0 with another text of `runtime/work`."""
    return E0.replace(f"\n\n{OLD}\n\n", f"\n\n{work}\n\n")


def override(content: str, base: str | None = None) -> dict[str, Any]:
    """Of `runtime/work`."""
    return {WORK: {"text": content} | ({} if base is None else {"base": digest(base)})}


async def test_t20_t21_templates_need_their_tokens(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        [problem] = await t.refused(overrides=overriding(environment="ENV"))
        assert (problem.code, problem.details["missing"]) == ("missing_placeholder", ["{variables}"])
        assert problem.path == 'overrides["runtime/environment"].text'
        [problem] = await t.refused(overrides=overriding(policy="{mode}"))
        assert (problem.code, problem.details["missing"]) == ("missing_placeholder", ["{version}", "{rules}"])


async def test_t22_a_template_fills_its_own_tokens_only(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        await t.save(overrides={"runtime/policy/none": {"text": "N {version} {mode} {rules}"}})
        assert (await t.system(await t.main())).endswith("\n\nN 0 manual {rules}")


async def test_t23_there_is_no_such_part(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        assert codes(await t.refused(overrides=overriding(foo="x"))) == ["unknown_part"]


async def test_t24_a_removed_part_is_dropped_once(tmp_path: Path) -> None:
    async with team_world(tmp_path, builtins=D0.changed({"runtime/old": "OLD"})) as t:
        given = proposal(overrides=overriding(old="mine"))
        await t.team.save(given, 0)
        t.upgrade()
        saved = await t.team.save(given, 1)
        assert saved.dropped_parts == ("runtime/old",)
        assert saved.version.config.overrides == {}
        assert codes(await t.refused(given)) == ["unknown_part"]


async def test_t25_the_default_is_no_override(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        for same in (OLD, OLD + "\n", OLD + "\r\n\n"):
            await t.save(overrides=override(same))
            assert (await t.team.store.newest()).config.overrides == {}
        await t.save(overrides=override(OLD.replace(":", ": ")))
        assert set((await t.team.store.newest()).config.overrides) == {WORK}
        await t.save(overrides=override(OLD))
        t.upgrade(work="P2")
        assert await t.system(await t.executor()) == reading("P2")
        assert (await t.team.refresh()).default_changed == ()


async def test_t26_a_new_default_is_marked_and_shown_beside_the_team_text(tmp_path: Path) -> None:
    read = calls(("orchestrator_read", {"what": "prompts"}, "c1"))
    async with team_world(tmp_path, sessions=[[text("ok")], [read, text("ok")]]) as t:
        await t.save(overrides=override("W"))
        t.upgrade(work="P2")
        assert await t.system(await t.executor()) == reading("W")
        main = await t.main()
        await say(main, "go")
        [result] = events(main, "tool/result")
        told = str(result.data["message"])
        assert '"default_changed": [\n  "runtime/work"\n ]' in told.replace("\\n", "\n")
        view = (await t.team.refresh()).part(WORK)
        assert view.base is not None
        assert (view.state, view.base.text, view.default, view.override) == ("default updated", OLD, "P2", "W")


async def test_t27_to_t30_answers_to_a_new_default(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        await t.save(overrides=override("W"))
        t.upgrade(work="P2")
        executor = await t.executor()
        for base in (None, OLD):  # T27
            await t.save(overrides=override("W3", base))
            view = (await t.team.refresh()).part(WORK)
            assert view.base is not None
            assert (view.base.text, view.state, view.effective) == (OLD, "default updated", "W3")
            assert await t.system(executor) == reading("W3")
        [problem] = await t.refused(overrides=override("W", "something else"))  # T30
        assert (problem.code, problem.path) == ("unknown_base", 'overrides["runtime/work"].base')
        await t.save(overrides=override("W", "P2"))  # T28
        view = (await t.team.refresh()).part(WORK)
        assert (view.state, view.effective) == ("overridden", "W")
        assert (await t.team.refresh()).default_changed == ()
        assert await t.system(executor) == reading("W")
        await t.save(overrides={})  # T29
        view = (await t.team.refresh()).part(WORK)
        assert (view.state, view.effective) == ("default", "P2")
        assert await t.system(executor) == reading("P2")


async def test_a_default_that_comes_back_clears_the_mark_and_a_further_one_shows_all(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        await t.save(overrides=override("W"))
        for default, state in (("P2", "default updated"), ("P3", "default updated"), (OLD, "overridden")):
            t.upgrade(work=default)
            view = (await t.team.refresh()).part(WORK)
            assert view.base is not None
            assert (view.state, view.base.text, view.default) == (state, OLD, default)
        t.upgrade(work="W")
        assert (await t.team.refresh()).default_changed == ()


async def test_t31_a_new_default_needs_no_save(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        executor = await t.executor()
        assert await t.system(executor) == E0
        t.upgrade(work="P2")
        assert await t.system(executor) == reading("P2")
        assert revisions(executor) == [0]
        assert await t.team.store.newest_revision() == 0


async def test_t32_a_version_is_complete_and_never_changes(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        saved = await t.team.save(proposal(communication="C1"), 0)
        version = saved.version
        assert (version.revision, version.predecessor, version.origin) == (1, 0, "panel")
        assert version.created_at is not None
        assert version.created_at.tzinfo is UTC
        stored = _bytes(tmp_path, 1)
        await t.save(communication="C2")
        assert _bytes(tmp_path, 1) == stored
        assert (await t.team.store.version(1)).config == version.config


def _bytes(tmp_path: Path, revision: int) -> Any:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(tmp_path / "team.db")) as database:
        return database.execute("SELECT * FROM team_versions WHERE revision = ?", (revision,)).fetchone()


async def test_t33_a_conflict_keeps_the_draft(tmp_path: Path) -> None:
    drafts = DraftFolder(tmp_path / "drafts")
    async with team_world(tmp_path) as t:
        await t.save(communication="C1")
        draft = Draft(1).with_override(WORK, "mine")
        drafts.keep(t.team.store.label, draft)
        await t.save(communication="C2")
        base = await t.team.store.version(1)
        with pytest.raises(Conflict) as caught:
            await t.team.save(draft.over(base.config), draft.base_revision)
        assert (caught.value.base, caught.value.newest, caught.value.codes) == (1, 2, ("conflict",))
        assert [line.revision for line in await t.team.store.history()] == [2, 1, 0]
        assert drafts.load(t.team.store.label) == draft
        draft = draft.rebased(2)
        newest = await t.team.store.newest()
        saved = await t.team.save(draft.over(newest.config), draft.base_revision)
        assert saved.version.revision == 3
        assert saved.version.config.sections.communication == "C2", "the other change is not reverted"
        assert saved.version.config.overrides[WORK].text == "mine"


async def test_t34_t35_restored_versions(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        await t.save(overrides=override("W"))
        await t.save(overrides={}, skills=[skill("identities")])
        await t.save(communication="C3")
        t.upgrade(work="P2")
        executor = await t.executor()
        restored = (await t.team.restore(1, 3)).version
        first = await t.team.store.version(1)
        assert (restored.revision, restored.predecessor, restored.restored_from) == (4, 3, 1)
        assert restored.config == first.config
        assert (await t.team.refresh()).default_changed == (WORK,)
        assert await t.system(executor) == reading("W")
        defaults = (await t.team.restore("defaults", 4)).version
        assert (defaults.revision, defaults.restored_from) == (5, "defaults")
        assert (defaults.config.overrides, defaults.config.skills) == ({}, ())
        assert tuple(dict(defaults.config.sections).values()) == ("C", "S", "R")
        with pytest.raises(Refused) as caught:
            await t.team.restore(9, 5)
        assert caught.value.codes == ("unknown_revision",)


async def test_t36_a_save_between_two_steps(tmp_path: Path) -> None:
    async with team_world(tmp_path, calls(("slow", {}, "c1")), text("ok")) as t:

        async def save(arguments: object, run: object) -> str:
            await t.save(communication="C1")
            return "saved"

        t.w.tool("slow", save)
        executor = await t.executor()
        statuses: list[str] = []
        t.w.root.on("agent/status", lambda change: statuses.append(change.status))
        await say(executor, "go")
        assert [(e.data["revision"], e.data["step"]) for e in events(executor, "prompts/revision")] == [
            (0, 1),
            (1, 2),
        ]
        assert headers(executor) == ["initial", "change"]
        assert kinds(executor) == ["completed"]
        assert statuses == ["running", "idle"]
        requests = t.w.requests(executor)
        assert [request.system for request in requests] == [
            E0,
            E0.replace("Communication\n\nC", "Communication\n\nC1"),
        ]


async def test_t37_a_save_says_nothing_to_an_idle_session(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        agent = await t.main()
        before = len(agent.session.events)
        await t.save(communication="C1")
        assert (len(agent.session.events), agent.status, t.w.captured) == (before, "idle", [])


async def test_t38_an_identical_save_is_a_version(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        main = await t.main()
        await t.save(communication="C1")
        before = await t.step(main)
        assert await t.save(communication="C1") == 2
        after = await t.step(main)
        assert after.system == before.system
        assert headers(main) == ["initial"]
        assert (await t.team.store.history())[0].changes == ()


async def test_t39_an_executor_reads_the_revisions_that_it_worked_under(tmp_path: Path) -> None:
    reads = calls(*[("orchestrator_read", {"what": "prompts", "revision": n}, f"c{n}") for n in (1, 2, 3, 4)])
    log = tmp_path / "executor.jsonl"
    async with team_world(tmp_path) as t:
        executor = await t.executor(path=log)
        for number in (1, 2):
            await t.save(communication=f"C{number}")
            await say(executor, "go")
        assert revisions(executor) == [1, 2]
    async with team_world(tmp_path, reads, text("ok")) as t:
        for number in (3, 4):
            await t.save(communication=f"C{number}")
        executor = await t.w.root.agents.resume(log, (await t.executor()).options, setup=t.team.worker(EXPLICIT))
        before = Caller(t.w.root, executor, FakeAgent(executor.id))  # nothing was requested yet
        await before.batch(
            *[
                call("orchestrator_read", {"what": "prompts", "revision": number}, f"b{number}")
                for number in (1, 2, 3, 4)
            ]
        )
        found = [error_of(before.sink.results[f"b{number}"]) for number in (1, 2, 3, 4)]
        assert found == [None, None, "NOT_RECORDED", "NOT_RECORDED"]
        assert '"communication": "C2"' in before.sink.results["b2"].text
        await say(executor, "go")
        found = [event.data.get("error", {}).get("code") for event in events(executor, "tool/result")]
        assert found == [None, None, "NOT_RECORDED", None], "its own request was made under revision 4"


async def test_t40_keys_that_are_not_named(tmp_path: Path) -> None:
    section = {"communication": "C", "ticket_scope": "S", "delivery_requirements": "R"}
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({**proposal(), "foo": 1}, "unknown_key", "foo"),
        (proposal() | {"sections": {**section, "intro": "x"}}, "unknown_key", "sections.intro"),
        (proposal(skills=[{**skill("a"), "color": "red"}]), "unknown_key", "skills[0].color"),
        (
            proposal() | {"sections": {"communication": "C", "delivery_requirements": "R"}},
            "missing_key",
            "sections.ticket_scope",
        ),
        (proposal(communication="half \ud800"), "wrong_type", "sections.communication"),
        (proposal(overrides={WORK: {"text": 5}}), "wrong_type", 'overrides["runtime/work"].text'),
        (proposal(rules=[{"id": "a", "name": "A", "instruction": "x", "enabled": 1}]), "wrong_type",
         "policy.rules[0].enabled"),
    ]  # fmt: skip
    async with team_world(tmp_path) as t:
        for given, code, path in cases:
            assert [(each.code, each.path) for each in await t.refused(given)] == [(code, path)]
        for given, said in (
            ([], "an object is expected"),
            (proposal(skills={}), "a list is expected"),
            (proposal(overrides=[]), "an object is expected"),
            (proposal(communication=5), "a text is expected"),
        ):
            with pytest.raises(Refused, match=said):
                await t.team.save(given, 0)
        all_at_once = {**proposal(communication=None), "foo": 1}
        del all_at_once["skills"]
        assert set(codes(await t.refused(all_at_once))) == {"unknown_key", "missing_key", "wrong_type"}


async def test_t41_names_of_skills(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        for names, expected in (
            (["github"], ["reserved_skill_name"]),
            (["feishu"], ["reserved_skill_name"]),
            (["GitHub"], ["invalid_skill"]),
            (["identities", "identities"], ["duplicate_skill_name"]),
        ):
            assert codes(await t.refused(skills=[skill(name) for name in names])) == expected
        assert codes(await t.refused(skills=[skill("a", "two\nlines")])) == ["invalid_skill"]
        assert await t.save(skills=[skill("identities")]) == 1


async def test_t42_the_size_limit_is_exact(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        rest = SIZE_LIMIT - len("SR")
        assert await t.save(communication="x" * rest) == 1
        [problem] = await t.refused(communication="x" * (rest + 1))
        assert problem.code == "size_limit"
        assert (problem.details["bytes"], problem.details["limit"]) == (SIZE_LIMIT + 1, SIZE_LIMIT)
        assert size_of((await t.team.store.newest()).config) == SIZE_LIMIT
        [problem] = await t.refused(communication="é" * (rest // 2 + 1))
        assert problem.code == "size_limit", "bytes are counted, not characters"


async def test_t43_bases_do_not_count(tmp_path: Path) -> None:
    async with team_world(tmp_path, builtins=D0.changed({WORK: "b" * 6000})) as t:
        assert await t.save(overrides=override("w" * 6000)) == 1
        base = (await t.team.store.newest()).config.overrides[WORK].base
        assert len(base.text) == 6000


async def test_t44_everything_that_is_wrong_at_once(tmp_path: Path) -> None:
    wrong = proposal(overrides=overriding(foo="x", environment="none"), skills=[skill("feishu")])
    async with team_world(tmp_path) as t:
        found = codes(await t.refused(wrong))
        assert sorted(found) == ["missing_placeholder", "reserved_skill_name", "unknown_part"]
        await t.save(communication="C1")
        assert codes(await t.refused(wrong, base=0)) == ["conflict"]
