"""The tour of the README: its files are written, its commands are run, and they print what it shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"
FILE = re.compile(r"`(?P<name>[\w-]+\.\w+)`[^\n]*:\n\n```(?:yaml|python|json)\n(?P<content>.*?)```", re.DOTALL)
"""A paragraph that names a file and ends in a colon, and the content below it."""
CONSOLE = re.compile(r"```console\n(?P<lines>.*?)```", re.DOTALL)
OMITTED = "…"
"""On a line of its own any number of lines, else any part of a line."""


def commands(text: str) -> list[tuple[str, str]]:
    """Each command of the console blocks with what it prints."""
    found = []
    for block in CONSOLE.finditer(text):
        for part in re.split(r"^\$ ", block["lines"], flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def shows(expected: str, actual: str) -> bool:
    """Whether a command printed what is expected, apart from what is left out."""
    pattern = re.escape(expected)
    pattern = re.sub(rf"^{OMITTED}\\\n", r"(?:.*\\n)*?", pattern, flags=re.MULTILINE)
    return re.fullmatch(pattern.replace(OMITTED, ".*?"), actual) is not None


def test_the_tour(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    for file in FILE.finditer(text):
        (tmp_path / file["name"]).write_text(file["content"], encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    tour = commands(text)
    assert tour
    for command, output in tour:
        run = subprocess.run(
            shlex.split(command),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            cwd=tmp_path,
            env=environment,
            check=False,
        )
        assert shows(output, run.stdout), f"$ {command}\n{run.stdout}"
