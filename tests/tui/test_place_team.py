"""The place Team, driven as a person drives it, over a real store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import tests.support.previews as p
from tests.support.teams import StoreTeam, team_at
from tests.team.scenario import D0, E0, M0, proposal, rule, skill, team_world
from tests.tui.conftest import Screen, settled
from workbench.team.drafts import DraftFolder
from workbench.team.store.errors import StoreError
from workbench.team.validation import Limits
from workbench.tui.app import WorkbenchApp
from workbench.tui.live import RuntimeSubject
from workbench.tui.places.team.place import TeamPlace
from workbench.tui.view.entries import PluginTrouble
from workbench.tui.view.team_entries import EntryId
from workbench.tui.widgets.confirm import Confirm

WORK = EntryId("part", "runtime/work")


class TeamScreen(Screen):
    """The workbench with the place Team in front."""

    @property
    def team(self) -> TeamPlace:
        place = self.app.place
        assert isinstance(place, TeamPlace)
        return place

    async def rest(self) -> None:
        """Nothing is under way, in the store and on the disk either."""
        for _ in range(2000):
            await settled(self.pilot)
            place = self.app.place
            if not isinstance(place, TeamPlace) or not place.is_busy:
                await settled(self.pilot)
                if not isinstance(place, TeamPlace) or not place.is_busy:
                    return
            await asyncio.sleep(0.01)
        raise AssertionError("the place does not come to rest")

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.rest()

    async def go_to(self, id: EntryId) -> None:
        self.team.show_target(id)
        await self.rest()

    async def type(self, text: str) -> None:
        await self.press(*["enter" if each == "\n" else "space" if each == " " else each for each in text])

    @property
    def editor(self) -> Any:
        editor = self.team._editor
        assert editor is not None
        return editor


@pytest.fixture(autouse=True)
def drafts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> DraftFolder:
    """Drafts of this test alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return DraftFolder()


@asynccontextmanager
async def looking(
    team: StoreTeam | None, size: tuple[int, int] = (120, 40), **fields: Any
) -> AsyncIterator[TeamScreen]:
    subject = p.FakeSubject(team=team, **fields)
    app = WorkbenchApp(subject)
    async with app.run_test(size=size) as pilot:
        screen = TeamScreen(pilot, subject)
        await screen.settle()
        await pilot.press("6")
        await screen.rest()
        yield screen


@asynccontextmanager
async def opened(
    tmp_path: Path, size: tuple[int, int] = (120, 40), limits: Limits | None = None, **saved: Any
) -> AsyncIterator[tuple[TeamScreen, StoreTeam]]:
    """Over the short texts of the scenarios, with one version if there is something to be saved."""
    async with team_at(tmp_path / "team.db", D0, limits) as team:
        if saved:
            await team.save_now(**saved)
        async with looking(team, size) as screen:
            yield screen, team


def overriding(**texts: str) -> dict[str, Any]:
    return {f"runtime/{key}": {"text": text} for key, text in texts.items()}


# what is there


async def test_without_a_team_the_place_says_how_to_get_one() -> None:
    trouble = PluginTrouble(p.Owner("TeamPrompts", 4), "failed", "StoreError: store x: locked\x1b[2J")
    async with looking(None, troubles=[trouble]) as screen:
        text = screen.text()
        assert "No team prompts." in text
        assert "workbench.team.plugin:TeamPrompts" in text
        assert "locked‹ESC›" in text
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


# editing


async def test_typing_is_the_draft_and_survives_a_restart(tmp_path: Path, drafts: DraftFolder) -> None:
    async with team_at(tmp_path / "team.db", D0) as team:
        async with looking(team) as screen:
            await screen.go_to(WORK)
            await screen.press("e")
            await screen.type("Hi 日本 ")
            await screen.press("right")
            kept = drafts.load(team.label)
            assert kept is not None
            assert kept.overrides["runtime/work"] == {
                "text": "Hi 日本 P:runtime/work",
                "base": D0.parts["runtime/work"].sha256,
            }
        async with looking(team) as screen:
            assert "1 edit not saved" in screen.text()
            assert "~ edited" in screen.text()
            await screen.go_to(WORK)
            await screen.press("e")
            assert screen.editor.text == "Hi 日本 P:runtime/work"
            assert screen.editor.area.cursor_location == (0, 7)
            await screen.press("f4")
            assert "Saved as revision 1." in screen.text()
            assert drafts.load(team.label) is None
            await screen.type("!")
            assert screen.editor.text == "Hi 日本 P!:runtime/work", "the editor goes on"
        kept = drafts.load(team.label)
        assert kept is not None
        assert kept.base_revision == 1


