"""All places, sheets and pickers in one terminal, over data that wants out, while its size and the data change."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.terminal import ESCAPE, Terminal
from tests.tui.test_terminal import visible_only

pytestmark = [
    pytest.mark.slow,  # what a place draws is looked at in test_any_size.py
    pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"),
]

APP = r"""
import asyncio, sys
from pathlib import Path
import tests.support.previews as p
import tests.support.registries as r
import tests.support.teams as teams
import tests.support.traces as t
from tests.tui.test_terminal import EVIL
from workbench.prompt.trace import Change
from workbench.tui.app import WorkbenchApp
from workbench.tui.memory import Memory, Recent

p.HOSTILE_NAME = p.HOSTILE = EVIL
owner = p.Owner(EVIL, 1)
entries = [
    p.entry(EVIL, 1, EVIL, owner, remark=EVIL, layer=EVIL),
    p.entry("long", 2, "x" * 10_000, p.FILES),
    p.entry("wide", 3, "\u65e5\u672c\u8a9e\U0001f469\u200d\U0001f469e\u0301\u05d0\u05d1 " * 300, p.WEB),
]
change = Change("section", EVIL, "changed", EVIL, EVIL + "x", "after next", EVIL)
span = t.span(EVIL, owner, "passed", t.work(1, 2), t.work(2.1, 2.2), error=EVIL, scope=EVIL, changes=(change,))
shown = p.preview(entries, [p.entry(EVIL, 1, EVIL, owner, kind="context")], [p.tool(EVIL, owner, EVIL)],
    [p.variable(EVIL, EVIL)], scope=EVIL)
shown = t.with_listeners(span, preview=shown)
found = p.replace(p.REPEATED, message=EVIL, remedy=EVIL, name=EVIL, owner=owner, scopes=(EVIL,))
registry = r.hostile()
registry = r.replace(registry, registrations=registry.registrations[1:])  # without the joined emoji, which is right
subject = p.FakeSubject(shown, name=EVIL, registered=registry, found=[found], notes=[EVIL],
    scopes=[p.ScopeChoice(EVIL, EVIL), p.ScopeChoice("b", EVIL)],
    team=teams.lived_in(hostile=EVIL.replace("\ud800", "")))

class App(WorkbenchApp):
    BINDINGS = [("f9", "flood"), ("f12", "toast")]
    flooding = None

    def action_flood(self):
        async def flood():
            for number in range(50):
                subject.change(p.replace(shown, sections=shown.sections[: 1 + number % 3]))
                await asyncio.sleep(0.01)
            subject.change(shown)
        self.flooding = asyncio.create_task(flood())

    def action_toast(self):
        async def broken():
            raise ValueError(EVIL)
        self.run_worker(broken(), group="copy", exit_on_error=False)

memory = Memory(Path(sys.argv[1]) / "state.json", recent=[Recent(EVIL, 1.0, EVIL, EVIL)])
app = App(memory=memory, open_file=lambda path: app.show_opening(EVIL) or app.show(subject))
app.run()
"""

QUESTIONS = {
    "2": "How did it come to be?",
    "3": "What is registered, by whom",
    "4": "What happened, step by step?",
    "5": "What was added while it runs",
    "6": "What has the team made of it?",
    "1": "What will the model read?",
}
"""From the first place, which is shown last."""
SHEETS = ":", "s", "c", "o", "f", "F", "S", "X", "?"


@pytest.mark.timeout(180)
def test_no_byte_of_data_steers_the_terminal_wherever_one_goes(tmp_path: Path) -> None:
    themes = tmp_path / "prompt-workbench" / "themes"
    themes.mkdir(parents=True)
    (themes / "\x1b]0;owned\x07\u202e.yaml").write_text('name: "\\e[2J"\nbase: "\x9b31m"\n', "utf-8")
    folders = {f"XDG_{name}_HOME": str(tmp_path) for name in ("CONFIG", "STATE", "DATA")}
    with Terminal(APP, str(tmp_path), environ=folders) as terminal:
        terminal.wait_for("Theme not used")
        terminal.send("\r")
        terminal.wait_for(QUESTIONS["1"])
        terminal.rest()
        for key, question in QUESTIONS.items():
            terminal.send(f"{key}\x1b[20~")  # f9: a plugin floods the registry from here on
            terminal.wait_for(question)
            terminal.resize(20, 5)
            terminal.send("jj\rj\tG")
            terminal.rest(0.05)
            terminal.resize(300, 90)
            terminal.send("k\x1b[6~w")
            terminal.rest(0.05)
            terminal.resize(120, 40)
            terminal.send("/owned\r")
            terminal.rest(0.05)
            terminal.send(ESCAPE)
            terminal.rest(0.2)
        for key in SHEETS:
            terminal.send(key)
            terminal.rest(0.1)
            terminal.send(ESCAPE)
            terminal.rest(0.2)
        terminal.send("\x1b[24~")
        terminal.wait_for("ValueError")
        terminal.send("d")
        terminal.rest(0.2)
        terminal.send("\x11")
        assert terminal.end() == 0
    text = visible_only(terminal.received, joined="\U0001f469\u200d\U0001f469")
    for mark in ("‹ESC›", "‹BEL›", "‹CSI›", "‹RLO›", "‹ZWSP›"):
        assert mark in text
