"""The scrollbar of the panes looks exactly like that of Textual."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.geometry import Region
from textual.strip import Strip

import tests.support.previews as p
from workbench.tui.widgets.marked_scrollbar import mark_scrollbar
from workbench.tui.widgets.quick_scrollbar import QuickScrollBar

Workbench = Callable[..., Any]


def cells(strips: list[Strip]) -> list[tuple[object, ...]]:
    """What a person sees, and what a click there does."""
    return [
        (segment.text, style.color, style.bgcolor, style.reverse, style.bold, style.meta)
        for strip in strips
        for segment in strip
        if (style := segment.style) is not None
    ]


@pytest.mark.parametrize("theme", ["dark", "light", "ansi-dark"])
@pytest.mark.parametrize("colours", [True, False])
async def test_it_looks_like_that_of_textual(
    workbench: Workbench, theme: str, colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not colours:
        monkeypatch.setenv("NO_COLOR", "1")
    async with workbench(p.FakeSubject(p.big(300)), theme=theme) as screen:
        bar = screen.place.prompt_text.vertical_scrollbar
        assert isinstance(bar, QuickScrollBar)
        assert bar.size.height > 20
        crop = Region(0, 0, *bar.size)
        for row, marks in ((0, []), (7, [0.0, 0.4, 1.0]), (101, []), (10_000, [0.5])):
            screen.place.prompt_text.scroll_to_row(row)
            mark_scrollbar(bar, marks, "#ffcc00")
            await screen.settle()
            bar._styles_cache.clear()
            quick = cells(bar.render_lines(crop))
            assert quick == cells(super(QuickScrollBar, bar).render_lines(crop))
            assert cells(bar.render_lines(Region(0, 3, 1, 5))) == quick[3:8]
