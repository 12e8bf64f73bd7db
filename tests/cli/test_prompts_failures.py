"""`workbench prompts` over stores that cannot be used: a message that says what to do, and nothing half-written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support.broken_stores import SABOTAGES, damaged, gone
from workbench.cli.exit_codes import ExitCode
from workbench.team.store.versions import VersionStore

STORE = ("--store", "team.db")
WORK = "runtime/work"


CASES = {**SABOTAGES, "STORE_CORRUPT": (damaged, "bring a copy back")}


@pytest.mark.parametrize("code", CASES)
def test_a_save_that_cannot_be(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.chdir(tmp_path)
    defaults: Any = VersionStore.__init__.__kwdefaults__
    monkeypatch.setitem(defaults, "busy_timeout_ms", 1)
    Path("text.md").write_text("Mine", "utf-8")
    assert cli("prompts", "save", WORK, "text.md", *STORE).code == 0
    Path("long.md").write_text("x" * 200_000, "utf-8")
    sabotage, remedy = CASES[code]
    with sabotage(Path("team.db")):
        done = cli("prompts", "save", WORK, "long.md", *STORE, "--json")
    assert done.code == ExitCode.UNUSABLE
    [problem] = json.loads(done.out)["problems"]
    assert problem["code"] == code
    assert remedy in done.err
    assert "Traceback" not in done.err
    shown = json.loads(cli("prompts", "versions", *STORE, "--json").out)
    assert [each["revision"] for each in shown["versions"]] == [1, 0]
    assert cli("prompts", "show", WORK, *STORE).out == "Mine\n"
    assert cli("prompts", "save", WORK, "long.md", *STORE).code == 0, "afterwards it goes on"


def test_what_was_edited_is_named_when_the_store_fails(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    editor = tmp_path / "editor.py"
    editor.write_text("import sys; open(sys.argv[1], 'w').write('never lost')")
    monkeypatch.setenv("VISUAL", f"python3 {editor}")
    assert cli("prompts", "restore", "defaults", *STORE).code == 0
    with gone(Path("team.db")):
        done = cli("prompts", "edit", WORK, *STORE)
    assert done.code == ExitCode.UNUSABLE
    kept = next(word.rstrip(";") for word in done.err.split() if word.endswith(".md;"))
    assert Path(kept).read_text("utf-8") == "never lost"
    Path(kept).unlink()
