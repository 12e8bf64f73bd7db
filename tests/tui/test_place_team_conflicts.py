"""The place Team: what somebody else has saved or drafted meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.teams import team_at
from tests.team.scenario import D0
from tests.tui.team_screen import WORK, looking, opened, overriding
from workbench.team.drafts import DraftFolder

pytestmark = pytest.mark.usefixtures("drafts")


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
            await screen.settle()
            screen.editor.area.move_cursor((0, 450))
            await screen.settle()
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
        await screen.settle()
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
