"""`workbench prompts`: a team's prompts from a terminal, a script and CI."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from workbench.cli.exit_codes import ExitCode
from workbench.team import TeamPrompts, TeamStore
from workbench.team.builtin import shipped_builtins

STORE = ("--store", "team.db")
LOADED = (TeamPrompts, TeamStore)
"""Imported here, so that no command waits for a database module on a busy machine."""
WORK = "runtime/work"


@pytest.fixture
def saved(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Saves a text, by the name of its part; gives what the command printed as JSON."""
    monkeypatch.chdir(tmp_path)

    def save(text: str, part: str = WORK, *more: str, code: int = 0) -> Any:
        Path("text.md").write_text(text, encoding="utf-8", newline="")
        done = cli("prompts", "save", part, "text.md", *STORE, "--json", *more)
        assert done.code == code, done.err
        return json.loads(done.out)

    return save


def answer(cli: Cli, *words: str, code: int = 0) -> Any:
    done = cli("prompts", *words, *STORE, "--json")
    assert done.code == code, done.err
    return json.loads(done.out)


def test_save_list_and_show(cli: Cli, saved: Callable[..., Any]) -> None:
    told = saved("Mine\r\n")
    assert (told["revision"], told["predecessor"], told["changes"]) == (1, 0, ["override runtime/work"])
    listed = answer(cli, "list")
    states = {each["part"]: each["state"] for each in listed["parts"]}
    assert len(states) == 15
    assert {key for key, state in states.items() if state != "default"} == {WORK}
    shown = answer(cli, "show", WORK)
    assert (shown["effective"], shown["override"]) == ("Mine", "Mine\r\n")
    assert shown["default"] == shown["base"] == shipped_builtins().parts[WORK].text
    assert cli("prompts", "show", WORK, *STORE).out == "Mine\n"
    assert cli("prompts", "show", WORK, "--default", *STORE).out == shown["default"] + "\n"
    assert cli("prompts", "show", WORK, "--revision", "0", *STORE).out == shown["default"] + "\n"
    text = cli("prompts", "list", *STORE).out
    assert "overridden" in text
    assert "accept mode manual" in text


def test_sections_and_skills_are_saved_by_name(cli: Cli, saved: Callable[..., Any]) -> None:
    saved("Be brief.", "communication")
    assert answer(cli, "show", "communication")["effective"] == "Be brief."
    exported = json.loads(cli("prompts", "export", *STORE).out)
    exported["config"]["skills"] = [{"name": "ports", "description": "Ports", "content": "Old"}]
    Path("config.json").write_text(json.dumps(exported), encoding="utf-8")
    assert answer(cli, "import", "config.json")["changes"] == ["skill ports"]
    saved("New", "skill/ports")
    assert answer(cli, "show", "skill/ports")["effective"] == "New"
    assert cli("prompts", "save", "skill/ports", "--default", *STORE).code == 0
    assert cli("prompts", "show", "skill/ports", *STORE).code == ExitCode.UNUSABLE
    assert cli("prompts", "save", "skill/ports", "text.md", *STORE).code == ExitCode.UNUSABLE, "what is it for?"
    told = saved("Of the coast", "skill/ports", "--about", "Ports")
    assert told["changes"] == ["skill ports"]
    assert "Ports" in cli("prompts", "list", *STORE).out
    saved("Of the coast", "skill/ports", "--about", "Ports and gauges")
    assert "Ports and gauges" in cli("prompts", "list", *STORE).out
    assert saved("x", "skill/Ports", "--about", "y", code=1)["problems"][0]["code"] == "invalid_skill"
    assert cli("prompts", "save", "communication", "--default", *STORE).code == 0
    assert answer(cli, "show", "communication")["effective"] == shipped_builtins().sections["communication"]


