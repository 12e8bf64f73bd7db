"""The workbench as a program on a real file: live, broken, mended, blocked, left."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.support.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

RUN = """
import sys
from workbench.tui.run import run_workbench
sys.exit(run_workbench(sys.argv[1], name="agent.yml", turn_limit=1.0))
"""
FILE = """\
sections:
  - name: team:style
    order: 10
    text: Answer in one paragraph.
"""
LEAVES_ALTERNATE_SCREEN = b"\x1b[?1049l"


def open_file(path: Path) -> Terminal:
    return Terminal(RUN, str(path))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "agent.yml"
    path.write_text(FILE, "utf-8")
    return path


def test_edits_are_followed_and_broken_ones_refused(file: Path) -> None:
    with open_file(file) as terminal:
        terminal.wait_for("Answer in one paragraph.")
        terminal.rest(0.4)
        file.write_text(FILE.replace("one paragraph", "two paragraphs"), "utf-8")
        terminal.wait_for("two paragraphs")
        file.write_text(FILE.replace("sections", "sectionz"), "utf-8")
        terminal.wait_for("last good state stays")
        file.write_text(FILE.replace("one paragraph", "three"), "utf-8")
        terminal.wait_for("three")
        terminal.send("q")
        assert terminal.end() == 0
    assert LEAVES_ALTERNATE_SCREEN in terminal.received


@pytest.mark.parametrize("keys", ["q", "\x11"])
def test_leaving(file: Path, keys: str) -> None:
    with open_file(file) as terminal:
        terminal.wait_for("Answer in one paragraph.")
        terminal.send(keys)
        assert terminal.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_restores_the_terminal_and_is_the_exit_code(file: Path, number: int) -> None:
    with open_file(file) as terminal:
        terminal.wait_for("Answer in one paragraph.")
        os.kill(terminal.pid, number)
        assert terminal.end() == 128 + number
    assert LEAVES_ALTERNATE_SCREEN in terminal.received


def test_a_file_that_is_not_there_is_shown_when_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "agent.yml"
    with open_file(path) as terminal:
        terminal.wait_for("nothing is loaded")
        path.write_text(FILE, "utf-8")
        terminal.wait_for("Answer in one paragraph.")
        terminal.send("q")
        assert terminal.end() == 0


BLOCKER = """
import os, time
name = "blocker"
inject = ("system_prompt",)

def apply(ctx):
    def text(context):
        if os.path.exists({flag!r}):
            {how}
        return "Said by blocker."
    ctx.system_prompt.section("block:section", 20, text)
"""


@pytest.mark.parametrize("how", ["time.sleep(1000)", "while True: pass"])
def test_a_provider_that_blocks_is_interrupted_and_named(file: Path, tmp_path: Path, how: str) -> None:
    flag = tmp_path / "block"
    (tmp_path / "blocker.py").write_text(BLOCKER.format(flag=str(flag), how=how), "utf-8")
    file.write_text(f"{FILE}plugins:\n  - use: blocker.py\n", "utf-8")
    with open_file(file) as terminal:
        terminal.wait_for("Said by blocker.")
        flag.touch()
        terminal.send("r")
        terminal.wait_for("blocked the event loop")
        flag.unlink()
        terminal.send("r")
        terminal.wait_for("Said by blocker.")
        terminal.send("q")
        assert terminal.end() == 0


def test_a_plugin_that_blocks_while_it_loads_fails_alone(file: Path, tmp_path: Path) -> None:
    (tmp_path / "stuck.py").write_text("import time\n\ndef apply(ctx):\n    time.sleep(1000)\n", "utf-8")
    file.write_text(f"{FILE}plugins:\n  - use: stuck.py\n", "utf-8")
    with open_file(file) as terminal:
        terminal.wait_for("1 plugin failed")
        terminal.send("G")
        terminal.wait_for("blocked the event loop")
        terminal.send("q")
        assert terminal.end() == 0


HANGER = """
import asyncio, os
name = "hanger"
inject = ("system_prompt",)

def apply(ctx):
    async def wait_for_ever(assembly, context, next):
        while os.path.exists({flag!r}):
            await asyncio.sleep(0.05)
        return await next()
    ctx.on("system-prompt/assemble", wait_for_ever)
"""


def test_a_listener_that_does_not_return_is_named_and_given_up(file: Path, tmp_path: Path) -> None:
    flag = tmp_path / "hang"
    (tmp_path / "hanger.py").write_text(HANGER.format(flag=str(flag)), "utf-8")
    file.write_text(f"{FILE}plugins:\n  - use: hanger.py\n", "utf-8")
    with open_file(file) as terminal:
        terminal.wait_for("Answer in one paragraph.")
        terminal.rest(0.4)
        flag.touch()
        terminal.send("r")
        terminal.wait_for("waiting for hanger")
        file.write_text(FILE.replace("one paragraph", "peace"), "utf-8")
        terminal.wait_for("in peace.")
        terminal.send("q")
        assert terminal.end() == 0
