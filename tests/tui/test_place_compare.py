"""The place Compare."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support import previews as p
from tests.tui.compared import BEFORE, compared, comparing
from tests.tui.conftest import Screen
from workbench.config.snapshots import read_snapshot, snapshot_bytes
from workbench.tui.places.compare import comparing as comparing_module
from workbench.tui.places.compare.place import ComparePlace
from workbench.tui.view.compare import Comparison, compare
from workbench.tui.view.compare_sides import CompareTarget, Earlier, Now, OtherFile, OtherScope, Previous, Snapshot


@pytest.fixture(autouse=True)
def snapshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the person's own."""
    folder = tmp_path / "data"
    monkeypatch.setattr("workbench.config.snapshots.folder_of_person", lambda: folder)
    return folder


def kept_in(folder: Path) -> list[Path]:
    return list(folder.glob("*.prompt.json"))


async def pick(screen: Screen, key: str, *query: str) -> ComparePlace:
    """Chooses a side by typing."""
    await screen.press(key)
    await screen.press(*query, "enter")
    return await compared(screen)


async def test_the_answer_names_the_first_changed_token_and_its_owner() -> None:
    async with comparing() as (screen, _):
        text = screen.text()
        assert re.search(r"╳ The prefix breaks at token \d+\. 2 added, 3 changed, 0 removed, ≈ \+ \d+ tok\.", text)
        assert re.search(r"╳ deployment:persona changed first, of deployment; ≈ \d+ tok from there on", text)
        assert re.search(r"╳ first changed token, \d+, at coding-agent\.yml:12; ≈ \d+ from there on", text)
        assert re.search(r"━+╳╍+ ╍+", text)
        assert "left assembly 1 ▾" in text
        assert "right now ▾  assembly 2, scope main" in text
        for name, kind in (
            ("deployment:persona", "section"),
            ("release_notes", "tool"),
            ("approval:policy", "context"),
        ):
            assert re.search(rf"[~+] {name} +{kind}", text)
        assert "Equal 5 sections, 3 tools, 1 context" in text
        assert "~ /properties/offset/minimum" in text
        await screen.press("escape")
        assert screen.app.place.tab.title == "Prompt"


async def test_a_context_breaks_nothing() -> None:
    other = p.preview(p.SECTIONS, [p.CONTEXTS[0]], p.TOOLS, p.VARIABLES)
    async with comparing(other) as (screen, place):
        text = screen.text()
        assert "The prefix stays. 1 added, 0 changed, 0 removed" in text
        assert "context, appended as a message: it breaks nothing" in text
        assert "╳" not in text
        assert place.comparing.comparison is not None


async def test_equal_and_nothing_yet() -> None:
    async with comparing(p.CODING_AGENT) as (screen, _):
        assert "Equal, byte for byte." in screen.text()
        assert "Both sides have the same text: 7 sections, 5 tools, 2 contexts." in screen.text()
    async with comparing(after=None) as (screen, place):
        assert screen.text().count("Nothing to compare with yet.") == 2  # the answer, and the reason below it
        assert "the first assembly of this scope" in screen.text()
        assert "left assembly before ▾" in screen.text()
        screen.subject.change(p.CODING_AGENT)
        await compared(screen)
        assert "The prefix breaks" in screen.text()
        assert place.change_list.has_focus


async def test_both_sides_follow_what_happens() -> None:
    async with comparing() as (screen, place):
        screen.subject.change(BEFORE)
        await compared(screen)
        assert "0 added, 3 changed, 2 removed" in screen.text()
        assert "left assembly 2 ▾" in screen.text()
        assert place.comparing.words[1].note == "assembly 3, scope main"


