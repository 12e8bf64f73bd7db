"""The terminal's input: what is typed arrives, and nothing wakes up while nothing is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

APP = """
from textual.events import Key
from workbench.tui.app import WorkbenchApp

class App(WorkbenchApp):
    BINDINGS = [("f9", "away")]
    async def on_event(self, event):
        if isinstance(event, Key):
            self._driver.write(f"\\x1b[1;1H<{event.key}:{event.character!a}>")
        await super().on_event(event)
    def action_away(self):
        with self.suspend():
            print("AWAY", flush=True)
app = App()
print("ended with", app.run())
"""


def woken(pid: int) -> int:
    """How often the threads of a process have waited and gone on."""
    statuses = [each.read_text() for each in Path(f"/proc/{pid}/task").glob("*/status")]
    return sum(int(each.partition("\nvoluntary_ctxt_switches:")[2].split()[0]) for each in statuses)


def test_keys_arrive_whatever_comes_between() -> None:
    with Terminal(APP) as terminal:
        terminal.wait_for("Prompt")
        for typed, seen in (
            (b"j", "<j:'j'>"),
            (b"\x1b", "<escape:"),  # a lone one is known by the pause behind it
            (b"\x1b[B", "<down:None>"),
            ("é".encode()[:1], ""),
            ("é".encode()[1:], r":'\xe9'>"),
            (b"\xff", r":'\ufffd'>"),
            (b"k", "<k:'k'>"),
            (b"\x1b[20~", "AWAY"),
            (b"x", "<x:'x'>"),
        ):
            terminal.send_bytes(typed)
            if seen:
                terminal.wait_for(seen)
        terminal.send("\x11")
        terminal.wait_for("ended with")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts what Linux says of threads")
def test_nothing_wakes_up_while_nobody_touches_it() -> None:
    with Terminal(APP) as terminal:
        terminal.wait_for("Prompt")
        while terminal.read(2.0):
            pass
        before = woken(terminal.pid)
        assert terminal.read(3.0) == b""
        assert woken(terminal.pid) - before < 15  # thirty with a driver that looks ten times a second
        terminal.send("j")
        terminal.wait_for("<j:'j'>")
