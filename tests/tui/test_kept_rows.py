"""What a pane keeps of its drawing is what it would draw now."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from textual._compositor import CompositorUpdate
from textual.strip import Strip

import tests.support.previews as p
from tests.support.cells import Cells, painted
from workbench.prompt.views import Preview
from workbench.tui.app import WorkbenchApp
from workbench.tui.view.layout import MEASURE_AT_ONCE, Located
from workbench.tui.widgets.paint import Painted
from workbench.tui.widgets.prompt_text import PromptText

Workbench = Callable[..., Any]
KEYS = (*"jjjkk", "pagedown", "pagedown", "pageup", *"gGwmv", "tab", "enter", "left", "h")


def uneven(sections: int) -> Preview:
    """Texts of which it is hard to guess how many rows they take, more than are measured at once."""
    chance = random.Random(5)
    texts = []
    for _ in range(sections):
        words = ("x" * chance.randint(1, 60) for _ in range(chance.randint(1, 40)))
        texts.append("".join(word + chance.choice("     \n") for word in words))
    assert sum(map(len, texts)) > MEASURE_AT_ONCE
    return p.preview(
        [p.entry(f"part:{index}", index, text, p.FILES) for index, text in enumerate(texts)], (), p.TOOLS, ()
    )


@pytest.mark.parametrize("seed", [1, 2])
async def test_the_terminal_shows_what_would_be_drawn_now(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    terminal: Cells = {}

    def display(app: WorkbenchApp, screen: object, update: CompositorUpdate | None) -> None:
        if update is not None:
            terminal.update(painted(update.render_segments(app.console)))

    monkeypatch.setattr(WorkbenchApp, "_display", display)
    async with workbench(p.FakeSubject(uneven(300)), size=(100, 24)) as screen:
        for _ in range(70):
            key = chance.choice(KEYS)
            await screen.press(key)
            for pane in screen.place.query(Painted):
                pane.forget_drawn()
            now = screen.place._compositor.render_full_update()
            shown = {at: cell for at, cell in terminal.items() if at[0] < 24}
            assert shown == painted(now.render_segments(screen.app.console)), key


async def test_the_next_page_is_drawn_ahead(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench(p.FakeSubject(p.big(600)), size=(100, 40)) as screen:
        text = screen.place.prompt_text
        await screen.press("enter", "pagedown", "pagedown")
        await screen.until(lambda: max(text._drawn) >= round(text.scroll_y) + 2 * text.size.height - 1)
        before = text.cursor.block
        drawn: set[int] = set()
        draw = PromptText._draw

        def watched(self: PromptText, located: Located, width: int) -> Strip:
            drawn.add(located.block)
            return draw(self, located, width)

        monkeypatch.setattr(PromptText, "_draw", watched)
        text.action_page_down()
        text.render_lines(text.size.region)
        at_top = text._layout.place_at(round(text.scroll_y)).block
        assert text.cursor.block > before + 2
        assert drawn <= {before, text.cursor.block, at_top}


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
