"""The compositor of the places puts on the screen exactly what that of Textual does."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Static

import tests.support.previews as p
from tests.support.cells import Cells, painted
from workbench.tui.widgets.prompt_text import PromptText
from workbench.tui.widgets.quick_compositor import QuickCompositor

Workbench = Callable[..., Any]


def update(compositor: Compositor, regions: list[Region], way: type[Compositor], screen: Any) -> Cells:
    """What one way of updating these regions writes into them."""
    compositor._dirty_regions = set(regions)
    made = way.render_partial_update(compositor)
    assert not compositor._dirty_regions
    if made is None:
        return {}
    cells = painted(made.render_segments(screen.app.console))
    return {at: cell for at, cell in cells.items() if any(region.contains(at[1], at[0]) for region in regions)}


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (30, 8)])
async def test_any_update_is_that_of_textual(workbench: Workbench, size: tuple[int, int]) -> None:
    chance = random.Random(1)
    async with workbench(p.FakeSubject(p.big(300)), size=size) as screen:
        cover = Static("Something lies over the panes, 所有 of them.")
        cover.styles.position, cover.styles.layer, cover.styles.offset = "absolute", "_tooltips", (7, 2)
        cover.styles.width, cover.styles.height, cover.styles.background = 19, 4, "green"
        await screen.place.mount(cover)
        await screen.settle()
        compositor = screen.place._compositor
        assert isinstance(compositor, QuickCompositor)
        assert next(iter(compositor.visible_widgets)) is cover
        widgets = [region.intersection(clip) for region, clip in compositor.visible_widgets.values()]
        for _ in range(60):
            regions = chance.sample(widgets, chance.randint(0, 2))
            for _ in range(chance.randint(0, 3)):
                x, y = chance.randrange(-3, size[0]), chance.randrange(-3, size[1])
                regions.append(Region(x, y, chance.randint(1, 60), chance.randint(1, 6)))
            inside = [region.intersection(compositor.size.region) for region in regions]
            theirs = update(compositor, inside, Compositor, screen)
            assert update(compositor, regions, QuickCompositor, screen) == theirs
            assert len(theirs) == len({at for region in inside for at in region_cells(region)})


def region_cells(region: Region) -> list[tuple[int, int]]:
    return [(y, x) for y in region.line_range for x in region.column_range]


async def test_only_the_rows_that_changed_are_drawn(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench(p.FakeSubject(p.big(300))) as screen:
        text = screen.place.prompt_text
        await screen.press("enter")
        drawn: list[int] = []
        render_line = PromptText.render_line

        def watched(self: PromptText, y: int) -> Strip:
            drawn.append(y)
            return render_line(self, y)

        monkeypatch.setattr(PromptText, "render_line", watched)
        text.refresh_lines(round(text.scroll_y) + 3, 2)
        await screen.settle()
        assert drawn == [3, 4]
