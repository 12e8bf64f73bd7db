"""However the workbench ends: the terminal is as it was, plugins were stopped, the exit code says why."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.support.terminal import SEQUENCE, Terminal, plain

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

RUN = """
import sys
from workbench.tui import app, run
run.CLOSING_SECONDS = float(sys.argv[2])
class App(app.WorkbenchApp):
    BINDINGS = [("f6", "widget"), ("f7", "worker"), ("f8", "report")]
    def action_widget(self):
        def broken(y): raise ValueError("drawn \\x1b]0;owned\\x07 wrongly")
        self.place.prompt_text.render_line = broken
        self.place.prompt_text.refresh()
    def action_worker(self):
        async def broken(): raise ValueError("worked wrongly")
        self.run_worker(broken())
run.WorkbenchApp = App
sys.exit(run.run_workbench(sys.argv[1], name="agent.yml"))
"""
PLUGIN = """
import asyncio, os
name = "tidy"
inject = ("system_prompt",)

def apply(ctx):
    ctx.system_prompt.section("tidy:section", 20, "Said by tidy.")
    async def work():
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            open({gone!r}, "a").write("task ")
    task = asyncio.get_running_loop().create_task(work())
    async def undo():
        task.cancel()
        await asyncio.wait({{task}})
        open({gone!r}, "a").write("disposed")
    ctx.effect(lambda: undo)
"""
SWITCHED_ON = re.compile(rb"\x1b\[\?(\d+)h")
SWITCHED_OFF = re.compile(rb"\x1b\[\?(\d+)l")
CURSOR = b"25"
ALTERNATE_SCREEN = b"1049"


class World:
    def __init__(self, folder: Path) -> None:
        self.gone = folder / "gone"
        self.file = folder / "agent.yml"
        (folder / "tidy.py").write_text(PLUGIN.format(gone=str(self.gone)), "utf-8")
        self.file.write_text("plugins:\n  - use: tidy.py\n", "utf-8")

    def open(self, closing_seconds: float = 30) -> Terminal:
        return Terminal(RUN, str(self.file), str(closing_seconds))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def assert_restored(terminal: Terminal, before: list[object]) -> None:
    """Termios as before, every mode that was switched on is off again, and the cursor is there."""
    assert terminal.attributes() == before
    last: dict[bytes, bool] = {}
    for match in re.finditer(rb"\x1b\[\?(\d+)([hl])", terminal.received):
        last[match[1]] = match[2] == b"h"
    assert last.pop(CURSOR) is True
    assert last.pop(b"7", True) is True, "lines wrap"
    left_on = {mode for mode, is_on in last.items() if is_on}
    assert not left_on
    assert b"\x1b[?1049l" in terminal.received
    kitty = re.findall(rb"\x1b\[([<>])\d*u", terminal.received)
    assert kitty.count(b">") == kitty.count(b"<"), "the keyboard protocol is popped"


def run_and_end(world: World, end: object, code: int, *, said: str = "") -> Terminal:
    with world.open() as terminal:
        before = terminal.attributes()
        terminal.wait_for("Said by tidy.")
        terminal.rest()
        assert callable(end)
        end(terminal)
        assert terminal.end() == code
        assert_restored(terminal, before)
    assert world.gone.read_text("utf-8") == "task disposed", "stopped to quiescence"
    behind = plain(terminal.received[terminal.received.rindex(b"\x1b[?1049l") :])
    assert said in behind
    if not said:
        assert not behind.strip()
    return terminal


@pytest.mark.parametrize("keys", ["q", "\x11"])
def test_a_person_leaves(world: World, keys: str) -> None:
    run_and_end(world, lambda terminal: terminal.send(keys), 0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal(world: World, number: signal.Signals) -> None:
    run_and_end(world, lambda terminal: os.kill(terminal.pid, number), 128 + number)


def test_a_signal_while_a_sheet_lies_on_top(world: World) -> None:
    def end(terminal: Terminal) -> None:
        terminal.send("?")
        terminal.wait_for("Help for Prompt")
        os.kill(terminal.pid, signal.SIGTERM)

    run_and_end(world, end, 143)


def test_the_terminal_goes_away(world: World) -> None:
    with world.open() as terminal:
        terminal.wait_for("Said by tidy.")
        terminal.rest()
        assert terminal.hang_up() == 128 + signal.SIGHUP
    assert world.gone.read_text("utf-8") == "task disposed"


def test_an_error_in_a_widget_is_ours_and_said_below(world: World) -> None:
    terminal = run_and_end(world, lambda terminal: terminal.send("\x1b[17~"), 3, said="this is a defect")
    behind = terminal.received[terminal.received.rindex(b"\x1b[?1049l") :]
    assert "ValueError: drawn ‹ESC›]0;owned‹BEL› wrongly" in " ".join(plain(behind).split())
    assert b"\x1b]" not in re.sub(rb"\x1b\]22;[a-z-]+\x07", b"", behind)


def test_an_error_in_a_worker_is_ours_too(world: World) -> None:
    run_and_end(world, lambda terminal: terminal.send("\x1b[18~"), 3, said="worked wrongly")


def test_a_signal_before_the_file_is_open(world: World) -> None:
    """Python itself may be ended before there are handlers: then there is no screen to restore either."""
    with world.open() as terminal:
        before = terminal.attributes()
        terminal.wait_for("1 Prompt")
        os.kill(terminal.pid, signal.SIGTERM)
        assert terminal.end() == 143
        assert_restored(terminal, before)


STUBBORN = """
import asyncio
name = "stubborn"

