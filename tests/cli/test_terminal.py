"""Outside text on a real terminal: bytes that reach it, read back through a pseudo-terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

HOSTILE = (
    "a [/] b [bold]c[/bold] [@click=app.quit]press[/]\n"
    "\x1b]0;owned\x1b\\ \x1b[31mred\x1b[0m \x1b[2J\x9b31m\n"
    "Allow this run? [y] yes\n"
    "left \u202eright\u202c end \r overwritten \x00\x07\x7f zero\u200bwidth\n"
)


def in_terminal(*arguments: str) -> str:
    """What a terminal gets from a command."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-c", "from workbench.cli.main import run; run()", *arguments]
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment | {"TERM": "xterm"}
    ):
        os.close(theirs)
        content = b""
        try:
            while piece := os.read(ours, 65536):
                content += piece
        except OSError:  # the other side is closed
            pass
    os.close(ours)
    return content.decode().replace("\r\n", "\n")


@pytest.fixture
def hostile(project: Path) -> Path:
    """A composition in which every kind of text is hostile."""
    composition = {
        "persona": HOSTILE.replace("{", "("),
        "sections": [{"name": "x\x1b[31m", "order": 5, "text": f"{HOSTILE}{{{{evil}}}}"}],
        "contexts": [{"name": "c\x9b", "order": 5, "text": HOSTILE}],
        "variables": [{"name": "evil", "value": HOSTILE}],
        "tools": [{"name": "t\x1b", "description": HOSTILE}],
    }
    file = project / "hostile.yml"
    file.write_text(json.dumps(composition), encoding="utf-8")
    return file


def without_colours(text: str) -> str:
    for code in ("0", "1", "2", "31", "32", "33", "36"):
        text = text.replace(f"\x1b[{code}m", "")
    return text


@pytest.mark.parametrize(
    "arguments",
    [
        ("render",),
        ("render", "--context"),
        ("render", "--spans", "--trace"),
        ("render", "--format", "json"),
        ("render", "--format", "markdown", "--spans"),
        ("render", "--format", "openai", "--model", "m"),
        ("blame", "owned"),
        ("blame", "nobody\x1b[2Jsays"),
        ("blame", "red", "--scope", "nowhere\x1b[2J"),
    ],
    ids=" ".join,
)
def test_no_outside_text_steers_the_terminal(arguments: tuple[str, ...], hostile: Path) -> None:
    command, *rest = arguments
    shown = without_colours(in_terminal(command, hostile.name, *rest))
    assert "\x1b]" not in shown
    assert "\x1b[2J" not in shown
    hidden = [character for character in shown if not character.isprintable() and character != "\n"]
    assert hidden == []


def test_the_same_text_in_a_pipe_is_untouched(cli: Cli, hostile: Path) -> None:
    assert HOSTILE in cli("render", hostile.name, "--context").out


def test_json_on_a_terminal_is_still_json(cli: Cli, hostile: Path) -> None:
    shown = in_terminal("render", hostile.name, "--format", "json")
    assert json.loads(shown) == json.loads(cli("render", hostile.name, "--format", "json").out)


def test_an_error_is_coloured_and_its_text_is_not(project: Path) -> None:
    shown = in_terminal("render", "nothing\x1b[32m.yml")
    assert "\x1b[31merror: \x1b[0m" in shown
    assert "\x1b[32m" not in shown


def test_a_defect_of_our_own_is_said(project: Path) -> None:
    broken = "import workbench.cli.samples as s; s.samples = lambda: 1 / 0"
    program = f"{broken}; from workbench.cli.main import run; run()"
    ran = subprocess.run([sys.executable, "-c", program, "samples"], capture_output=True, text=True, check=False)
    assert ran.returncode == 3
    assert ran.stdout == ""
    assert "ZeroDivisionError" in ran.stderr
    assert ran.stderr.endswith("this is a defect of the workbench itself; the lines above say where\n")
