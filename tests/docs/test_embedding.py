"""The sample program that shows the workbench over its own runtime, in a terminal."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.support.terminal import Terminal, plain

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "sample_configs" / "embedding.py"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_the_screen_follows_a_program_that_goes_on() -> None:
    with Terminal(PROGRAM.read_text("utf-8")) as terminal:
        before = terminal.attributes()
        terminal.wait_for("Turns taken: ")
        terminal.wait_for("progress:turns")
        seen = _turns(terminal)
        while len(_turns(terminal)) < len(seen) + 3:
            terminal.rest(0.05)
        terminal.send("s")
        terminal.wait_for("reviewer")
        terminal.send("rev\r")
        terminal.wait_for("Say what is wrong")
        terminal.send("q")
        assert terminal.end() == 0
        assert terminal.attributes() == before
    assert "The screen is gone, the runtime goes on: True." in plain(terminal.received)


def _turns(terminal: Terminal) -> set[str]:
    return set(re.findall(r"Turns taken: (\d+)\.", plain(terminal.received)))


def test_the_page_shows_the_program() -> None:
    page = (ROOT / "workbench" / "docs" / "embedding.md").read_text("utf-8")
    program = PROGRAM.read_text("utf-8")
    (shown,) = re.findall(r"```python\n(async def look.*?)```", page, re.DOTALL)
    assert shown.strip() in program
