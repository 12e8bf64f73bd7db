"""The start screen: what can be opened, and what is said when it cannot."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.driving import Driven
from workbench.config.samples import find_sample
from workbench.tui.app import WorkbenchApp
from workbench.tui.memory import Memory, Recent
from workbench.tui.opener import Opener
from workbench.tui.view.pieces import width_of
from workbench.tui.view.start import ago, start_rows

FILE = "sections:\n  - name: a\n    order: 1\n    text: Answer in one paragraph.\n"


class Start(Driven):
    def __init__(self, pilot: Pilot[int], memory: Memory) -> None:
        super().__init__(pilot)
        self.memory = memory


@asynccontextmanager
async def start(memory: Memory | None = None, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Start]:
    memory = memory or Memory()
    app = WorkbenchApp(memory=memory, open_file=lambda path: opener.open(path))
    opener = Opener(app)
    async with app.run_test(size=size) as pilot:
        import asyncio

        opening = asyncio.create_task(opener.run())
        screen = Start(pilot, memory)
        await screen.until_shown("Samples")
        yield screen
        opening.cancel()
        await asyncio.gather(opening, return_exceptions=True)


async def test_a_sample_is_opened_and_remembered() -> None:
    async with start() as screen:
        assert "coding-agent" in screen.text()
        await screen.press("slash", *"coding-agent", "enter")
        await screen.until_shown("What will the model read?")
        await screen.until_shown("1 Prompt")
        assert [each.path for each in screen.memory.recent] == ["coding-agent"]
        await screen.press("O")
        await screen.until_shown("Recent")
        await screen.press("home")
        assert screen.pilot.app.screen.choices.chosen.choice.path == "coding-agent"  # type: ignore[attr-defined]


async def test_one_file_after_another(tmp_path: Path) -> None:
    first, second = tmp_path / "first.yml", tmp_path / "second.yml"
    first.write_text(FILE)
    second.write_text(FILE.replace("paragraph", "sentence"))
    memory = Memory(recent=[Recent(str(first), 0.0), Recent(str(second), 0.0)])
    async with start(memory) as screen:
        await screen.press("enter")
        await screen.until_shown("Answer in one paragraph.")
        await screen.press("O")
        await screen.until_shown("Recent")
        await screen.press("home", "down", "enter")
        await screen.until_shown("Answer in one sentence.")
        assert memory.recent[0].path == str(second)
        assert memory.recent[1].health == "loads"


async def test_a_file_that_is_not_there_is_named_with_what_is_near() -> None:
    async with start() as screen:
        await screen.press("slash", *"coding-agnt", "enter")
        await screen.until_shown("coding-agnt: there is no such file or sample")
        await screen.press("escape", "down")
        assert screen.pilot.app.screen.focused.id == "choices"  # type: ignore[union-attr]


async def test_a_first_file_is_written_and_opened_and_none_is_written_over(tmp_path: Path) -> None:
    async with start() as screen:
        path = tmp_path / "mine.yml"
        await screen.press("n")
        screen.pilot.app.screen.query_one("#path").value = str(path)  # type: ignore[attr-defined]
        await screen.press("enter")
        await screen.until_shown("You are a careful assistant")
        path.write_text(FILE)
        await screen.press("O", "n")
        screen.pilot.app.screen.query_one("#path").value = str(path)  # type: ignore[attr-defined]
        await screen.press("enter")
        await screen.until_shown("is there already")
        assert path.read_text() == FILE


async def test_a_file_can_be_forgotten() -> None:
    memory = Memory(recent=[Recent("/srv/gone.yml", 0.0, health="2 errors")])
    async with start(memory) as screen:
        assert "× 2 errors" in screen.text()
        await screen.press("delete")
        assert "gone.yml" not in screen.text()
        assert memory.recent == []


@pytest.mark.parametrize("width", [20, 40, 78, 92])
def test_rows_fit_their_width(width: int) -> None:
    recent = [Recent("/home/x/" + "名" * 60 + "\x1b[31m.yml", 0.0, health="3 errors"), Recent("/srv/a.yml", 5.0)]
    rows = start_rows(recent, [("sample" * 9, "what it shows, " * 9)], width, 200_000.0, "/home/x")
    assert all(width_of(row.line) <= max(width, 46) for row in rows)
    assert not any("\x1b" in piece.text for row in rows for piece in row.line)


def test_how_long_ago() -> None:
    assert [ago(seconds) for seconds in (0, 61, 7_300, 90_000)] == [
        "just now",
        "1 minute ago",
        "2 hours ago",
        "1 day ago",
    ]


async def test_escape_goes_back_to_what_is_open() -> None:
    async with start() as screen:
        await screen.press("escape")
        assert "esc back" not in screen.text()  # there is nothing yet to go back to
        await screen.press("slash", *"waterfall", "enter")
        await screen.until_shown("tides:sources")
        await screen.press("3", "O")
        await screen.until_shown("esc back")
        await screen.press("slash", "x", "escape")
        await screen.until_shown("path or name")
        await screen.press("escape")
        await screen.until_shown("What is registered, by whom")


async def test_a_newcomer_begins_with_the_sample_to_begin_with() -> None:
    async with start() as screen:
        assert screen.pilot.app.screen.choices.chosen.choice.path == "coding-agent"  # type: ignore[attr-defined]


async def test_a_sample_is_remembered_once_however_it_was_named() -> None:
    sample = find_sample("takeover")
    assert sample is not None
    async with start(Memory(recent=[Recent("takeover", 0.0)])) as screen:
        await screen.press("slash", *str(sample), "enter")
        await screen.until_shown("What will the model read?")
        await screen.until_shown("live")
        assert [each.path for each in screen.memory.recent] == ["takeover"]
