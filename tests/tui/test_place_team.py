"""The place Team, driven as a person drives it: what is there, and what a part may be answered."""

from __future__ import annotations

from pathlib import Path

import pytest

import tests.support.previews as p
from tests.team.scenario import E0, M0, proposal, rule, skill, team_world
from tests.tui.team_screen import WORK, looking, opened, overriding
from workbench.tui.live import RuntimeSubject
from workbench.tui.view.entries import PluginTrouble

pytestmark = pytest.mark.usefixtures("drafts")


async def test_without_a_team_the_place_says_how_to_get_one() -> None:
    async with looking(
        None, troubles=[PluginTrouble(p.Owner("team_role", 4), "waiting", "waits for team")]
    ) as screen:
        text = screen.text()
        assert "No team prompts." in text
        assert "workbench.team.plugin:TeamPrompts" in text
        assert "1 role: waits for team" in text
        for key in (
            "e",
            "k",
            "u",
            "w",
            "h",
            "p",
            "D",
            "Z",
            "n",
            "x",
            "t",
            "r",
            "m",
            "d",
            "b",
            "y",
            "o",
            "a",
            "escape",
        ):
            await screen.press(key)
        assert "How to get it" in screen.text()


async def test_a_team_that_cannot_start_says_why_and_is_started_again() -> None:
    troubles = [
        PluginTrouble(p.Owner("team", 4), "failed", "StoreError: store x: locked\x1b[2J; wait"),
        *[PluginTrouble(p.Owner("team_role", 5 + number), "waiting", "waits for team") for number in range(3)],
    ]
    async with looking(None, troubles=troubles) as screen:
        text = screen.text()
        assert "The team's prompts cannot be read." in text
        assert "store x: locked‹ESC›" in text
        assert "3 roles: waits for team" in text
        assert "How to get it" not in text
        await screen.press("f6")
        assert screen.subject.ended == [(4, "restart")]


async def test_parts_sections_skills_and_policy_with_their_state(tmp_path: Path) -> None:
    given = {
        "overrides": overriding(work="Mine"),
        "skills": [skill("identities")],
        "policy": {
            "accept_mode": "manual",
            "rules": [rule("docs", "Docs", "Fix typos"), rule("x", "X", "No", False)],
        },
    }
    async with opened(tmp_path, **given) as (screen, team):
        text = screen.text()
        for words in (
            "Shared and role",
            "runtime/work",
            "yours",
            "identities",
            "✓ on",
            "○ off",
            "manual",
            "Ticket scope",
        ):
            assert words in text
        assert "1 of 15 parts is yours." in text
        assert "revision 1" in text
        team.upgrade(work="A newer default\nof two lines")
        await screen.press("f6")
        await screen.go_to(WORK)
        text = screen.text()
        assert "↑ 1 default updated since you wrote yours." in text
        for words in ("Default then → Default now", "P:runtime/work", "A newer default", "Mine", "k Keep yours"):
            assert words in text, words
        assert "u Use new default" in text


@pytest.mark.parametrize(("key", "override", "base"), [("k", "Mine", "P2"), ("u", None, None)])
async def test_the_answers_to_a_new_default(
    tmp_path: Path, key: str, override: str | None, base: str | None
) -> None:
    async with opened(tmp_path, overrides=overriding(work="Mine")) as (screen, team):
        team.upgrade(work="P2")
        await screen.press("f6")
        await screen.go_to(WORK)
        await screen.press(key)
        assert "1 edit not saved" in screen.text()
        assert await team.store.newest_revision() == 1, "an answer is a draft until it is saved"
        await screen.press("w")
        assert "Saved as revision 2." in screen.text()
        view = (await team.store.snapshot()).part("runtime/work")
        assert (view.override, view.base and view.base.text) == (override, base)
        assert view.state != "default updated"
        assert screen.team.model.draft is None


async def test_all_texts_beside_each_other_or_one_below_the_other(tmp_path: Path) -> None:
    async with opened(tmp_path, (200, 50), overrides=overriding(work="Mine")) as (screen, team):
        team.upgrade(work="P2")
        await screen.press("f6")
        await screen.go_to(WORK)
        await screen.press("d", "d")
        line = next(line for line in screen.text().splitlines() if "Default now" in line and "Default then" in line)
        assert "Yours, in force" in line
        await screen.press("b")
        lines = [line for line in screen.text().splitlines() if "Default now" in line or "Default then" in line]
        assert len(lines) > 1, "stacked"
        await screen.press("d")
        assert "Default then → Default now" in screen.text()


async def test_over_a_runtime(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        await t.main()
        await t.executor()
        subject = RuntimeSubject(t.w.root.runtime)
        live = subject.team
        assert live is not None
        assert live is subject.team
        main, executor = [await live.assembled(role, None) for role in ("orchestrator", "worker")]
        assert (main.text, executor.text) == (M0, E0)
        assert main.part_at(M0.index("P:runtime/replies")) == "runtime/replies"
        assert executor.part_at(E0.index("P:runtime/work\n")) == "runtime/work"
        given = proposal(overrides=overriding(work="W"), rules=[rule("docs", "Docs", "Fix")])
        config = (await live.check(given, 0)).config
        main, executor = [await live.assembled(role, config) for role in ("orchestrator", "worker")]
        assert executor.text == E0.replace("P:runtime/work\n", "W\n")
        assert main.part_at(main.text.index("POLICY 1")) == "runtime/policy"
        async with looking(live) as screen:
            await screen.go_to(WORK)
            await screen.press("e", *"mine ", "f4")
            assert "Saved as revision 1." in screen.text()
        assert t.team.latest.revision == 1
        assert (await live.snapshot()) is t.team.latest


@pytest.mark.parametrize("size", [(40, 12), (60, 20), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_small_screens_show_one_pane_after_the_other(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(tmp_path, size) as (screen, team):
        await screen.press("down", "tab")
        assert "default" in screen.text()
        await screen.press("tab", "e", "x", "f4")
        assert await team.store.newest_revision() == 1


async def test_by_mouse(tmp_path: Path) -> None:
    async with opened(tmp_path, overrides=overriding(work="Mine")) as (screen, _):
        lines = screen.text().splitlines()
        row = next(index for index, line in enumerate(lines) if "runtime/work " in line)
        await screen.pilot.click(offset=(8, row))
        await screen.settle()
        assert screen.team.model.chosen == WORK
        lines = screen.text().splitlines()
        row = next(index for index, line in enumerate(lines) if "Use default" in line)
        await screen.pilot.click(offset=(lines[row].index("Use default") + 2, row))
        await screen.settle()
        assert "1 edit not saved" in screen.text()


async def test_jumps_and_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path, overrides=overriding(work="a\x1bb\n")) as (screen, _):
        copied: list[str] = []
        monkeypatch.setattr(screen.app, "copy", lambda text, done: copied.append(text))
        item = next(item for item in screen.team.jumps() if item.title == "runtime/work")
        screen.team.jump(item.id)
        await screen.press("y")
        assert copied == ["a\x1bb\n"]
        assert screen.team.text_to_save() == ("a\x1bb\n", "runtime-work.md")
