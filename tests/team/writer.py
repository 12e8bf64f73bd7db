"""A process that saves, for the tests of several: `python writer.py race|loop ADDRESS NAME`.

`race` waits for a line with a base revision on standard input, saves on that base, prints `won` or `lost`, and
waits for the next. `loop` saves again and again on whatever is newest, until it is killed.
"""

from __future__ import annotations

import sys
from typing import Any

from workbench.team.problems import Conflict
from workbench.team.store.versions import VersionStore


def proposal(store: VersionStore, text: str) -> dict[str, Any]:
    given = store.newest().config.as_proposal()
    given["sections"]["communication"] = text
    return given


def race(store: VersionStore, name: str) -> None:
    print("ready", flush=True)
    for line in sys.stdin:
        base = int(line)
        try:
            store.save(proposal(store, f"{name} on {base}"), base)
        except Conflict as conflict:
            print("lost" if conflict.newest > base == conflict.base else f"wrong: {conflict}", flush=True)
        else:
            print("won", flush=True)


def loop(store: VersionStore, name: str) -> None:
    print("ready", flush=True)
    number = 0
    while True:
        number += 1
        base = store.newest_revision()
        store.save(proposal(store, f"{name} {number} " + "x" * 100_000 + " end"), base)


if __name__ == "__main__":
    {"race": race, "loop": loop}[sys.argv[1]](VersionStore(sys.argv[2], busy_timeout_ms=60_000), sys.argv[3])