async def test_placeholders_and_bytes_are_checked_while_typing(tmp_path: Path) -> None:
    async with opened(tmp_path, limits=Limits(size=40)) as (screen, team):
        await screen.go_to(EntryId("part", "runtime/policy"))
        await screen.press("e")
        assert "✓ {version}  ✓ {mode}  ✓ {rules}" in screen.text()
        screen.editor.area.text = "P {version} {mode} {rule}"
        await screen.rest()
        assert "✓ {mode}  × {rules} missing" in screen.text()
        assert "28 of 40 bytes" in screen.text()
        await screen.press("f4")
        assert "Refused, nothing was stored." in screen.text()
        assert "missing_placeholder" in screen.text()
        assert "needs {rules}" in screen.text()
        await screen.press("e")
        assert screen.editor.text == "P {version} {mode} {rule}"
        screen.editor.area.text = "P {version} {mode} {rules}" + "é" * 10
        await screen.rest()
        assert "× 49 of 40 bytes, 9 too many" in screen.text()
        await screen.press("f4")
        assert "size_limit" in screen.text()
        assert await team.store.newest_revision() == 0


async def test_a_text_is_kept_byte_for_byte(tmp_path: Path) -> None:
    text = "a\r\nb\x0cc\u2028d\re\x1b]0;x\x07\u202e\u200b👩‍👩‍👧\t.\n\n"
    async with opened(tmp_path, overrides=overriding(work=text)) as (screen, team):
        await screen.go_to(WORK)
        await screen.press("e")
        assert screen.editor.text == text
        assert "shown as ?:" in screen.text()
        await screen.press("ctrl+end")
        await screen.type("z")
        await screen.press("f4")
        assert (await team.store.snapshot()).part("runtime/work").override == text + "z"


async def test_keys_that_were_typed_ahead_edit_what_the_cursor_is_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as (screen, _):
        await screen.pilot.press("down", "down", "e", "x")
        await screen.rest()
        assert screen.team.model.draft is not None
        assert list(screen.team.model.draft.overrides) == ["runtime/worker"]
        assert "runtime/worker  editing" in screen.text()
        lines = screen.text().splitlines()
        row = next(index for index, line in enumerate(lines) if "runtime/replies" in line)
        await screen.pilot.click(offset=(8, row))
        await screen.rest()
        assert not screen.team.is_editing
        assert "P:runtime/replies" in screen.text()
        assert list(screen.team.model.draft.overrides) == ["runtime/worker"]


async def test_text_that_is_typed_back_leaves_the_draft(tmp_path: Path, drafts: DraftFolder) -> None:
    async with opened(tmp_path) as (screen, team):
        await screen.go_to(EntryId("section", "communication"))
        await screen.press("e", "x")
        assert screen.team.model.has_draft
        await screen.press("backspace")
        assert not screen.team.model.has_draft
        await screen.press("escape")
        assert screen.team.model.draft is None
        assert drafts.load(team.label) is None


async def test_an_edit_is_discarded_only_when_that_was_meant(tmp_path: Path, drafts: DraftFolder) -> None:
    async with opened(tmp_path) as (screen, team):
        await screen.go_to(WORK)
        await screen.press("e", "x", "escape", "D")
        assert isinstance(screen.app.screen, Confirm)
        await screen.press("escape")
        assert screen.team.model.has_draft
        await screen.press("D", "y")
        assert screen.team.model.draft is None
        assert drafts.load(team.label) is None
        await screen.press("e", "x", "escape", "Z", "y")
        assert "All 15 parts follow their defaults." in screen.text()


