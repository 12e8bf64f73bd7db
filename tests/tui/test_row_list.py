"""The one list of rows: what the mouse does in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support import previews as p
from workbench.tui.widgets.entry_list import EntryList

Workbench = Callable[..., Any]


def subject() -> p.FakeSubject:
    return p.FakeSubject(p.big(30))


async def test_rows_are_selected_with_the_mouse_and_copied_as_they_look(workbench: Workbench) -> None:
    async with workbench(subject()) as screen:
        entries = screen.app.screen.query_one("#list", EntryList)
        await screen.pilot.mouse_down("#list", offset=(4, 3))
        await screen.pilot.hover("#list", offset=(12, 5))
        await screen.pilot.mouse_up("#list", offset=(12, 5))
        await screen.settle()
        selected = entries.selected_text
        assert selected is not None
        lines = selected.split("\n")
        shown = [entries.render_line(y).text.rstrip() for y in (3, 4, 5)]
        assert len(lines) == 3
        assert lines[1] == shown[1]
        assert shown[0].endswith(lines[0])
        assert shown[2].startswith(lines[2])
        await screen.press("y")
        assert screen.app.clipboard == selected


async def test_a_double_click_opens_and_selects_nothing(workbench: Workbench) -> None:
    async with workbench(subject()) as screen:
        entries = screen.app.screen.query_one("#list", EntryList)
        await screen.pilot.click("#list", offset=(6, 4), times=2)
        await screen.settle()
        assert entries.cursor == 4
        assert entries.selected_text is None
        assert screen.place.prompt_text.has_focus


async def test_a_list_of_another_length_forgets_what_was_selected(workbench: Workbench) -> None:
    shown = subject()
    async with workbench(shown) as screen:
        entries = screen.app.screen.query_one("#list", EntryList)
        await screen.pilot.mouse_down("#list", offset=(4, 3))
        await screen.pilot.hover("#list", offset=(12, 5))
        await screen.pilot.mouse_up("#list", offset=(12, 5))
        await screen.settle()
        assert entries.selected_text
        shown.change(p.big(5))
        await screen.settle()
        assert entries.selected_text is None
