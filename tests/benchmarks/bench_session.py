"""Session logs: durable events, the loop beside the writer, a prefix comparison, a recorded step, an opened log.

    uv run python tests/benchmarks/bench_session.py

The lag row is no ratio of times: it is how late a ticker of one millisecond was while events were written, at
the 99th percentile, in units of the two milliseconds that it may be. The row below it has no file, and tells
how late the machine itself makes a ticker.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import orjson
from measure import HEADER, Ratio, Settings, compare, compare_async, settings
from workload import at_step, build, registry

from workbench.agent.log import Session, SessionLog
from workbench.agent.log.canonical import message_line
from workbench.agent.log.prefix import compare_bytes, shared_bytes
from workbench.core import Runtime
from workbench.prompt import render_prompt

common_prefix = os.path.commonprefix
DURABLE_GOAL = 1 / 20
LAG_GOAL = 1.0
PREFIX_GOAL = 0.005
STEP_GOAL = 1.0
OPEN_GOAL = 0.2
LAG_MS = 2.0
EVENTS = 2_000

DATA = {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "index": 0, "text": "some words " * 20}}


def durable_events(folder: Path, how: Settings) -> Ratio:
    """Events that are durable when the call returns, against a write and an fsync for each."""
    events = EVENTS // 40 if how.quick else EVENTS
    session = Session.create(path=folder / "durable.jsonl")
    descriptor = os.open(folder / "naive.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def ours() -> None:
        for _ in range(events):
            session.append("assistant/chunk", DATA)
        session.flush_now()

    def theirs() -> None:
        for seq in range(events):
            os.write(descriptor, orjson.dumps({"type": "assistant/chunk", "seq": seq, "data": DATA}) + b"\n")
            os.fsync(descriptor)

    found = compare(ours, theirs, how)
    session.close_now()
    os.close(descriptor)
    return found


async def lag(path: Path | None, how: Settings) -> Ratio:
    """How late a ticker is while a producer appends, lets others run, and waits for every hundredth event."""
    session = Session.create(path=path)
    rounds = []
    for _ in range(how.rounds):
        late: list[float] = []
        ticking = asyncio.create_task(_tick(late))
        for number in range(100 if how.quick else 5 * EVENTS):
            session.append("assistant/chunk", DATA)
            await asyncio.sleep(0.0002 if number % 10 == 9 else 0)
            if number % 100 == 99:
                await session.flush()
        ticking.cancel()
        await asyncio.gather(ticking, return_exceptions=True)
        rounds.append(statistics.quantiles([*late, 0.0, 0.0], n=100)[98])
    await session.close()
    ratios = sorted(each / LAG_MS for each in rounds)
    return Ratio(statistics.median(ratios), ratios[0], ratios[-1], statistics.median(rounds) * 1e3, LAG_MS * 1e3)


async def _tick(late: list[float]) -> None:
    while True:
        began = time.perf_counter()
        await asyncio.sleep(0.001)
        late.append((time.perf_counter() - began) * 1e3 - 1)


def prefix(size: int, share: float, how: Settings) -> Ratio:
    """The first differing byte of two requests that are equal up to a share of their length."""
    one = (b"the quick brown fox jumps over the lazy dog; " * (size // 45 + 1))[:size]
    at = min(int(size * share), size - 1)
    other = one[:at] + (one[at:] if share == 1 else b"#" + one[at + 1 :])
    assert shared_bytes(one, other) == len(common_prefix([one, other]))
    return compare(lambda: shared_bytes(one, other), lambda: common_prefix([one, other]), how)


def divergence(how: Settings) -> Ratio:
    """The whole answer, with characters, segment and tokens, in the same units."""
    text = "the quick brown fox jumps over the lazy dog; " * 200
    lines = [
        message_line({"role": "user", "content": [{"type": "text", "text": f"{n} {text}"}]}) for n in range(55)
    ]
    one = b"".join(lines)
    other = b"".join([*lines[:50], lines[50].replace(b"fox", b"cat", 1), *lines[51:]])
    return compare(lambda: compare_bytes(one, other), lambda: common_prefix([one, other]), how)


async def step(how: Settings) -> Ratio:
    """What recording a step of ten chunks costs the loop, against assembling and rendering its prompt."""
    session = Session.create()
    numbers = count(1)

    async def ours() -> None:
        for event_type, data in step_events(next(numbers)):
            session.append(event_type, data)

    async with Runtime() as runtime:
        prompt = await registry(runtime, build("typical"))

        async def theirs() -> None:
            render_prompt(await prompt.assemble(at_step(next(numbers))))

        return await compare_async(ours, theirs, how)


def step_events(number: int) -> Iterator[tuple[str, dict[str, object]]]:
    """One turn of one step."""
    place = {"turn": number, "step": 1}
    block = {"type": "text", "text": "some words " * 20}
    yield "turn/start", {"turn": number}
    yield "step/start", place
    yield "user/message", {"content": [block], "source": {"kind": "user"}, "role": "user", "id": f"m{number}"}
    yield "request/sent", {**place, "attempt": 1, "headerSeq": 3, "messageCount": 2, "digest": "0" * 64}
    for _ in range(10):
        yield "assistant/chunk", {**place, "chunk": {"type": "text-delta", "index": 0, "text": "some words "}}
    yield "assistant/message", {**place, "message": {"role": "assistant", "content": [block], "id": f"a{number}"}}
    yield "step/end", place
    yield "turn/end", {"turn": number, "reason": {"kind": "completed"}}


def opened(folder: Path, how: Settings) -> Ratio:
    """A log of 100,000 events opened and its last 200 read, against reading and decoding all of it."""
    path = folder / "long.jsonl"
    session = Session.create(path=path)
    for _ in range(1_000 if how.quick else 100_000):
        session.append("assistant/chunk", DATA)
    session.close_now()

    def ours() -> None:
        log = SessionLog.open_now(path)
        assert len(log.events[-200:]) == 200
        log.close()

    def theirs() -> None:
        with path.open("rb") as file:
            assert [orjson.loads(line) for line in file]

    return compare(ours, theirs, how)


async def main() -> None:
    how = settings(__doc__ or "")
    print(HEADER)
    with tempfile.TemporaryDirectory(dir=Path.cwd() if os.access(".", os.W_OK) else None) as name:
        folder = Path(name)
        print(durable_events(folder, how).line("durable events", DURABLE_GOAL))
        print((await lag(folder / "lag.jsonl", how)).line("loop lag p99 / 2 ms", LAG_GOAL))
        print((await lag(None, how)).line("the same without a file"))
        for share in (0.1, 0.9, 1.0):
            print(prefix(500_000, share, how).line(f"first byte, 500 kB at {share:.0%}", PREFIX_GOAL))
        print(divergence(how).line("first_divergence, 500 kB at 90%"))
        print((await step(how)).line("record a step / assemble + render", STEP_GOAL))
        print(opened(folder, how).line("open 100,000 events, last 200", OPEN_GOAL))


if __name__ == "__main__":
    asyncio.run(main())
