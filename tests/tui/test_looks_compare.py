"""Pictures of Compare: looked at by a person once, compared ever after."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import previews as p
from tests.tui.at_rest import settled
from tests.tui.compared import BEFORE, ScopedSubject, compared
from tests.tui.conftest import Screen
from workbench.prompt.views import Preview
from workbench.tui.app import WorkbenchApp

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")


@pytest.fixture(autouse=True)
def one_time_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Assemblies say when they were made."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def picture(
    snap_compare: Any,
    before: Preview,
    after: Preview | None,
    size: tuple[int, int],
    *keys: str,
    theme: str = "dark",
) -> bool:
    subject = ScopedSubject(before, by_scope={"reviewer": p.EMPTY}, counted=p.in_words)

    async def act(pilot: Any) -> None:
        screen = Screen(pilot, subject)
        await settled(pilot)
        if after is not None:
            subject.change(after)
            await settled(pilot)
        await pilot.press("d")
        await compared(screen)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)

    return bool(snap_compare(WorkbenchApp(subject, theme=theme), terminal_size=size, run_before=act))


@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
@SIZES
def test_compare(snap_compare: Any, size: tuple[int, int], theme: str) -> None:
    assert picture(snap_compare, BEFORE, p.CODING_AGENT, size, "n", theme=theme)


@pytest.mark.parametrize("theme", ["contrast", "safe"])
def test_whole_text_with_its_cursor(snap_compare: Any, theme: str) -> None:
    assert picture(snap_compare, p.CODING_AGENT, BEFORE, (120, 40), "w", "enter", "n", "n", theme=theme)


@SIZES
def test_hostile(snap_compare: Any, size: tuple[int, int]) -> None:
    """Brackets, escapes, direction marks, CJK, joined emoji, a line of 10,000 characters."""
    assert picture(snap_compare, p.preview([p.HOSTILE_PREVIEW.sections[2]]), p.HOSTILE_PREVIEW, size)


def test_equal(snap_compare: Any) -> None:
    assert picture(snap_compare, p.CODING_AGENT, p.CODING_AGENT, (80, 24))


def test_nothing_yet(snap_compare: Any) -> None:
    assert picture(snap_compare, p.CODING_AGENT, None, (120, 40))


def test_what_cannot_be_sent(snap_compare: Any) -> None:
    assert picture(snap_compare, p.CODING_AGENT, p.FAILING, (120, 40))


def test_one_pane_at_a_time(snap_compare: Any) -> None:
    assert picture(snap_compare, BEFORE, p.CODING_AGENT, (60, 16), "enter")
