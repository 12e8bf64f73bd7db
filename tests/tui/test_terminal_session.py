"""Byte by byte: nothing that a log holds reaches the terminal but as text, in whatever place it is looked at."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.agent.log.building import header
from tests.agent.verdicts import sessions as s
from tests.support.terminal import ESCAPE, Terminal
from tests.tui.test_terminal import EVIL, visible_only, without_copy

pytestmark = [
    pytest.mark.slow,  # what a place draws is looked at in test_any_size.py
    pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"),
]

RUN = """
import sys
from workbench.tui.run import run_workbench
sys.exit(run_workbench(sys.argv[1], name=sys.argv[2]))
"""
TOLD = EVIL.replace("\ud800", "")
"""What can stand in a file."""


def hostile_log(path: Path) -> Path:
    """Every text of its steps wants out."""
    story = s.Story(path)
    bad = s.Section(f"sec {TOLD}", f"text {TOLD}", f"owner {TOLD}")
    story.step([s.IDENTITY])
    story.declare("package", f"package {TOLD} was started", f"owner {TOLD}")
    story.step([bad, s.IDENTITY], [{**s.ALPHA, "name": "t", "description": TOLD}])
    story.step([s.Section(f"sec {TOLD}", f"text {TOLD} again", f"owner {TOLD}"), s.IDENTITY])
    story.run.whole_turn(TOLD, TOLD, header(TOLD * 3, model=TOLD))
    story.run.session.close_now()
    return path


@pytest.mark.timeout(180)
def test_no_byte_of_a_log_steers_the_terminal(tmp_path: Path) -> None:
    log = hostile_log(tmp_path / "hostile.jsonl")
    folders = {f"XDG_{name}_HOME": str(tmp_path) for name in ("CONFIG", "STATE", "DATA")}
    with Terminal(RUN, str(log), "\x1b]0;owned\x07.jsonl", environ=folders) as terminal:
        terminal.wait_for("What happened, step by step?")
        terminal.wait_for("‹ESC›]0;owned‹BEL›")
        terminal.rest()
        for keys in ("\r", "G", "g", "\tG", ESCAPE, "k", "\r", "j\x1b[6~", ESCAPE, "b", "B", "o", ESCAPE, " ", "k"):
            terminal.send(keys)
            terminal.rest(0.1)
        for keys in ("d", "nn", "w", "u", ESCAPE, "p", "Gjj", "m", "<", ">", "2", "3", "j", "\rG", "6", "5", "4"):
            terminal.send(keys)
            terminal.rest(0.1)
        for keys in (":", "owned", ESCAPE, "/", "owned\r", ESCAPE, "S", ESCAPE, "X", ESCAPE, "y", "E", "m", ESCAPE):
            terminal.send(keys)
            terminal.rest(0.15)
        for columns, rows in ((20, 5), (80, 24), (300, 90)):
            terminal.resize(columns, rows)
            terminal.rest(0.2)
        terminal.send("\x11")
        assert terminal.end() == 0
    text = visible_only(without_copy(terminal.received))
    for mark in ("‹ESC›", "‹BEL›", "‹CSI›", "‹RLO›", "‹ZWSP›"):
        assert mark in text
