"""The keys of a person: what a file may say, what it may not, and that it says so on the screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tests.support.previews as p
import tests.support.teams as teams
from tests.tui.conftest import Screen
from workbench.tui.app import WorkbenchApp
from workbench.tui.commands import COMMANDS, command
from workbench.tui.keymap import PANES, USUAL, key_label, key_name, load, meet, read
from workbench.tui.widgets.picker import Picker
from workbench.tui.widgets.sheet import Sheet

Workbench = Callable[..., Any]


def test_the_usual_keys_do_not_get_in_each_others_way() -> None:
    for index, one in enumerate(COMMANDS):
        for other in COMMANDS[index + 1 :]:
            if meet(one, other) and not {one.where, other.where} & PANES and not (one.gives_way or other.gives_way):
                assert not set(one.keys) & set(other.keys), (one.id, other.id)


def test_each_command_has_a_sentence_and_a_way_to_it() -> None:
    for each in COMMANDS:
        assert each.help.endswith("."), each.id
        assert each.help.count(". ") == 0, each.id
        assert each.keys, each.id
        assert (
            each.in_palette
            or each.hint
            or each.where
            in {*PANES, *("prompt", "trace", "registry", "compare", "session", "packages", "team", "start")}
        )


@pytest.mark.parametrize(
    ("written", "name", "label"),
    [
        ("?", "question_mark", "?"),
        ("/", "slash", "/"),
        ("slash", "slash", "/"),
        ("ctrl+f", "ctrl+f", "ctrl+f"),
        ("Ctrl+F5", "ctrl+f5", "ctrl+f5"),
        ("alt+Left", "alt+left", "alt+←"),
        ("shift+a", "A", "A"),
        ("G", "G", "G"),
        ("pgdn", "pagedown", "pgdn"),
        ("esc", "escape", "esc"),
        ("+", "plus", "+"),
        ("[", "left_square_bracket", "["),
        ("é", "é", "é"),
    ],
)
def test_keys_as_people_write_them(written: str, name: str, label: str) -> None:
    assert key_name(written) == name
    assert key_label(name) == label


@pytest.mark.parametrize("written", ["", " ", "foo", "ctrl+", "ctrl+foo", "ctrl+ctrl+a", "hold+a", "\x1b", "a b"])
def test_what_is_no_key(written: str) -> None:
    assert key_name(written) is None


def test_a_file_changes_what_it_names_and_nothing_else() -> None:
    keymap = read("prompt.find: ctrl+f\nprompt.check: [slash, f]\nprompt.hold: []\nprompt.names:\n", "keys.yaml")
    assert keymap.problems == ()
    assert keymap.of(command("prompt.find")).keys == ("ctrl+f",)
    assert keymap.of(command("prompt.check")).key_label == "/"
    assert keymap.of(command("prompt.hold")).keys == ()
    assert keymap.of(command("prompt.hold")).key_label == "–"
    assert keymap.of(command("prompt.copy")) is command("prompt.copy")
    assert not read("", "keys.yaml").keys
    assert not read("# nothing\n", "keys.yaml").problems


def test_two_commands_can_change_places() -> None:
    keymap = read("prompt.find: f\nprompt.check: slash\n", "keys.yaml")
    assert not keymap.problems
    assert dict(keymap.keys) == {"prompt.find": ("f",), "prompt.check": ("slash",)}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("prompt.fnd: x", "keys.yaml:1:1: unknown command 'prompt.fnd'; did you mean \"prompt.find\"?"),
        ("prompt.find: bogus", "keys.yaml:1:14: unknown key 'bogus'; write a character, or a name such as"),
        (
            "\nprompt.plain: n",
            "2:1: the key n of prompt.plain already belongs to prompt.next_match there",
        ),
        ("app.theme: s", "the key s of app.theme already belongs to app.scope there"),
        ("prompt.find: j", "the key j of prompt.find already belongs to lines.down there"),
        (
            "prompt.find: [Q]\nprompt.copy: Q",
            "2:1: the key Q of prompt.copy already belongs to prompt.find",
        ),
        ("app.quit: []", "keys.yaml:1:1: app.quit must have a key"),
        ("prompt.find: {a: b}", "keys.yaml:1:14: keys are a word or a list of words"),
        ("- prompt.find", "keys.yaml:1:1: a keymap is a list of command ids"),
        ("prompt.find: x\nprompt.find: y", 'keys.yaml:2:1: key "prompt.find" is given twice'),
        ("a: [", "keys.yaml:"),
        ("prompt.find: \x00", "keys.yaml:"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, problem: str) -> None:
    keymap = read(text, "keys.yaml")
    assert problem in keymap.problems[0]
    assert len(keymap.problems) == 1
    assert "prompt.copy" not in keymap.keys


def test_the_rest_of_a_faulty_file_counts() -> None:
    keymap = read("prompt.find: bogus\nprompt.check: ctrl+k\n", "keys.yaml")
    assert dict(keymap.keys) == {"prompt.check": ("ctrl+k",)}
    assert keymap.of(command("prompt.find")).keys == ("slash",)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "there is no such file" in load(tmp_path / "none.yaml").problems[0]
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe")
    assert str(tmp_path / "bytes.yaml") in load(tmp_path / "bytes.yaml").problems[0]
    (tmp_path / "large.yaml").write_text("#" * 300_000, "utf-8")
    assert "larger than" in load(tmp_path / "large.yaml").problems[0]
    assert load(tmp_path).problems
    assert load() is USUAL, "no file of the person: nothing to say"


async def test_other_keys_work_and_are_shown(workbench: Workbench) -> None:
    keymap = read("prompt.find: ctrl+f\nprompt.check: []\napp.help: H\napp.quit: ctrl+x\n", "keys.yaml")
    async with workbench(keymap=keymap) as screen:
        assert "ctrl+f find" in screen.text()
        assert "H help" in screen.text()
        await screen.press("slash")
        assert not screen.place.find_bar.display
        await screen.press("f")
        assert screen.app.screen is screen.place
        await screen.press("ctrl+f")
        assert screen.place.find_bar.display
        await screen.press("escape")
        await screen.press("question_mark")
        assert screen.app.screen is screen.place
        await screen.press("H")
        assert isinstance(screen.app.screen, Sheet)
        assert "ctrl+f" in screen.text()
        await screen.press("escape", "colon")
        assert isinstance(screen.app.screen, Picker)
        assert "ctrl+f" in screen.text()


async def test_a_faulty_keymap_is_told_on_the_screen(workbench: Workbench) -> None:
    keymap = read("prompt.find: bogus\x1b[2J\nx[/]: y\n", "[/].yaml")
    async with workbench(keymap=keymap, size=(160, 40)) as screen:
        notes = list(screen.app._notifications)
        assert len(notes) == 1
        assert notes[0].severity == "warning"
        assert "\x1b" not in notes[0].message
        await screen.press("slash")
        assert screen.place.find_bar.display, "the usual key stays"


@pytest.mark.parametrize("size", [(20, 5), (60, 40), (100, 20)])
async def test_a_note_takes_two_lines_of_a_small_screen(size: tuple[int, int]) -> None:
    app = WorkbenchApp(p.FakeSubject(), keymap=read("prompt.find: bogus\nx: y\n", "a-folder/with/keymap.yaml"))
    async with app.run_test(size=size, notifications=True) as pilot:
        screen = Screen(pilot, p.FakeSubject())
        app.notify("A second note.", markup=False)
        for keys in ((), ("question_mark",)):  # on a place, and on a sheet
            await screen.press(*keys)
            await screen.until(lambda: "second note" in screen.text())
            shown = screen.text().splitlines()
            assert not any("keymap.yaml" in line or "second note" in line for line in shown[:-2])


async def test_keys_inside_sentences_are_those_of_the_person(workbench: Workbench) -> None:
    mine = read(
        "prompt.check: ctrl+k\ntrace.again: ctrl+a\ncompare.left: f7\nprompt.notes: []\nteam.save: [W, alt+s]\n",
        "k.yaml",
    )
    subject = p.FakeSubject(found=p.FOUND, notes=("one", "two"), team=teams.lived_in())
    async with workbench(subject, keymap=mine) as screen:
        assert "2 notes on the file" in screen.text()
        assert "on the file:" not in screen.text()
        await screen.press("ctrl+k")
        await screen.press("escape")
        assert "1 note found: ctrl+k" in screen.text()
        await screen.press("2", "d")
        assert "ctrl+a makes another." in screen.text()
        await screen.press("1", "d")
        assert "f7 chooses another scope" in screen.text()
        await screen.press("escape", "6")
        await screen.until(lambda: "runtime/" in screen.text())
        await screen.press("e")
        await screen.until(lambda: "editing" in screen.text())
        title, hints = (screen.text().splitlines()[row] for row in (5, -1))
        assert title.rstrip().endswith("esc back  alt+s save"), "a letter is text there"
        assert "alt+s save" in hints
