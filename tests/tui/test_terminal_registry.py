"""The place Registry byte by byte: no name, layer, owner, reason, file or residue steers the terminal."""

from __future__ import annotations

import sys

import pytest

from tests.support.terminal import ESCAPE, Terminal
from tests.tui.test_terminal import visible_only

pytestmark = [
    pytest.mark.slow,  # what a place draws is looked at in test_any_size.py
    pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"),
]

APP = """
import tests.support.previews as p
import tests.support.registries as r
from tests.tui.test_terminal import EVIL
from workbench.config.registry.facts import *
from workbench.tui.app import WorkbenchApp

p.HOSTILE_NAME = p.HOSTILE = EVIL
left = Outcome("stop", EVIL, (Left(EVIL, EVIL),), EVIL, r.AT)
ledger = (LedgerEntry(EVIL, (LedgerEntry(EVIL),)),)
registry = r.hostile()
registry = r.replace(registry, registrations=registry.registrations[1:])  # without the joined emoji, which is right
subject = p.FakeSubject(registered=registry, outcome=left, ledgers={9: ledger, 0: ledger, 10: ledger})
WorkbenchApp(subject, name="ok").run()
"""


def test_no_byte_of_data_steers_the_terminal() -> None:
    with Terminal(APP) as terminal:
        terminal.wait_for("will the model read")
        terminal.rest()
        terminal.send("3")
        terminal.wait_for("registrations")
        terminal.rest()
        for keys in ("jjj", "jjj", "jj", "\t", " ", "G", "\t", "g", "g", "g", "o", "R", "n", "x", "n", "G"):
            terminal.send(keys)
            terminal.rest(0.1)
        for keys in ("/", "owned\r", ESCAPE, ":", ESCAPE, "?", ESCAPE):
            terminal.send(keys)
            terminal.rest(0.25)
        terminal.send("\x11")
        assert terminal.end() == 0
    text = visible_only(terminal.received)
    for mark in ("‹ESC›", "‹BEL›", "‹CSI›"):
        assert mark in text
