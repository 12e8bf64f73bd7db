"""`workbench keys`: the table of commands, and a file of keys that can be read back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.cli.keys import run
from workbench.tui.commands import COMMANDS
from workbench.tui.keymap import read


def test_every_command_is_printed_with_its_keys(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run() == 0
    printed = capfdbinary.readouterr().out.decode()
    for each in COMMANDS:
        assert each.id in printed
        assert each.help in printed
    assert "  / " in printed


def test_the_yaml_form_is_a_file_of_keys(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(format="yaml") == 0
    keymap = read(capfdbinary.readouterr().out.decode(), "keys.yaml")
    assert keymap.problems == ()
    assert dict(keymap.keys) == {each.id: each.keys for each in COMMANDS}


def test_other_keys_are_shown_and_mistakes_named(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    file = tmp_path / "keys.yaml"
    file.write_text("prompt.find: ctrl+f\nprompt.chek: x\n", "utf-8")
    assert run(format="json", keymap=str(file)) == 2
    captured = capfdbinary.readouterr()
    table = {each["id"]: each for each in json.loads(captured.out)}
    assert table["prompt.find"]["keys"] == ["ctrl+f"]
    assert f"{file}:2:1: unknown command 'prompt.chek'; did you mean \"prompt.check\"?" in captured.err.decode()


def test_the_table_needs_no_textual() -> None:
    code = "import sys; from workbench.cli.keys import run; run(format='yaml'); assert 'textual' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
