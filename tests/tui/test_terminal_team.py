"""The place Team byte by byte: no text, name, rule, draft or error of a team steers the terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.terminal import Terminal
from tests.tui.test_terminal import visible_only

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

APP = """
from datetime import UTC, datetime
import tests.support.previews as p
from tests.support.teams import HandTeam
from tests.tui.test_terminal import EVIL
from workbench.team.config import Base, Override, Policy, Rule, Skill, TeamConfig
from workbench.team.drafts import Draft, DraftFolder
from workbench.tui.app import WorkbenchApp

EVIL = EVIL.replace("\\ud800", "")  # half of a character: nothing can store it
team = HandTeam()
team.label = EVIL.replace("\\0", "")
start = team.versions[0].config
for number in (1, 2):
    evil = f"{number} {EVIL}\\n{EVIL}"
    over = Override(text=evil, base=Base(sha256="0" * 64, text=f"then {EVIL}"))
    config = TeamConfig(
        sections=start.sections.model_copy(update={"communication": evil}),
        skills=(Skill(name=EVIL, description=evil, content=evil),),
        overrides={"runtime/shared": over, EVIL: over},
        policy=Policy(accept_mode=EVIL, rules=(Rule(id=EVIL, name=evil, instruction=evil, enabled=True),)),
    )
    team._store(config, datetime(2026, 5, number, tzinfo=UTC), "panel", None)
team.save_error = EVIL
draft = Draft(2).with_override("runtime/shared", f"draft {EVIL}", "0" * 64)
DraftFolder().keep(team.label, draft)
WorkbenchApp(p.FakeSubject(team=team), name="ok").run()
"""


@pytest.mark.slow  # what a place draws is looked at in test_any_size.py
def test_no_byte_of_a_team_steers_the_terminal(tmp_path: Path) -> None:
    with Terminal(APP, environ={"XDG_STATE_HOME": str(tmp_path)}) as terminal:
        terminal.wait_for("will the model read")
        terminal.rest()
        terminal.send("6")
        terminal.wait_for("Parts")
        terminal.rest()
        for keys in (
            "d",
            "d",
            "d",
            "b",
            "w",
            "p",
            "o",
            "\x1b",
            "e",
            "x",
            "\x1bOS",
            "\x1b",
            "G",
            "t",
            "e",
            "\t",
            "\x1b",
        ):
            terminal.send(keys)
            terminal.rest(0.25)  # a lone escape key is known by the pause behind it
        for keys in ("h", "\x1b[B", "m", "\x1b[B", "r", "n", "\x1b", "?", "\x1b", ":", "\x1b"):
            terminal.send(keys)
            terminal.rest(0.25)
        terminal.send("\x11")
        assert terminal.end() == 0
    text = visible_only(terminal.received)
    for mark in ("‹ESC›", "‹BEL›", "‹CSI›"):
        assert mark in text
    assert "?[31mred" in text, "the editor shows something in the place of each"


TYPING = """
import tests.support.previews as p
from tests.support.teams import HandTeam
from workbench.tui.app import WorkbenchApp
WorkbenchApp(p.FakeSubject(team=HandTeam()), name="ok").run()
"""


def test_a_draft_outlives_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed while a text is typed: what stood on the screen a moment before is there."""
    from workbench.team.drafts import DraftFolder

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with Terminal(TYPING, environ={"XDG_STATE_HOME": str(tmp_path)}) as terminal:
        terminal.wait_for("will the model read")
        terminal.rest()
        terminal.send("6")
        terminal.wait_for("Parts")
        terminal.rest()
        terminal.send("e")
        terminal.wait_for("editing")
        terminal.send("never lost")
        terminal.wait_for("1:11")
        terminal.rest(0.5)
    draft = DraftFolder().load("team.db")
    assert draft is not None
    text = draft.overrides["runtime/shared"]["text"]  # type: ignore[index]
    assert text.startswith("never lost#")
    assert draft.places == {"part runtime/shared": (0, 10)}
