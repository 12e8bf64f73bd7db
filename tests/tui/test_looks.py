"""Pictures of the place: looked at by a person once, compared ever after."""

from __future__ import annotations

import time
from typing import Any

import pytest

import tests.support.previews as p
from tests.tui.at_rest import settled
from workbench.config.model import Budgets, PartBudget
from workbench.tui.app import WorkbenchApp
from workbench.tui.memory import Memory, Recent
from workbench.tui.places.start import place as start_place
from workbench.tui.view.edits import Waiting
from workbench.tui.view.entries import PluginTrouble


def picture(snap_compare: Any, app: WorkbenchApp, size: tuple[int, int], *keys: str) -> bool:
    async def before(pilot: Any) -> None:
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)

    return bool(snap_compare(app, terminal_size=size, run_before=before))


@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_prompt(snap_compare: Any, size: tuple[int, int], theme: str) -> None:
    subject = p.FakeSubject(counted=p.in_words)
    assert picture(snap_compare, WorkbenchApp(subject, theme=theme), size, "j")


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_budgets(snap_compare: Any, size: tuple[int, int]) -> None:
    budgets = Budgets(whole=150, runtime_context=26, tools=400, parts=(PartBudget(40, section="tool:bash"),))
    subject = p.FakeSubject(counted=lambda preview: p.in_words(preview, budgets))
    assert picture(snap_compare, WorkbenchApp(subject), size, "j", "j")


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_an_edit_waits(snap_compare: Any, size: tuple[int, int]) -> None:
    sentence = (
        "section tool:bash of bash is changed (plugins/bash.py:41:9); "
        "402 of 1,090 characters of the system text before it stay"
    )
    edits = p.FakeEdits(pending=object(), change=Waiting(sentence))
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(edits=edits, counted=p.in_words)), size)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_findings(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(found=p.FOUND)), size, "f", "j")


@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_start(snap_compare: Any, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], theme: str) -> None:
    """Recent files with their health, and samples with what they teach."""
    teaching = [("coding-agent", "A coding agent with shell, files and a to-do list. The place to begin.")]
    teaching += [(f"sample-{number}", "What it teaches, in a sentence " * number) for number in range(1, 6)]
    monkeypatch.setattr(start_place, "_samples", lambda: teaching)
    now = time.time()
    known = [("/srv/app/agent.yml", now - 7000, "2 errors"), ("waterfall", now - 200_000, "loads")]
    memory = Memory(recent=[Recent(path, when, health=health) for path, when, health in known])
    app = WorkbenchApp(memory=memory, open_file=lambda path: None, theme=theme)
    assert picture(snap_compare, app, size, "j")


def test_before_anything_is_counted(snap_compare: Any) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject()), (120, 40), "j")


@pytest.mark.parametrize("theme", ["contrast", "safe"])
def test_reading(snap_compare: Any, theme: str) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(), theme=theme), (120, 40), "j", "enter", "j")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_failing(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(p.FAILING, edits=p.FakeEdits())), size)


def test_hostile(snap_compare: Any) -> None:
    """Brackets, escapes, direction marks, CJK, joined emoji, a line of 10,000 characters."""
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(p.HOSTILE_PREVIEW)), (120, 40))


def test_empty(snap_compare: Any) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject(p.EMPTY)), (120, 40))


def test_broken_from_the_start(snap_compare: Any) -> None:
    problems = [
        'coding-agent.yml:14:3: unknown key "tols" under "agent"; did you mean "tools"?',
        "coding-agent.yml:20:12: a text was expected, braces without quotes are a mapping; quote it",
    ]
    subject = p.FakeSubject(p.EMPTY, is_loaded=False, problems=problems)
    assert picture(snap_compare, WorkbenchApp(subject, theme="light"), (100, 30))


def test_tool_and_plugins(snap_compare: Any) -> None:
    troubles = [
        PluginTrouble(p.BASH, "failed", "ValueError: no shell here"),
        PluginTrouble(p.WEB, "waiting", "pending (waits for network)"),
    ]
    subject = p.FakeSubject(troubles=troubles)
    assert picture(snap_compare, WorkbenchApp(subject), (120, 40), "G", *["k"] * 7)


def test_find(snap_compare: Any) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject()), (80, 24), "slash", *"read")


def test_palette(snap_compare: Any) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject()), (120, 40), "ctrl+p", "r", "e")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_help(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject()), size, "question_mark")


def test_one_pane(snap_compare: Any) -> None:
    assert picture(snap_compare, WorkbenchApp(p.FakeSubject()), (60, 16), "j")