def test_a_conflict_has_a_code_of_its_own(cli: Cli, saved: Callable[..., Any]) -> None:
    saved("One")
    told = saved("Two", WORK, "--base", "0", code=ExitCode.CONFLICT)
    [problem] = told["problems"]
    assert (problem["code"], problem["base"], problem["newest"]) == ("conflict", 0, 1)
    assert [each["revision"] for each in answer(cli, "versions")["versions"]] == [1, 0]
    assert saved("Two", WORK, "--base", "1")["revision"] == 2
    done = cli("prompts", "restore", "0", "--base", "1", *STORE)
    assert (done.code, done.out) == (ExitCode.CONFLICT, "")
    assert "workbench prompts diff 1 2" in done.err


def test_refusals_come_together_with_their_paths(cli: Cli, saved: Callable[..., Any]) -> None:
    [problem] = saved("no token", "runtime/environment", code=1)["problems"]
    assert (problem["code"], problem["missing"]) == ("missing_placeholder", ["{variables}"])
    assert saved("x", "runtime/foo", code=1)["problems"][0]["code"] == "unknown_part"
    exported = json.loads(cli("prompts", "export", *STORE).out)
    exported["config"]["overrides"] = {"runtime/foo": {"text": "x"}, "runtime/policy": {"text": "y"}}
    exported["config"]["policy"]["accept_mode"] = "maybe"
    Path("config.json").write_text(json.dumps(exported), encoding="utf-8")
    codes = {each["code"] for each in answer(cli, "check", "config.json", code=1)["problems"]}
    assert codes == {"unknown_part", "missing_placeholder", "invalid_rule"}
    done = cli("prompts", "import", "config.json", *STORE)
    assert done.code == 1
    assert 'overrides["runtime/policy"].text' in done.err
    assert [each["revision"] for each in answer(cli, "versions")["versions"]] == [0]


def test_diff_versions_and_restore(cli: Cli, saved: Callable[..., Any]) -> None:
    saved("One\nline\n")
    saved("Two\nline\n")
    done = cli("prompts", "diff", "2", *STORE)
    assert done.code == 1
    assert "-One\n+Two\n line\n" in done.out
    assert "No newline" not in done.out
    done = cli("prompts", "diff", "--part", "runtime/replies", *STORE)
    assert (done.code, done.out) == (0, "")
    assert "follows its default" in done.err
    told = answer(cli, "diff", "1", "2", code=1)
    assert [(each["name"], each["before"], each["after"]) for each in told["texts"]] == [
        (WORK, "One\nline", "Two\nline")
    ]
    assert answer(cli, "diff", "1", "1")["same"] is True
    part = answer(cli, "diff", "--part", WORK, code=1)
    assert part["effective"] == "Two\nline"
    restored = answer(cli, "restore", "1")
    assert (restored["revision"], restored["restored_from"]) == (3, 1)
    assert answer(cli, "diff", "1", "3")["same"] is True
    assert answer(cli, "restore", "defaults")["restored_from"] == "defaults"
    lines = cli("prompts", "versions", "--limit", "2", *STORE).out.splitlines()
    assert [line.split()[0] for line in lines] == ["4", "3"]
    assert [each["revision"] for each in answer(cli, "versions", "--before", "2")["versions"]] == [1, 0]


