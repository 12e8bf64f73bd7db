"""Records many steps into a file, with a compaction now and then, and prints how much memory it holds at some."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.agent.log.building import Run, header, user
from workbench.agent.log import Replace


def resident_kib() -> int:
    """Memory that is in use now, not the most that ever was."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def main() -> None:
    path, steps = Path(sys.argv[1]), int(sys.argv[2])
    run = Run(path)
    session = run.session
    for number in range(1, steps + 1):
        run.captured.clear()
        run.begin_turn()
        run.begin_step(f"{number} " + "some words " * 20)
        run.send(header("You run on m1. " * 200))
        for _ in range(20):
            delta = {"type": "text-delta", "index": 0, "text": "some words "}
            run.append("assistant/chunk", {**run.place, "chunk": delta})
        run.answer({"type": "text", "text": "some words " * 20})
        run.end_step()
        run.end_turn()
        if number % 5 == 0:
            session.flush_now()
        if number % 50 == 0:
            nodes = session.surface.nodes[:-4]
            run.append("user/message", user("SUM"), Replace(nodes[0], nodes[-1]), *nodes)
        if number in (steps // 10, steps):
            print(resident_kib(), len(session.events), flush=True)
    session.close_now()


if __name__ == "__main__":
    main()
