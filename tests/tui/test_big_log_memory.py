"""A long log takes little more memory than a short one: on the screen, and by command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.agent.log.big_logs import Shape, write_log

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux tells it")

GO_ABOUT = Path(__file__).with_name("big_log_memory.py")
COMMANDS = {"stats": ("session", "--stats"), "cache": ("cache",)}
GROWTH = 0.15
"""MB of memory for each MB of log; a tenth of it is where its events stand."""
LIMIT = 3.0
"""Of a gigabyte against ten megabytes."""
MEASURE = """\
import sys
from pathlib import Path
from workbench.cli.main import run
sys.argv = ["workbench", *sys.argv[1:]]
try:
    run()
finally:
    status = Path("/proc/self/status").read_text()
    print(int(status.split("VmHWM:")[1].split()[0]) / 1024, file=sys.stderr)
"""


def on_the_screen(log: Path) -> float:
    """MB, at most, of a process that opens it, jumps about, and reads requests."""
    done = subprocess.run([sys.executable, str(GO_ABOUT), str(log)], capture_output=True, text=True, check=True)
    assert "read requests" in done.stdout
    return float(done.stdout.split("\npeak ")[1].split()[0])


def by_command(log: Path, *words: str) -> float:
    """The same of a command."""
    command, *options = words
    asked = [sys.executable, "-c", MEASURE, command, str(log), *options]
    done = subprocess.run(asked, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    return float(done.stderr.strip().split("\n")[-1])


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("shape", "size"), [("compacts", 80), ("drifts", 40), ("grows", 60)])
def test_memory_grows_with_numbers_and_not_with_texts(tmp_path: Path, shape: Shape, size: int) -> None:
    small, large = tmp_path / "small.jsonl", tmp_path / "large.jsonl"
    write_log(small, 10, shape)
    write_log(large, size, shape)
    assert by_command(large, *COMMANDS["stats"]) - by_command(small, *COMMANDS["stats"]) < (size - 10) * GROWTH
    if shape != "grows":  # there the request that is read is as long as the log, and may be held up to a limit
        assert on_the_screen(large) - on_the_screen(small) < (size - 10) * GROWTH


@pytest.mark.deep
@pytest.mark.timeout(3600)
def test_a_gigabyte(tmp_path: Path) -> None:
    small, large = tmp_path / "small.jsonl", tmp_path / "large.jsonl"
    write_log(small, 10)
    write_log(large, 1_000)
    figures = {name: (by_command(small, *words), by_command(large, *words)) for name, words in COMMANDS.items()}
    figures["screen"] = on_the_screen(small), on_the_screen(large)
    print(figures)
    for name, (one, other) in figures.items():
        assert other <= LIMIT * one, name
