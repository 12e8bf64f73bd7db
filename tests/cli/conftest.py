"""The command line in process, and a small project to use it on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.command_line import invoke

AGENT = """\
persona: "You are {{model}} in {{cwd}}."
agents:
  - name: main
    model: tiny-4b
    cwd: /srv/app
  - name: reviewer
    model: tiny-4b
    cwd: /srv/app
    persona: You only read.
plugins:
  - shell
  - files
  - use: tidy.py
sections:
  - name: team:rules
    order: 50
    text: |
      Be brief.
      Say it {{mood}}, as {{mood}} people do.
  - name: team:secret
    order: 60
    text: Never say xyzzy.
variables:
  - name: mood
    value: calmly
contexts:
  - name: git:branch
    order: 10
    text: On branch topic.
restrictions:
  - scope: reviewer
    allow: [read, glob]
"""

TIDY = '''\
"""A plugin of the project."""

name = "tidy"


def apply(ctx):
    async def tidy_up(assembly, context, next):
        assembly.sections[:] = [section for section in assembly.sections if section.name != "team:secret"]
        assembly = await next()
        for section in assembly.sections:
            if section.name == "team:rules":
                section.text = section.text.replace("Be brief.", "Be short.")
        return assembly

    ctx.on("system-prompt/assemble", tidy_up)
'''


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


Cli = Callable[..., Ran]


@pytest.fixture
def cli() -> Cli:
    """Runs the command line in this process, into pipes."""

    def run(*arguments: str, stdin: str = "") -> Ran:
        result = invoke(*arguments, input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a composition and a plugin of its own; the working directory of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    (tmp_path / "agent.yml").write_text(AGENT, encoding="utf-8")
    (tmp_path / "tidy.py").write_text(TIDY, encoding="utf-8")
    return tmp_path
