"""`workbench init`: what it writes can be rendered and checked, and what is there stays."""

from __future__ import annotations

import asyncio
import io
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from workbench.check.checking import check_file
from workbench.cli import init
from workbench.cli.exit_codes import ExitCode
from workbench.config.composition import load


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--yes"],
        ["--model", "tick-1"],
        ["--name", "Harbor 3", "--model", "a: b # c"],
        ["--name", "日本語", "--model", "模型-1"],
        ["--name", "true", "--model", "1.5"],
        ["--plugin", "none"],
        ["-p", "todo", "-p", "files", "-p", "todo"],
    ],
)
def test_what_it_writes_works(arguments: list[str], cli: Cli) -> None:
    ran = cli("init", "agent.yml", *arguments)
    assert (ran.code, ran.err) == (0, "")
    assert "workbench render agent.yml" in ran.out
    rendered = cli("render", "agent.yml")
    assert (rendered.code, rendered.err) == (0, "")
    assert "You are a careful assistant" in rendered.out
    report = asyncio.run(check_file("agent.yml"))
    assert not report.fails, report.findings
    [agent] = load("agent.yml").entries.agents
    given = dict(pairwise(arguments))
    assert agent.name == given.get("--name", "main")
    assert agent.model == given.get("--model")


def test_a_file_that_is_there_stays(cli: Cli) -> None:
    Path("agent.yml").write_text("mine")
    Path("link.yml").symlink_to("nowhere")
    for name in ("agent.yml", "link.yml", "."):
        ran = cli("init", name)
        assert (ran.code, ran.out) == (2, "")
        assert "is there already" in ran.err
    assert Path("agent.yml").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no/such/folder.yml"], "make the folder no/such first"),
        (["--plugin", "shel"], 'did you mean "shell"?'),
        (["--name", ""], "an agent needs a name"),
        (["--name", "(global)"], "is the name of the global layer"),
    ],
)
def test_what_it_refuses_leaves_no_file(arguments: list[str], said: str, cli: Cli) -> None:
    ran = cli("init", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert not list(Path().glob("*.yml"))


class Person(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_it_asks_a_person(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", Person("harbor\n\ntodo none\n"))
    assert init.run(init.Wanted(file="a.yml")) == ExitCode.OK
    assert (
        capfd.readouterr().err
        == "Name of the agent [main]:\nIts model, for {{model}}:\nTools, or none [shell, files, todo]:\n"
    )
    entries = load("a.yml").entries
    assert (entries.agents[0].name, entries.agents[0].model) == ("harbor", None)
    assert [plugin.use for plugin in entries.plugins] == ["todo"]
