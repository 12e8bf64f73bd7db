"""What a person sets about the looks of all places, and what is remembered of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import tests.support.previews as p
from workbench.tui.memory import Memory
from workbench.tui.places import base
from workbench.tui.places.prompt.place import PromptPlace
from workbench.tui.view.help import SIGNS
from workbench.tui.view.pieces import cut, outside
from workbench.tui.view.signs import ASCII, in_ascii

Workbench = Callable[..., Any]
OUTSIDE = "×✓≈━"
"""Signs of ours, said by somebody else."""


def test_each_sign_has_an_ascii_form_of_one_cell() -> None:
    assert all(len(form) == 1 and form.isascii() for form in ASCII.values())
    for sign, _, _ in SIGNS:
        assert in_ascii(sign).isascii(), sign


def test_a_cut_of_text_from_outside_ends_in_a_sign_of_ours() -> None:
    *kept, end = cut(outside("×" * 9), 5)
    assert [piece.text for piece in kept] == ["××××"]
    assert all(piece.is_outside for piece in kept)
    assert (end.text, end.is_outside) == ("…", False)


def said_by_somebody(preview: Any) -> Any:
    """With our signs in its names and texts."""
    first, *rest = preview.sections
    text = f"{OUTSIDE} text"
    changed = replace(first, name=f"{OUTSIDE} name", text=text, rendered=text, spans=(), owner=OWNER)
    return replace(preview, sections=(changed, *rest))


OWNER = replace(p.BASH, plugin=f"{OUTSIDE} owner")


async def test_signs_in_ascii_everywhere_but_in_text_from_outside(workbench: Workbench) -> None:
    memory = Memory()
    subject = p.FakeSubject(said_by_somebody(p.CODING_AGENT))
    async with workbench(subject, memory=memory, size=(200, 50)) as screen:
        assert "● live" in screen.text()
        await screen.app.run_action("signs")
        await screen.settle()
        assert memory.layout == {"app.ascii": True}
        text = screen.text()
        assert "* live" in text
        assert f"{OUTSIDE} name" in text
        assert f"{OUTSIDE} text" in text
        assert f"{OUTSIDE} owner" in text
        for place in "123":
            await screen.press(place)
            shown = screen.text()
            for each in ("name", "text", "owner"):
                shown = shown.replace(f"{OUTSIDE} {each}", "")
            assert not set(shown) & ASCII.keys(), place
        await screen.press("question_mark")
        assert not set(screen.text()) & ASCII.keys()
        await screen.press("escape", "1")
        await screen.app.run_action("signs")
        await screen.settle()
        assert "● live" in screen.text()


async def test_a_start_can_ask_for_ascii_and_does_not_write_it_down(workbench: Workbench) -> None:
    memory = Memory()
    async with workbench(memory=memory) as screen:
        screen.app.signs_in_ascii = True
        assert screen.app.is_ascii
        assert not memory.layout


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
async def test_compact_leaves_no_line_free_in_any_place(workbench: Workbench, size: tuple[int, int]) -> None:
    memory = Memory()
    async with workbench(memory=memory, size=size) as screen:
        before = screen.text()
        await screen.press("C")
        assert memory.layout == {"app.compact": True}
        assert "Compact" in screen.text()
        place = screen.place
        assert place.has_class("-short")
        assert not place.has_class("-tall")
        assert place.query_one("#body").region.y == 3
        for key in ("2", "3", "d"):
            await screen.press(key)
            assert screen.app.place.query_one("#body").region.y == 3, key
        await screen.press("escape", "1", "C")
        screen.app.place.refresh_frame()
        await screen.settle()
        assert screen.text() == before


async def test_compact_is_there_from_the_first_paint_on(workbench: Workbench) -> None:
    async with workbench(memory=Memory(layout={"app.compact": True}), size=(120, 40)) as screen:
        assert screen.place.query_one("#body").region.y == 3
        assert not screen.place.is_airy


async def test_wrapping_and_the_inspector_are_as_they_were_left(workbench: Workbench) -> None:
    memory = Memory()
    async with workbench(memory=memory) as screen:
        await screen.press("w", "i")
    assert memory.layout == {"prompt.wrap": False, "prompt.inspector": False}
    async with workbench(memory=memory) as screen:
        place = screen.app.place
        assert isinstance(place, PromptPlace)
        assert not place.prompt_text.wraps
        assert not place.panel.display
        await screen.press("w", "i")
    assert memory.layout == {"prompt.wrap": True, "prompt.inspector": True}


async def test_work_that_takes_a_while_is_told_until_it_is_done(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "SLOW_SECONDS", 0.01)
    is_read = asyncio.Event()

    class Slow(p.FakeSubject):
        async def reload(self) -> None:
            await is_read.wait()

    async with workbench(Slow()) as screen:
        await screen.pilot.press("f5")
        await screen.comes("◐ Reading coding-agent.yml again …")
        await screen.press("j")
        assert "again …" in screen.text()
        is_read.set()
        await screen.app.workers.wait_for_complete()
        await screen.settle()
        assert "again …" not in screen.text()
        assert "tokens in" in screen.text() or "characters in" in screen.text()