async def test_skills_and_rules(tmp_path: Path) -> None:
    given = {"policy": {"accept_mode": "manual", "rules": [rule("a", "A", "do a"), rule("b", "B", "do b", False)]}}
    async with opened(tmp_path, **given) as (screen, team):
        await screen.go_to(EntryId("rule", "b"))
        await screen.press("t", "less_than_sign")
        await screen.go_to(EntryId("mode", "accept_mode"))
        await screen.press("t")
        await screen.press("n", *"docs", "tab", *"Docs", "tab", *"typos", "f4")
        await screen.press("escape")
        await screen.go_to(EntryId("section", "communication"))
        await screen.press("n", *"who", "tab", *"people", "enter", *"text", "f4")
        config = (await team.store.snapshot()).config
        assert config.policy.accept_mode == "automatic"
        assert [(each.id, each.name, each.enabled) for each in config.policy.rules[:2]] == [
            ("b", "B", True),
            ("a", "A", True),
        ]
        assert (config.policy.rules[2].name, config.policy.rules[2].instruction) == ("Docs", "typos")
        assert [(each.name, each.description, each.content) for each in config.skills] == [
            ("who", "people", "text")
        ]
        await screen.press("escape")
        await screen.go_to(EntryId("rule", "a"))
        await screen.press("x")
        assert "− removed" in screen.text()
        await screen.press("w")
        assert [each.id for each in (await team.store.snapshot()).config.policy.rules] == ["b", "docs"]


# saving over somebody else's version


async def test_fc_09(tmp_path: Path, drafts: DraftFolder) -> None:
    """Saving over somebody else's version."""
    async with team_at(tmp_path / "team.db", D0) as team, team_at(tmp_path / "team.db", D0) as other:
        for number in range(1, 8):
            await team.save_now(overrides=overriding(work=f"text of revision {number}"))
        async with looking(team) as screen:
            await screen.go_to(WORK)
            await screen.press("e")
            draft = "x" * 883 + "text of revision 7"[1:]
            assert len(draft) == 900
            screen.editor.area.text = draft
            await screen.rest()
            screen.editor.area.move_cursor((0, 450))
            await screen.rest()
            assert await other.save_now(overrides=overriding(work="text of somebody else")) == 8
            before = [(await other.store.version(revision)).config for revision in (7, 8)]
            await screen.press("f4")

            text = screen.text()
            assert "Revision 8 was saved while you edited on 7." in text
            assert await other.store.newest_revision() == 8
            for words in ("Revision 7, your base", "Revision 8, newest", "Your draft"):
                assert words in text
            for words in ("text of revision 7", "somebody else", "xxxxxxxx"):
                assert words in text
            await screen.press("d")
            assert "Revision 8, newest → Your draft" in screen.text()
            await screen.press("d")
            assert "Revision 7, your base → Revision 8, newest" in screen.text()

            await screen.press("e")
            assert screen.editor.text == draft
            assert screen.editor.area.cursor_location == (0, 450)
        kept = drafts.load(team.label)
        assert kept is not None
        assert (kept.base_revision, kept.overrides["runtime/work"]["text"]) == (7, draft)  # type: ignore[index]

        async with looking(team) as screen:
            assert "Revision 8 is newer than your draft's base, 7." in screen.text()
            await screen.go_to(WORK)
            await screen.press("e")
            assert screen.editor.text == draft
            assert screen.editor.area.cursor_location == (0, 450)
            await screen.press("f4", "w")
            assert await other.store.newest_revision() == 8, "only the review saves on top"
            await screen.press("a")
            assert "Saved as revision 9." in screen.text()
        ninth = await other.store.version(9)
        assert (ninth.predecessor, ninth.config.overrides["runtime/work"].text) == (8, draft)
        assert [(await other.store.version(revision)).config for revision in (7, 8)] == before
        tenth = await other.store.save(ninth.config.as_proposal(), 9)
        assert tenth.version.revision == 10
        assert (await other.assembled("worker", tenth.version.config)).text == (
            await other.assembled("worker", None)
        ).text


async def test_an_editor_that_was_only_opened_takes_nothing_back(tmp_path: Path) -> None:
    async with opened(tmp_path, overrides=overriding(work="one")) as (screen, team):
        await screen.go_to(WORK)
        await screen.press("e")
        await team.save_now(overrides=overriding(work="two"))
        screen.team.store_work.read()
        await screen.press("escape")
        assert screen.team.model.draft is None
        await screen.press("e")
        assert screen.editor.text == "two"
        await team.save_now(overrides=overriding(work="three"))
        screen.team.store_work.read()
        await screen.rest()
        await screen.press("!", "f4")
        assert "Revision 3 was saved while you edited on 2." in screen.text(), "what was seen is what counts"


