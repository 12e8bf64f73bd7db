"""The way around the parser: only for words that mean the same to it."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from workbench.cli.main import app
from workbench.cli.start import plain_open
from workbench.config.samples import samples


def test_no_command_is_taken_for_a_file() -> None:
    commands = typer.main.get_group(app).commands
    assert {"open", "render", "run"} <= commands.keys()
    assert not {name for name in commands if plain_open([name]) is not None}
    assert not {sample.name for sample in samples()} & commands.keys()


@pytest.mark.parametrize(
    ("words", "file"),
    [
        ([], ""),
        (["coding-agent"], "coding-agent"),
        (["open", "no such file"], "no such file"),
        (["./render"], "./render"),
        (["a.yml"], "a.yml"),
        (["-h"], None),
        (["open"], None),
        (["open", "--help"], None),
        (["open", "-x.yml"], None),
        (["--version"], None),
        (["-a.yml"], None),
        (["open", ""], None),
        ([""], None),
        (["coding-agent", "--theme", "mono"], None),
        (["unknown-word"], None),
    ],
)
def test_what_is_opened_without_the_parser(words: list[str], file: str | None) -> None:
    assert plain_open(words) == file


def test_without_a_terminal_the_parser_answers() -> None:
    run = [sys.executable, "-c", "from workbench.cli.start import run; run()"]
    alone = subprocess.run(run, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert "Usage: workbench" in alone.stdout + alone.stderr
    opened = subprocess.run(
        [*run, "coding-agent"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert (opened.returncode, opened.stdout) == (2, "")
    assert "needs a terminal" in opened.stderr


def test_a_defect_is_told_and_has_its_code() -> None:
    code = "from workbench.cli.guard import guarded; guarded(lambda: 1 / 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "ZeroDivisionError" in done.stderr
    assert "a defect of the workbench itself" in done.stderr
