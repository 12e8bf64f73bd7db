"""The place Session over recorded sessions: what a person finds out there, and every real log."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.agent.log.big_logs import write_log
from tests.agent.log.building import NOT_HERE, RECORDED, Run, header, text, user
from tests.agent.verdicts import sessions as s
from tests.tui.at_rest import comes
from tests.tui.recorded import recorded
from workbench.agent.log import Replace
from workbench.tui.log_subject import LogSubject
from workbench.tui.places.compare.place import ComparePlace
from workbench.tui.places.prompt.place import PromptPlace
from workbench.tui.places.trace.place import TracePlace

HOSTILE = "\x1b]52;c;eA==\x07 [red]x[/] 日本語 👩‍👩‍👧 \u202eabc"


def log_of(story: s.Story) -> Path:
    path = story.run.session.path
    assert path is not None
    story.run.session.close_now()
    return path


async def test_why_did_a_step_miss_the_cache(tmp_path: Path) -> None:
    """FC-04: the break, its owner, position and cost are on the first screen."""
    async with recorded(log_of(s.fc04(tmp_path / "clock.jsonl"))) as screen:
        text = screen.text()
        assert "2 cache breaks in 3 steps: by clock-kit, last in step 3.1" in text
        assert "Step 2.1 broke the prefix at token ≈" in text
        assert "undeclared drift" in text
        assert "clock:now, changed at 1:25 by clock-kit" in text
        assert "harness:identity" in text
        assert "cannot be reused any more" in text
        await screen.press("down")
        await screen.until_shown("Step 3.1 broke the prefix")
        await screen.press("o")
        await screen.until_shown("changes at every step, from step 2.1 on")


async def test_growth_and_repetition_with_both_owners(tmp_path: Path) -> None:
    """FC-05."""
    async with recorded(log_of(s.fc05(tmp_path / "growth.jsonl"))) as screen:
        await screen.press("o")
        await screen.until_shown("grows at every step", "keep-kit", "tail-kit", "repeated text")


async def test_a_changed_schema_value_by_value(tmp_path: Path) -> None:
    """FC-07."""
    story = s.Story(tmp_path / "tools.jsonl")
    story.step([s.IDENTITY], [s.ALPHA, s.lookup(50), s.ZETA])
    story.step([s.IDENTITY], [s.ALPHA, s.lookup(100, turned=True), s.ZETA])
    story.step([s.IDENTITY], [s.ALPHA, s.lookup(100), s.ZETA])
    async with recorded(log_of(story), (120, 60)) as screen:
        text = screen.text()
        assert "/properties/limit/maximum: 50 -> 100" in text
        assert text.count("key order") == 1
        await screen.press("down")
        await screen.until_shown("Key order only")


async def test_the_exact_request_and_the_past_in_other_places(tmp_path: Path) -> None:
    async with recorded(log_of(s.fc04(tmp_path / "clock.jsonl"))) as screen:
        place = screen.place
        await screen.press("enter")
        await screen.until_shown("equal to what was sent", "System text", "harness:identity", "Time: 2031")
        await screen.press("escape", "p")
        await screen.until(lambda: isinstance(screen.app.place, PromptPlace))
        await screen.until_shown("◂ past", "as step 2.1 sent them", "rebuilt from the log, equal to what was sent")
        assert "04:05:02" in screen.text()
        await screen.press("greater_than_sign")
        await screen.until_shown("as step 3.1 sent them", "04:05:03")
        await screen.press("2")
        await screen.until(lambda: isinstance(screen.app.place, TracePlace))
        await screen.until_shown("A log does not hold how a prompt came to be", "Session (4): p reads the prompt")
        await screen.press("3")
        await screen.until_shown("A log does not hold what was registered")
        await screen.press("z", "4")
        await screen.until(lambda: screen.app.place is place)
        assert place.model.row is not None
        assert place.model.row.name == "3.1", "the place has travelled along"


async def test_two_steps_compared(tmp_path: Path) -> None:
    async with recorded(log_of(s.fc04(tmp_path / "clock.jsonl"))) as screen:
        await screen.press("up", "space", "down", "down", "d")
        await screen.until(lambda: isinstance(screen.app.place, ComparePlace))
        await screen.until_shown("step 1.1", "step 3.1", "clock:now", "message[1]", "messages ≈")
        await screen.press("escape")
        await screen.until(lambda: screen.app.place.tab.title == "Session")


async def test_two_steps_that_differ_in_a_message_alone(tmp_path: Path) -> None:
    """What was summed up is where the prefix breaks; whose it is, and what stays behind it."""
    run = Run(tmp_path / "summed.jsonl")
    run.whole_turn("a long question", "a long answer")
    run.begin_turn()
    run.begin_step("go on")
    nodes = run.session.surface.nodes
    run.append("user/message", user("In short: it was asked."), Replace(nodes[0], nodes[1]), *nodes[:2])
    run.send(header())
    run.answer(text("done"))
    run.end_step()
    run.end_turn()
    run.session.close_now()
    async with recorded(tmp_path / "summed.jsonl") as screen:
        assert screen.place.model.row is not None
        assert screen.place.model.row.name == "2.1"
        await screen.press("d")
        await screen.until(lambda: isinstance(screen.app.place, ComparePlace))
        await screen.until_shown("The prefix breaks at token", "message[0] changed first, of user")
        assert "a long question" in screen.text()


async def test_breaks_are_gone_to_and_steps_by_mouse(tmp_path: Path) -> None:
    story = s.Story(tmp_path / "many.jsonl")
    for number in range(30):
        story.step([s.IDENTITY, s.clock(number // 10)])
    async with recorded(log_of(story)) as screen:
        place = screen.place
        assert place.model.row is not None
        assert place.model.row.name == "11.1", "the first break is what a person wants to see"
        await screen.press("b")
        assert place.model.row.name == "21.1"
        await screen.press("b")
        assert place.model.row.name == "11.1"
        await screen.press("home")
        assert place.model.row.name == "1.1"
        await screen.press("z")
        assert place.model.row.name == "30.1"
        top = place.steps.rows[round(place.steps.scroll_y)].name
        await screen.pilot.click("#steps", offset=(5, 0))
        await screen.until(lambda: place.model.row is not None and place.model.row.name == top)


async def test_a_log_that_grows_is_followed_and_one_that_is_cut_is_told(tmp_path: Path) -> None:
    story = s.Story(tmp_path / "live.jsonl")
    story.step([s.IDENTITY])
    story.run.session.flush_now()
    async with recorded(tmp_path / "live.jsonl") as screen:
        await screen.until_shown("No cache break in 1 step.")
        story.step([s.IDENTITY, s.PERSONA])
        story.run.session.flush_now()
        await screen.until_shown("1 cache break in 2 steps", "deployment:persona")
        story.run.session.close_now()
        content = (tmp_path / "live.jsonl").read_bytes().splitlines(keepends=True)
        (tmp_path / "live.jsonl").write_bytes(b"".join(content[: len(content) // 2]))
        await screen.until_shown("1 step")
        await screen.until(lambda: "while it was open" in " ".join(screen.subject.problems))


async def test_a_long_log_that_grows_in_pieces_and_is_rotated(tmp_path: Path) -> None:
    """Lines cut anywhere; what was appended can be read like all the rest, also after the file is another one."""
    whole, path = tmp_path / "whole.jsonl", tmp_path / "session.jsonl"
    steps = write_log(whole, 5)
    written = whole.read_bytes()
    path.write_bytes(written[: len(written) // 2])
    async with recorded(path) as screen:
        rows = screen.place.model.rows
        assert 128 < rows.requests < steps
        with path.open("ab") as file:
            for start in range(len(written) // 2, len(written), 333_333):
                file.write(written[start : start + 333_333])
                file.flush()
        await screen.until(lambda: screen.place.model.rows.requests == steps)
        await screen.press("end", "enter")
        await screen.until_shown("equal to what was sent")
        await screen.press("escape")
        path.rename(tmp_path / "session.jsonl.1")
        run = Run(path)
        run.whole_turn("another", "file")
        run.session.close_now()
        await screen.until(lambda: screen.place.model.rows.requests == 1)
        assert any("was replaced while it was open" in str(each) for each in screen.subject.problems)
        await screen.press("enter")
        await screen.until_shown("another", "equal to what was sent")


async def test_a_log_that_is_cut_while_it_is_read_for_the_first_time(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    steps = write_log(path, 8)
    subject = LogSubject.open_now(path, path.name)
    reading = asyncio.create_task(subject.run())
    try:
        while subject.progress == "reading":
            await asyncio.sleep(0)
        with path.open("r+b") as file:
            file.truncate(1_000_000)
        track = subject.tracks[0]
        await comes(
            lambda: not subject.progress and track.timeline and 0 < len(track.timeline.requests) < steps / 4
        )
        timeline = track.timeline
        assert timeline is not None
        assert timeline.broken is None
    finally:
        reading.cancel()
        await asyncio.wait({reading})
        subject.close()


async def test_a_tree_of_logs_is_one_timeline(tmp_path: Path) -> None:
    parent = Run(tmp_path / "session.jsonl")
    parent.whole_turn("hello", "there")
    child = Run(
        tmp_path / "session.1.jsonl", parent_session=parent.session.id, origin="subagent", delegation_depth=1
    )
    child.whole_turn("do it", "done")
    other = Run(tmp_path / "other.jsonl")
    other.whole_turn("not of this tree", "no")
    for run in (parent, child, other):
        run.session.close_now()
    async with recorded(tmp_path / "session.jsonl") as screen:
        assert [track.label for track in screen.subject.tracks] == ["session.jsonl", "session.1.jsonl"]
        await screen.until_shown("session.1.jsonl", f"subagent of {parent.session.id[:8]}, depth 1")
    async with recorded(tmp_path) as screen:
        assert len(screen.subject.tracks) == 3


async def test_text_from_outside_steers_nothing(tmp_path: Path) -> None:
    story = s.Story(tmp_path / "hostile.jsonl")
    bad = s.Section(f"sec {HOSTILE}", f"text {HOSTILE}", f"owner {HOSTILE}")
    story.step([s.IDENTITY])
    story.declare("package", f"package {HOSTILE} was started", f"owner {HOSTILE}")
    story.step([bad, s.IDENTITY], [{**s.ALPHA, "name": "t", "description": HOSTILE}])
    run = story.run
    run.whole_turn(HOSTILE, HOSTILE, header(HOSTILE * 3, model=HOSTILE))
    for size in ((120, 40), (80, 24), (60, 15)):
        path = run.session.path
        assert path is not None
        run.session.flush_now()
        async with recorded(path, size) as screen:
            for keys in (("enter",), ("escape", "down"), ("tab",), ("p",)):
                await screen.press(*keys)
                assert "\x1b" not in screen.text()
                assert "\x07" not in screen.text()
                assert "\u202e" not in screen.text()
    run.session.close_now()


async def test_captured_requests_open(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    bodies = [
        {
            "model": "m",
            "messages": [{"role": "system", "content": f"# Role\n{text}"}, {"role": "user", "content": "x"}],
        }
        for text in ("one", "two")
    ]
    path.write_text("".join(json.dumps(body) + "\n" for body in bodies))
    async with recorded(path) as screen:
        await screen.until_shown("1 cache break in 2 steps", "owner not recorded", "Role, changed at 2:1")


async def test_a_log_without_requests(tmp_path: Path) -> None:
    run = Run(tmp_path / "empty.jsonl")
    run.session.close_now()
    async with recorded(tmp_path / "empty.jsonl") as screen:
        await screen.until_shown("No step yet.")
        await screen.press("enter", "d", "b", "p", "x", "n", "m", "R")


FORKED = ("subagent-fork-in-process", "subagent-mixed")
FOLDERS = [
    pytest.param(folder, id=folder.name, marks=() if folder.name in FORKED else pytest.mark.slow)
    for folder in sorted({path.parent for path in RECORDED})
]


@pytest.mark.skipif(not RECORDED, reason=NOT_HERE)
@pytest.mark.parametrize("folder", FOLDERS)
async def test_real_logs_open(folder: Path) -> None:
    """Each with its tree; the forked children name both headers and their reasons."""
    async with recorded(folder, (160, 50)) as screen:
        labels = {track.label for track in screen.subject.tracks}
        assert labels == {each.name for each in RECORDED if each.parent == folder}
        assert all(track.timeline is not None and track.timeline.requests for track in screen.subject.tracks)
        assert not screen.subject.problems
        if folder.name in FORKED:
            rows = screen.place.model.rows
            resumed = [row for row in rows if row.request is not None and row.request.header_reason == "resume"]
            assert resumed
            assert resumed[0].key is not None
            screen.place.steps.choose(resumed[0].key)
            await screen.until_shown("recorded here, reason resume")
            await screen.press("up")
            await screen.until_shown("recorded here, reason initial")
