"""Pictures of the place Session: looked at by a person once, compared ever after."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.agent.verdicts import sessions as s
from tests.tui.conftest import settled
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


def picture(snap_compare: Any, path: Path, size: tuple[int, int], *keys: str, theme: str = "dark") -> bool:
    subject = LogSubject.open_now(path, path.name)
    track = subject.tracks[0]

    async def before(pilot: Any) -> None:
        await asyncio.to_thread(subject._read, track, asyncio.get_running_loop())
        subject.progress = ""
        subject._tell()
        for _ in range(400):
            await settled(pilot)
            if pilot.app.place.tab.title == "Session" and pilot.app.place.model.row is not None:
                break
            await asyncio.sleep(0.01)
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)

    try:
        return bool(snap_compare(WorkbenchApp(subject, theme=theme), terminal_size=size, run_before=before))
    finally:
        subject.close()


@pytest.mark.parametrize("theme", ["dark", "light"])
@SIZES
def test_session(snap_compare: Any, clock: Path, size: tuple[int, int], theme: str) -> None:
    assert picture(snap_compare, clock, size, theme=theme)


def test_a_declared_change_without_colours(snap_compare: Any, clock: Path) -> None:
    assert picture(snap_compare, clock, (120, 40), "b", theme="mono")


def test_the_exact_request(snap_compare: Any, clock: Path) -> None:
    assert picture(snap_compare, clock, (120, 40), "b", "enter")


def test_little_room(snap_compare: Any, clock: Path) -> None:
    assert picture(snap_compare, clock, (59, 15))
