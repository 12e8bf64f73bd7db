"""What can be done from every place, driven by keys and mouse."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.support.previews as p
import tests.support.traces as t
from workbench.tui.hands import clipboard
from workbench.tui.hands.editor import editor_at
from workbench.tui.hands.exports import FORMS, exported
from workbench.tui.hands.saving import file_name, write
from workbench.tui.view.filter import Filter
from workbench.tui.widgets.inputs import SafeInput
from workbench.tui.widgets.picker import PickList
from workbench.tui.widgets.save_sheet import SaveSheet

Workbench = Callable[..., Any]


async def type_in(screen: Any, text: str) -> None:
    screen.app.screen.query_one(SafeInput).value = text
    await screen.settle()


async def pick(screen: Any, query: str) -> None:
    await type_in(screen, query)
    await screen.press("enter")


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


# files


async def test_saving_asks_before_it_writes_over_a_file(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with workbench() as screen:
        await screen.press("S")
        sheet = screen.app.screen
        assert isinstance(sheet, SaveSheet)
        assert sheet.query_one(SafeInput).value == "harness-identity.txt"
        await screen.press("enter")
        assert "Saved 60 bytes to harness-identity.txt" in screen.text()
        written = tmp_path / "harness-identity.txt"
        assert written.read_text("utf-8") == p.SECTIONS[0].rendered
        written.write_text("mine", "utf-8")
        await screen.press("S", "enter")
        assert "There is a file of that name. Write over it?" in screen.text()
        assert written.read_text("utf-8") == "mine"
        await screen.press("enter")
        assert written.read_text("utf-8") == "mine", "enter alone never writes over it"
        await type_in(screen, "none/there.txt")
        await screen.press("ctrl+o")
        assert not (tmp_path / "none").exists()
        await screen.press("enter")
        assert "No such file or directory" in screen.text()
        await type_in(screen, str(tmp_path))
        await screen.press("enter")
        assert "is a folder" in screen.text()
        await type_in(screen, "harness-identity.txt")
        await screen.press("enter", "ctrl+o")
        assert written.read_text("utf-8") == p.SECTIONS[0].rendered
        assert os.listdir(tmp_path) == ["harness-identity.txt"], "nothing beside it"


async def test_the_sheet_can_be_clicked(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with workbench() as screen:
        await screen.press("S")
        lines = screen.text().splitlines()
        row = next(index for index, line in enumerate(lines) if "enter save" in line)
        await screen.pilot.click(offset=(lines[row].index("enter save"), row))
        await screen.settle()
        assert (tmp_path / "harness-identity.txt").exists()


@pytest.mark.parametrize("form", [form.name for form in FORMS])
async def test_what_is_shown_is_exported(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.chdir(tmp_path)
    title = next(each.title for each in FORMS if each.name == form)
    async with workbench() as screen:
        await screen.press("X")
        await pick(screen, title)
        await screen.until(lambda: isinstance(screen.app.screen, SaveSheet))
        await screen.press("enter")
        await screen.until(lambda: os.listdir(tmp_path))
        (name,) = os.listdir(tmp_path)
        page = (tmp_path / name).read_text("utf-8")
    if form == "svg":
        assert page.startswith("<svg")
        assert "harness:identity" in page
        assert "Save" not in page, "the screen, not the question for a name"
    elif form == "json":
        assert json.loads(page)["system"] == p.CODING_AGENT.system
    elif form == "text":
        assert page == f"{p.CODING_AGENT.system}\n"
    else:
        assert "### deployment:persona" in page or "deployment:persona" in page


def test_a_prompt_that_cannot_be_sent_has_no_text() -> None:
    assert exported("text", p.FAILING, "a.yml", "main", ()) is None
    assert json.loads(exported("json", p.FAILING, "a.yml", "main", ()) or "")["ok"] is False


@given(st.lists(st.text(max_size=90), max_size=3))
def test_names_of_files_are_harmless(parts: list[str]) -> None:
    name = file_name(*parts, ending=".txt")
    assert name.endswith(".txt")
    assert "/" not in name
    assert not name.startswith((".", "-"))
    assert name.isprintable()
    assert len(name) < 200


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")
def test_a_file_is_written_whole_with_its_mode_and_through_its_link(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    write(file, b"1")
    assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0o044 & ~_umask()
    with pytest.raises(FileExistsError):
        write(file, b"2")
    file.chmod(0o600)
    link.symlink_to(file)
    write(link, b"3", overwrite=True)
    assert link.is_symlink()
    assert file.read_bytes() == b"3"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(tmp_path.iterdir()) == [file, link]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# the editor


@pytest.mark.parametrize(
    ("wish", "call", "needs_terminal"),
    [
        ("vim", ["vim", "+call cursor(3,7)", "a.yml"], True),
        ("nvim -p", ["nvim", "-p", "+call cursor(3,7)", "a.yml"], True),
        ("/usr/bin/vi", ["/usr/bin/vi", "+3", "a.yml"], True),
        ("nano", ["nano", "+3,7", "a.yml"], True),
        ("emacs -nw", ["emacs", "-nw", "+3:7", "a.yml"], True),
        ("hx", ["hx", "a.yml:3:7"], True),
        ("code --wait", ["code", "--wait", "--goto", "a.yml:3:7"], False),
        ("subl", ["subl", "a.yml:3:7"], False),
        ("'my editor' -x", ["my editor", "-x", "a.yml"], True),
    ],
)
def test_each_editor_gets_the_line_in_its_way(wish: str, call: list[str], needs_terminal: bool) -> None:
    editor = editor_at({"EDITOR": wish}, "a.yml", 3, 7)
    assert editor is not None
    assert editor.command == call
    assert editor.needs_terminal is needs_terminal


def test_which_editor() -> None:
    assert editor_at({}, "a", 1) is None
    assert editor_at({"VISUAL": " ", "EDITOR": ""}, "a", 1) is None
    found = editor_at({"VISUAL": "code", "EDITOR": "vi"}, "a", 1)
    assert found is not None
    assert found.name == "code"
    with pytest.raises(ValueError, match="quotation"):
        editor_at({"EDITOR": "vi 'x"}, "a", 1)
    dashed = editor_at({"EDITOR": "nano"}, "-R", 2)
    assert dashed is not None
    assert dashed.command[-1] == os.path.join(".", "-R")


async def test_without_an_editor_the_remedy_is_named(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    (tmp_path / "coding-agent.yml").write_text("\n", "utf-8")
    async with workbench() as screen:
        await screen.press("E")
        assert "system_prompt.py:41 is no file here." in screen.text()
        await screen.press("j", "E")
        assert "Set $VISUAL or $EDITOR to open coding-agent.yml:12 from here" in screen.text()
        monkeypatch.setenv("EDITOR", "vi 'x")
        await screen.press("E")
        assert "cannot be read: No closing quotation" in screen.text()
        monkeypatch.setenv("EDITOR", "nano")
        await screen.press("E")
        assert "needs the terminal, which cannot be lent here" in screen.text()


async def test_reload_reads_and_assembles_again(workbench: Workbench) -> None:
    async with workbench() as screen:
        screen.subject.asked.clear()
        await screen.press("ctrl+r")
        await screen.settle()
        assert screen.subject.asked == ["reload", "main"]


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
async def test_an_export_is_what_the_command_line_prints(form: str) -> None:
    from workbench.config.opened import open_composition
    from workbench.config.samples import locate
    from workbench.tui.live import CompositionSubject

    command = [
        sys.executable,
        "-c",
        "from workbench.cli.main import run; run()",
        "render",
        "coding-agent",
        "-f",
        form,
    ]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    printed, _ = await process.communicate()
    async with open_composition(locate("coding-agent")) as opened:
        subject = CompositionSubject(opened, "coding-agent")
        scope = opened.default_label
        shown = await subject.preview(scope)
        page = exported(form, shown, subject.name, scope, tuple(subject.notes))
    assert page is not None
    assert page.encode("utf-8", "backslashreplace") == printed


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