async def test_edits_of_others_stay(tmp_path: Path) -> None:
    async with opened(tmp_path) as (screen, team):
        await screen.go_to(WORK)
        await screen.press("e", *"mine ", "escape")
        await team.save_now(sections={"ticket_scope": "theirs"}, overrides=overriding(replies="theirs"))
        await screen.press("w")
        assert "Nobody else has changed this one" in screen.text()
        await screen.press("a")
        config = (await team.store.snapshot()).config
        assert config.sections.ticket_scope == "theirs"
        assert {key: override.text for key, override in config.overrides.items()} == {
            "runtime/work": "mine P:runtime/work",
            "runtime/replies": "theirs",
        }


async def test_a_draft_of_another_store_of_that_name(tmp_path: Path, drafts: DraftFolder) -> None:
    async with team_at(tmp_path / "team.db", D0) as team:
        from workbench.team.drafts import Draft

        drafts.keep(team.label, Draft(40, overrides={"runtime/work": {"text": "W"}, "runtime/gone": {"text": "G"}}))
        async with looking(team) as screen:
            await screen.go_to(WORK)
            await screen.press("w")
            assert "W" in screen.text()
            assert screen.team.model.has_draft


@pytest.mark.parametrize("code", ["STORE_LOCKED", "STORE_GONE"])
async def test_a_store_that_fails_keeps_the_draft(tmp_path: Path, drafts: DraftFolder, code: Any) -> None:
    async with opened(tmp_path) as (screen, team):
        await screen.go_to(WORK)
        await screen.press("e", *"mine ")
        team.error = StoreError(code, team.label, "no\x1b[2J")
        await screen.press("f4")
        text = screen.text()
        assert "Not done. Your draft is kept." in text
        assert screen.editor.text == "mine P:runtime/work"
        kept = drafts.load(team.label)
        assert kept is not None
        assert kept.overrides["runtime/work"]["text"] == "mine P:runtime/work"  # type: ignore[index]
        assert await team.store.newest_revision() == 0
        team.error = None
        await screen.press("f4")
        assert "Saved as revision 1." in screen.text()


async def test_a_store_whose_file_goes_away(tmp_path: Path) -> None:
    async with opened(tmp_path, overrides=overriding(work="one")) as (screen, team):
        await screen.go_to(WORK)
        await screen.press("e", *"mine ")
        (tmp_path / "team.db").rename(tmp_path / "elsewhere.db")
        await screen.press("f4")
        assert "Not done. Your draft is kept." in screen.text()
        assert "bring it back" in " ".join(screen.text().split())
        await screen.press("escape")
        assert "1 edit" not in screen.text()
        (tmp_path / "elsewhere.db").rename(tmp_path / "team.db")
        await screen.press("w")
        assert "Saved as revision 2." in screen.text()
        assert (await team.store.snapshot()).part("runtime/work").override == "mine one"


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
        assert executor.part_at(E0.index("P:runtime/work\n")) == "runtime:work"
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


async def test_two_windows_do_not_write_over_each_others_draft(tmp_path: Path, drafts: DraftFolder) -> None:
    from workbench.team.drafts import Draft

    async with opened(tmp_path) as (screen, team):
        other = Draft(0).with_section("communication", "written in another window")
        drafts.keep(team.label, other)
        await screen.go_to(WORK)
        await screen.press("e", "x")
        kept = drafts.load(team.label)
        assert kept is not None
        assert list(kept.overrides) == ["runtime/work"]
        assert "put aside" in screen.text()
        [aside] = drafts.folder.glob("*.1.json")
        aside.replace(drafts.path_of(team.label))
        assert drafts.load(team.label) == other
        await screen.press("f4")
        assert drafts.load(team.label) == other, "a save forgets its own draft only"


async def test_a_draft_that_cannot_be_read_is_not_written_over(tmp_path: Path, drafts: DraftFolder) -> None:
    async with team_at(tmp_path / "team.db", D0) as team:
        path = drafts.path_of(team.label)
        path.parent.mkdir(parents=True)
        path.write_text("{half of a draft", "utf-8")
        async with looking(team) as screen:
            assert "the draft cannot be read" in screen.text()
            await screen.go_to(WORK)
            await screen.press("e", "x")
        assert path.with_suffix(".1.json").read_text("utf-8") == "{half of a draft"
        assert drafts.load(team.label) is not None


