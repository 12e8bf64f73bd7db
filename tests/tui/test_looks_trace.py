"""Pictures of the place Trace: looked at by a person once, compared ever after."""

from __future__ import annotations

from typing import Any

import pytest

import tests.support.previews as p
import tests.support.traces as t
from tests.tui.at_rest import settled
from workbench.prompt.growth import Grower, Growth
from workbench.prompt.repeats import Repeat, RepeatPlace
from workbench.prompt.trace import Change
from workbench.tui.app import WorkbenchApp
from workbench.tui.places.trace import model as trace_model

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")


def picture(snap_compare: Any, app: WorkbenchApp, size: tuple[int, int], *keys: str) -> bool:
    async def before(pilot: Any) -> None:
        await settled(pilot)
        for key in ("2", *keys):
            await pilot.press(key)
            await settled(pilot)

    return bool(snap_compare(app, terminal_size=size, run_before=before))


@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
@SIZES
def test_trace(snap_compare: Any, size: tuple[int, int], theme: str) -> None:
    subject = p.FakeSubject(t.traced(), counted=p.in_words)
    assert picture(snap_compare, WorkbenchApp(subject, theme=theme), size)


@SIZES
def test_reading_the_difference(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(t.traced())), size, "enter", "j", "j")


@pytest.mark.parametrize("theme", ["dark", "mono"])
def test_growing_and_repeating(snap_compare: Any, monkeypatch: pytest.MonkeyPatch, theme: str) -> None:
    rules = "\n".join(f"Rule {number}: leave page {number} of the logbook as it is." for number in range(1, 6))
    kept = Change("section", "keep:previous", "added", None, rules, "after next")
    tail = Change("section", "tail:rules", "added", None, rules, "before next")
    shown = t.with_listeners(
        t.span("keep", p.LIMITS, "passed", t.work(1.0, 1.1), t.work(2.5, 2.9, 1400, 1800), changes=(kept, t.HINT)),
        t.span("append", t.NOTES, "passed", t.work(1.2, 1.9, 900, 1400), t.work(2.0, 2.1), changes=(tail,)),
    )
    places = (
        RepeatPlace("section", "keep:previous", p.LIMITS, 3, 10, 17),
        RepeatPlace("section", "tail:rules", t.NOTES, 1, 0, 7),
    )
    said = (Repeat("Rule 1: leave page 1 of the logbook as it is.", places, 245, 5),)
    growth = Growth((900, 1300, 1700), (Grower(p.LIMITS, True, (0, 400, 800)), Grower(t.NOTES, True, (500,) * 3)))
    monkeypatch.setattr(trace_model, "repeats", lambda _preview: said)
    monkeypatch.setattr(trace_model, "growth", lambda _previews: growth)
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(shown), theme=theme), (120, 40))


@SIZES
def test_failed(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(t.RAISED)), size)


def test_empty(snap_compare: Any) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(t.with_listeners())), (120, 40))


@SIZES
def test_hostile(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(t.HOSTILE)), size)


def test_finding_who(snap_compare: Any) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(t.traced())), (80, 24), "slash", *"600 sec")


def test_one_pane(snap_compare: Any) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(t.traced())), (60, 16), "enter")


def test_the_order_of_sections(snap_compare: Any) -> None:
    assert picture(
        snap_compare, WorkbenchApp(p.FakeSubject(t.traced()), theme="light"), (120, 40), "home", "j", "j"
    )
