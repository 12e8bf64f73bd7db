"""Pictures of what lies over a place, or is picked out in it: looked at by a person once, compared ever after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tests.support.previews as p
from tests.tui.at_rest import settled
from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.inputs import SafeInput

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
THEMES = pytest.mark.parametrize("theme", ["dark", "light", "mono"])


def picture(
    snap_compare: Any, size: tuple[int, int], theme: str, steps: list[object], shown: object = None
) -> bool:
    """A step is a key, `=words` to type into a field, or a pair of cells of the text to drag between."""
    subject = p.FakeSubject(counted=p.in_words)
    if shown is not None:
        subject.shown = shown  # type: ignore[assignment]

    async def before(pilot: Any) -> None:
        await settled(pilot)
        for step in steps:
            if isinstance(step, str) and step.startswith("="):
                pilot.app.screen.query_one(SafeInput).value = step[1:]
            elif isinstance(step, str):
                await pilot.press(step)
            else:
                start, end = step  # type: ignore[misc]
                await pilot.mouse_down("#text", offset=start)
                await pilot.hover("#text", offset=end)
                await pilot.mouse_up("#text", offset=end)
            await settled(pilot)

    app = WorkbenchApp(subject, theme=theme)
    return bool(snap_compare(app, terminal_size=size, run_before=before))


@SIZES
@THEMES
def test_the_list_is_filtered(snap_compare: Any, size: tuple[int, int], theme: str) -> None:
    assert picture(snap_compare, size, theme, ["F", "=owner:files", "enter"])


@THEMES
def test_matches_in_gutter_and_scrollbar(snap_compare: Any, theme: str) -> None:
    shown = p.big(60)
    assert picture(snap_compare, (100, 30), theme, ["slash", "=part 5", "enter"], shown)


@THEMES
def test_a_selection(snap_compare: Any, theme: str) -> None:
    assert picture(snap_compare, (100, 30), theme, [((20, 4), (40, 8))])


@SIZES
def test_a_jump(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, size, "dark", ["colon", "=re"])


@SIZES
def test_a_file_is_there_already(
    snap_compare: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "harness-identity.txt").write_text("mine", "utf-8")
    assert picture(snap_compare, size, "dark", ["S", "enter"])
