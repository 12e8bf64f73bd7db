"""The place Team as a person drives it, over a real store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import tests.support.previews as p
from tests.support.teams import StoreTeam, team_at
from tests.team.scenario import D0
from tests.tui.conftest import Screen
from workbench.team.store import DEFAULT_BUSY_TIMEOUT_MS
from workbench.team.validation import Limits
from workbench.tui.app import WorkbenchApp
from workbench.tui.places.team.place import TeamPlace
from workbench.tui.view.team_entries import EntryId

WORK = EntryId("part", "runtime/work")


class TeamScreen(Screen):
    """The workbench with the place Team in front."""

    @property
    def team(self) -> TeamPlace:
        place = self.app.place
        assert isinstance(place, TeamPlace)
        return place

    async def go_to(self, id: EntryId) -> None:
        self.team.show_target(id)
        await self.settle()

    async def type(self, text: str) -> None:
        await self.press(*["enter" if each == "\n" else "space" if each == " " else each for each in text])

    @property
    def editor(self) -> Any:
        editor = self.team._editor
        assert editor is not None
        return editor


@asynccontextmanager
async def looking(
    team: StoreTeam | None, size: tuple[int, int] = (120, 40), **fields: Any
) -> AsyncIterator[TeamScreen]:
    subject = p.FakeSubject(team=team, **fields)
    app = WorkbenchApp(subject)
    async with app.run_test(size=size) as pilot:
        screen = TeamScreen(pilot, subject)
        await screen.settle()
        await pilot.press("6")
        await screen.settle()
        yield screen


@asynccontextmanager
async def opened(
    tmp_path: Path,
    size: tuple[int, int] = (120, 40),
    limits: Limits | None = None,
    busy_timeout_ms: int = DEFAULT_BUSY_TIMEOUT_MS,
    **saved: Any,
) -> AsyncIterator[tuple[TeamScreen, StoreTeam]]:
    """Over the short texts of the scenarios, with one version if there is something to be saved."""
    async with team_at(tmp_path / "team.db", D0, limits, busy_timeout_ms) as team:
        if saved:
            await team.save_now(**saved)
        async with looking(team, size) as screen:
            yield screen, team


def overriding(**texts: str) -> dict[str, Any]:
    return {f"runtime/{key}": {"text": text} for key, text in texts.items()}
