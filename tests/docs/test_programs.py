"""Every program in the README and the docs runs, and prints what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = re.compile(r"```python\n(?P<code>.*?)```\n(?:\nPrints:\n\n```text\n(?P<output>.*?)```)?", re.DOTALL)


def programs() -> list[pytest.ParameterSet]:
    """The fenced Python blocks that are whole programs: those that start a loop or print."""
    found = []
    for page in [ROOT / "README.md", *sorted((ROOT / "workbench" / "docs").glob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        for match in PROGRAM.finditer(text):
            if "asyncio.run(" in match["code"]:
                line = text.count("\n", 0, match.start()) + 1
                found.append(pytest.param(match["code"], match["output"], id=f"{page.name}:{line}"))
    return found


@pytest.mark.parametrize(("code", "output"), programs())
def test_runs_as_printed(code: str, output: str | None, tmp_path: Path) -> None:
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, check=False)
    assert run.stderr == ""
    assert run.returncode == 0
    if output is not None:
        assert run.stdout == output
