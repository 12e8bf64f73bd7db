"""Byte by byte: nothing of what is compared reaches the terminal as anything but visible text."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.support.terminal import ESCAPE, SEQUENCE, Terminal, plain
from tests.tui.test_terminal import HIDDEN, POINTER_SHAPE

pytestmark = [
    pytest.mark.slow,  # what a place draws is looked at in test_any_size.py
    pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"),
]

APP = """
import json
import tests.support.previews as p
from workbench.tui.app import WorkbenchApp
from tests.tui.test_terminal import EVIL

owner = p.Owner(EVIL, 1)
evil = lambda text, kind="section": p.entry(EVIL, 1, text, owner, kind=kind, source=p.TextSource(EVIL, 1, 1))
tool = lambda value: p.tool(EVIL, owner, EVIL + value, json.dumps({EVIL: {EVIL: value + EVIL}}, indent=2))
previews = [
    p.preview([evil(EVIL + word)], [evil(word + EVIL, "context")], [tool(word)], [p.variable(EVIL, EVIL)])
    for word in ("before", "after")
]
subject = p.FakeSubject(previews[0], name=EVIL, scopes=[p.ScopeChoice(EVIL, EVIL), p.ScopeChoice("b", EVIL)])

class App(WorkbenchApp):
    BINDINGS = [("f5", "another")]
    def action_another(self):
        subject.change(previews[1])
App(subject, name=EVIL).run()
"""


def test_no_byte_of_a_comparison_steers_the_terminal(tmp_path: Path) -> None:
    with Terminal(APP, environ={"XDG_DATA_HOME": str(tmp_path)}) as terminal:
        terminal.wait_for("before")
        terminal.send("\x1b[15~d")
        terminal.wait_for("The prefix breaks")
        for keys in ("j", "\r", "n", "n", "b", "G", "w", "u", "u", "x", "x"):
            terminal.send(keys)
            terminal.rest(0.1)
        for keys in ("l", "b", ESCAPE, "m", ESCAPE, "r", "\x1b[200~/no/\x1b]0;owned\x07file\x1b[201~"):
            terminal.send(keys)
            terminal.rest(0.25)
        terminal.send("\r")
        terminal.wait_for("cannot be had")
        terminal.send("\x11")
        assert terminal.end() == 0
    received = POINTER_SHAPE.sub(b"", terminal.received)
    assert b"\x1b]" not in received, "neither title nor clipboard"
    for sequence in set(SEQUENCE.findall(received)):
        assert sequence not in {b"\x1b[31m", b"\x1b[2J", b"\x1b\\"}, sequence
    text = plain(received)
    left = {character for character in text if character in HIDDEN} - {"\r", "\n"}
    assert not left, sorted(map(hex, map(ord, left)))
    assert not re.search(r"\x1b", text)
    for mark in ("‹ESC›", "‹BEL›", "‹CSI›", "‹RLO›", "‹ZWSP›", "‹CR›", "‹NUL›", "‹DEL›"):
        assert mark in text