async def test_a_side_is_chosen_by_a_picker() -> None:
    async with comparing() as (screen, place):
        place = await pick(screen, "l", *"scoperev")
        assert place.comparing.left == OtherScope("reviewer")
        assert "14 added" in screen.text()
        assert "left scope reviewer ▾" in screen.text()
        place = await pick(screen, "r", *"assembly1")
        assert place.comparing.right == Earlier(1)
        await screen.press("x")
        place = await compared(screen)
        assert (place.comparing.left, place.comparing.right) == (Earlier(1), OtherScope("reviewer"))
        assert "0 added, 0 changed, 12 removed" in screen.text()
        await screen.press("l", "escape")
        assert place.comparing.left == Earlier(1)


async def test_a_click_on_a_side_opens_the_picker() -> None:
    async with comparing() as (screen, place):
        await screen.pilot.click(place.sides_line, offset=(8, 0))
        await screen.settle()
        assert "left side, or a path" in screen.text()
        await screen.press("escape")
        await screen.pilot.click(place.change_list, offset=(6, 3))
        await screen.settle()
        assert place.pane.chosen == place.change_list.chosen == 2


async def test_a_snapshot_is_kept_and_compared(snapshots: Path, tmp_path: Path) -> None:
    async with comparing() as (screen, place):
        await screen.press("m")
        await screen.press("enter")
        await screen.until(lambda: kept_in(snapshots) and screen.app.screen is place)
        [file] = kept_in(snapshots)
        saved = read_snapshot(file)
        assert (saved.file, saved.scope, saved.preview.system) == (
            "coding-agent.yml",
            "main",
            p.CODING_AGENT.system,
        )
        screen.subject.change(BEFORE)
        await compared(screen)
        place = await pick(screen, "l", *"coding-agent-main")
        assert place.comparing.left == Snapshot(str(file))
        assert "left snapshot coding-agent-main" in screen.text()
        assert "0 added, 3 changed, 2 removed" in screen.text()
        other = tmp_path / "other.json"
        other.write_bytes(snapshot_bytes(p.EMPTY, file="e.yml", scope="x"))
        place = await pick(screen, "l", *str(other))
        assert place.comparing.left == Snapshot(str(other))
        assert "12 added" in screen.text()
        other.write_text('{"format": 1, "file": "\\u001b[2J"}')
        await pick(screen, "l", *str(tmp_path / "none"))
        place = await pick(screen, "l", *str(other))
        assert "× left: " in screen.text()
        assert "The left side cannot be had." in screen.text()
        assert "this is no saved prompt" in screen.text()


async def test_another_file_stays_open_while_it_is_compared(tmp_path: Path) -> None:
    file = tmp_path / "o.yml"
    file.write_text("include_harness_identity: false\npersona: Be brief.\n")
    async with comparing() as (screen, place):
        place = await pick(screen, "l", *str(file))
        assert place.comparing.left == OtherFile(str(file))
        assert place.comparing.sides.open_files == [str(file)]
        assert "Be brief." in screen.text()
        file.write_text("include_harness_identity: false\npersona: Be long.\n")
        await screen.until_shown("Be long.")
        await compared(screen)
        await screen.press("l", "escape")  # a sheet on top closes nothing
        assert place.comparing.sides.open_files == [str(file)]
        await screen.press("escape")
        assert place.comparing.sides.open_files == []
        await screen.until(lambda: not any(worker.group == "compare file" for worker in screen.app.workers))
        await screen.press("d")
        place = await compared(screen)
        assert place.comparing.left == Previous()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no such file or sample"),
        ("sections: [", "x.yml:1"),
        ("plugins: [nothing-of-this-name]", "x.yml"),
    ],
)
async def test_what_is_wrong_with_another_file_is_named(tmp_path: Path, text: str | None, said: str) -> None:
    file = tmp_path / "x.yml"
    if text is not None:
        file.write_text(text)
    async with comparing(size=(200, 50)) as (screen, place):
        place = await pick(screen, "l", *str(file))
        assert place.comparing.problem is not None
        assert "× left:" in screen.text()
        assert said in "\n".join(place.comparing.problem.reasons)
        place.comparing.choose(Previous(), Now())
        await compared(screen)
        assert "The prefix breaks" in screen.text()


