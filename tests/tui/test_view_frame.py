"""The lines around the panes, at every width."""

from __future__ import annotations

import pytest

from workbench.tui.places.base import TABS
from workbench.tui.view.frame import Tab, tab_bar
from workbench.tui.view.pieces import plain, width_of


@pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.title)
@pytest.mark.parametrize("badges", [{}, {"Packages": 12}], ids=["", "asked"])
def test_places_and_question_hold_at_every_width(tab: Tab, badges: dict[str, int]) -> None:
    for width in range(58, 301):  # below 60 columns the line is not there
        bar = tab_bar(TABS, tab.title, tab.question, width, badges=badges)
        shown = plain(bar.left)
        assert width_of(bar.left) + (width_of(bar.right) + 2 if bar.right else 0) <= width
        assert f"▎{tab.key} {tab.title}" in shown
        assert all(each.key in shown for each in TABS)
        assert "12" in shown or not badges
        assert [region.command for region in bar.regions] == [f"app.{each.title.lower()}" for each in TABS]
        for region, each in zip(bar.regions, TABS, strict=True):
            assert each.key in shown[region.start : region.end]
        if width >= 78:
            assert all(each.title in shown for each in TABS)
        if width >= 118:
            assert plain(bar.right) == tab.question
