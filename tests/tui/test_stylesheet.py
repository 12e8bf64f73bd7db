"""Styles are given anew where they may be other ones, and nowhere else."""

from __future__ import annotations

import pytest
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

from tests.support.previews import FakeSubject
from tests.tui.at_rest import settled
from workbench.tui.app import WorkbenchApp
from workbench.tui.places.base import Place
from workbench.tui.widgets.entry_list import EntryList


@pytest.fixture
def styled(monkeypatch: pytest.MonkeyPatch) -> list[DOMNode]:
    """Each node as often as it was given its style."""
    nodes: list[DOMNode] = []
    apply = Stylesheet.apply

    def watched(self: Stylesheet, node: DOMNode, **options: bool) -> None:
        nodes.append(node)
        apply(self, node, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Stylesheet, "apply", watched)
    return nodes


def ground_of(place: Place) -> str:
    return place.query_one("#body").styles.background.hex6.lower()


async def test_at_the_start_nothing_is_styled_twice(styled: list[DOMNode]) -> None:
    app = WorkbenchApp(FakeSubject())
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for widget in app.place.query("ContextBar, TabBar, AnswerLine, KeyHints, #body, #panel"):
            assert styled.count(widget) == 1, widget
        styled.clear()
        app.refresh_css()
        assert styled == []


async def test_a_place_out_of_sight_takes_another_theme_when_it_comes_back() -> None:
    app = WorkbenchApp(FakeSubject())
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        prompt = app.place
        dark = ground_of(prompt)
        await app.go_to("Trace")
        await settled(pilot)
        assert ground_of(app.place) == dark
        app.theme = "workbench-light"
        await settled(pilot)
        light = ground_of(app.place)
        assert light != dark
        await app.go_to("Prompt")
        await settled(pilot)
        assert app.place is prompt
        assert ground_of(prompt) == light
        app.theme = "workbench-dark"
        await settled(pilot)
        assert ground_of(prompt) == dark


async def test_another_size_is_styled_as_a_whole() -> None:
    app = WorkbenchApp(FakeSubject())
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        listed = app.place.query_one(EntryList)
        before = listed.size
        await pilot.resize_terminal(200, 50)
        await settled(pilot)
        assert app.place.has_class("-large")
        assert listed.size.width > before.width
