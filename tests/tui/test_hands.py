"""What can be done from every place, driven by keys and mouse."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tests.support.previews as p
import tests.support.traces as t
from tests.tui.driving import pick, type_in
from workbench.tui.hands import clipboard
from workbench.tui.view.filter import Filter
from workbench.tui.widgets.picker import PickList

Workbench = Callable[..., Any]


# moving


async def test_the_way_back_leads_over_entries_scopes_and_places(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("colon")
        await pick(screen, "tool:web_search")
        assert screen.place.model.chosen.name == "tool:web_search"
        await screen.press("s")
        await pick(screen, "reviewer")
        assert screen.app.viewing.scope == "reviewer"
        await screen.press("2")
        assert screen.app.place.tab.title == "Trace"
        await screen.press("left_square_bracket")
        assert (screen.app.place.tab.title, screen.app.viewing.scope) == ("Prompt", "reviewer")
        assert screen.place.model.chosen.name == "tool:web_search"
        await screen.press("alt+left")
        assert screen.app.viewing.scope == "main"
        await screen.press("left_square_bracket")
        assert screen.place.model.chosen.name == "harness:identity"
        await screen.press("left_square_bracket")
        assert "nothing to go back to" in screen.text()
        await screen.press("right_square_bracket", "alt+right", "right_square_bracket")
        assert screen.app.place.tab.title == "Trace"
        await screen.press("right_square_bracket")
        assert "nothing ahead" in screen.text()


async def test_small_steps_leave_no_spot(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("j", "j", "j")
        assert not screen.app.trail.can_go_back
        await screen.press("G", "left_square_bracket")
        assert screen.place.model.chosen.name == "tool:read"


async def test_the_palette_leads_from_any_place_to_owners_plugins_and_scopes(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("3", "colon")
        await pick(screen, "limits")
        assert screen.app.place.tab.title == "Prompt" or screen.app.place.tab.title == "Registry"
        await screen.press("1", "colon")
        listing = screen.app.screen.query_one(PickList)
        await type_in(screen, "files")
        owner = next(i for i, found in enumerate(listing.found) if found.item.group == "Owners")
        assert found_letters(listing.found[owner]) == "files"
        await screen.press(*["down"] * owner, "enter")
        assert screen.place.model.filter == Filter(owner="files")


def found_letters(found: Any) -> str:
    return "".join(found.item.title[at] for at in found.at)


async def test_the_list_is_filtered_and_all_shown_again(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("F")
        await pick(screen, "owner:files")
        assert "4 of 17 listed: owner:files" in screen.text()
        assert {key.name for key in screen.place.model.listed} == {"tool:read", "tool:edit", "edit", "read"}
        assert screen.place.model.chosen.name == "tool:read"
        assert "esc show all" in screen.text()
        assert "deployment:persona" in screen.text(), "the text shows everything"
        await screen.press("F")
        await pick(screen, "is:error")
        assert screen.place.model.filter.words == "owner:files is:error"
        assert "0 of 17 listed" in screen.text() or "No entry is" in screen.text()
        await screen.press("escape")
        assert not screen.place.model.filter
        assert "listed" not in screen.text()


async def test_a_jump_to_what_the_filter_hides_takes_it_off(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("F")
        await pick(screen, "owner:bash")
        await screen.press("colon")
        await pick(screen, "harness:identity")
        assert screen.place.model.chosen.name == "harness:identity"
        assert not screen.place.model.filter


async def test_lines_with_a_match_are_marked_in_gutter_and_scrollbar(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(p.big(300)), size=(100, 24)) as screen:
        await screen.press("slash")
        await type_in(screen, "part 7 green")
        text = screen.place.prompt_text
        column = text.region.right - 1
        bar = [line[column] for line in screen.text().splitlines()[text.region.y : text.region.bottom]]
        assert bar.count("•") == 1
        assert "1•" in screen.text()
        await type_in(screen, "green")
        bar = [line[column] for line in screen.text().splitlines()[text.region.y : text.region.bottom]]
        assert bar.count("•") == len(bar)
        await screen.press("escape")
        assert "•" not in screen.text()


async def test_a_double_click_opens(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.pilot.click("#list", offset=(10, 3), times=2)
        await screen.settle()
        assert screen.place.prompt_text.has_focus


# selecting and copying


async def drag(screen: Any, start: tuple[int, int], end: tuple[int, int]) -> None:
    await screen.pilot.mouse_down("#text", offset=start)
    await screen.pilot.hover("#text", offset=end)
    await screen.pilot.mouse_up("#text", offset=end)
    await screen.settle()


async def test_what_is_dragged_over_is_copied_as_it_was_given(workbench: Workbench) -> None:
    text = "one\ttab \u202eturned\x1b[31m 日本 👩‍👩‍👧 é\nsecond line"
    shown = p.preview([p.entry("a", 1, text, p.FILES), p.entry("b", 2, "other", p.FILES)])
    async with workbench(p.FakeSubject(shown)) as screen:
        await drag(screen, (6, 1), (60, 1))
        assert screen.place.prompt_text.selected_text == text.split("\n")[0]
        await screen.press("y")
        assert screen.app.clipboard == text.split("\n")[0]
        await drag(screen, (60, 2), (6, 1))
        assert screen.place.prompt_text.selected_text == text
        await drag(screen, (6, 1), (60, 4))
        assert screen.place.prompt_text.selected_text == f"{text}\n\nother"
        await screen.press("S")
        assert screen.app.screen._data == f"{text}\n\nother".encode()
        await screen.press("escape")
        await screen.pilot.click("#text", offset=(8, 2))
        assert screen.place.prompt_text.selected_text is None
        await screen.press("y")
        assert screen.app.clipboard == text


async def test_a_drag_that_leaves_the_text_selects_in_the_text_only(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.pilot.mouse_down("#text", offset=(20, 4))
        await screen.pilot.hover("#list", offset=(5, 4))
        await screen.pilot.mouse_up("#list", offset=(5, 4))
        await screen.settle()
        assert list(screen.app.screen.selections) == [screen.place.prompt_text]
        selected = screen.place.prompt_text.selected_text
        assert selected
        assert "\n" not in selected


async def test_a_selection_outlives_scrolling_and_wrapping_and_ends_with_the_text(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(p.big(300)), size=(100, 24)) as screen:
        await drag(screen, (6, 1), (20, 5))
        selected = screen.place.prompt_text.selected_text
        assert selected
        screen.place.prompt_text.scroll_to_row(2000)
        await screen.settle()
        await screen.press("w")
        assert screen.place.prompt_text.selected_text == selected
        screen.subject.change(p.big(301))
        await screen.settle()
        assert screen.place.prompt_text.selected_text is None


async def test_copying_says_which_way_it_went(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("y")
        assert "through the terminal; S saves it to a file." in screen.text()
        assert screen.app._copied("é" * 10, "xclip").startswith(
            "Copied 10 chars through the terminal and with xclip"
        )
        assert "may not take so much" in screen.app._copied("x" * 80_000, None)


def test_the_program_for_the_clipboard_is_that_of_the_desktop() -> None:
    def first(environ: dict[str, str], platform: str = "linux") -> str | None:
        found = clipboard.programs(environ, platform)
        return found[0].command[0] if found else None

    assert first({}) is None
    assert first({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}) == "wl-copy"
    assert first({"DISPLAY": ":0"}) == "xclip"
    assert first({"WSL_DISTRO_NAME": "Debian"}) == "clip.exe"
    assert first({}, "darwin") == "pbcopy"
    assert first({}, "win32") == "clip"


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for the program")
@pytest.mark.parametrize(("body", "name"), [('cat > "$OUT"', "xclip"), ("exit 3", None), ("exec sleep 100", None)])
async def test_the_program_gets_the_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, name: str | None
) -> None:
    script = tmp_path / "xclip"
    script.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("OUT", str(tmp_path / "out"))
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(clipboard, "PATIENCE", 0.5 if "sleep" in body else 10.0)
    assert await clipboard.copy("a\x1b日\n" * 50_000) == name
    if name:
        assert (tmp_path / "out").read_bytes() == "a\x1b日\n".encode() * 50_000


async def test_the_find_bar_takes_fields_as_the_registry_does(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("slash", *"owner:BAS")
        model = screen.place.model
        await screen.until(lambda: {key.name for key in model.listed} == {"tool:bash", "bash"})
        await screen.until(lambda: model.chosen in model.listed and "2 of " in screen.text())
        await screen.press("space", *"command")
        await screen.until(lambda: model.query == "owner:BAS command" and model.hits)
        assert {model.key_of(hit).name for hit in model.hits} <= {"tool:bash", "bash"}
        await screen.press("enter")
        await screen.until(lambda: "listed: owner:bas" in screen.text())
        await screen.until(lambda: screen.place.prompt_text.has_focus)
        await screen.press("escape")
        await screen.until(lambda: len(model.listed) == len(model.entries))
        await screen.press("slash", *"layer:nowhere")
        await screen.until(lambda: "not found" in screen.text())
        await screen.press("backspace")
        await screen.until(lambda: model.query == "layer:nowher")
        await screen.press("enter")
        await screen.until(lambda: screen.place.entry_list.has_focus)
        await screen.press("colon")
        await pick(screen, "harness:identity")
        await screen.until(lambda: model.chosen.name == "harness:identity")
        assert not model.query


async def test_trace_finds_words_of_one_owner(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(t.traced())) as screen:
        await screen.press("2", "slash", *"owner:LIM")
        await screen.until(lambda: screen.app.place.tab.title == "Trace")
        model = screen.app.place.model
        await screen.until(lambda: model.query == "owner:LIM")
        assert not model.hits
        await screen.press("space", *"600")
        await screen.until(lambda: model.query == "owner:LIM 600" and model.hits)
        assert [hit[1].listener.owner.plugin for hit in model.hits] == ["limits"]
        await screen.until(lambda: "took out “600” in section tool:bash." in screen.text())
        await screen.press("escape", "slash", *"owner:notes", "space", *"600")
        await screen.until(lambda: model.query == "owner:notes 600")
        assert not model.hits
