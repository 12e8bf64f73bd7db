"""The place Prompt at every size, by mouse, and with keys that are typed ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.events import Key, MouseScrollDown

import tests.support.previews as p
from workbench.tui.places.prompt.place import PromptPlace
from workbench.tui.widgets.inputs import SafeInput
from workbench.tui.widgets.picker import Picker

Workbench = Callable[..., Any]


SIZES = [(20, 5), (50, 14), (70, 20), (80, 24), (100, 30), (160, 45), (300, 90)]


@pytest.mark.parametrize("size", SIZES)
async def test_every_size_can_be_opened_and_used(workbench: Workbench, size: tuple[int, int]) -> None:
    async with workbench(size=size) as screen:
        await screen.press("j", "tab", "j", "tab", "G", "w", "v", "m")
        assert len(screen.text().splitlines()) == size[1]


@pytest.mark.parametrize("name", ["FAILING", "HOSTILE_PREVIEW", "EMPTY"])
async def test_every_size_can_be_changed_to_and_used(workbench: Workbench, name: str) -> None:
    async with workbench(p.FakeSubject(getattr(p, name)), size=(120, 40)) as screen:
        for size in SIZES:
            await screen.pilot.resize_terminal(*size)
            await screen.settle()
            await screen.press("j", "tab", "j", "tab", "G", "w", "v", "m")
            assert len(screen.text().splitlines()) == size[1]


async def test_one_pane_at_a_time_where_there_is_no_room(workbench: Workbench) -> None:
    async with workbench(size=(70, 20)) as screen:
        assert screen.place.entry_list.display
        assert not screen.place.prompt_text.display
        await screen.press("tab")
        assert screen.place.prompt_text.display
        assert not screen.place.entry_list.display
        await screen.press("tab")
        assert screen.place.entry_list.has_focus


async def test_resizing_keeps_what_is_chosen(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("j", "j")
        for size in ((80, 24), (40, 10), (200, 50), (120, 40)):
            await screen.pilot.resize_terminal(*size)
            await screen.settle()
        assert screen.place.model.chosen.name == "tool:bash"
        assert "Check the exit marker" in screen.text()


async def test_a_click_chooses(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.pilot.click("#list", offset=(12, 4))
        await screen.settle()
        assert screen.place.model.chosen.name == "tool:read"
        await screen.pilot.click("#text", offset=(20, 1))
        await screen.settle()
        assert screen.place.model.chosen.name == "harness:identity"
        assert screen.place.prompt_text.has_focus


async def test_a_click_on_the_scope_opens_the_scopes(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.pilot.click("ContextBar", offset=(25, 0))
        await screen.pilot.pause()
        assert isinstance(screen.app.screen, Picker)


async def test_the_wheel_scrolls_the_text(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(p.big(50))) as screen:
        text = screen.place.prompt_text
        await screen.pilot._post_mouse_events([MouseScrollDown], text)
        await screen.settle()
        assert text.scroll_y > 0


async def test_a_large_prompt_is_shown_and_moved_in(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(p.big(3000))) as screen:
        await screen.press("G", "k", "k", "k", "k", "k", "k", "k", "k")
        assert screen.place.model.chosen.name == "part:2999"
        assert "part:2999" in screen.text().split("Sections")[-1]
        await screen.press("enter", "G", "pageup", "g")
        assert screen.place.prompt_text.cursor == (0, 0)


async def test_keys_that_are_typed_ahead_of_a_field_are_never_commands(workbench: Workbench) -> None:
    """`q` would quit, and `c` open the colours."""
    async with workbench() as screen:
        for key in ("slash", "q", "u", "c", "k"):
            screen.app.post_message(Key(key, key if len(key) == 1 else "/"))
        await screen.settle()
        assert isinstance(screen.app.focused, SafeInput)
        assert isinstance(screen.app.screen, PromptPlace)
        await screen.press("escape")
        for key in ("ctrl+p", "q", "c"):
            screen.app.post_message(Key(key, key if len(key) == 1 else None))
        await screen.settle()
        assert screen.app.screen.query_one(SafeInput).has_focus
        assert screen.app.is_running
