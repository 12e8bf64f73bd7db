"""What somebody does on purpose while an agent runs is the declared cause of the next step's verdict."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.tui.test_live_session import BROKEN, Live, live
from workbench.agent.verdicts.verdict import Verdict

DEFINES = """\
sessions:
  - calls:
      - tool_calls:
          - name: cordis_define
            arguments:
              name: note
              purpose: Reminds of the tide.
              code: |
                inject = ["system_prompt"]

                def apply(ctx):
                    ctx.system_prompt.section("x:tide", 100, "High water is at 14:02.")
      - text: Defined.
      - text: I see it.
      - text: And gone.
"""
WITH_PACKAGES = f"""\
{BROKEN}
plugins: [package_runner, package_tools]
"""
TEAM = """\
models:
  - {name: scripted, script: answers.yml}
agents:
  - {name: main, provider: scripted, model: m}
plugins:
  - use: workbench.team.plugin:TeamPrompts
    config: {store: "sqlite://"}
  - {use: workbench.team.role, scope: main, config: {role: orchestrator}}
"""


def composition(folder: Path, text: str, answers: str) -> Path:
    (folder / "answers.yml").write_text(answers)
    (folder / "agent.yml").write_text(text)
    return folder / "agent.yml"


async def said(screen: Live, words: str) -> Verdict:
    """The verdict on the last request of the turn that these words open."""
    before = len(screen.feed.tracks[0].timeline.requests) if screen.feed.tracks else 0  # type: ignore[union-attr]
    await screen.say(words)
    await screen.until(
        lambda: (
            not screen.feed.talk.is_running
            and bool(screen.feed.tracks)
            and len(screen.feed.tracks[0].timeline.requests) > before  # type: ignore[union-attr]
        )
    )
    timeline = screen.feed.tracks[0].timeline
    assert timeline is not None
    return timeline.requests[-1].verdict


async def test_a_package_that_a_person_starts_and_stops(tmp_path: Path) -> None:
    async with live(composition(tmp_path, WITH_PACKAGES, DEFINES)) as screen:
        assert (await said(screen, "define")).word == "appended"
        await screen.press("5", "r", "s")
        await screen.until_shown("dyn-1 r1 is running")
        await screen.press("4")
        verdict = await said(screen, "look")
        assert verdict.part is not None
        assert (verdict.word, verdict.part.name, verdict.part.action) == ("changed", "x:tide", "added")
        assert verdict.cause_words == "package dyn-1 was started by a person"
        assert verdict.pinned == verdict.cause_words
        await screen.until_shown("package dyn-1 was started by a person")
        await screen.press("5", "x")
        await screen.until_shown("dyn-1 stopped")
        await screen.press("4")
        verdict = await said(screen, "look again")
        assert verdict.cause_words == "package dyn-1 was stopped by a person"


async def test_an_override_that_is_saved_in_the_place_team(tmp_path: Path) -> None:
    path = composition(tmp_path, TEAM, "sessions: [{calls: [{text: a}, {text: b}]}]\n")
    async with live(path) as screen:
        assert (await said(screen, "1")).word == "first"
        await screen.press("6", "e", *"Be brief. ", "f4")
        await screen.until_shown("yours", "Saved as revision 1")
        await screen.press("escape", "4")
        await screen.until(lambda: screen.app.place.tab.title == "Session")
        verdict = await said(screen, "2")
        assert verdict.part is not None
        assert verdict.word == "changed"
        assert "an override was saved" in verdict.cause_words
        assert verdict.pinned


async def test_a_model_that_is_switched(tmp_path: Path) -> None:
    path = composition(tmp_path, BROKEN, "sessions: [{calls: [{text: a}, {text: b}]}]\n")
    async with live(path) as screen:
        assert (await said(screen, "1")).word == "first"
        await asyncio.to_thread(path.write_text, BROKEN.replace("model: m}", "model: other}"))
        await screen.press("ctrl+r")
        verdict = await said(screen, "2")
        assert verdict.word == "another route"
        assert "model switched from scripted/m to scripted/other" in verdict.cause_words
        await screen.until_shown("went another route", "model switched from scripted/m to scripted/other")


TIDE = """\
name = "tide"
inject = ["system_prompt"]
provides = ["tide"]

def apply(ctx, config=None):
    ctx.provide("tide", "14:02")
"""
BOOK = """\
name = "book"
inject = ["tide", "system_prompt"]

def apply(ctx, config=None):
    ctx.system_prompt.section("book:tide", 100, f"High water is at {ctx.tide}.")
"""


async def test_a_plugin_that_a_person_stops_and_starts_takes_others_with_it(tmp_path: Path) -> None:
    (tmp_path / "tide.py").write_text(TIDE)
    (tmp_path / "book.py").write_text(BOOK)
    text = f"{BROKEN}plugins: [tide.py, book.py]\n"
    path = composition(tmp_path, text, "sessions: [{calls: [{text: a}, {text: b}, {text: c}]}]\n")
    async with live(path) as screen:
        assert (await said(screen, "1")).word == "first"
        subject = screen.app.viewing.subject
        assert subject is not None
        uid = next(plugin.uid for plugin in subject.registry().plugins if plugin.name == "tide")
        await subject.end_plugin(uid, "stop")
        verdict = await said(screen, "2")
        assert verdict.part is not None
        assert (verdict.part.name, verdict.part.action) == ("book:tide", "removed")
        assert verdict.cause_words == "plugin book went with tide, which a person stopped"
        assert verdict.pinned
        await subject.start_plugin(uid)
        verdict = await said(screen, "3")
        assert verdict.cause_words == "plugin book came with tide, which a person started"


@pytest.mark.parametrize("happened", ["", "failed"])
def test_a_start_that_failed_explains_nothing(happened: str) -> None:
    from tests.agent.log.building import Run, user
    from workbench.agent.verdicts.causes import CauseFold

    run, fold = Run(), CauseFold()
    source = {"kind": "plugin", "plugin": "cordis-dynamic", "form": "package-note", "package": "dyn-1"}
    fold.add(run.append("user/message", user("it failed", **source, happened=happened)))
    assert fold.take() == ()
