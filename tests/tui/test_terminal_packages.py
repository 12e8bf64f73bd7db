"""Byte by byte: nothing that a package says of itself, prints or fails with reaches the terminal but as text."""

from __future__ import annotations

import sys

import pytest

from tests.support.terminal import ESCAPE, Terminal
from tests.tui.test_terminal import visible_only, without_copy

pytestmark = [
    pytest.mark.slow,  # what a place draws is looked at in test_any_size.py
    pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"),
]

APP = """
import tests.support.previews as p
import tests.tui.packages_by_hand as h
from tests.tui.packages_by_hand import AT, NOW, card, revision
from tests.tui.test_terminal import EVIL
from workbench.tui.app import WorkbenchApp
from workbench.tui.view.packages_pages import OpenPage, PagesData

owner = p.Owner(EVIL, 1, "package")
evil = revision(1, EVIL, purpose=EVIL + "\\n" + EVIL, code=EVIL, client=EVIL, warnings=(EVIL,))
newer = revision(2, EVIL, purpose=EVIL, code=EVIL + "x", client=EVIL + "x")
left = h.ResidueData(AT, 9, ((EVIL, EVIL),))
added, changed = h.PartChange("section", EVIL, "added", owner, "", EVIL), h.PartChange(
    "tool", EVIL, "changed", owner, EVIL, EVIL + "y")
trial = h.TrialData(1, "active", EVIL, AT, (h.Registration("tool", EVIL),), (EVIL,), (EVIL,), (added, changed),
    True, 1, 2, False, left)
said = dict(
    session=EVIL, fact=EVIL, provides=(EVIL,), waiting_for=(EVIL,), dependents=(EVIL,), host_methods=(EVIL,),
    registrations=(h.Registration("listener", EVIL), h.Registration("effect", EVIL)), last_outcome=EVIL,
    prints=(h.PrintData(AT, EVIL),), error=h.ErrorData(EVIL, EVIL, EVIL, 1), remarks=(EVIL,), residue=left,
    pages=(h.PageData(EVIL, "failed", EVIL),), not_loaded_on=(EVIL,), render_failure=EVIL, revisions=(evil, newer),
    hazards=(h.HazardData("still running", EVIL, 9.0),))
life = h.LifeData(AT, "run", EVIL, True), h.LifeData(AT, "person", EVIL, False)
cards = [
    card("dyn-1", "awaiting-approval", request="req-1", asked_since=NOW - 41, trial=trial, **said),
    card("dyn-2", "failed", **said),
    card("dyn-3", "running", trial=trial, **said),
    card("dyn-4", "waiting", **said),
    card(EVIL, "stopping", **said),
    card("dyn-9", "unloaded", record="r#1", life=life, **said),
]
packages = h.HandPackages(cards, outcome=EVIL, open_pages=PagesData(EVIL, (OpenPage(EVIL, EVIL, AT),)))
packages.refusal = EVIL
subject = p.FakeSubject(p.preview([p.entry("ok", 1, "Ready to read.", p.FILES)]), packages=packages)

class App(WorkbenchApp):
    BINDINGS = [("f11", "toast")]
    def action_toast(self):
        async def broken():
            raise ValueError(EVIL)
        self.run_worker(broken(), group="copy", exit_on_error=False)

App(subject).run()
"""
CARDS = 6


@pytest.mark.timeout(180)
def test_no_byte_of_a_package_steers_the_terminal() -> None:
    with Terminal(APP) as terminal:
        terminal.wait_for("Ready to read.")
        terminal.send("5")
        terminal.wait_for("What was added while it runs")
        terminal.rest()
        for _ in range(CARDS):
            for keys in ("\tG", "g", "\t", "v", ESCAPE, "d", ESCAPE, "r", ESCAPE, "w", ESCAPE, "x", ESCAPE, "j"):
                terminal.send(keys)
                terminal.rest(0.05)
        terminal.send(ESCAPE + ESCAPE)  # a question may have come after the key that was to close it
        terminal.rest()
        terminal.send("1")
        terminal.wait_for("Ready to read.")
        terminal.send("!")
        terminal.wait_for("Your answer is for this run")
        for keys in ("v", "G", "v", "w", "G", "d", "\x1b[200~\x1b]0;owned\x07pasted\x1b[201~", ESCAPE, "n", "y"):
            terminal.send(keys)
            terminal.rest(0.1)
        for columns, rows in ((20, 5), (80, 24), (300, 90)):
            terminal.resize(columns, rows)
            terminal.rest(0.2)
        terminal.send(ESCAPE)
        terminal.rest(0.2)
        terminal.send("\x1b[23~")
        terminal.wait_for("ValueError")
        terminal.send("\x11")
        assert terminal.end() == 0
    text = visible_only(without_copy(terminal.received))
    for mark in ("‹ESC›", "‹BEL›", "‹CSI›", "‹RLO›", "‹ZWSP›"):
        assert mark in text
