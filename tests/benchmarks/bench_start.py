"""Whole processes, in units of a Python that imports asyncio and pydantic and ends.

uv run python tests/benchmarks/bench_start.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from measure import HEADER, Settings, compare, settings

GOAL = 2.5
WORKBENCH = str(Path(sys.executable).with_name("workbench"))
BASE = [sys.executable, "-c", "import asyncio, pydantic"]
COMMANDS = {
    "workbench --help": [WORKBENCH, "--help"],
    "workbench render coding-agent": [WORKBENCH, "render", "coding-agent"],
}


ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)


def main() -> None:
    chosen = settings(__doc__ or "")
    # A sample of 1 ms is one process, so a round is a handful of starts.
    how = Settings(chosen.rounds, 1, chosen.quick)
    print(HEADER)
    for label, command in COMMANDS.items():
        print(compare(lambda command=command: run(command), lambda: run(BASE), how).line(label, GOAL))


if __name__ == "__main__":
    main()
