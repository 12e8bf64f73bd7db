"""`workbench cache`, and the list of steps of `workbench session --stats`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agent.verdicts.sessions import fc04, fc05
from tests.cli.conftest import Cli


@pytest.fixture
def log(tmp_path: Path) -> str:
    story = fc04(tmp_path / "clock.jsonl")
    story.run.session.close_now()
    return str(tmp_path / "clock.jsonl")


def test_stats_list_every_step(cli: Cli, log: str) -> None:
    ran = cli("session", log, "--stats")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[1].split()[:2] == ["1.1", "first"]
    assert "        first changed: section clock:now at 1:25 (clock-kit)" in ran.out.splitlines()
    assert "undeclared drift" in ran.out
    assert "warning: changes at every step" in ran.out
    page = json.loads(cli("session", log, "--stats", "--format", "json").out)
    steps = page["requestsByStep"]
    assert [step["verdict"] for step in steps] == ["first", "changed", "changed"]
    assert steps[1]["firstChanged"]["owner"] == "clock-kit"
    assert steps[1]["provider"] is None
    assert page["warnings"][0]["owners"] == ["clock-kit"]


def test_limits_fail(cli: Cli, log: str) -> None:
    assert cli("cache", log).code == 0
    ran = cli("cache", log, "--max-lost", "10%")
    assert ran.code == 1
    assert "10 % is the limit" in ran.err
    assert ran.out.startswith("2 cache breaks in 3 requests\n")
    assert cli("cache", log, "--max-lost", "99").code == 0
    assert cli("cache", log, "--fail-on", "route", "--fail-on", "shortened").code == 0
    ran = cli("cache", log, "--fail-on", "drift", "--format", "json")
    page = json.loads(ran.out)
    assert (ran.code, page["ok"], len(page["failures"])) == (1, False, 2)
    assert "clock-kit" in page["failures"][0]
    assert cli("cache", log, "--fail-on", "warning").code == 1


@pytest.mark.parametrize("words", [("--max-lost", "many"), ("--max-lost", "101"), ("--fail-on", "rain")])
def test_limits_that_cannot_be_meant(cli: Cli, log: str, words: tuple[str, str]) -> None:
    assert cli("cache", log, *words).code == 2


def test_growth_names_both_owners(cli: Cli, tmp_path: Path) -> None:
    story = fc05(tmp_path / "growth.jsonl")
    story.run.session.close_now()
    out = cli("cache", str(tmp_path / "growth.jsonl")).out
    assert "grows at every step" in out
    assert "keep-kit" in out
    assert "tail-kit" in out


def test_captured_requests_have_the_same_commands(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    bodies = [
        {"messages": [{"role": "system", "content": f"# A\n{text}"}, {"role": "user", "content": "x"}]}
        for text in ("one", "two \x1b[2J")
    ]
    path.write_text("".join(json.dumps(body) + "\n" for body in bodies))
    assert cli("cache", str(path), "--fail-on", "changed").code == 1
    assert cli("session", str(path)).code == 0
    assert cli("session", str(path), "--diff", "1.1", "2.1").code == 1
    assert cli("session", str(path), "--rebuild").code == 0
    ran = cli("session", str(path), "--step", "2.1")
    assert ran.code == 0
    assert "\x1b" not in cli("session", str(path), "--stats").out


def test_what_cannot_be_opened(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "folder").mkdir()
    for name in ("missing.jsonl", "empty.jsonl", "folder"):
        ran = cli("cache", str(tmp_path / name))
        assert ran.code == 2
        assert name in ran.err
