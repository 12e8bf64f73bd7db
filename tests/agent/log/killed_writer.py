"""Forks writers one after another, kills each with SIGKILL, and prints how many events each had flushed."""

from __future__ import annotations

import asyncio
import os
import random
import select
import signal
import sys
import time
from pathlib import Path

from workbench.agent.log import Session


async def write(path: Path, report: int) -> None:
    """Append and flush for ever. After each flush that has returned, report the number of events so far."""
    session = Session.create(path=path)
    session.append("turn/start", {"turn": 1})
    number = 0
    while True:
        for _ in range(number % 13 + 1):
            text = f"{number} " + "x" * (number * 7 % 900)
            session.append("assistant/chunk", {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "text": text}})
            number += 1
        await session.flush()
        os.write(report, number.to_bytes(8, "big"))


def killed(path: Path, chance: random.Random) -> int:
    """Fork a writer, kill it some time after its first report, and give the last number that it reported."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        asyncio.run(write(path, writing))
    os.close(writing)
    select.select([reading], [], [], 30)
    time.sleep(chance.random() * 0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    reports = bytearray()
    while piece := os.read(reading, 65_536):
        reports += piece
    os.close(reading)
    return int.from_bytes(reports[-8:], "big")


def main() -> None:
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(count)
    for number in range(count):
        print(killed(folder / f"{number}.jsonl", chance), flush=True)


if __name__ == "__main__":
    main()
