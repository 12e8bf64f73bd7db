"""The workbench in a terminal of its own, in units of a minimal Textual app in another one.

Start, keys, what it does while nobody touches it, and memory. Both sides are alive at the same time and take
turns, so that whatever else the machine does meets both. A key is timed from its byte to the first byte of
the answer. Linux only. `--rival` names other programs to be started, each as NAME/PAINT/CONTENT=COMMAND LINE:
PAINT being words of the first thing it paints, CONTENT words of what the person came for, so that like is
measured with like:

    python tests/benchmarks/bench_screen.py --rival "posting/Posting/Send=/somewhere/bin/posting"
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.terminal import Terminal, plain

MINIMAL = """
from textual.app import App
from textual.widgets import Static

class Minimal(App):
    BINDINGS = [("j", "count", "count")]
    n = 0

    def compose(self):
        yield Static("MINIMAL", id="label")

    def action_count(self):
        self.n += 1
        self.query_one("#label", Static).update(f"MINIMAL {self.n}")

Minimal().run()
"""
OPEN = "from workbench.cli.start import run; run()"
OURS = "coding-agent"
MOMENTS = "first paint", "first content"
LINE_DOWN, PAGE_DOWN = "j", "\x1b[6~"
HEADER = f"{'':46}{'ours':>12}{'theirs':>12}{'ratio':>9}"
PAUSE = 0.06
"""Seconds of silence after which a screen is taken to be painted."""


@dataclass(frozen=True)
class Rival:
    """Another program of the terminal, and the words by which its two moments are known."""

    name: str
    paint: str
    content: str
    words: Sequence[str]


@dataclass(frozen=True)
class Settings:
    """How long to measure."""

    rounds: int
    presses: int
    idle_seconds: float
    rivals: Sequence[Rival]

    @property
    def patience(self) -> float:
        """Seconds until a screen has to be there."""
        return 60.0


def main() -> None:
    how = _settings()
    print(HEADER)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        home = Path(folder)
        starts(how, home)
        large = home / "large.md"
        large.write_text(half_a_megabyte(), encoding="utf-8")
        minimal = stack.enter_context(ready(_minimal(home), "MINIMAL", how))
        prompt = stack.enter_context(ready(_workbench(home, str(large)), "paragraph 1", how))
        sections = stack.enter_context(ready(_workbench(home, "big"), "museum", how))
        for terminal, name in ((prompt, "500 kB"), (sections, "3,000 sections")):
            for pane in ("list", "text") if terminal is sections else ("text",):
                if pane == "text":
                    terminal.send("\r")
                    settle(terminal)
                for label, key in (("line down", LINE_DOWN), ("page down", PAGE_DOWN)):
                    keys(f"key, {name}, {pane}, {label}", terminal, key, minimal, how)
        for terminal, name in ((prompt, "500 kB"), (sections, "3,000 sections")):
            memory(name, terminal, minimal)
            idle(name, terminal, minimal, how.idle_seconds)


def starts(how: Settings, home: Path) -> None:
    """From the start of a process until there is something on the screen."""
    sides: dict[str, tuple[Callable[[], Terminal], Sequence[str]]] = {
        "": (lambda: _minimal(home), ("MINIMAL",)),
        OURS: (lambda: _workbench(home, "coding-agent"), ("will the model read", "You are an AI agent")),
    }
    for rival in how.rivals:
        sides[rival.name] = (lambda words=rival.words: _program(home, words)), (rival.paint, rival.content)  # type: ignore[misc]
    times: dict[str, list[list[float]]] = {name: [] for name in sides}
    for _ in range(how.rounds + 1):
        for name, (make, marks) in sides.items():
            times[name].append(until(make, marks, how))
    of = {name: [[each[at] for each in rounds[1:]] for at in (0, -1)] for name, rounds in times.items()}
    # the first round of each has found cold files
    minimal = of[""][0]
    for name in list(sides)[1:]:
        for at, moment in enumerate(MOMENTS):
            goal = (1.7, 2.1)[at] if name == OURS else None
            mine = of[name][at]
            _line(f"{moment} of {name}", _median(mine), _median(minimal), "ms", _ratio(mine, minimal), goal)
    for rival in how.rivals:
        for at, moment in enumerate(MOMENTS):
            mine, theirs = of[OURS][at], of[rival.name][at]
            _line(f"{moment} / {rival.name}", _median(mine), _median(theirs), "ms", _ratio(mine, theirs), 0.5)


def until(make: Callable[[], Terminal], marks: Sequence[str], how: Settings) -> list[float]:
    """Milliseconds from the start of a program until each of those words has come, in that order."""
    began = time.perf_counter()
    found: list[float] = []
    with make() as terminal:
        received = b""
        for mark in marks:
            while mark.encode() not in received:
                received += terminal.read(1.0)
                if time.perf_counter() - began > how.patience:
                    raise SystemExit(f"{mark!r} did not come: {plain(received)[-1000:]!r}")
            found.append((time.perf_counter() - began) * 1e3)
    return found


def ready(terminal: Terminal, mark: str, how: Settings) -> Terminal:
    """A program that has painted its first screen and come to rest, tokens counted and all."""
    terminal.wait_for(mark, how.patience)
    settle(terminal, 2.0)
    return terminal


def settle(terminal: Terminal, seconds: float = PAUSE) -> int:
    """Reads until nothing has come for so long; how many bytes came."""
    count = 0
    while data := terminal.read(seconds):
        count += len(data)
    return count


def keys(label: str, ours: Terminal, key: str, minimal: Terminal, how: Settings) -> None:
    """The same number of presses on both sides, in turn."""
    mine: list[float] = []
    theirs: list[float] = []
    missing = 0
    for number in range(how.presses):
        time.sleep(0.013 * (number % 3))  # in no step with any timer
        theirs += press(minimal, LINE_DOWN)
        answered = press(ours, key)
        missing += not answered
        mine += answered
    if not mine:
        raise SystemExit(f"{label}: the key painted nothing")
    note = f"  {missing} of {how.presses} painted nothing" if missing else ""
    _line(f"{label}, median", _median(mine), _median(theirs), "ms", _median(mine) / _median(theirs), 3.5, note)
    _line(f"{label}, p95", _p95(mine), _p95(theirs), "ms", _p95(mine) / _p95(theirs), 6.0)


def press(terminal: Terminal, key: str) -> list[float]:
    """Milliseconds until the first byte of the answer; empty when none comes."""
    began = time.perf_counter()
    terminal.send(key)
    if not terminal.read(1.0):
        return []
    took = time.perf_counter() - began
    settle(terminal)
    return [took * 1e3]


def memory(name: str, ours: Terminal, minimal: Terminal) -> None:
    mine, theirs = _resident(ours.pid), _resident(minimal.pid)
    _line(f"memory, {name}", mine, theirs, "MiB", mine / theirs, 2.0)


def idle(name: str, ours: Terminal, minimal: Terminal, seconds: float) -> None:
    """Shares of one core, and bytes that nobody has asked for."""
    settle(ours, 1.0)
    settle(minimal, 1.0)
    before = _cpu_seconds(ours.pid), _cpu_seconds(minimal.pid)
    end = time.monotonic() + seconds
    count = 0
    while (left := end - time.monotonic()) > 0:
        count += len(ours.read(left))
    used = [(_cpu_seconds(each.pid) - was) / seconds for each, was in zip((ours, minimal), before, strict=True)]
    verdict = "ok" if used[0] <= 0.002 and not count else "MISSED"
    print(
        f"{f'idle for {seconds:.0f} s, {name}':46}{used[0]:>11.2%} {used[1]:>11.2%}            "
        f"{count} bytes  goal 0.20% and 0 bytes {verdict}"
    )


def half_a_megabyte() -> str:
    """A prompt file of 500 kB: paragraphs of several lines, as people write them."""
    words = "read before you write and keep each change small enough to be reviewed in one sitting".split()
    parts: list[str] = []
    length = number = 0
    while length < 500_000:
        number += 1
        lines = (" ".join(words[(number + k) % len(words) :] + words[:k]) for k in range(2 + number % 5))
        parts.append(f"## paragraph {number}\n\n" + "\n".join(lines) + "\n")
        length += len(parts[-1]) + 1
    return "\n".join(parts)


def _minimal(home: Path) -> Terminal:
    return Terminal(MINIMAL, environ=_environment(home))


def _workbench(home: Path, file: str) -> Terminal:
    return Terminal(OPEN, "open", file, environ=_environment(home))


def _program(home: Path, words: Sequence[str]) -> Terminal:
    return Terminal("", program=words, environ=_environment(home))


def _environment(home: Path) -> dict[str, str]:
    """Nothing of the person's own, neither remembered files nor themes; compiled code is kept, as it is in use."""
    folders = {f"XDG_{name}_HOME": str(home) for name in ("STATE", "CONFIG", "DATA", "CACHE")}
    return {"HOME": str(home), "PYTHONPYCACHEPREFIX": str(home), "PYTHONDONTWRITEBYTECODE": "", **folders}


