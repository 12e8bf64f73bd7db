"""Byte by byte, in the place Trace: names, owners, errors, files and texts of listeners."""

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
import tests.support.traces as t
from tests.tui.test_terminal import EVIL
from workbench.prompt.source import TextSource
from workbench.prompt.trace import Change
from workbench.tui.app import WorkbenchApp

owner = p.Owner(EVIL, 1)
texts = [("section", "changed", EVIL, EVIL + "x"), ("tool", "added", None, '{"' + EVIL + '":1}'),
    ("variable", "removed", EVIL, None), ("context", "moved", EVIL, EVIL)]
changes = tuple(Change(kind, EVIL, action, old, new, "after next", EVIL) for kind, action, old, new in texts)
def span(outcome, *work, **fields):
    made = t.span(EVIL, owner, outcome, *work, error=EVIL, scope=EVIL, **fields)
    return p.replace(made, source=TextSource(EVIL, 1, 1))
entries = [p.entry(EVIL, 1, (EVIL + " which is said two times in this one prompt here. ") * 2, owner, remark=EVIL)]
passed = span("passed", t.work(1, 2), t.work(2.1, 2.2), changes=changes)
shown = t.with_listeners(passed, span("raised", t.work(1, 2)),
    span("short-circuited", t.work(1, 2)), missed=(span("not reached"),), preview=p.preview(entries, scope=EVIL))
failed = p.replace(t.RAISED, trace=p.replace(t.RAISED.trace, error=EVIL, scope=EVIL), failures=tuple(
    p.replace(each, message=EVIL, name=EVIL, owner=owner) for each in t.RAISED.failures))
subject = p.FakeSubject(shown, name=EVIL, scopes=[p.ScopeChoice(EVIL, EVIL)])

class App(WorkbenchApp):
    BINDINGS = [("f6", "failing")]
    def action_failing(self):
        subject.change(failed)
App(subject, name=EVIL).run()
"""


def test_no_byte_of_a_trace_steers_the_terminal() -> None:
    with Terminal(APP) as terminal:
        terminal.wait_for("Prompt")
        terminal.rest()
        terminal.send("2")
        terminal.wait_for("never ran")
        for keys in (
            "gjjj",
            "j",
            "\r",
            "jjjjjjjj",
            "G",
            "h",
            "jjj",
            "\r",
            "h",
            "G",
            "/red\r",
            "n",
            "a",
            "\r",
            "o",
            "2",
        ):
            terminal.send(keys)
            terminal.rest(0.15)
        terminal.send("\x1b[17~")
        terminal.wait_for("failed here")
        for keys in (":", "x", ESCAPE, "\x11"):
            terminal.send(keys)
            terminal.rest(0.25)
        assert terminal.end() == 0
    text = visible_only(terminal.received)
    for mark in ("‹ESC›", "‹BEL›", "‹CSI›", "‹RLO›", "‹NUL›"):
        assert mark in text
