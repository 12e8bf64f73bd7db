"""What a pane keeps of its drawing is what it would draw now."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from textual.strip import Strip

import tests.support.previews as p
from workbench.tui.view.layout import Located
from workbench.tui.widgets.prompt_text import PromptText

Workbench = Callable[..., Any]
MOVES = ("j", "j", "j", "k", "k", "pagedown", "pageup", "g", "G")


@pytest.mark.parametrize("pane", ["list", "text"])
async def test_kept_rows_are_those_that_would_be_drawn(workbench: Workbench, pane: str) -> None:
    chance = random.Random(3)
    async with workbench(p.FakeSubject(p.big(120)), size=(120, 30)) as screen:
        if pane == "text":
            await screen.press("enter")
        shown = screen.place.focused
        assert shown is screen.place.query_one(f"#{pane}")
        for _ in range(60):
            await screen.press(chance.choice(MOVES))
            kept = shown.render_lines(shown.size.region)
            shown.forget_drawn()
            assert kept == shown.render_lines(shown.size.region)


async def test_a_move_to_the_next_section_draws_two_of_them(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with workbench(p.FakeSubject(p.big(120)), size=(120, 40)) as screen:
        text = screen.place.prompt_text
        await screen.press("enter")
        drawn: set[int] = set()
        draw = PromptText._draw

        def watched(self: PromptText, located: Located, width: int) -> Strip:
            drawn.add(located.block)
            return draw(self, located, width)

        monkeypatch.setattr(PromptText, "_draw", watched)
        while text.cursor.block < 2:
            drawn.clear()
            before = text.cursor.block
            await screen.press("j")
            assert drawn == {before, text.cursor.block}