def _resident(pid: int) -> float:
    """MiB of a process that are in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _cpu_seconds(pid: int) -> float:
    """Of all threads of a process, since they began: finer than the clock ticks that most tools show."""
    return sum(int(file.read_text().split()[0]) for file in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def _median(values: Sequence[float]) -> float:
    return statistics.median(values)


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def _ratio(mine: Sequence[float], theirs: Sequence[float]) -> float:
    """The median over rounds: only what was measured right after one another is compared."""
    return _median([one / other for one, other in zip(mine, theirs, strict=True)])


def _line(
    label: str, ours: float, theirs: float, unit: str, ratio: float, goal: float | None, note: str = ""
) -> None:
    verdict = "" if goal is None else f"  goal {goal:.2f} {'ok' if ratio <= goal else 'MISSED'}"
    sides = f"{f'{ours:.1f} {unit}':>12}{f'{theirs:.1f} {unit}':>12}"
    print(f"{label:46}{sides}{ratio:9.2f}{verdict}{note}", flush=True)


def _settings() -> Settings:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="starts of each side")
    parser.add_argument("--presses", type=int, default=60)
    parser.add_argument("--idle", type=float, default=10.0, metavar="SECONDS")
    parser.add_argument("--rival", action="append", default=[], metavar="NAME/PAINT/CONTENT=COMMAND")
    parser.add_argument("--quick", action="store_true", help="a trial run whose figures mean nothing")
    chosen = parser.parse_args()
    rivals = [
        Rival(*marks.split("/"), shlex.split(command))
        for marks, _, command in (each.partition("=") for each in chosen.rival)
    ]
    if chosen.quick:
        return Settings(rounds=1, presses=2, idle_seconds=0.5, rivals=rivals)
    return Settings(chosen.rounds, chosen.presses, chosen.idle, rivals)


if __name__ == "__main__":
    main()
