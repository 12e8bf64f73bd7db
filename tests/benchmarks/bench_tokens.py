"""Counting tokens against the reference implementation of the same vocabulary.

    uv run python tests/benchmarks/bench_tokens.py

Each first call is made in a process of its own, which has loaded before the clock starts; loading is a row
of its own. Warm rows count a text that differs in its first line each time, since a text that was counted
before costs nothing. The last rows are no times: an estimate in units of the exact count.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from measure import HEADER, Ratio, Settings, compare, settings

from workbench.tokens import TokenCounter, estimated_tokens
from workbench.tokens.vocabularies import DEEPSEEK

FIRST_CALL_GOAL = 0.15
PROCESSES = 3
"""Per side and round."""
SIZE = 50_000
"""Bytes."""
ROOT = Path(__file__).resolve().parents[2] / "workbench"
CHINESE = "系统提示词的工作台：模型将要读到什么？每一行属于谁，哪个监听器改了它，一共花费多少。\n"


def texts() -> dict[str, str]:
    """Texts of 50 kB."""
    prose = "".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("docs/*.md")))
    code = "".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("*/*.py")))
    found = {"prose": prose, "code": code, "Chinese": CHINESE * 1_000}
    return {name: text.encode()[:SIZE].decode(errors="ignore") for name, text in found.items()}


def ours() -> Callable[[str], int]:
    """A counter that is ready."""
    counter = TokenCounter.for_model("deepseek-chat")
    counter.count_now("ready")
    return lambda text: counter.count_now(text).tokens


def theirs() -> Callable[[str], int]:
    """The reference, ready."""
    from tokenizers import Tokenizer

    definition = json.loads(DEEPSEEK.path().read_text(encoding="utf-8")) | {"added_tokens": []}
    tokenizer = Tokenizer.from_str(json.dumps(definition))
    tokenizer.encode("ready", add_special_tokens=False)
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


SIDES = {"ours": ours, "theirs": theirs}


def once(side: str, name: str) -> None:
    """In a process of its own: nanoseconds of loading and of the first call, and the count."""
    text = texts()[name]
    began = time.perf_counter_ns()
    tokens_of = SIDES[side]()
    loaded = time.perf_counter_ns()
    tokens = tokens_of(text)
    print(loaded - began, time.perf_counter_ns() - loaded, tokens)


def fresh(name: str, how: Settings) -> tuple[Ratio, Ratio]:
    """Loading and first calls, in turn, each in a new process; of each round the best of both sides."""
    loads, calls = [], []
    for _ in range(how.rounds):
        runs = {side: [_run(side, name) for _ in range(1 if how.quick else PROCESSES)] for side in SIDES}
        assert len({tokens for side in runs.values() for _, _, tokens in side}) == 1, (name, runs)
        ours, theirs = (tuple(map(min, zip(*side, strict=True))) for side in runs.values())
        loads.append((ours[0], theirs[0]))
        calls.append((ours[1], theirs[1]))
    return _ratio(loads), _ratio(calls)


def _run(side: str, name: str) -> tuple[int, int, int]:
    command = [sys.executable, __file__, "--once", side, name]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    loading, calling, tokens = map(int, run.stdout.split())
    return loading, calling, tokens


def _ratio(rounds: list[tuple[int, int]]) -> Ratio:
    ratios = sorted(our / their for our, their in rounds)
    our, their = (statistics.median(side) for side in zip(*rounds, strict=True))
    return Ratio(statistics.median(ratios), ratios[0], ratios[-1], our / 1e3, their / 1e3)


def _each_time_another(text: str) -> Iterator[str]:
    return (f"{number}\n{text}" for number in count())


def main() -> None:
    how = settings(__doc__ or "")
    print(HEADER)
    for name in texts():
        loading, first = fresh(name, how)
        print(first.line(f"first call, 50 kB {name}", FIRST_CALL_GOAL))
    print(loading.line("loading the vocabulary"))
    our, their = ours(), theirs()
    for name, text in texts().items():
        ours_next, theirs_next = _each_time_another(text), _each_time_another(text)
        row = compare(lambda texts=ours_next: our(next(texts)), lambda texts=theirs_next: their(next(texts)), how)
        print(row.line(f"warm, 50 kB {name}"))
    for name, text in texts().items():
        print(f"{f'estimate / exact, {name}':34}{'':24}{estimated_tokens(text) / our(text):9.3f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        once(*sys.argv[2:])
    else:
        main()
