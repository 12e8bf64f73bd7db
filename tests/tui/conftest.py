"""What tests of the screen share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from textual.pilot import Pilot

from tests.support.previews import FakeSubject
from workbench.team.drafts import DraftFolder
from workbench.tui.app import WorkbenchApp
from workbench.tui.places import base
from workbench.tui.places.prompt.place import PromptPlace

if TYPE_CHECKING:
    from textual.message import Message


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every look is looked at in dark at each size, and in each theme at 120x40. The other pictures are slow."""
    for item in items:
        params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        if params.get("theme", "dark") != "dark" and params.get("size", (120, 40)) != (120, 40):
            item.add_marker(pytest.mark.slow)


async def settled(pilot: Pilot[int]) -> None:
    """No work is under way, the bridge has nothing to tell, and the screen is quiet."""
    app = pilot.app
    assert isinstance(app, WorkbenchApp)
    for _ in range(1000):
        await pilot.pause()
        if _is_quiet(app):
            await pilot.pause()
            if _is_quiet(app):
                return
        await asyncio.sleep(0.01)
    raise AssertionError("the workbench does not come to rest")


def _is_quiet(app: WorkbenchApp) -> bool:
    return not app.bridge.is_due and not app.viewing.is_busy


class Screen:
    """The workbench under test."""

    def __init__(self, pilot: Pilot[int], subject: FakeSubject) -> None:
        self.pilot = pilot
        self.subject = subject

    @property
    def app(self) -> WorkbenchApp:
        assert isinstance(self.pilot.app, WorkbenchApp)
        return self.pilot.app

    @property
    def place(self) -> PromptPlace:
        place = self.app.place
        assert isinstance(place, PromptPlace)
        return place

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await settled(self.pilot)

    async def settle(self) -> None:
        await settled(self.pilot)

    async def until(self, is_so: Callable[[], object]) -> None:
        """Waits for what follows from keys by way of messages: a quiet screen may still have some to come."""
        end = asyncio.get_running_loop().time() + 30
        while asyncio.get_running_loop().time() < end:
            if is_so():
                return
            await self.settle()
            await asyncio.sleep(0.01)
        raise AssertionError(f"it does not come to be:\n{self.text()}")

    def text(self) -> str:
        """All that is on the screen, line by line."""
        compositor = self.app.screen._compositor
        return "\n".join("".join(segment.text for segment in strip) for strip in compositor.render_strips())


@asynccontextmanager
async def opened(
    subject: FakeSubject | None = None,
    size: tuple[int, int] = (120, 40),
    message_hook: Callable[[Message], None] | None = None,
    **options: Any,
) -> AsyncIterator[Screen]:
    """The workbench over a subject, at rest."""
    subject = subject or FakeSubject()
    app = WorkbenchApp(subject, **options)
    async with app.run_test(size=size, message_hook=message_hook) as pilot:
        screen = Screen(pilot, subject)
        await screen.settle()
        yield screen


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said for a moment stands until the test has read it, on however busy a machine."""
    monkeypatch.setattr(base, "SAID_SECONDS", 600.0)


@pytest.fixture(autouse=True)
async def without_tracebacks_of_tasks() -> None:
    """Where each of Textual's thousands of tasks was made costs half of the time; other rooms do note it."""
    asyncio.get_running_loop().set_debug(False)


@pytest.fixture
def drafts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> DraftFolder:
    """Drafts of this test alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return DraftFolder()


@pytest.fixture
def workbench() -> Callable[..., Any]:
    """`async with workbench(subject, size=(80, 24)) as screen:`"""
    return opened
