"""What tests of the screen share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import textual.app
import textual.pilot
from textual.pilot import Pilot

from tests.support.previews import FakeSubject
from tests.tui.at_rest import idle
from tests.tui.driving import Driven
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


class Screen(Driven):
    """The workbench over a subject by hand."""

    def __init__(self, pilot: Pilot[int], subject: FakeSubject) -> None:
        super().__init__(pilot)
        self.subject = subject

    @property
    def place(self) -> PromptPlace:
        place = self.app.place
        assert isinstance(place, PromptPlace)
        return place


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
def without_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pilot would sleep at least twice 20 ms for each key, and more while the machine is busy."""
    for module in (textual.app, textual.pilot):
        monkeypatch.setattr(module, "wait_for_idle", idle)


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
