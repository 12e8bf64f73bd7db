"""Lines that are not wrapped: one row each, and what is to the right of the screen comes by key and wheel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import tests.support.previews as p
import tests.support.traces as t
from tests.tui.compared import ScopedSubject, compared
from workbench.prompt import Preview
from workbench.prompt.trace import Change
from workbench.tui.app import WorkbenchApp
from workbench.tui.view.difference import Form, TextDifference
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.pieces import Piece, cropped, plain, width_of

Workbench = Callable[..., Any]
BEFORE = "Begin " + "with care and " * 30 + "end here.\nShort."
AFTER = BEFORE.replace("end here", "finish there")
TEXTS = st.text(st.sampled_from("ab é日👩\u200d\u0301\t"), max_size=30)


@given(st.lists(TEXTS, max_size=4), st.integers(0, 40), st.integers(0, 40))
def test_a_cropped_line_has_its_cells(texts: list[str], start: int, width: int) -> None:
    line = tuple(Piece(text) for text in texts if text.isprintable())
    shown = cropped(line, start, width)
    assert width_of(shown) == min(width, max(0, width_of(line) - start))
    ascii_only = tuple(piece for piece in line if piece.text.isascii())
    assert plain(cropped(ascii_only, start, width)) == plain(ascii_only)[start : start + width]


@pytest.mark.parametrize("is_side_by_side", [False, True])
def test_each_line_takes_one_row(is_side_by_side: bool) -> None:
    difference = TextDifference(BEFORE, AFTER)
    for start in (0, 8, 400):
        rows = list(difference.layout(Form(80, is_side_by_side, True, start)))
        assert len(rows) == (2 if is_side_by_side else 3)
        assert all(width_of(row) <= 80 for row in rows)
        text = BEFORE[start : start + 20]
        assert text in plain(rows[0])
    assert difference.widest == cell_len(AFTER.split("\n")[0])
    assert len(difference.layout(Form(80, is_side_by_side, True))) > 5


def changed() -> Preview:
    change = Change("section", "deployment:persona", "changed", BEFORE, AFTER, "after next", "")
    span = t.span("lengthen", p.FILES, "passed", t.work(1, 2), t.work(2.1, 2.2), changes=(change,))
    return t.with_listeners(span, preview=p.CODING_AGENT)


async def test_in_trace(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(changed()), size=(100, 30)) as screen:
        await screen.press("2")
        await screen.until(lambda: "lengthen" in screen.text())
        screen.app.place.show_target(EntryKey("section", "deployment:persona", ""))
        await screen.press("enter")
        await screen.until(lambda: "Begin with care" in screen.text())
        place = screen.app.place
        wrapped = len(place.detail_pane.detail)
        assert "end here." in screen.text()
        await screen.press("w")
        assert len(place.detail_pane.detail) < wrapped
        assert "end here." not in screen.text()
        assert screen.app.memory.layout["trace.wrap"] is False
        await screen.press("shift+right", "shift+right")
        await screen.until(lambda: place.start == 16)
        place.detail_pane.sideways(350)
        await screen.until(lambda: "end here." in screen.text())
        place.detail_pane.sideways(1000)
        await screen.until(lambda: place.start == place.model.widest - 1)
        place.detail_pane.sideways(-1000)
        await screen.until(lambda: place.start == 0 and "Begin with care" in screen.text())
        await screen.press("w")
        assert len(place.detail_pane.detail) == wrapped


@pytest.mark.parametrize("size", [(100, 30), (180, 40)])
async def test_in_compare(workbench: Workbench, size: tuple[int, int]) -> None:
    sides = [
        p.preview([p.entry("long", 1, text, p.FILES)], scope=name) for name, text in (("a", BEFORE), ("b", AFTER))
    ]
    subject = ScopedSubject(sides[0])
    async with workbench(subject, size=size) as screen:
        subject.change(sides[1])
        await screen.settle()
        await screen.press("d")
        place = await compared(screen)
        await screen.press("tab")
        await screen.until(lambda: "end here." in screen.text())
        rows = place.pane.row_count()
        await screen.press("W")
        assert place.pane.row_count() < rows
        assert "end here." not in screen.text()
        await screen.press("shift+right")
        await screen.until(lambda: place.start == 8)
        place.pane.sideways(400)
        await screen.until(lambda: "end here." in screen.text() and "finish there." in screen.text())
        await screen.press("W")
        assert place.pane.row_count() == rows


async def test_in_prompt(workbench: Workbench) -> None:
    shown = p.preview([p.entry("long", 1, BEFORE, p.FILES)])
    async with workbench(p.FakeSubject(shown), size=(100, 30)) as screen:
        await screen.press("enter", "w")
        await screen.until(lambda: "end here." not in screen.text())
        text = screen.place.prompt_text
        await screen.press("shift+right", "shift+right", "shift+left")
        await screen.until(lambda: text.scroll_x == 8)
        text.sideways(400)
        await screen.until(lambda: "end here." in screen.text())
        text.sideways(-1000)
        await screen.until(lambda: "Begin with care" in screen.text())


async def test_the_choice_is_remembered() -> None:
    app = WorkbenchApp(p.FakeSubject(changed()))
    app.memory.layout.update({"trace.wrap": False, "compare.wrap": False})
    async with app.run_test(size=(120, 40)):
        await app.go_to("Trace")
        assert app.place.start == 0  # type: ignore[attr-defined]
        await app.go_to("Compare")
        assert app.place.start == 0  # type: ignore[attr-defined]
