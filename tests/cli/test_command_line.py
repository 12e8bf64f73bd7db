"""The command line as a whole: help, version, samples, bare files, pipes, and what it loads."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

WORKBENCH = [sys.executable, "-W", "error", "-c", "from workbench.cli.main import run; run()"]


def process(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*WORKBENCH, *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1", **(environment or {})},
        stdin=subprocess.DEVNULL,
    )


def test_help_lists_commands_and_exit_codes(cli: Cli) -> None:
    ran = cli("--help")
    assert ran.code == 0
    for command in ("render", "blame", "check", "diff", "test", "session", "samples", "init", "schema", "open"):
        assert f"\n  {command} " in ran.out
    assert "Exit codes: 0 done" in ran.out
    assert ran.err == ""


@pytest.mark.parametrize(
    "command", ["render", "blame", "check", "diff", "test", "session", "samples", "init", "schema", "open"]
)
def test_every_command_has_help(command: str, cli: Cli) -> None:
    ran = cli(command, "--help")
    assert ran.code == 0
    assert "Exit codes" in ran.out
    assert cli(command, "-h").out == ran.out


def test_without_arguments_it_says_what_there_is(cli: Cli) -> None:
    ran = cli()
    assert ran.code == 2
    assert "render" in ran.out + ran.err


def test_version(cli: Cli) -> None:
    ran = cli("--version")
    assert ran.code == 0
    assert ran.out.startswith("workbench 0.")


def test_samples_can_be_rendered_by_name(cli: Cli) -> None:
    listed = cli("samples")
    assert listed.code == 0
    assert "coding-agent" in listed.out
    ran = cli("render", "coding-agent")
    assert ran.code == 0
    assert ran.out.startswith("You are an AI agent")


def test_a_file_comes_before_a_sample(cli: Cli, project: Path) -> None:
    (project / "coding-agent").mkdir()
    Path("coding-agent.yml").write_text("persona: Mine.\n", encoding="utf-8")
    assert "Mine." in cli("render", "coding-agent.yml").out


@pytest.mark.parametrize("arguments", [("agent.yml",), ("open", "agent.yml"), ("coding-agent",), ("./agent.yml",)])
def test_the_screen_needs_a_terminal(arguments: tuple[str, ...], cli: Cli, project: Path) -> None:
    ran = cli(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "the screen needs a terminal" in ran.err


def test_a_mistyped_command_is_no_file(cli: Cli, project: Path) -> None:
    ran = cli("rendr", "agent.yml")
    assert (ran.code, ran.out) == (2, "")
    assert "'render'" in ran.err


def test_a_mistyped_sample(cli: Cli, project: Path) -> None:
    ran = cli("render", "coding-agnt")
    assert (ran.code, ran.out) == (2, "")
    assert 'did you mean "coding-agent"?' in ran.err


LOADED = """
import atexit, sys
atexit.register(lambda: print(*sorted(sys.modules), sep="\\n", file=sys.stderr))
from workbench.cli.main import run
sys.argv[1:] = {arguments!r}
run()
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["samples"],
        ["render", "coding-agent"],
        ["render", "coding-agent", "--spans", "--trace"],
        ["render", "coding-agent", "--format", "json"],
        ["render", "coding-agent", "--format", "markdown"],
        ["render", "coding-agent", "--format", "anthropic"],
        ["blame", "coding-agent", "agent"],
        ["test", str(Path(__file__).resolve().parents[1] / "conformance" / "prompt" / "literal.json")],
    ],
    ids=" ".join,
)
def test_a_headless_command_loads_no_screen(arguments: list[str]) -> None:
    program = LOADED.format(arguments=arguments)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    loaded = set(ran.stderr.split())
    assert "workbench.cli.main" in loaded
    assert not [name for name in loaded if name.split(".")[0] in ("textual", "rich")]
    assert not [name for name in loaded if name.startswith("workbench.tui")]
    if arguments[0] != "test":
        assert "pydantic" not in loaded, "its import takes as long as all the rest"
    if arguments[0] in ("--help", "--version", "samples"):
        assert not loaded & {"asyncio", "ruamel.yaml", "workbench.core"}


def test_a_process_gives_the_same_bytes(cli: Cli, project: Path) -> None:
    ran = process("render", "agent.yml")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode() == cli("render", "agent.yml").out


def test_no_colours_in_a_pipe_unless_they_are_forced(project: Path) -> None:
    plain = process("blame", "agent.yml", "--scope", "(global)", "nobody")
    assert b"\x1b" not in plain.stdout + plain.stderr
    forced = process("blame", "agent.yml", "--scope", "(global)", "nobody", environment={"FORCE_COLOR": "1"})
    assert b"\x1b[31merror: \x1b[0m" in forced.stderr
    both = {"FORCE_COLOR": "1", "NO_COLOR": "1"}
    refused = process("blame", "agent.yml", "--scope", "(global)", "nobody", environment=both)
    assert b"\x1b" not in refused.stderr


def test_forced_colours_leave_the_text_alone(project: Path) -> None:
    plain = process("render", "agent.yml")
    forced = process("render", "agent.yml", environment={"FORCE_COLOR": "1"})
    assert forced.stdout == plain.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /bin/sh")
@pytest.mark.parametrize("command", ["render agent.yml", "render agent.yml -f json --trace", "--help"])
def test_a_reader_that_goes_away_early(command: str, project: Path) -> None:
    line = f"{{ {shlex.join(WORKBENCH)} {command}; echo code $? >&2; }} | :"
    ran = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False)
    assert ran.stderr == "code 0\n"


def test_an_unusable_locale_stops_nothing(project: Path) -> None:
    Path("p.txt").write_text("日本語", encoding="utf-8")
    ran = process("render", "p.txt", environment={"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"})
    assert ran.returncode == 0
    assert "日本語".encode() in ran.stdout


ENDLESS = """
import asyncio

def apply(ctx):
    async def never(assembly, context, next):
        await asyncio.Event().wait()

    ctx.on("system-prompt/assemble", never)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for one process")
def test_a_listener_that_never_ends_is_named_and_can_be_interrupted(project: Path) -> None:
    Path("endless.py").write_text(ENDLESS, encoding="utf-8")
    Path("a.yml").write_text("plugins: [endless.py]\n", encoding="utf-8")
    impatient = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's job ignores it
        "import workbench.cli.compositions as c; c.PATIENCE_SECONDS = 0.05"
    )
    program = f"{impatient}\nfrom workbench.cli.main import run; run()"
    with subprocess.Popen(
        [sys.executable, "-c", program, "render", "a.yml"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stderr is not None
        assert b"waiting for endless: never on system-prompt/assemble" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=10)
    assert running.returncode == 130
    assert out == b""
    assert b"Traceback" not in err
