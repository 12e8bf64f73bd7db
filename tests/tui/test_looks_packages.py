"""Pictures of the place Packages and its sheet: looked at by a person once, compared ever after."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import tests.support.previews as p
from tests.tui.at_rest import settled
from tests.tui.packages_by_hand import (
    AT,
    HOSTILE,
    NOW,
    TRIAL,
    URL,
    HandPackages,
    asking,
    card,
    delivered,
    lived_in,
    recorded,
    revision,
)
from workbench.tui.app import WorkbenchApp
from workbench.tui.view import packages_words
from workbench.tui.view.packages_data import BreakData, Effect, ErrorData, InForce, PackageCard, PrintData, StopCost
from workbench.tui.view.packages_pages import NO_PAGES, PagesData

EFFECT = Effect(
    (InForce("section", "dyn:release-notes", "≈ 21 tok"), InForce("tool", "release_notes", "≈ 74 tok")),
    "section dyn:release-notes",
    BreakData("5.1", 241, 12_190),
    StopCost(241, 12_174, 95),
)
SIZES = [(80, 24), (120, 40), (200, 50)]
THEMES = ["dark", "light", "mono"]


@pytest.fixture(autouse=True)
def same_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """One moment, in one time zone."""
    monkeypatch.setattr(packages_words, "monotonic", lambda: NOW)
    monkeypatch.setattr(packages_words, "clock", _clock)
    for module in ("packages_detail", "packages_trial", "packages_pages"):
        monkeypatch.setattr(f"workbench.tui.view.{module}.clock", _clock)
    monkeypatch.setattr("workbench.tui.view.packages_record.moment", _clock)


@pytest.fixture(autouse=True)
def same_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one of them does to the request."""

    def effect_of(_preview: object, _sizes: object, card: PackageCard, *_more: object) -> Effect:
        return EFFECT if card.id == "dyn-2" else Effect()

    monkeypatch.setattr("workbench.tui.places.packages.showing.effect_of", effect_of)


def _clock(at: float) -> str:
    seconds = int(at - AT) + 14 * 3600
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def picture(
    snap_compare: Any,
    packages: HandPackages | None,
    size: tuple[int, int],
    *keys: str,
    theme: str = "dark",
    target: str = "dyn-2",
) -> bool:
    app = WorkbenchApp(p.FakeSubject(counted=p.in_words, packages=packages), theme=theme)

    async def before(pilot: Any) -> None:
        await settled(pilot)
        await pilot.press("5")
        await settled(pilot)
        app.place.show_target(target)
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)

    return bool(snap_compare(app, terminal_size=size, run_before=before))


def sized(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=sized)
def test_lived_in(snap_compare: Any, size: tuple[int, int], theme: str) -> None:
    assert picture(snap_compare, HandPackages(), size, theme=theme)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=sized)
def test_the_sheet_after_a_trial(snap_compare: Any, size: tuple[int, int], theme: str) -> None:
    packages = HandPackages([asking(trial=TRIAL), *(each for each in lived_in() if each.id != "dyn-4")])
    assert picture(snap_compare, packages, size, "exclamation_mark", theme=theme)


@pytest.mark.parametrize("size", SIZES[:2], ids=sized)
def test_the_sheet_before_a_trial(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, HandPackages(), size, "exclamation_mark")


def test_denying(snap_compare: Any) -> None:
    assert picture(snap_compare, HandPackages(), (120, 40), "exclamation_mark", "d")


def test_sources_on_the_sheet(snap_compare: Any) -> None:
    assert picture(snap_compare, HandPackages(), (80, 24), "exclamation_mark", "v")


@pytest.mark.parametrize("size", SIZES[:2], ids=sized)
def test_hostile_words(snap_compare: Any, size: tuple[int, int]) -> None:
    evil = revision(1, HOSTILE, purpose=f"{HOSTILE}\n\n◆ dyn-1 is safe. Your answer: a\n" * 3, client="return 1")
    meter = card("dyn-4", "awaiting-approval", revisions=(evil,), request="req-1", asked_since=NOW - 41)
    loud = card(
        "dyn-5",
        "failed",
        session=HOSTILE,
        revisions=(evil,),
        fact=HOSTILE,
        error=ErrorData("host-half-failed", "apply", HOSTILE * 20, 1),
        prints=(PrintData(AT, HOSTILE * 5),),
    )
    assert picture(snap_compare, HandPackages([meter, loud]), size, "exclamation_mark", target="dyn-5")


@pytest.mark.parametrize("target", ["dyn-3", "dyn-6", "dyn-8", "dyn-9", "dyn-10"])
def test_other_states(snap_compare: Any, target: str) -> None:
    assert picture(snap_compare, HandPackages(), (120, 40), target=target)


def test_sources(snap_compare: Any) -> None:
    assert picture(snap_compare, HandPackages(), (120, 40), "v")


def test_difference_of_revisions(snap_compare: Any) -> None:
    assert picture(snap_compare, HandPackages(), (120, 40), "d")


def test_before_a_start(snap_compare: Any) -> None:
    assert picture(snap_compare, HandPackages(), (120, 40), "r", target="dyn-1")


@pytest.mark.parametrize("size", SIZES[:2], ids=sized)
def test_without_a_runner(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, None, size)


def test_without_packages(snap_compare: Any) -> None:
    assert picture(snap_compare, HandPackages([]), (120, 40))


def test_3000(snap_compare: Any) -> None:
    one = lived_in()[1]
    many = [replace(one, row=replace(one.row, id=f"dyn-{number}")) for number in range(1, 3001)]
    assert picture(snap_compare, HandPackages(many), (120, 40), "end", target="dyn-1")


@pytest.mark.parametrize("size", [(70, 20), (50, 14)], ids=sized)
def test_little_room(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, HandPackages(), size, target="dyn-3")


@pytest.mark.parametrize("size", SIZES, ids=sized)
@pytest.mark.parametrize("theme", THEMES[:2])
def test_pages_of_a_card(snap_compare: Any, size: tuple[int, int], theme: str) -> None:
    packages = HandPackages([delivered(), *lived_in()[:3]])
    assert picture(snap_compare, packages, size, theme=theme, target="dyn-11")


@pytest.mark.parametrize("size", SIZES[:2], ids=sized)
def test_all_pages(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, HandPackages([delivered(), *lived_in()[:3]]), size, "p", target="dyn-11")


@pytest.mark.parametrize("size", SIZES[:2], ids=sized)
def test_one_that_waits_for_a_page(snap_compare: Any, size: tuple[int, int]) -> None:
    homeless = card("dyn-4", "delivering", revisions=asking().revisions, since=NOW - 41, fact="no page is open")
    packages = HandPackages([homeless], open_pages=PagesData(URL))
    assert picture(snap_compare, packages, size, target="dyn-4")


@pytest.mark.parametrize("size", SIZES[:2], ids=sized)
def test_records_of_a_log(snap_compare: Any, size: tuple[int, int]) -> None:
    packages = HandPackages(recorded(), is_past=True, open_pages=NO_PAGES)
    assert picture(snap_compare, packages, size, "down", target="7f3a#40")
