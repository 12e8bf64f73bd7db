"""`workbench blame`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli


def blamed(cli: Cli, text: str, *arguments: str) -> str:
    ran = cli("blame", "agent.yml", text, *arguments)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def test_a_text_of_the_composition(cli: Cli, project: Path) -> None:
    out = blamed(cli, "as calmly people")
    assert out.startswith("system text, 6:16\n")
    assert "section team:rules" in out
    assert "order 50" in out
    assert "agent.yml:19:24" in out
    assert "value of the variable mood" in out


def test_a_text_of_a_first_party_plugin(cli: Cli, project: Path) -> None:
    out = blamed(cli, "exit status of every")
    assert "section tool:bash, shell, layer global, order 1000 (TOOL_BASH)" in out
    assert "texts/shell.md:3:15\n" in out


def test_a_built_in_text(cli: Cli, project: Path) -> None:
    out = blamed(cli, "Prompt Workbench runtime")
    assert "section harness:identity" in out
    assert "order -1000 (HARNESS_IDENTITY)" in out


def test_a_value_of_a_variable(cli: Cli, project: Path) -> None:
    out = blamed(cli, "tiny-4b")
    assert "value of the variable model" in out
    assert "section deployment:persona" in out
    assert "variable model, used in deployment:persona" in out


def test_a_text_that_a_listener_wrote(cli: Cli, project: Path) -> None:
    out = blamed(cli, "short")
    assert "written by a listener of tidy" in out
    assert "put in by a listener of tidy: section team:rules changed after next" in out


def test_a_text_that_a_listener_changed(cli: Cli, project: Path) -> None:
    out = blamed(cli, "Be brief.")
    assert "not in the prompt: section team:rules (does not say it any more)" in out
    assert "changed by tidy" in out
    assert "taken out by a listener of tidy: section team:rules changed after next" in out
    assert "agent.yml:18:7" in out


def test_a_section_that_a_listener_removed(cli: Cli, project: Path) -> None:
    out = blamed(cli, "xyzzy")
    assert "not in the prompt: section team:secret (removed" in out
    assert "taken out by a listener of tidy: section team:secret removed before next" in out


def test_a_section_that_a_nearer_layer_shadows(cli: Cli, project: Path) -> None:
    out = blamed(cli, "You are {{model}}", "--scope", "reviewer")
    assert "not in the prompt: section deployment:persona (shadowed" in out
    assert "agent.yml:1:11" in out


def test_a_text_of_the_runtime_context(cli: Cli, project: Path) -> None:
    assert blamed(cli, "branch topic").startswith("runtime context, 3:4\n")


def test_a_text_of_a_tool(cli: Cli, project: Path) -> None:
    out = blamed(cli, "Run a Bash command")
    assert "tool bash, description\n    shell, layer global\n" in out


def test_a_text_that_stands_at_several_places(cli: Cli, project: Path) -> None:
    out = blamed(cli, "calmly")
    assert "system text, 6:8, 6:19\n" in out


def test_a_text_over_several_sections(cli: Cli, project: Path) -> None:
    out = blamed(cli, "runtime.\n\nYou are tiny")
    assert "section harness:identity" in out
    assert "section deployment:persona" in out
    assert "separator of the rendering" in out


def test_a_text_from_standard_input(cli: Cli, project: Path) -> None:
    ran = cli("blame", "agent.yml", "-", stdin="runtime.\n\nYou are\n")
    assert ran.code == 0
    assert "section harness:identity" in ran.out


@pytest.mark.parametrize(("text", "hint"), [("BE SHORT", '; did you mean "Be short"?'), ("Klingon", '"Klingon"\n')])
def test_a_text_that_nobody_says(text: str, hint: str, cli: Cli, project: Path) -> None:
    ran = cli("blame", "agent.yml", text)
    assert (ran.code, ran.out) == (1, "")
    assert f'nothing in the assembly for main says "{text}"' in ran.err
    assert hint in ran.err


def test_no_text_at_all(cli: Cli, project: Path) -> None:
    assert cli("blame", "agent.yml", "").code == 2


def test_in_a_prompt_that_cannot_be_sent(cli: Cli, project: Path) -> None:
    ran = cli("blame", "agent.yml", "You are {{model}}", "--scope", "(global)")
    assert ran.code == 1
    assert "not in the prompt: section deployment:persona (cannot be rendered)" in ran.out
    assert "agent.yml:1:19: error: " in ran.err


def test_which_listener_removed_it_its_place_and_the_lines(cli: Cli, project: Path) -> None:
    """The answer comes first: who, in which function, and what the line became."""
    done = cli("blame", "waterfall", "Never estimate a height")
    lines = done.out.splitlines()
    assert lines[0] == "taken out by a listener of house_voice: section tides:sources changed before next"
    assert lines[1].startswith("    soften, ")
    assert lines[1].endswith("plugins/tides.py:21")
    assert [line[:6] for line in lines[2:4]] == ["    − ", "    + "]


def test_listeners_that_never_ran_are_named(cli: Cli, project: Path) -> None:
    done = cli("blame", "waterfall", "harbour desk")
    assert done.code == 1
    assert "sign of signature never ran: look of forgetful did not pass on (short-circuited)" in done.err