def apply(ctx):
    async def undo():
        while True:
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                pass
    ctx.effect(lambda: undo)
"""


def test_a_plugin_that_does_not_stop_cannot_keep_the_process(world: World, tmp_path: Path) -> None:
    (tmp_path / "stubborn.py").write_text(STUBBORN, "utf-8")
    world.file.write_text("plugins:\n  - use: tidy.py\n  - use: stubborn.py\n", "utf-8")
    with world.open(closing_seconds=0.5) as terminal:
        before = terminal.attributes()
        terminal.wait_for("Said by tidy.")
        terminal.send("q")
        assert terminal.end() == 1
        assert_restored(terminal, before)
    assert "plugins did not stop within" in plain(terminal.received)


GREEDY = """
import asyncio
name = "greedy"
inject = ("system_prompt",)

def apply(ctx):
    async def hold(assembly, context, next):
        while True:
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                pass
    ctx.on("system-prompt/assemble", hold)
"""


def test_a_listener_that_takes_no_cancellation_cannot_keep_the_screen(world: World, tmp_path: Path) -> None:
    (tmp_path / "greedy.py").write_text(GREEDY, "utf-8")
    world.file.write_text("plugins:\n  - use: greedy.py\n", "utf-8")
    with world.open(closing_seconds=0.5) as terminal:
        before = terminal.attributes()
        terminal.wait_for("waiting for greedy")  # the first assembly, too
        terminal.send("q")
        assert terminal.end() == 1
        assert_restored(terminal, before)


EDITOR = """#!/bin/sh
stty -a > {folder}/stty
echo "$@" > {folder}/arguments
printf 'EDITOR IS HERE'
read line
sed -i 's/paragraph/PARAGRAPH/' {folder}/agent.yml
"""


def test_the_editor_gets_the_terminal_and_what_it_wrote_is_shown(tmp_path: Path) -> None:
    file, editor = tmp_path / "agent.yml", tmp_path / "vi"
    text = "sections:\n  - name: team:style\n    order: 10\n    text: |\n      One.\n      Two paragraphs.\n"
    file.write_text(text, "utf-8")
    editor.write_text(EDITOR.format(folder=tmp_path), "utf-8")
    editor.chmod(0o755)
    with Terminal(RUN, str(file), "30", environ={"VISUAL": str(editor)}) as terminal:
        before = terminal.attributes()
        terminal.wait_for("Two paragraphs.")
        terminal.rest()
        for keys in ("jj", "\r", "j"):
            terminal.send(keys)
            terminal.rest(0.5)
        terminal.send("E")
        terminal.wait_for("EDITOR IS HERE")
        during = terminal.received[terminal.received.rindex(b"\x1b[?1049l") :]
        assert plain(during).strip() == "EDITOR IS HERE"
        os.kill(terminal.pid, signal.SIGINT)  # as ctrl+c in the editor does: it is meant for the editor alone
        file.write_text(file.read_text("utf-8").replace("One", "Three"), "utf-8")  # the runtime goes on, unseen
        time.sleep(1)
        terminal.rest()
        assert plain(terminal.received[terminal.received.rindex(b"EDITOR IS HERE") :]).strip() == "EDITOR IS HERE"
        terminal.send("\r")
        terminal.wait_for("Two PARAGRAPHs.")
        terminal.send("q")
        assert terminal.end() == 0
        assert_restored(terminal, before)
    assert (tmp_path / "arguments").read_text("utf-8").split() == ["+6", str(file)]
    assert " icanon" in (tmp_path / "stty").read_text("utf-8")
    assert not [sequence for sequence in SEQUENCE.findall(terminal.received) if sequence.startswith(b"\x1b]52")]