async def test_a_draft_that_cannot_be_kept_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    async with opened(tmp_path) as (screen, team):
        await screen.go_to(WORK)
        await screen.press("e", "x")
        assert "The draft is not on the disk: the draft cannot be kept" in screen.text()
        await screen.press("f4")
        assert await team.store.newest_revision() == 1


# versions


async def test_versions_any_two_compared_and_one_restored(tmp_path: Path) -> None:
    async with opened(tmp_path) as (screen, team):
        for number in range(1, 5):
            await team.save_now(overrides=overriding(work=f"text {number}"))
        await screen.press("f6", "h")
        assert "Revision 4" in screen.text()
        assert "From 3 to 4" in screen.text()
        await screen.press("m", "down", "down", "down")
        text = screen.text()
        assert "From 1 to 4" in text
        assert "text 1" in text
        assert "text 4" in text
        await screen.press("r")
        assert "Restore revision 1?" in screen.text()
        await screen.press("y")
        assert "Restored 1 as revision 5." in screen.text()
        newest = await team.store.newest()
        assert (newest.restored_from, newest.config.overrides["runtime/work"].text) == (1, "text 1")
        await screen.press("end", "r", "y")
        assert (await team.store.newest()).restored_from == "defaults"


async def test_one_version_and_ten_thousand(tmp_path: Path) -> None:
    async with opened(tmp_path) as (screen, team):
        await screen.press("h")
        assert "shipped defaults" in screen.text()
        await screen.press("escape")

        from tests.support.teams import many_versions

        many_versions(tmp_path / "team.db", 10_000)
        team.asked.clear()
        await screen.press("f6", "h")
        assert "10000" in screen.text()
        assert sum(each.startswith("history") for each in team.asked) == 1, "the first screen is one page"
        await screen.press("end")
        assert "shipped defaults" in screen.text()
        await screen.press("pageup")
        assert sum(each.startswith("history") for each in team.asked) <= 4
        assert "panel" in screen.text()


# before saving


async def test_a_preview_of_either_role_with_the_first_changed_token(tmp_path: Path) -> None:
    async with opened(tmp_path) as (screen, team):
        await screen.go_to(WORK)
        await screen.press("e", *"now ", "f8")
        text = screen.text()
        assert "The main Session reads the same, byte for byte." in text
        await screen.press("o")
        text = screen.text()
        assert "The Executor reads another text from token" in text
        assert "runtime/work;" in text
        assert "now P:runtime/work" in text
        assert await team.store.newest_revision() == 0
        await screen.press("w")
        assert "Saved as revision 1." in screen.text()


async def test_a_preview_of_what_would_be_refused_says_why(tmp_path: Path) -> None:
    async with opened(tmp_path) as (screen, _):
        await screen.go_to(EntryId("part", "runtime/environment"))
        await screen.press("e", "ctrl+k", "escape", "e")
        screen.editor.area.text = "nothing"
        await screen.rest()
        await screen.press("f8")
        assert "missing_placeholder" in screen.text()


# everywhere


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
        await screen.rest()
        assert screen.team.model.chosen == WORK
        lines = screen.text().splitlines()
        row = next(index for index, line in enumerate(lines) if "Use default" in line)
        await screen.pilot.click(offset=(lines[row].index("Use default") + 2, row))
        await screen.rest()
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


async def test_nothing_of_the_store_runs_on_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    from workbench.team.store.database import Database

    threads: set[str] = set()
    for name in ("reading", "writing", "newest_revision"):
        original: Callable[..., Any] = getattr(Database, name)

        def noted(self: Any, *args: Any, original: Callable[..., Any] = original) -> Any:
            threads.add(threading.current_thread().name)
            return original(self, *args)

        monkeypatch.setattr(Database, name, noted)
    async with opened(tmp_path, overrides=overriding(work="Mine")) as (screen, _):
        await screen.press("u", "w", "h", "down", "escape", "p")
        assert threads
        assert all(name.startswith("team store") for name in threads), threads
