"""Ratios of one run: the sides take turns, and only what stands in the same round is compared.

Absolute figures of a shared machine say little, so they are printed for the scale alone.
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
        return (
            f"{label:34}{self.ours_us:12.1f}{self.theirs_us:12.1f}{self.median:9.3f}  {spread:>13}{verdict}"
        )


HEADER = f"{'':34}{'ours µs':>12}{'theirs µs':>12}{'ratio':>9}  {'range':>13}"


def settings(description: str) -> Settings:
    """Settings from the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sample-ms", type=float, default=20.0)
    parser.add_argument("--quick", action="store_true", help="a trial run: one round, tiny samples")
    chosen = parser.parse_args()
    if chosen.quick:
        return Settings(rounds=1, sample_ms=0.5, quick=True)
    return Settings(chosen.rounds, chosen.sample_ms, quick=False)


def compare(ours: Work, theirs: Work, how: Settings) -> Ratio:
    """Time two functions in turn."""
    return _ratio([(_sample(ours, how), _sample(theirs, how)) for _ in range(how.rounds)])


async def compare_async(ours: AsyncWork, theirs: AsyncWork, how: Settings) -> Ratio:
    """Time two coroutine functions in turn."""
    rounds = [(await _sample_async(ours, how), await _sample_async(theirs, how)) for _ in range(how.rounds)]
    return _ratio(rounds)


def _ratio(rounds: list[tuple[float, float]]) -> Ratio:
    """From nanoseconds per call of each round."""
    ratios = sorted(ours / theirs for ours, theirs in rounds)
    ours_ns, theirs_ns = (statistics.median(side) for side in zip(*rounds, strict=True))
    return Ratio(statistics.median(ratios), ratios[0], ratios[-1], ours_ns / 1e3, theirs_ns / 1e3)


def _sample(work: Work, how: Settings) -> float:
    """Nanoseconds per call: the best of three samples behind a warm-up of the same length."""
    calls = 0
    started = time.perf_counter_ns()
    while (elapsed := time.perf_counter_ns() - started) < how.sample_ns or not calls:
        work()
        calls += 1
    repeat = max(1, round(calls * how.sample_ns / max(elapsed, 1)))
    samples = []
    for _ in range(3):
        started = time.perf_counter_ns()
        for _ in range(repeat):
            work()
        samples.append((time.perf_counter_ns() - started) / repeat)
    return min(samples)


async def _sample_async(work: AsyncWork, how: Settings) -> float:
    """`_sample` for a coroutine function: an await inside the loop costs what it costs in use."""
    calls = 0
    started = time.perf_counter_ns()
    while (elapsed := time.perf_counter_ns() - started) < how.sample_ns or not calls:
        await work()
        calls += 1
    repeat = max(1, round(calls * how.sample_ns / max(elapsed, 1)))
    samples = []
    for _ in range(3):
        started = time.perf_counter_ns()
        for _ in range(repeat):
            await work()
        samples.append((time.perf_counter_ns() - started) / repeat)
    return min(samples)
