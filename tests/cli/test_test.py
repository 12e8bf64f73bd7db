"""`workbench test`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.conftest import Cli

CORPUS = Path(__file__).resolve().parents[1] / "conformance" / "prompt"


def write_cases(name: str, *cases: dict[str, Any]) -> None:
    Path(name).write_text(json.dumps({"topic": "t", "cases": list(cases)}), encoding="utf-8")


def reviewer(**expect: Any) -> dict[str, Any]:
    return {"id": "r", "composition": "agent.yml", "assemble": {"scope": "reviewer"}, "expect": expect}


def test_the_corpus_passes(cli: Cli) -> None:
    ran = cli("test", str(CORPUS))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "106 passed, 0 failed\n"


def test_a_composition_of_ones_own(cli: Cli, project: Path) -> None:
    write_cases("c.json", reviewer(system_contains=["You only read."], tools=["glob", "read"]))
    ran = cli("test", "c.json")
    assert (ran.code, ran.out) == (0, "1 passed, 0 failed\n")


def test_the_path_of_a_composition_is_relative_to_its_case_file(cli: Cli, project: Path) -> None:
    Path("deep").mkdir()
    case = reviewer(tools=["glob", "read"]) | {"composition": "../agent.yml"}
    write_cases("deep/c.json", case)
    assert cli("test", "deep").out == "1 passed, 0 failed\n"


def test_further_entries_on_top_of_a_composition(cli: Cli, project: Path) -> None:
    case = reviewer(system_contains=["You only sing."]) | {
        "register": [
            {"kind": "section", "layer": "reviewer", "name": "team:rules", "order": 1, "text": "You only sing."}
        ]
    }
    write_cases("c.json", case)
    assert cli("test", "c.json").out == "1 passed, 0 failed\n"


def test_a_scope_below_one_of_the_composition(cli: Cli, project: Path) -> None:
    case = reviewer(tools=["glob", "read"]) | {"scopes": {"kid": "reviewer"}, "assemble": {"scope": "kid"}}
    write_cases("c.json", case)
    assert cli("test", "c.json").out == "1 passed, 0 failed\n"


def test_a_failed_case_shows_each_difference(cli: Cli, project: Path) -> None:
    write_cases("c.json", reviewer(tools=["glob"], system_lacks=["only"]), {"id": "ok", "expect": {"tools": []}})
    ran = cli("test", "c.json")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == (
        "FAILED r\n"
        "  c.json:1:26\n"
        "  tools: - expected, + actual\n"
        "      [\n"
        '    -  "glob"\n'
        '    +  "glob",\n'
        '    +  "read"\n'
        "      ]\n"
        "  system_lacks[0]: - expected, + actual\n"
        "    - (not in the system text)\n"
        "    + line 3: only\n"
        "\n"
        "1 passed, 1 failed\n"
    )


def test_a_composition_that_cannot_be_used_fails_its_case(cli: Cli, project: Path) -> None:
    write_cases("c.json", reviewer(tools=[]) | {"composition": "gone.yml"})
    ran = cli("test", "c.json")
    assert ran.code == 1
    assert "+ load: " in ran.out
    assert "gone.yml" in ran.out


def test_a_plugin_that_is_not_active_fails_its_case(cli: Cli, project: Path) -> None:
    """Otherwise a case that says what is *not* in the prompt would pass in vain."""
    Path("tidy.py").write_text("def apply(ctx):\n    raise ValueError('no ink')\n", encoding="utf-8")
    write_cases("c.json", reviewer(system_lacks=["Klingon"]))
    ran = cli("test", "c.json")
    assert ran.code == 1
    assert "no ink" in ran.out


def test_an_unusable_file_counts_more_than_a_failed_case(cli: Cli, project: Path) -> None:
    write_cases("a.json", reviewer(tools=["glob"]))
    write_cases("b.json", reviewer(tols=[]))
    ran = cli("test", ".")
    assert ran.code == 2
    assert ran.out.endswith("0 passed, 1 failed\n")
    assert "b.json:1:" in ran.err
    assert 'error: unknown key "tols"\n' in ran.err
    assert 'did you mean "tools"?\n' in ran.err


def test_nothing_to_run(cli: Cli, project: Path) -> None:
    for arguments in (("test",), ("test", "gone.json"), ("test", "agent.yml")):
        ran = cli(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err
    Path("empty").mkdir()
    ran = cli("test", "empty")
    assert (ran.code, ran.out) == (2, "")
    assert "holds no case file" in ran.err


def test_text_from_a_case_cannot_steer_a_terminal(cli: Cli, project: Path) -> None:
    write_cases("c.json", {"id": "\x1b[31m", "expect": {"system": "\x1b]0;owned\x07"}})
    ran = cli("test", "c.json")
    assert ran.code == 1
    assert "\x1b" not in ran.out
    assert "‹ESC›" in ran.out
