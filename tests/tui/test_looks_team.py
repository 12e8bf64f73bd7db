"""Pictures of the place Team: looked at by a person once, compared ever after."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import tests.support.previews as p
from tests.support.teams import HandTeam, lived_in
from tests.tui.at_rest import settled
from workbench.team.drafts import Draft, DraftFolder
from workbench.tui.app import WorkbenchApp
from workbench.tui.places.team import place as team_place
from workbench.tui.places.team import showing
from workbench.tui.view.entries import PluginTrouble
from workbench.tui.view.team_entries import EntryId

SIZES = [(80, 24), (120, 40), (200, 50)]
NOW = datetime(2026, 5, 14, 12, 5, tzinfo=UTC)
WORKER = EntryId("part", "runtime/worker")


@pytest.fixture(autouse=True)
def same_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One clock, and drafts of this test alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for module in (team_place, showing):
        monkeypatch.setattr(module, "local_now", lambda: NOW)


def picture(
    snap_compare: Any,
    team: HandTeam | None,
    size: tuple[int, int],
    *keys: str,
    theme: str = "dark",
    target: EntryId = WORKER,
    draft: Draft | None = None,
    troubles: Sequence[PluginTrouble] = (),
) -> bool:
    if draft is not None and team is not None:
        DraftFolder().keep(team.label, draft)
    app = WorkbenchApp(p.FakeSubject(counted=p.in_words, team=team, troubles=troubles), theme=theme)

    async def before(pilot: Any) -> None:
        await settled(pilot)
        await pilot.press("6")
        await settled(pilot)
        app.place.show_target(target)
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)

    return bool(snap_compare(app, terminal_size=size, run_before=before))


def sized(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
@pytest.mark.parametrize("size", SIZES, ids=sized)
def test_a_default_was_updated(snap_compare: Any, size: tuple[int, int], theme: str) -> None:
    assert picture(snap_compare, lived_in(), size, theme=theme)


@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
@pytest.mark.parametrize("size", SIZES, ids=sized)
def test_the_editor(snap_compare: Any, size: tuple[int, int], theme: str) -> None:
    target = EntryId("part", "runtime/policy")
    text = "Policy {version}, mode {mode}.\n\nAn explicit request is not subject to them:\n日本語 👩‍👩‍👧 \x1b[31m"
    draft = Draft(12).with_override(target.key, text, lived_in().default_of(target.key))
    assert picture(snap_compare, lived_in(), size, "e", theme=theme, target=target, draft=draft)


@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
@pytest.mark.parametrize("size", SIZES, ids=sized)
def test_somebody_has_saved_since(snap_compare: Any, size: tuple[int, int], theme: str) -> None:
    team = lived_in()
    text = team.versions[9].config.overrides[WORKER.key].text.replace("language", "own language") + "\nStay calm."
    draft = Draft(9).with_override(WORKER.key, text, team.default_of(WORKER.key))
    assert picture(snap_compare, team, size, "w", theme=theme, draft=draft)


def test_all_three_texts(snap_compare: Any) -> None:
    assert picture(snap_compare, lived_in(), (200, 50), "d", "d")


@pytest.mark.parametrize("size", SIZES, ids=sized)
def test_versions(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, lived_in(), size, "h", "down", "m", "down", "down")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=sized)
def test_before_saving(snap_compare: Any, size: tuple[int, int]) -> None:
    draft = Draft(12).with_override(
        "runtime/replies", "Write one sentence.", lived_in().default_of("runtime/replies")
    )
    assert picture(snap_compare, lived_in(), size, "p", draft=draft)


def test_a_rule(snap_compare: Any) -> None:
    assert picture(snap_compare, lived_in(), (120, 40), "t", target=EntryId("rule", "links"))


def test_a_skill_is_edited(snap_compare: Any) -> None:
    assert picture(snap_compare, lived_in(), (120, 40), "e", target=EntryId("skill", "identities"))


def test_a_save_was_refused(snap_compare: Any) -> None:
    target = EntryId("part", "runtime/environment")
    draft = Draft(12).with_override(target.key, "Nothing here.", lived_in().default_of(target.key))
    assert picture(snap_compare, lived_in(), (120, 40), "w", target=target, draft=draft)


def test_the_store_is_locked(snap_compare: Any) -> None:
    team = lived_in()
    team.save_error = "database is locked"
    draft = Draft(12).with_section("communication", "Write calmly.")
    assert picture(snap_compare, team, (80, 24), "w", draft=draft)


def test_the_store_is_locked_while_a_text_is_edited(snap_compare: Any) -> None:
    team = lived_in()
    team.save_error = "database is locked"
    draft = Draft(12).with_section("communication", "Write calmly.")
    assert picture(snap_compare, team, (80, 24), "e", "f4", draft=draft, target=EntryId("section", "communication"))


def test_hostile(snap_compare: Any) -> None:
    team = lived_in(hostile=p.HOSTILE)
    assert picture(snap_compare, team, (120, 40), target=EntryId("part", "runtime/shared"))


def test_ten_thousand_versions(snap_compare: Any) -> None:
    assert picture(snap_compare, lived_in(more=10_000), (80, 24), "h", "end", "up")


def test_no_team(snap_compare: Any) -> None:
    assert picture(snap_compare, None, (80, 24))


def test_a_team_that_cannot_start(snap_compare: Any) -> None:
    reason = "StoreError: store team.db: file is not a database; it is damaged; put it aside, bring a copy back"
    troubles = [
        PluginTrouble(p.Owner("team", 4), "failed", reason),
        *[PluginTrouble(p.Owner("team_role", number), "waiting", "pending (waits for team)") for number in (5, 6)],
    ]
    assert picture(snap_compare, None, (80, 24), troubles=troubles)


def test_nothing_is_overridden(snap_compare: Any) -> None:
    assert picture(snap_compare, HandTeam(), (80, 24))
