"""Pictures of the place Session: looked at by a person once, compared ever after."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.agent.log.building import Run, header
from tests.agent.verdicts import sessions as s
from tests.tui.at_rest import settled, until
from workbench.tui.app import WorkbenchApp
from workbench.tui.log_subject import LogSubject

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")


def without_times(path: Path) -> Path:
    """The log as another harness may write it: the picture is the same at any hour."""
    lines = []
    for line in path.read_text().splitlines():
        record = json.loads(line)
        for key in ("time", "createdAt"):
            record.pop(key, None)
        lines.append(json.dumps(record | ({"id": "clock"} if record["type"] == "session" else {})))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def clock(tmp_path: Path) -> Path:
    story = s.Story(tmp_path / "harbour.jsonl")
    good = [s.IDENTITY, s.PERSONA, *s.TOOLS[:4]]
    for _ in range(3):
        story.step(good, [s.ALPHA, s.lookup(50)])
    story.step([s.IDENTITY, s.clock(1), s.PERSONA, *s.TOOLS[:4]], [s.ALPHA, s.lookup(50)])
    story.declare("package", "package notices was started by the agent", "notices")
    notices = s.Section("notices:mariners", "End each answer with the notices.", "notices", "package")
    story.step([*good, notices], [s.ALPHA, s.lookup(100)])
    story.step([*good, notices], [s.ALPHA, s.lookup(100)])
    story.run.session.close_now()
    return without_times(tmp_path / "harbour.jsonl")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A session, a child that it has forked in the middle, and a fresh one; at a quarter past nine."""
    folder = tmp_path / "tree"
    folder.mkdir()
    parent = Run(folder / "session.jsonl")
    for number in range(4):
        parent.whole_turn(
            f"Which tide comes {number + 1}.?", "High water.", header(f"You keep the book. {number // 2}")
        )
    seed = next(event.seq for event in parent.session.events if event.type == "turn/end") + 1
    child = {"parent_session": parent.session.id, "origin": "subagent", "delegation_depth": 1}
    forked = Run(folder / "session.1.jsonl", seed_length=seed, **child)
    fresh = Run(folder / "session.2.jsonl", **child)
    forked.whole_turn("Which tide comes 1.?", "High water.", header("You keep the book. 0"))
    forked.whole_turn("Look it up.", "At two.", header("You keep the book. 0"))
    fresh.whole_turn("Count the ships.", "Seven.", header("You count."))
    minutes = {"session": [0, 1, 5, 6], "session.1": [0, 3], "session.2": [4]}
    ids = {parent.session.id: "parent", forked.session.id: "forked", fresh.session.id: "fresh"}
    for run in (parent, forked, fresh):
        run.session.close_now()
    for name, sent in minutes.items():
        path, turn, lines = folder / f"{name}.jsonl", -1, []
        for line in path.read_text().splitlines():
            record = json.loads(line)
            turn += record["type"] == "turn/start"
            for key in ("time", "createdAt"):
                if key in record:
                    record[key] = QUARTER_PAST_NINE + 60_000 * sent[max(0, turn)]
            for key in ("id", "parentSession"):
                if record.get(key) in ids:
                    record[key] = ids[record[key]]
            lines.append(json.dumps(record))
        path.write_text("\n".join(lines) + "\n")
    return folder


QUARTER_PAST_NINE = int(time.mktime((2026, 11, 30, 9, 15, 0, 0, 0, -1)) * 1000)


def picture(snap_compare: Any, path: Path, size: tuple[int, int], *keys: str, theme: str = "dark") -> bool:
    subject = LogSubject.open_now(path, path.name)

    async def before(pilot: Any) -> None:
        for track in subject.tracks:
            await asyncio.to_thread(subject._read, track, asyncio.get_running_loop())
        subject.progress = ""
        subject._tell()
        await until(pilot, lambda: pilot.app.place.tab.title == "Session" and pilot.app.place.model.row is not None)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)

    try:
        return bool(snap_compare(WorkbenchApp(subject, theme=theme), terminal_size=size, run_before=before))
    finally:
        subject.close()


@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
@SIZES
def test_session(snap_compare: Any, clock: Path, size: tuple[int, int], theme: str) -> None:
    assert picture(snap_compare, clock, size, theme=theme)


def test_a_declared_change_without_colours(snap_compare: Any, clock: Path) -> None:
    assert picture(snap_compare, clock, (120, 40), "b", theme="mono")


def test_the_exact_request(snap_compare: Any, clock: Path) -> None:
    assert picture(snap_compare, clock, (120, 40), "b", "enter")


def test_little_room(snap_compare: Any, clock: Path) -> None:
    assert picture(snap_compare, clock, (59, 15))


@SIZES
def test_a_tree_is_one_timeline(snap_compare: Any, tree: Path, size: tuple[int, int]) -> None:
    assert picture(snap_compare, tree, size)
