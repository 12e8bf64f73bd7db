"""`workbench registry`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli


def test_groups_by_layer(cli: Cli, project: Path) -> None:
    done = cli("registry", "agent.yml")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].endswith("in 2 layers")
    assert any(line.startswith("global ") for line in lines)
    assert "reviewer 2  agent" in lines
    assert any("restriction" in line and "allow glob, read" in line for line in lines)
    assert any("deployment:persona" in line and "shadowed in reviewer" in line for line in lines)
    assert any("bash" in line and "denied in reviewer" in line for line in lines)


def test_groups_by_plugin_and_kind(cli: Cli, project: Path) -> None:
    by_plugin = cli("registry", "agent.yml", "--by", "plugin").out
    assert "    tidy  active" in by_plugin
    assert "provides system_prompt" in by_plugin
    by_kind = cli("registry", "agent.yml", "--by", "kind").out
    assert "\nlistener " in by_kind
    assert "on system-prompt/assemble" in by_kind


def test_json_has_every_fact(cli: Cli, project: Path) -> None:
    document = json.loads(cli("registry", "agent.yml", "--json").out)
    assert document["format"] == 1
    rules = next(each for each in document["registrations"] if each["name"] == "team:rules")
    assert rules["references"] == ["mood"]
    assert rules["source"]["file"] == "agent.yml"
    persona = next(each for each in document["registrations"] if each["name"] == "deployment:persona")
    assert {"scope": "reviewer", "layer": "reviewer", "why": ""} in persona["read"]
    tidy = next(each for each in document["plugins"] if each["name"] == "tidy")
    assert tidy["effects"] == ["on system-prompt/assemble"]
    shell = next(each for each in document["plugins"] if each["name"] == "shell")
    assert {"service": "tools", "required": True, "provider": "tools"} in shell["needs"]


def test_a_plugin_that_does_not_run_is_a_finding(cli: Cli, project: Path) -> None:
    (project / "bad.py").write_text(
        "name = 'bad\\x1b[2J'\ndef apply(ctx):\n    raise ValueError('no\\x1b[31m way')\n", encoding="utf-8"
    )
    (project / "lone.py").write_text("inject = ['foghorn']\ndef apply(ctx):\n    pass\n", encoding="utf-8")
    (project / "b.yml").write_text("plugins:\n  - use: bad.py\n  - use: lone.py\n", encoding="utf-8")
    done = cli("registry", "b.yml")
    assert done.code == 1
    assert "not active 2" in done.out
    assert "failed: ValueError: no‹ESC›[31m way" in done.out
    assert "waiting: waits for foghorn" in done.out
    assert "\x1b" not in done.out


def test_a_file_that_is_no_composition(cli: Cli, project: Path) -> None:
    (project / "broken.yml").write_text("sections: 3\n", encoding="utf-8")
    assert cli("registry", "broken.yml").code == 2
