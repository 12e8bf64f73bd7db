"""Every place on a terminal of 20x5 and of 300x90, with long and hostile lines, and another size while it works."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

import tests.support.previews as p
import tests.support.registries as r
import tests.support.teams as teams
import tests.support.traces as t
from tests.agent.verdicts import sessions as s
from tests.tui.at_rest import comes, settled
from tests.tui.packages_by_hand import CODE, HandPackages, lived_in, revision
from workbench.prompt import Preview
from workbench.prompt.trace import Change
from workbench.team.drafts import DraftFolder
from workbench.tui.app import WorkbenchApp
from workbench.tui.log_subject import LogSubject
from workbench.tui.places.base import TABS, Place

LONG = "\x1b]0;owned\x07\x9b2J\u202e" + "x" * 10_000
STEERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What no row may hold: the tests of terminals look at their bytes, at length."""
WIDE = "日本語👩‍👩‍👧é אב " * 300
SMALL, LARGE = (20, 5), (300, 90)
KEYS = ("down", "enter", "end", "pageup", "tab", "end", "home", "w", "escape")


def shown(long: str) -> Preview:
    """Texts of one line each, and a listener that has changed one."""
    change = Change("section", "long", "changed", long, f"{long} and more", "after next", "long")
    span = t.span("lengthen", p.FILES, "passed", t.work(1, 2), t.work(2.1, 2.2), changes=(change,))
    entries = [*p.SECTIONS, p.entry("long", 5, long, p.FILES), p.entry("wide", 6, WIDE, p.WEB)]
    preview = p.preview(entries, p.CONTEXTS, [p.tool("long", p.BASH, long)], [p.variable("long", long)])
    return t.with_listeners(span, preview=preview)


def subject() -> p.FakeSubject:
    loud = [
        replace(each, revisions=(revision(1, LONG, purpose=LONG, code=CODE + f"# {LONG}\n"),), remarks=(LONG,))
        for each in lived_in()
    ]
    packages, team = HandPackages(loud), teams.lived_in(hostile=WIDE)
    return p.FakeSubject(shown(LONG), registered=r.hostile(), packages=packages, team=team)


def rows(app: WorkbenchApp) -> list[str]:
    """What is on the screen, line by line."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip) for strip in strips]


async def resized(pilot: Pilot[Any], size: tuple[int, int]) -> list[str]:
    """Another size, and whatever keys do there; each row fills the screen, and no more."""
    app = pilot.app
    assert isinstance(app, WorkbenchApp)
    await pilot.resize_terminal(*size)
    await comes(lambda: app.screen.size == size)
    for key in KEYS:
        await pilot.press(key)
    seen = rows(app)
    assert len(seen) == size[1]
    assert {cell_len(row) for row in seen} == {size[0]}
    assert not STEERS.search("".join(seen))
    return seen


PLACES = [*(tab.title for tab in TABS if tab.title != "Session"), "Compare"]


@pytest.mark.parametrize("title", PLACES)
async def test_a_place_holds_at_any_size(title: str, drafts: DraftFolder) -> None:
    looked_at = subject()
    app = WorkbenchApp(looked_at)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await app.go_to(title)
        await settled(pilot)
        place = app.place
        assert place.current_tab == title or title == "Compare"
        for size in (SMALL, LARGE, SMALL, (80, 24)):
            # Assembling begins, and does not end before the screen has another size.
            looked_at.gate = asyncio.Event()
            looked_at.change(shown(f"{LONG} at {size}"))
            await comes(lambda: app.viewing.assembling.is_running)
            seen = await resized(pilot, size)
            assert app.viewing.assembling.is_running
            looked_at.gate.set()
            looked_at.gate = None
            await settled(pilot)
            while app.screen is not place and not isinstance(app.screen, Place):
                await pilot.press("escape")  # a key has opened a sheet
                await settled(pilot)
            await app.go_to(title)
            await settled(pilot)
            assert any(row.strip() for row in seen)
            if size == LARGE:
                assert place.tab.question in "\n".join(rows(app))


async def test_the_place_session_holds_at_any_size(tmp_path: Path) -> None:
    story = s.Story(tmp_path / "long.jsonl")
    for text in (LONG, f"{LONG}.", WIDE):
        story.step([s.Section(f"long {text}", text, f"owner {text}"), s.IDENTITY])
    path = story.run.session.path
    assert path is not None
    story.run.session.close_now()
    looked_at = LogSubject.open_now(path, path.name)
    app = WorkbenchApp(looked_at)
    async with app.run_test(size=(120, 40)) as pilot:
        reading = asyncio.create_task(looked_at.run())
        try:
            for size in (SMALL, LARGE):  # the first one while it is being read
                await resized(pilot, size)
            await comes(lambda: not looked_at.progress)
            await settled(pilot)
            await app.go_to("Session")
            await settled(pilot)
            assert "What happened, step by step?" in "\n".join(rows(app))
            for size in (SMALL, LARGE, (80, 24)):
                seen = await resized(pilot, size)
                assert any(row.strip() for row in seen)
        finally:
            reading.cancel()
            await asyncio.wait({reading})
            looked_at.close()


async def test_the_start_screen_holds_at_any_size() -> None:
    app = WorkbenchApp(open_file=lambda path: None)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for size in (SMALL, LARGE, (80, 24)):
            seen = await resized(pilot, size)
            assert any(row.strip() for row in seen)