def test_a_default_that_has_changed_is_found_and_answered(
    cli: Cli, saved: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved("Mine")
    upgraded = shipped_builtins().changed({WORK: "A new default"})
    monkeypatch.setattr("workbench.team.store.versions.shipped_builtins", lambda: upgraded)
    assert answer(cli, "check", code=1)["default_changed"] == [WORK]
    assert "default updated" in cli("prompts", "list", *STORE).out
    saved("Mine")
    assert answer(cli, "check", code=1)["default_changed"] == [WORK], "nobody has looked at the new default"
    saved("Mine", WORK, "--reviewed")
    assert answer(cli, "check")["default_changed"] == []


def test_edit(cli: Cli, saved: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    saved("Mine")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    assert cli("prompts", "edit", WORK, *STORE).code == ExitCode.UNUSABLE
    script = tmp_path / "editor.py"
    monkeypatch.setenv("EDITOR", f"python3 {script}")
    script.write_text("")
    done = cli("prompts", "edit", WORK, *STORE)
    assert (done.code, done.out) == (0, "")
    script.write_text("import sys; open(sys.argv[1], 'a').write('and more\\n')")
    assert cli("prompts", "edit", WORK, *STORE).code == 0
    assert answer(cli, "show", WORK)["effective"] == "Mine\nand more"
    script.write_text("import sys; open(sys.argv[1], 'w').write('no token')")
    done = cli("prompts", "edit", "runtime/policy", *STORE)
    assert done.code == 1
    kept = next(word.rstrip(";") for word in done.err.split() if word.endswith(".md;"))
    assert Path(kept).read_text() == "no token"
    Path(kept).unlink()


def test_somebody_saves_while_a_text_is_edited(
    cli: Cli, saved: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    saved("One")
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys; from workbench.team.store.versions import VersionStore as S; s = S('team.db');"
        "n = s.newest(); p = n.config.as_proposal(); p['sections']['communication'] = 'theirs'; s.save(p, 1);"
        "open(sys.argv[1], 'w').write('mine')"
    )
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")
    done = cli("prompts", "edit", WORK, *STORE)
    assert done.code == ExitCode.CONFLICT
    told = " ".join(done.err.split())
    kept = told[told.index("what was edited is in ") :].split()[5].rstrip(";")
    assert Path(kept).read_text() == "mine"
    assert f"workbench prompts save {WORK} {kept} --base 2" in told
    assert cli("prompts", "save", WORK, kept, "--base", "2", *STORE).code == 0
    assert answer(cli, "show", "communication")["effective"] == "theirs", "and nothing of theirs is lost"
    assert answer(cli, "show", WORK)["effective"] == "mine"
    Path(kept).unlink()


def test_what_cannot_be_used(cli: Cli, saved: Callable[..., Any]) -> None:
    for words in (
        ("show", "runtime/nothing"),
        ("save", WORK),
        ("save", WORK, "missing.md"),
        ("save", WORK, "text.bin", "--about", "x"),
        ("save", "skill/github", "text.bin", "--about", "x"),
        ("diff", "1", "2", "3"),
        ("versions", "--limit", "many"),
        ("import", "missing.json"),
        ("check", "text.bin"),
    ):
        Path("text.bin").write_bytes(b"\xff\xfe")
        done = cli("prompts", *words, "--store", "new.db")
        assert done.code == ExitCode.UNUSABLE, words
        assert done.err.startswith("error: ")
    done = cli("prompts", "list", "--store", "nowhere.db")
    assert (done.code, Path("nowhere.db").exists()) == (ExitCode.UNUSABLE, False)
    saved("Mine")
    with closing(sqlite3.connect("team.db")) as database:
        database.execute("INSERT INTO team_schema VALUES (7)")
        database.commit()
    done = cli("prompts", "list", *STORE)
    assert done.code == ExitCode.UNUSABLE
    assert "newer release" in done.err


def test_texts_from_outside_reach_a_pipe_byte_for_byte(cli: Cli, saved: Callable[..., Any]) -> None:
    text = "a [/] \x1b]0;owned\x07 日本語 👩‍👩‍👧"
    saved(text)
    assert cli("prompts", "show", WORK, *STORE).out == text + "\n"
    exported = json.loads(cli("prompts", "export", *STORE).out)
    assert exported["config"]["overrides"][WORK]["text"] == text


def test_the_sample_saves_what_a_person_asks_for(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = cli("run", "team-orchestrator", "-m", "Say how long the tests took.", "--session-log", "s.jsonl")
    assert done.code == 0, done.err
    assert "Saved as revision 2" in done.out
    assert "orchestrator_prompts_save" in done.err
    recorded = [json.loads(line) for line in Path("s.jsonl").read_text(encoding="utf-8").splitlines()]
    revisions = [each["data"]["revision"] for each in recorded if each["type"] == "prompts/revision"]
    assert revisions == [1, 2]
    assert cli("session", "s.jsonl", "--rebuild").code == 0
    done = cli("run", "team-orchestrator", "--agent", "inferred", "-m", "Go on.")
    assert (done.code, done.out.strip()) == (0, "The table of Emden is up to date; nothing is open.")
