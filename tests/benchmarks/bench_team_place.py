"""The place Team over a long history: the first screen of 10,000 versions against that of 10.

    python tests/benchmarks/bench_team_place.py

A screen is everything from the key to the drawn lines at rest: the page of the history is asked of the store
again, and so are the texts of the newest two versions. Both sides are a workbench of their own, over a file of
its own, in the same process. The second row is the end of the list, which is a page that was never asked for.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import tests.support.previews as p
from tests.benchmarks.measure import HEADER, compare_async, settings
from tests.support.teams import many_versions, team_at
from workbench.tui.app import WorkbenchApp
from workbench.tui.places.team.place import TeamPlace

GOAL = 2.0


class Histories:
    """A workbench over one store, in the place Team."""

    def __init__(self, pilot: Any) -> None:
        self._pilot = pilot
        self._app: WorkbenchApp = pilot.app

    @property
    def _place(self) -> TeamPlace:
        place = self._app.place
        assert isinstance(place, TeamPlace)
        return place

    async def go(self) -> None:
        await self._pilot.press("6")
        await self._rest()

    async def first_screen(self) -> None:
        """As if the history had never been looked at."""
        model = self._place.model
        model.lines.clear()
        model.versions.clear()
        self._place.action_versions()
        await self._rest(model.revision)
        self._place.action_leave()

    async def last_screen(self) -> None:
        """From the first one to the shipped defaults."""
        model = self._place.model
        model.lines.clear()
        self._place.action_versions()
        await self._pilot.press("end")
        await self._rest(0)
        self._place.action_leave()

    async def _rest(self, revision: int | None = None) -> None:
        """Until the line of this revision is there, and everything is drawn."""
        while True:
            await self._pilot._wait_for_screen()
            is_there = revision is None or revision in self._place.model.lines
            if is_there and not (self._place.is_busy or self._app.viewing.is_busy):
                return
            await asyncio.sleep(0)


async def main() -> None:
    how = settings(__doc__ or "")
    print(HEADER)
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_STATE_HOME"] = name
        long = 300 if how.quick else 10_000
        async with opened(Path(name) / "long.db", long) as ours, opened(Path(name) / "short.db", 10) as theirs:
            for label, work in (("first", Histories.first_screen), ("last", Histories.last_screen)):
                found = await compare_async(bound(work, ours), bound(work, theirs), how)
                print(found.line(f"{label} screen of {long:,} : of 10", GOAL))


def bound(work: Callable[[Histories], Awaitable[None]], histories: Histories) -> Callable[[], Awaitable[None]]:
    return lambda: work(histories)


@asynccontextmanager
async def opened(file: Path, count: int) -> AsyncIterator[Histories]:
    """A workbench over a history of so many versions."""
    async with team_at(file) as team:
        many_versions(file, count)
        app = WorkbenchApp(p.FakeSubject(team=team))
        async with app.run_test(size=(120, 40)) as pilot:
            histories = Histories(pilot)
            await histories.go()
            yield histories


if __name__ == "__main__":
    asyncio.run(main())
