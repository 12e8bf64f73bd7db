"""The benchmarks are no tests: here they only have to run. Nobody asserts a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted(Path(__file__).parent.glob("bench_*.py"))


@pytest.mark.slow  # some start whole processes
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_runs(script: Path) -> None:
    run = subprocess.run([sys.executable, script, "--quick"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "ratio" in run.stdout
