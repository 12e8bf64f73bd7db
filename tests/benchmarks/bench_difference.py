"""What comparing two texts costs: lines against difflib, and no text more than ten times the usual one.

    uv run python tests/benchmarks/bench_difference.py

Texts of 5,000 lines. The rows below the first two are in units of the comparison with 2 % of the lines changed.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable

from measure import HEADER, compare, settings

from workbench.config.difference.sequences import runs
from workbench.config.difference.texts import changed_pieces

GOALS = {0.02: 0.4, 0.2: 0.25}
WORST_GOAL = 10.0


def edited(count: int, share: float) -> tuple[list[str], list[str]]:
    """Lines of prose, and the same with a share of them changed."""
    chance = random.Random(count)
    old = [f"line {number} {' '.join(chance.choices(('alpha', 'beta', 'gamma'), k=8))}" for number in range(count)]
    new = list(old)
    for number in chance.sample(range(count), int(count * share)):
        new[number] += " changed"
    return old, new


def awkward(count: int) -> dict[str, tuple[list[str], list[str]]]:
    """Where there is little or nothing to hold on to."""
    chance = random.Random(count)
    base = [f"line {number}" for number in range(count)]
    return {
        "four lines": (chance.choices("abcd", k=count), chance.choices("abcd", k=count)),
        "reversed": (base, base[::-1]),
        "shuffled": (base, chance.sample(base, count)),
        "other": (base, [f"{line} x" for line in base]),
        "twice, reversed": (base[: count // 2] * 2, base[: count // 2][::-1] * 2),
    }


def by_lines(texts: tuple[list[str], list[str]]) -> Callable[[], object]:
    return lambda: runs(*texts)


def by_words(texts: tuple[list[str], list[str]]) -> Callable[[], object]:
    old, new = ("\n".join(lines) for lines in texts)
    return lambda: changed_pieces(old, new)


def main() -> None:
    how = settings(__doc__ or "")
    count = 500 if how.quick else 5_000
    print(HEADER)
    for share, goal in GOALS.items():
        old, new = edited(count, share)

        def theirs(old: list[str] = old, new: list[str] = new) -> object:
            return list(difflib.unified_diff(old, new))

        row = compare(by_lines((old, new)), theirs, how)
        print(row.line(f"lines / difflib, {share:.0%} changed", goal))
    usual = edited(count, 0.02)
    for name, texts in awkward(count).items():
        print(compare(by_lines(texts), by_lines(usual), how).line(f"lines, {name}", WORST_GOAL))
        print(compare(by_words(texts), by_words(usual), how).line(f"lines and words, {name}", WORST_GOAL))


if __name__ == "__main__":
    main()
