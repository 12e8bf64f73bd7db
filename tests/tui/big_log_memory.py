"""Opens a log in the place Session, goes about in it, and prints the most memory that this ever took, in MB.

python tests/tui/big_log_memory.py LOG
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from workbench.tui.app import WorkbenchApp
from workbench.tui.log_subject import LogSubject
from workbench.tui.places.session.place import SessionPlace

JUMPS = 12


def peak_mb() -> float:
    """Of this program alone; `ru_maxrss` begins with what the one that has started it took."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


async def go_about(path: Path) -> None:
    began = time.monotonic()

    def say(what: str) -> None:
        print(f"{peak_mb():8.1f} MB  {time.monotonic() - began:7.1f} s  {what}", flush=True)

    subject = LogSubject.open_now(path, path.name)
    app = WorkbenchApp(subject, theme="dark")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        say("first screen")
        reading = asyncio.create_task(subject.run())
        while subject.progress:
            await asyncio.sleep(0.05)
        place = app.place
        assert isinstance(place, SessionPlace)
        await pilot.pause()
        model = place.model
        keys = [row.key for row in model.rows if row.key is not None]
        say(f"all read, {len(keys):,} requests")
        for nth in range(JUMPS):
            place.steps.choose(keys[(len(keys) - 1) * nth // (JUMPS - 1)])
            await pilot.pause()
        say("jumped about")
        for nth in (1, JUMPS // 2, JUMPS - 1):
            place.steps.choose(keys[(len(keys) - 1) * nth // (JUMPS - 1)])
            await pilot.pause()
            await place.action_open()
            await pilot.pause()
            assert model.request is not None
            place.action_back()
        say("read requests")
        for _ in range(3):
            place.action_next_break()
            await pilot.pause()
        say("went to breaks")
        reading.cancel()
        await asyncio.wait({reading})
        subject.close()
    print(f"peak {peak_mb():.1f} MB")


if __name__ == "__main__":
    asyncio.run(go_about(Path(sys.argv[1])))
