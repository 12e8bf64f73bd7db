"""A burst of events of the runtime, and of changes of what is registered, with the workbench on a screen.

The burst is told once per frame. Theirs is one message per event to the same app, which does nothing with it:
the least that a screen does which posts whatever it hears. What is compared is the longest time for which nothing
else on the loop could run.
The second line is for a registry of 3,000 sections that a plugin never lets come to rest.

    python tests/benchmarks/bench_flood.py
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from textual.message import Message

from tests.benchmarks.measure import Settings, settings
from workbench.core import Runtime
from workbench.prompt import PromptConfig, SystemPrompt
from workbench.tui import collector
from workbench.tui.app import WorkbenchApp

EVENTS = 100_000
SECTIONS = 3_000
GOAL = 1 / 20


class Heard(Message):
    """One event."""


class Gaps:
    """How long the loop did not turn."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.busiest = 0.0
        """Of its own processor time, which the rest of the machine has no part in."""

    async def watch(self) -> None:
        """Until cancelled."""
        last, used = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(0)
            now, spent = time.perf_counter(), time.thread_time()
            self.longest, self.busiest = max(self.longest, now - last), max(self.busiest, spent - used)
            last, used = now, spent


@asynccontextmanager
async def watched() -> AsyncIterator[Gaps]:
    """The longest gap inside."""
    gaps = Gaps()
    task = asyncio.create_task(gaps.watch())
    await asyncio.sleep(0)
    try:
        yield gaps
        await asyncio.sleep(0)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def workbench(sections: int) -> AsyncIterator[tuple[WorkbenchApp, Any]]:
    """The app over a runtime with so many sections, at rest."""
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig())
        prompt: Any = runtime.root.system_prompt
        for index in range(sections):
            prompt.section(f"part:{index:04}", index, f"Part {index} of the catalogue.")
        app = WorkbenchApp(runtime)
        async with app.run_test(size=(120, 40)) as pilot:
            while app.viewing.preview is None:
                await pilot.pause()
            await rest(app)
            collector.keep()  # as the program does
            yield app, prompt
            collector.let_go()


async def rest(app: WorkbenchApp) -> None:
    """Until everything that was told has been looked at."""
    done = asyncio.Event()
    app.call_later(done.set)  # behind all messages
    await done.wait()
    while app.bridge.is_due or app.viewing.is_busy:
        await asyncio.sleep(0.01)


async def burst(app: WorkbenchApp, mark: Callable[[str], object], events: int) -> float:
    """Seconds of the longest gap from the first event until all is shown."""
    async with watched() as gaps:
        for _ in range(events):
            mark("prompt")
        await rest(app)
    return gaps.longest


async def never_at_rest(app: WorkbenchApp, prompt: Any, seconds: float) -> tuple[Gaps, int, int]:
    """The gaps, and how many changes and previews there were."""
    before, changes = app.viewing.version, 0
    async with watched() as gaps:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            prompt.section("part:new", 5, f"Part {changes}, again.")()
            changes += 1
            await asyncio.sleep(0.001)
        await rest(app)
    return gaps, changes, app.viewing.version - before


async def measure(how: Settings) -> None:
    events, sections = (1_000, 100) if how.quick else (EVENTS, SECTIONS)
    pairs = []
    async with workbench(3) as (app, _):
        for _ in range(how.rounds):
            theirs = await burst(app, lambda _topic: app.post_message(Heard()), events)
            pairs.append((await burst(app, app.bridge.mark, events), theirs))
    ours_ms, theirs_ms = (statistics.median(side) * 1e3 for side in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    verdict = f"goal {GOAL:.3f} {'ok' if ratio <= GOAL else 'MISSED'}"
    gaps = f"longest gap {ours_ms:.1f} ms, a message each {theirs_ms:.1f} ms"
    print(f"burst of {events:,} events: {gaps}, ratio {ratio:.4f}  {verdict}")
    async with workbench(sections) as (app, prompt):
        gaps_of_flood, changes, previews = await never_at_rest(app, prompt, 0.3 if how.quick else 5.0)
    longest, busiest = gaps_of_flood.longest * 1e3, gaps_of_flood.busiest * 1e3
    print(
        f"{changes:,} changes, {sections:,} sections, {previews} times shown: "
        f"longest gap {longest:.1f} ms, {busiest:.1f} ms of them at work"
    )


if __name__ == "__main__":
    asyncio.run(measure(settings(__doc__ or "")))
