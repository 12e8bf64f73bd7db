"""Ratios of one run: the sides take turns, and only what stands in the same round is compared.

A round takes short samples of both sides alternately and keeps the best of each, since whatever else the
machine does can only slow a sample down. The ratio of the run is the median of its rounds. Absolute figures
of a shared machine say little, so they are printed for the scale alone.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

AsyncWork = Callable[[], Awaitable[object]]
Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Settings:
    """How long to measure."""

    rounds: int
    sample_ms: float
    quick: bool
    """True for a trial run, which shows that a script works and whose figures mean nothing."""

    @property
    def samples(self) -> int:
        """Per side and round."""
        return 1 if self.quick else 5

    @property
    def sample_ns(self) -> float:
        return self.sample_ms * 1e6


@dataclass(frozen=True, slots=True)
class Ratio:
    """One side measured in units of the other."""

    median: float
    low: float
    high: float
    ours_us: float
    theirs_us: float

    def line(self, label: str, goal: float | None = None) -> str:
        verdict = "" if goal is None else f"  goal {goal:.2f} {'ok' if self.median <= goal else 'MISSED'}"
        spread = f"{self.low:.2f}–{self.high:.2f}"
        return f"{label:34}{self.ours_us:12.1f}{self.theirs_us:12.1f}{self.median:9.3f}  {spread:>13}{verdict}"


HEADER = f"{'':34}{'ours µs':>12}{'theirs µs':>12}{'ratio':>9}  {'range':>13}"


def settings(description: str) -> Settings:
    """Settings from the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sample-ms", type=float, default=10.0)
    parser.add_argument("--quick", action="store_true", help="a trial run: one round, tiny samples")
    chosen = parser.parse_args()
    if chosen.quick:
        return Settings(rounds=1, sample_ms=0.5, quick=True)
    return Settings(chosen.rounds, chosen.sample_ms, quick=False)


def compare(ours: Work, theirs: Work, how: Settings) -> Ratio:
    """Time two functions in turn."""
    repeats = [_repeats(_time(side, 1), how) for side in (ours, theirs)]
    rounds = []
    for _ in range(how.rounds):
        samples = [(_time(ours, repeats[0]), _time(theirs, repeats[1])) for _ in range(how.samples)]
        rounds.append(tuple(map(min, zip(*samples, strict=True))))
    return ratio_of(rounds)


async def compare_async(ours: AsyncWork, theirs: AsyncWork, how: Settings) -> Ratio:
    """Time two coroutine functions in turn."""
    repeats = [_repeats(await _time_async(side, 1), how) for side in (ours, theirs)]
    rounds = []
    for _ in range(how.rounds):
        samples = [
            (await _time_async(ours, repeats[0]), await _time_async(theirs, repeats[1])) for _ in range(how.samples)
        ]
        rounds.append(tuple(map(min, zip(*samples, strict=True))))
    return ratio_of(rounds)


def _repeats(first_ns: float, how: Settings) -> int:
    """Calls that fill one sample, from the time of a first call. The first round warms up what that missed."""
    return max(1, round(how.sample_ns / first_ns))


def ratio_of(rounds: list[tuple[float, ...]]) -> Ratio:
    """From nanoseconds per call of both sides in each round."""
    ratios = sorted(ours / theirs for ours, theirs in rounds)
    ours_ns, theirs_ns = (statistics.median(side) for side in zip(*rounds, strict=True))
    return Ratio(statistics.median(ratios), ratios[0], ratios[-1], ours_ns / 1e3, theirs_ns / 1e3)


def _time(work: Work, repeats: int) -> float:
    """Nanoseconds per call."""
    started = time.perf_counter_ns()
    for _ in range(repeats):
        work()
    return (time.perf_counter_ns() - started) / repeats


async def _time_async(work: AsyncWork, repeats: int) -> float:
    """`_time` for a coroutine function: an await inside the loop costs what it costs in use."""
    started = time.perf_counter_ns()
    for _ in range(repeats):
        await work()
    return (time.perf_counter_ns() - started) / repeats
