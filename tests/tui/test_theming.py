"""Themes of a running workbench: the person's own, read again when they change, and those of Textual."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES

import tests.support.teams as teams
from tests.support.previews import FakeSubject
from tests.tui.at_rest import settled
from tests.tui.conftest import opened
from tests.tui.packages_by_hand import HandPackages, lived_in
from tests.tui.test_themes import DARK, GROUNDS, TEXTS, contrast, text_of
from workbench.tui import user_themes
from workbench.tui.app import WorkbenchApp
from workbench.tui.foreign_themes import READABLE, described
from workbench.tui.memory import Memory
from workbench.tui.view.pieces import ROLES


@pytest.mark.parametrize("name", [name for name, theme in BUILTIN_THEMES.items() if not theme.ansi])
def test_every_pair_can_be_read_under_a_theme_of_textual(name: str) -> None:
    colours = described(BUILTIN_THEMES[name]).colours
    assert set(colours) == set(ROLES)
    for text in TEXTS:
        for ground in GROUNDS:
            assert contrast(colours[text], colours[ground]) >= READABLE - 0.1, (text, ground)


@pytest.mark.parametrize("name", ["nord", "textual-light", "ansi-dark", "ansi-light"])
async def test_themes_of_textual_colour_our_panes(name: str) -> None:
    app = WorkbenchApp(FakeSubject(), theme=name)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        expected = described(BUILTIN_THEMES[name]).colours["text"]
        style = app.place.answer_line.paint.style("text", "base")
        if BUILTIN_THEMES[name].ansi:
            assert style.color is not None
            assert style.color.name == "default"
            picked = app.place.answer_line.paint.style("failed", "cursor")
            assert picked.reverse
            assert picked.color == picked.bgcolor == style.color, "in any terminal it can be read"
        else:
            assert Color.from_rich_color(style.color).hex6.lower() == expected.lower()
        app.theme = "workbench-dark"
        await settled(pilot)
        assert (
            Color.from_rich_color(app.place.answer_line.paint.style("text", "base").color).hex6.lower() == "#dde2ea"
        )


@pytest.mark.parametrize("theme", ["dark", "light", "ansi-dark"])
async def test_without_colours_every_cell_of_every_place_is_grey(
    theme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    subject = FakeSubject(packages=HandPackages(lived_in()), team=teams.lived_in())
    async with opened(subject, theme=theme) as screen:
        sheets = ["d"], ["escape", "colon"], ["escape", "question_mark"]
        for keys in (*"123456", *sheets):
            await screen.press(*keys)
            strips = screen.app.screen._compositor.render_strips()
            styles = {segment.style for strip in strips for segment in strip if segment.style is not None}
            colours = {each for style in styles for each in (style.color, style.bgcolor) if each is not None}
            assert colours
            for colour in colours:
                shade = colour.triplet
                assert colour.is_default or (shade is not None and shade.red == shade.green == shade.blue), keys


def test_a_folder_gives_its_themes_and_what_is_wrong_with_the_others(tmp_path: Path) -> None:
    (tmp_path / "sea.yaml").write_text(
        text_of(DARK).replace('name: "x"', "name: sea").replace("name: x", "name: sea")
    )
    (tmp_path / "again.yml").write_text(text_of(DARK))
    (tmp_path / "bad.yaml").write_text("name: bad\ntext: grey\n")
    (tmp_path / "notes.txt").write_text("not a theme")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe")
    found, problems = user_themes.load(tmp_path)
    assert set(found) == {"sea", "x"}
    assert any("bad.yaml:2: 'grey' is not a colour" in problem for problem in problems)
    assert any("bytes.yaml" in problem for problem in problems)
    assert user_themes.load(tmp_path / "nowhere") == ({}, [])


async def test_an_edit_of_the_theme_in_force_shows_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "themes"
    folder.mkdir()
    file = folder / "sea.yaml"
    text = text_of(DARK).replace('name: "x"', "name: sea")
    file.write_text(text)
    monkeypatch.setattr(user_themes, "folder", lambda: folder)
    app = WorkbenchApp(FakeSubject(), memory=Memory(tmp_path / "state.json"))
    app.theming.read_own(folder)
    app.theme = app.theming.name_for_textual("sea")
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)

        def colour() -> str:
            return Color.from_rich_color(app.place.answer_line.paint.style("text", "base").color).hex6.lower()

        assert colour() == DARK.colours["text"]
        await _until(lambda: colour() == "#abcdef", lambda: file.write_text(_with(text, "text", "#abcdef")))
        told = lambda: any("'blue' is not a colour" in toast.message for toast in app._notifications)  # noqa: E731
        await _until(told, lambda: file.write_text(_with(text, "text", "blue")))
        assert colour() == "#abcdef", "a broken file keeps the theme that it was"
        short = lambda: any("bare.yaml" in toast.message for toast in app._notifications)  # noqa: E731
        await _until(short, lambda: (folder / "bare.yaml").write_text("name: bare\n"))
        assert max(toast.message.count("\n") for toast in app._notifications) <= 3, "the screen stays in view"
        bare = next(toast.message for toast in app._notifications if "bare.yaml" in toast.message)
        assert "sea.yaml" not in bare, "what was said already is not said again"
        assert bare.count(str(folder)) == 1
        assert "more)" in bare


def _with(text: str, role: str, colour: str) -> str:
    lines = (f'{role}: "{colour}"' if line.startswith(f"{role}:") else line for line in text.splitlines())
    return "\n".join(lines)


async def _until(is_so: Callable[[], bool], act: Callable[[], object]) -> None:
    """Acts again from time to time: the first time may be before the folder is followed."""
    for attempt in range(400):
        if attempt % 40 == 0:
            act()
        await asyncio.sleep(0.05)
        if is_so():
            return
    raise AssertionError("it did not happen")


def test_a_theme_that_is_gone_gives_the_default() -> None:
    app = WorkbenchApp()
    assert app.theming.name_for_textual("gone") == "workbench-dark"
    assert "mono" in app.theming.names()
    assert {item.group for item in app.theming.items()} == {"Workbench", "From Textual"}