async def test_moving_through_the_changes() -> None:
    async with comparing() as (screen, place):
        assert place.change_list.has_focus
        await screen.press("down", "down")
        assert (place.pane.chosen, place.change_list.chosen) == (2, 2)
        await screen.press("G")
        assert place.pane.chosen == 4
        await screen.press("b")
        assert place.pane.chosen == 3
        await screen.press("g", "enter")
        assert place.pane.has_focus
        await screen.press("n", "n")
        assert (place.pane.chosen, place.change_list.chosen) == (1, 1)
        await screen.press("b", "b")
        assert place.pane.chosen == 0
        await screen.press("b")
        assert "There is no change before this one." in screen.text()
        await screen.press("G")
        assert place.change_list.chosen == 4
        await screen.press("n")
        assert "There is no change behind this one." in screen.text()
        await screen.press("tab")
        assert place.change_list.has_focus


async def test_whole_text_and_columns() -> None:
    async with comparing(size=(200, 50)) as (screen, place):
        form = place.comparing.form
        assert form is not None
        assert form.is_side_by_side
        await screen.press("u")
        assert not place._form.is_side_by_side
        before = len(place.pane.layout_shown or ())
        await screen.press("w")
        assert place._form.is_whole
        assert len(place.pane.layout_shown or ()) >= before
        await screen.press("u")
        assert re.search(r"− 2 Work in .* \+ 2 Work in", screen.text())


async def test_the_copy_is_a_unified_diff() -> None:
    async with comparing() as (screen, place):
        await screen.press("y")
        page = screen.app.clipboard
        assert (
            "--- assembly 1/section/deployment:persona\n+++ now/section/deployment:persona\n@@ -1,4 +1,4 @@\n"
            in page
        )
        assert "+++ now/tool/release_notes\n" in page
        assert place.text_to_save() == (page, "difference.diff")


async def test_the_chosen_change_stays_chosen() -> None:
    async with comparing() as (screen, place):
        await screen.press("down", "down", "down")
        assert place.change_list.chosen == 3
        sections = [*BEFORE.sections[1:], p.entry("new", 1, "x", p.FILES)]
        screen.subject.change(p.CODING_AGENT)
        await compared(screen)
        assert "Equal, byte for byte." in screen.text()
        screen.subject.change(p.preview(sections, (), p.TOOLS, p.VARIABLES))
        place = await compared(screen)
        assert place.pane.chosen == 0
        await screen.pilot.resize_terminal(80, 24)
        await compared(screen)
        assert place.pane.chosen == 0


async def test_what_cannot_be_sent_is_compared_as_it_is_written() -> None:
    async with comparing(p.CODING_AGENT, p.FAILING) as (screen, _):
        assert "× The right side cannot be sent. 0 added, 1 changed, 0 removed." in screen.text()
        assert "{{workdir}}" in screen.text()


async def test_another_model_keeps_no_prefix() -> None:
    async with comparing(BEFORE, p.preview(p.SECTIONS, (), (), [p.variable("model", "other")])) as (screen, _):
        assert "╳ For another model: no prefix is kept." in screen.text()


async def test_long_work_is_told_and_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, seen = threading.Event(), []

    def slow(*previews: Any, messages: Any, given_up: threading.Event, progress: Any) -> Comparison:
        seen.append(given_up)
        progress("counting tokens")
        gate.wait(20)
        return compare(*previews, messages=messages, given_up=given_up, progress=progress)

    async with comparing(after=None) as (screen, place):
        monkeypatch.setattr(comparing_module, "compare", slow)
        screen.subject.change(p.CODING_AGENT)
        await screen.comes("◐ Comparing: counting tokens …")
        await screen.press("escape")
        assert seen[0].is_set()
        assert screen.app.place.tab.title == "Prompt"
        gate.set()
        await screen.press("d")
        place = await compared(screen)
        assert place.comparing.comparison is not None


