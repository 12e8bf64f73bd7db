"""What every place does with files: saving, exporting, the editor, reading again."""

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
from tests.tui.driving import pick, type_in
from workbench.tui.hands.editor import editor_at
from workbench.tui.hands.exports import FORMS, exported
from workbench.tui.hands.saving import file_name, write
from workbench.tui.widgets.inputs import SafeInput
from workbench.tui.widgets.save_sheet import SaveSheet

Workbench = Callable[..., Any]


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
