"""The place Team: a store or a folder of drafts that cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.broken_stores import SABOTAGES
from tests.support.teams import team_at
from tests.team.scenario import D0
from tests.tui.team_screen import WORK, looking, opened, overriding
from workbench.team.drafts import DraftFolder
from workbench.team.store.errors import StoreError

pytestmark = pytest.mark.usefixtures("drafts")


@pytest.mark.parametrize("code", SABOTAGES)
async def test_a_store_that_fails_keeps_the_draft(tmp_path: Path, drafts: DraftFolder, code: str) -> None:
    sabotage, remedy = SABOTAGES[code]
    long = "x" * 50_000
    async with opened(tmp_path, busy_timeout_ms=1, overrides=overriding(work="one")) as (screen, team):
        await screen.go_to(WORK)
        await screen.press("e")
        screen.editor.area.text = long
        await screen.settle()
        with sabotage(tmp_path / "team.db"):
            await screen.press("f4")
            text = " ".join(screen.text().split())
            assert "Not done. Your draft is kept." in text
            assert remedy in text
            assert screen.editor.text == long
            kept = drafts.load(team.label)
            assert kept is not None
            assert (kept.base_revision, kept.overrides["runtime/work"]["text"]) == (1, long)  # type: ignore[index]
        assert await team.store.newest_revision() == 1, "nothing is half-written"
        await screen.press("f4")
        assert "Saved as revision 2." in screen.text()
        assert drafts.load(team.label) is None


@pytest.mark.parametrize("code", ["STORE_READ_ONLY", "STORE_CORRUPT", "STORE_UNAVAILABLE"])
async def test_an_error_of_any_other_kind_keeps_the_draft(tmp_path: Path, drafts: DraftFolder, code: Any) -> None:
    async with opened(tmp_path) as (screen, team):
        await screen.go_to(WORK)
        await screen.press("e", *"mine ")
        team.error = error = StoreError(code, team.label, "no\x1b[2J")
        await screen.press("f4")
        text = " ".join(screen.text().split())
        assert "Not done. Your draft is kept." in text
        assert error.remedy.split(";")[0] in text
        assert screen.editor.text == "mine P:runtime/work"
        assert drafts.load(team.label) is not None
        team.error = None
        await screen.press("f4")
        assert "Saved as revision 1." in screen.text()


async def test_a_copy_that_was_brought_back_is_opened_anew(tmp_path: Path) -> None:
    """Another file, so that the open one is of no use: the place opens it when it is asked to."""
    async with opened(tmp_path, overrides=overriding(work="one")) as (screen, team):
        file = tmp_path / "team.db"
        await screen.go_to(WORK)
        async with team_at(tmp_path / "backup.db", D0) as backup:
            for number in range(3):
                await backup.save_now(overrides=overriding(work=f"backup {number}"))
        for name in ("team.db", "team.db-wal", "team.db-shm"):
            (tmp_path / name).unlink()
        await screen.press("e", *"mine ", "f4", "escape")
        text = " ".join(screen.text().split())
        assert "Read the store again" in text
        await screen.press("f6")
        assert "there is no such file" in " ".join(screen.text().split())
        assert not file.exists(), "reading makes no store"
        (tmp_path / "backup.db").rename(file)
        await screen.press("w")
        assert "another file has taken the place" in " ".join(screen.text().split())
        await screen.press("f6")
        assert "Revision 3 is newer than your draft's base, 1. Your draft is kept." in screen.text()
        await screen.press("w", "a")
        assert "Saved as revision 4." in screen.text()
        assert (await team.store.snapshot()).part("runtime/work").override == "mine one"
        await screen.press("h")
        assert "From 3 to 4" in screen.text()


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


async def test_a_draft_of_another_store_of_that_name(tmp_path: Path, drafts: DraftFolder) -> None:
    async with team_at(tmp_path / "team.db", D0) as team:
        from workbench.team.drafts import Draft

        drafts.keep(team.label, Draft(40, overrides={"runtime/work": {"text": "W"}, "runtime/gone": {"text": "G"}}))
        async with looking(team) as screen:
            await screen.go_to(WORK)
            await screen.press("w")
            assert "W" in screen.text()
            assert screen.team.model.has_draft


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
