"""The place Team: versions, and the preview before a save."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.team_screen import WORK, opened, overriding
from workbench.tui.view.team_entries import EntryId

pytestmark = pytest.mark.usefixtures("drafts")


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
        await screen.settle()
        await screen.press("f8")
        assert "missing_placeholder" in screen.text()


async def test_what_is_read_meanwhile_does_not_move_the_cursor_back(tmp_path: Path) -> None:
    """A key, then an answer of the store, before the message of the list that tells of the key."""
    async with opened(tmp_path) as (screen, team):
        for number in range(1, 5):
            await team.save_now(overrides=overriding(work=f"text {number}"))
        await screen.press("f6", "h")
        place = screen.team
        place.revisions.move_to_end(last=True)
        place.came()
        await screen.settle()
        assert (place.revisions.chosen, place.model.revision) == (0, 0)
        assert "Revision 0" in screen.text()
        await screen.press("escape")
        place.entries.move(1)
        moved = place.entries.entry
        place.came()
        await screen.settle()
        assert moved is not None
        assert place.entries.entry is not None
        assert place.entries.entry.id == place.model.chosen == moved.id
