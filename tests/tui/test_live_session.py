"""The place Session over agents that run: saying, stepping, cancelling, sending again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.at_rest import settled
from tests.tui.driving import Driven
from workbench.config.live import live_services
from workbench.config.opened import open_composition
from workbench.config.samples import find_sample
from workbench.tui.app import WorkbenchApp
from workbench.tui.live import CompositionSubject
from workbench.tui.live_sessions import LiveSessions


class Live(Driven):
    """The place Session of a composition."""

    def __init__(self, pilot: Pilot[int], feed: LiveSessions) -> None:
        super().__init__(pilot)
        self.feed = feed

    async def say(self, text: str) -> None:
        await self.press("m", *text, "enter")


@asynccontextmanager
async def live(path: Path) -> AsyncIterator[Live]:
    async with open_composition(path, services=live_services()) as opened:
        subject = CompositionSubject(opened, path.name)
        subject.sessions = LiveSessions(opened)
        app = WorkbenchApp(subject)
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(pilot)
            screen = Live(pilot, subject.sessions)
            await screen.press("4")
            yield screen


def sample(name: str) -> Path:
    path = find_sample(name)
    assert path is not None
    return path


async def test_a_clock_breaks_the_prefix_while_one_looks_on() -> None:
    async with live(sample("session-clock")) as screen:
        await screen.until_shown("No step yet.", "The first request would cost", "m writes a message to main")
        await screen.say("go")
        await screen.until_shown("1 cache break in 2 steps: step 1.2, by clock-kit")
        await screen.say("on")
        await screen.until_shown("2 cache breaks in 3 steps", "Step 2.1 broke the prefix")
        await screen.press("p")
        await screen.until_shown("◂ past", "as step 2.1 sent them", "equal to what was sent", "04:05:03")
        await screen.press("t" if screen.app.place.tab.title == "Session" else "4")
        await screen.press("t")
        await screen.until_shown("step 2.1, as it was assembled", "collected")
        await screen.press("z")
        await screen.until_shown("● live")


async def test_steps_one_at_a_time_and_a_cancel() -> None:
    async with live(sample("session-clock")) as screen:
        await screen.press("n", *"go", "enter")
        await screen.until_shown("Held before the next step")
        assert "idle" not in screen.text()
        assert len(screen.feed.tracks[0].timeline.requests if screen.feed.tracks[0].timeline else ()) == 1
        await screen.press("n")
        await screen.until(lambda: not screen.feed.talk.is_running)
        await screen.until_shown("1 cache break in 2 steps")
        await screen.say("x")
        await screen.until_shown("Held before the next step")
        await screen.press("x")
        await screen.until(lambda: not screen.feed.talk.is_running)
        await screen.press("u")
        await screen.say("y")
        await screen.until_shown("2 cache breaks in 3 steps")


async def test_a_start_is_declared_and_a_compaction_too() -> None:
    async with live(sample("session-package")) as screen:
        for number in range(3):
            await screen.say(str(number))
            await screen.until(lambda: not screen.feed.talk.is_running)
        await screen.until_shown("1 cache break in 4 steps: step 2.2, by notices")
        await screen.press("b")
        await screen.until_shown("package notices was started by the agent", "from here on, as this request has it")


BROKEN = """\
persona: You answer.
models:
  - name: scripted
    script: answers.yml
agents:
  - {name: main, provider: scripted, model: m}
"""
ANSWERS = """\
sessions:
  - calls:
      - error: {code: AUTH, message: no key}
      - text: Now it works.
"""


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    (tmp_path / "answers.yml").write_text(ANSWERS)
    (tmp_path / "agent.yml").write_text(BROKEN)
    return tmp_path / "agent.yml"


async def test_what_failed_is_sent_again(failing: Path) -> None:
    async with live(failing) as screen:
        await screen.say("hello")
        await screen.until_shown("× AUTH no key", "× failed")
        assert screen.feed.talk.failed_message == "hello"
        await screen.press("R")
        await screen.until_shown("Now it works.")
        assert screen.feed.talk.failed_message is None


async def test_what_could_not_be_assembled_is_not_lost(failing: Path) -> None:
    (failing.parent / "answers.yml").write_text("sessions: [{calls: [{text: Now it works.}]}]\n")
    await asyncio.to_thread(failing.write_text, BROKEN.replace("You answer.", "You answer in {{nowhere}}."))
    async with live(failing) as screen:
        await screen.say("hello")
        await screen.until(lambda: screen.feed.talk.failed_message == "hello")
        await asyncio.to_thread(failing.write_text, BROKEN)
        await screen.press("ctrl+r")
        await screen.press("R")
        await screen.until_shown("Now it works.")
        assert screen.feed.talk.failed_message is None


async def test_an_edit_while_it_runs_is_declared(failing: Path) -> None:
    (failing.parent / "answers.yml").write_text("sessions: [{calls: [{text: a}, {text: b}]}]\n")
    async with live(failing) as screen:
        await screen.say("1")
        await screen.until(lambda: not screen.feed.talk.is_running and bool(screen.feed.tracks))
        await asyncio.to_thread(failing.write_text, BROKEN.replace("You answer.", "You answer briefly."))
        await screen.press("ctrl+r")
        await screen.say("2")
        await screen.until_shown("the files were edited and read again")


async def test_a_composition_whose_model_cannot_be_had_says_so(failing: Path) -> None:
    (failing.parent / "answers.yml").unlink()
    async with live(failing) as screen:
        await screen.say("1")
        await screen.until_shown("× No agent runs: ")
        assert "answers.yml" in screen.feed.talk.error


async def test_a_flood_of_chunks_is_one_repaint_a_frame(failing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """1,000 chunks: the rows are made anew for what happened, not for each chunk; the answer line shows the end."""
    deltas = "".join(f"          - {{type: text-delta, index: 0, text: 'w{n} '}}\n" for n in range(1_000))
    whole = "".join(f"w{n} " for n in range(1_000))
    script = (
        "sessions:\n  - calls:\n      - chunks:\n          - {type: block-start, index: 0, blockType: text}\n"
        f"{deltas}          - {{type: block-end, index: 0, block: {{type: text, text: '{whole}'}}}}\n"
        f"          - {{type: finish, reason: {{kind: stop}}}}\n"
    )
    (failing.parent / "answers.yml").write_text(script)
    async with live(failing) as screen:
        place = screen.app.place
        loads = []
        original = place._load  # type: ignore[attr-defined]
        monkeypatch.setattr(place, "_load", lambda: (loads.append(1), original())[1])
        await screen.say("go")
        await screen.until(lambda: bool(screen.feed.tracks) and not screen.feed.talk.is_running)
        assert not screen.feed.talk.error
        chunks = screen.feed.tracks[0].timeline
        assert chunks is not None
        assert chunks.counts["assistant/chunk"] > 1_000
        assert len(loads) < 60