async def test_a_large_comparison_is_laid_out_beside_the_loop() -> None:
    changed = p.big(400, "Keep the checks of part {} green, and say which of them you ran. ")
    async with comparing(p.big(400), changed) as (screen, place):
        comparison = place.comparing.comparison
        assert comparison is not None
        assert comparison.is_large
        assert "0 added, 400 changed, 0 removed" in screen.text()
        await screen.press("G")
        assert place.pane.chosen == 399
        await screen.pilot.resize_terminal(100, 30)
        place = await compared(screen)
        assert place.pane.layout_shown is not None
        assert place.pane.layout_shown.form.width == place.pane.size.width - 1
        assert place.pane.chosen == 399
        await screen.press("w", "enter", "g")
        await compared(screen)
        assert place.pane.chosen == 0


@pytest.mark.parametrize("size", [(20, 5), (50, 12), (60, 16), (79, 23), (300, 90)])
async def test_any_size(size: tuple[int, int]) -> None:
    async with comparing(size=size) as (screen, place):
        assert "prefix breaks" in screen.text() or size[0] < 30
        await screen.press("enter", "n", "w", "u", "tab", "n")
        await screen.pilot.resize_terminal(120, 40)
        await compared(screen)
        assert "The prefix breaks" in screen.text()
        assert place.pane.layout_shown is not None


async def test_hostile_text_is_marked(tmp_path: Path) -> None:
    other = p.preview([p.entry(p.HOSTILE_NAME, 1, "x" + p.HOSTILE, p.Owner(p.HOSTILE_NAME, 9))], (), (), ())
    for size in ((80, 24), (200, 50)):
        async with comparing(p.HOSTILE_PREVIEW, other, size) as (screen, place):
            await screen.press("w")
            file = tmp_path / "\x1b[2J\u202e.json"
            file.write_text(json.dumps({"format": 1, "sections": [], "file": "\x1b]0;x\x07"}))
            place.comparing.choose(Snapshot(str(file)), Now())
            await compared(screen)
            assert "‹ESC›" in screen.text()
            place.comparing.choose(Previous(), OtherScope("\x1b[2J"))
            await compared(screen)
            await screen.press("l")
            text = screen.text()
            assert "‹ESC›" in text
            assert all(character.isprintable() or character == "\n" for character in text)


async def test_a_target_leads_here_and_back() -> None:
    async with comparing() as (screen, place):
        assert place.spot() == CompareTarget(Previous(), Now(), "Prompt")
        await screen.press("escape")
        await screen.app.go_to("Compare", CompareTarget(Earlier(2), Earlier(1), "Prompt"))
        place = await compared(screen)
        assert "2 removed" in screen.text()
        await screen.press("escape")
        assert screen.app.place.tab.title == "Prompt"
        await screen.app.go_to("Compare", CompareTarget(Earlier(77)))
        place = await compared(screen)
        assert "× left: Assembly 77 is not kept any more." in screen.text()


async def test_a_stretch_of_the_difference_is_selected_with_the_mouse_and_copied() -> None:
    async with comparing() as (screen, place):
        copied: list[str] = []
        screen.app.copy = lambda text, done: copied.append(text)  # type: ignore[method-assign]
        pane = place.pane
        await screen.pilot.mouse_down("#difference", offset=(4, 0))
        await screen.pilot.hover("#difference", offset=(9, 2))
        await screen.pilot.mouse_up("#difference", offset=(9, 2))
        await screen.settle()
        selected = pane.selected_text
        assert selected is not None
        assert len(selected.splitlines()) == 3
        assert any(segment.style.bgcolor.name == pane.paint.colour("key") for segment in pane.render_line(1))
        await screen.press("y")
        assert copied == [selected]
        assert place.text_to_save() == (selected, "difference.txt")
        await screen.press("w")
        assert pane.selected_text is None, "other rows: the selection would stand for other words"
        await screen.press("y")
        assert copied[1].startswith("--- ")
