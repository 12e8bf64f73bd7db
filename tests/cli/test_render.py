"""`workbench render`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli

IDENTITY = "You are an AI agent running on the Prompt Workbench runtime."
OPENING = f"{IDENTITY}\n\nYou are tiny-4b in /srv/app.\n\nBe short.\nSay it calmly, as calmly people do.\n"
SNAPSHOT = "Runtime context now in force; it replaces any earlier runtime-context message.\n\nOn branch topic."


@pytest.fixture
def minimal(project: Path) -> Path:
    """A composition without tools."""
    file = project / "minimal.yml"
    file.write_text('persona: "Hello."\ninclude_harness_identity: false\n', encoding="utf-8")
    return file


def test_the_text_and_one_line_end(cli: Cli, minimal: Path) -> None:
    ran = cli("render", str(minimal))
    assert (ran.code, ran.out, ran.err) == (0, "Hello.\n", "")


def test_an_empty_prompt_is_nothing_at_all(cli: Cli, project: Path) -> None:
    Path("none.yml").write_text("include_harness_identity: false\n", encoding="utf-8")
    ran = cli("render", "none.yml")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_without_a_scope_it_is_the_first_agent(cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml")
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.startswith(OPENING)
    assert "xyzzy" not in ran.out
    assert "# Writing files" in ran.out


def test_for_a_scope(cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", "--scope", "reviewer")
    assert ran.code == 0
    assert "You only read." in ran.out
    assert "# Reading files" in ran.out
    assert "# Writing files" not in ran.out
    assert "# Shell commands" not in ran.out


def test_a_scope_that_does_not_exist(cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", "-s", "reviewr")
    assert (ran.code, ran.out) == (2, "")
    assert 'there is no scope "reviewr"; did you mean "reviewer"?' in ran.err


def test_the_global_layer_has_no_model(cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", "--scope", "(global)")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("agent.yml:1:19: error: ")
    assert "no value" in ran.err
    assert '    1 │ persona: "You are {{model}} in {{cwd}}."' in ran.err
    assert "\n      │                   ^^^^^^^^^\n" in ran.err


def test_every_error_of_the_rendering_is_said(cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", "--scope", "(global)")
    assert ran.err.count("error: ") >= 2 or "cwd" in ran.err


def test_with_the_runtime_context(cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", "--context")
    assert ran.code == 0
    assert ran.out.endswith(f"\n\n{SNAPSHOT}\n")


def test_spans_say_who_wrote_each_line(cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", "--spans")
    assert ran.code == 0
    lines = {line.split(" │ ", 1)[-1].strip(): line for line in ran.out.splitlines()}
    assert lines[IDENTITY].startswith("harness:identity")
    persona = lines["You are ⟦tiny-4b⟧ in ⟦/srv/app⟧."]
    assert persona.startswith("deployment:persona")
    assert "agent.yml:1:11" in persona
    assert lines["Be «short»."].split(" │ ")[0].split()[:4] == ["team:rules", "agent.yml", "»", "tidy"]
    assert "agent.yml:19:7" in lines["Say it ⟦calmly⟧, as ⟦calmly⟧ people do."]


def test_the_trace_names_listeners_and_changes(cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", "--trace")
    assert ran.code == 0
    trace = ran.out[ran.out.rindex("assembly for main") :]
    assert "tidy: " in trace
    assert "− section team:secret removed before next" in trace
    assert "~ section team:rules changed after next" in trace


def test_json_holds_everything(cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", "--format", "json", "--trace")
    assert (ran.code, ran.err) == (0, "")
    document: dict[str, Any] = json.loads(ran.out)
    assert list(document) == [
        "format", "file", "scope", "ok", "system", "context", "spans", "context_spans", "tokens", "sections",
        "contexts", "tools", "variables", "failures", "notes", "trace",
    ]  # fmt: skip
    assert document["scope"] == "main"
    assert document["ok"] is True
    assert document["context"] == SNAPSHOT
    system = document["system"]
    assert "".join(system[span["start"] : span["end"]] for span in document["spans"]) == system
    states = {section["name"]: section["state"] for section in document["sections"]}
    assert states["team:secret"] == "removed"
    assert states["team:rules"] == "effective"
    assert [tool["name"] for tool in document["tools"]] == ["bash", "edit", "glob", "grep", "read", "write"]
    assert {variable["name"]: variable["value"] for variable in document["variables"]} | {"provider": None} == {
        "model": "tiny-4b", "cwd": "/srv/app", "provider": None, "mood": "calmly",
    }  # fmt: skip
    assert [listener["outcome"] for listener in document["trace"]["listeners"]] == ["passed"]


def test_json_of_a_prompt_that_cannot_be_sent(cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", "--format", "json", "--scope", "(global)")
    document = json.loads(ran.out)
    assert ran.code == 1
    assert document["ok"] is False
    assert document["system"] is None
    assert document["failures"][0]["group"] == "{{model}}"
    assert document["failures"][0]["source"] == {"file": "agent.yml", "line": 1, "column": 19}


def test_markdown(cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", "--format", "markdown", "--spans", "--trace")
    assert ran.code == 0
    assert ran.out.startswith("# agent.yml, main\n\n## System prompt\n\n```text\nYou are an AI agent")
    for title in ("Runtime context", "Sections", "Contexts", "Tools", "Variables", "Origins", "Trace"):
        assert f"\n## {title}\n" in ran.out
    assert "| deployment:persona | 0 |" in ran.out


def test_markdown_fences_are_longer_than_what_they_hold(cli: Cli, project: Path) -> None:
    Path("fence.md").write_text("a\n````text\nb\n````\n", encoding="utf-8")
    ran = cli("render", "fence.md", "--format", "markdown")
    assert "\n`````text\n" in ran.out
    assert "````text\nb\n````" in ran.out


def test_the_body_of_a_chat_completions_request(cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", "--format", "openai")
    assert (ran.code, ran.err) == (0, "")
    body = json.loads(ran.out)
    assert body["model"] == "tiny-4b"
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["messages"][0]["content"].startswith(OPENING)
    assert body["messages"][1]["content"] == SNAPSHOT
    assert [tool["function"]["name"] for tool in body["tools"]] == ["bash", "edit", "glob", "grep", "read", "write"]
    assert {tool["type"] for tool in body["tools"]} == {"function"}
    assert {key for tool in body["tools"] for key in tool["function"]} == {"name", "description", "parameters"}


def test_the_body_of_a_messages_request(cli: Cli, project: Path) -> None:
    body = json.loads(cli("render", "agent.yml", "--format", "anthropic", "--model", "other").out)
    assert body["model"] == "other"
    assert body["max_tokens"] > 0
    assert body["system"].startswith(OPENING)
    assert body["messages"] == [{"role": "user", "content": SNAPSHOT}]
    assert {key for tool in body["tools"] for key in tool} == {"name", "description", "input_schema"}


def test_what_is_empty_is_left_out_of_a_body(cli: Cli, project: Path) -> None:
    Path("none.yml").write_text("include_harness_identity: false\n", encoding="utf-8")
    openai, anthropic = (cli("render", "none.yml", "-f", name) for name in ("openai", "anthropic"))
    assert json.loads(openai.out) == {"messages": []}
    assert json.loads(anthropic.out) == {"max_tokens": 4096, "messages": []}
    assert "no model is known here" in openai.err


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_no_body_of_a_prompt_that_cannot_be_sent(name: str, cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", "-f", name, "-s", "(global)")
    assert (ran.code, ran.out) == (1, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-f", "openai", "--trace"), "--trace means nothing with --format openai"),
        (("-f", "anthropic", "--spans"), "--spans means nothing with --format anthropic"),
        (("--model", "x"), "--model means nothing with --format text"),
        (("--format", "yaml"), "yaml"),
        (("--nothing",), "--nothing"),
    ],
)
def test_options_that_mean_nothing(arguments: tuple[str, ...], message: str, cli: Cli, project: Path) -> None:
    ran = cli("render", "agent.yml", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_a_plugin_that_fails_is_a_finding_and_stops_nothing(cli: Cli, project: Path) -> None:
    Path("bad.py").write_text("def apply(ctx):\n    raise ValueError('no ink')\n", encoding="utf-8")
    Path("a.yml").write_text("persona: Hello.\nplugins: [bad.py, shell]\n", encoding="utf-8")
    ran = cli("render", "a.yml")
    assert ran.code == 1
    assert "plugin bad failed: " in ran.err
    assert "no ink" in ran.err
    assert "# Shell commands" in ran.out


def test_a_composition_that_cannot_be_used(cli: Cli, project: Path) -> None:
    Path("four.yml").write_text("persona: {{model}}\n", encoding="utf-8")
    ran = cli("render", "four.yml")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("four.yml:1:10: error: ")
    assert "    1 │ persona: {{model}}\n      │          ^\n" in ran.err
    assert "quote it" in ran.err


def test_every_problem_of_a_composition_is_said(cli: Cli, project: Path) -> None:
    Path("two.yml").write_text("personna: a\nagents:\n  - nme: b\n", encoding="utf-8")
    ran = cli("render", "two.yml")
    assert ran.code == 2
    assert ran.err.count("error: ") >= 2


def test_a_file_that_is_not_there(cli: Cli, project: Path) -> None:
    ran = cli("render", "nothing.yml")
    assert (ran.code, ran.out) == (2, "")
    assert "nothing.yml" in ran.err
    assert "Traceback" not in ran.err


def test_a_plain_prompt_file(cli: Cli, project: Path) -> None:
    Path("p.md").write_bytes(b"Use ${{ secrets.X }}.\r\n")
    ran = cli("render", "p.md")
    assert ran.code == 0
    assert "Use ${{ secrets.X }}.\n" in ran.out


def test_outside_text_goes_into_a_pipe_as_it_is(cli: Cli, project: Path) -> None:
    outside = "a [/] [bold]b[/bold] \x1b[31mred \u202eleft 日本 👩‍👩‍👧 \x9b"
    Path("p.txt").write_text(outside, encoding="utf-8")
    assert outside in cli("render", "p.txt").out


def test_what_is_said_about_outside_text_is_visible(cli: Cli, project: Path) -> None:
    Path("a.yml").write_text('persona: "\\e[31m {{nobody}}"\n', encoding="utf-8")
    ran = cli("render", "a.yml", "-f", "text")
    assert ran.code == 1
    assert "\x1b" not in ran.err
    assert "\x1b" not in cli("render", "a.yml", "--trace").out


def test_an_error_names_section_owner_and_place_in_the_text(cli: Cli, project: Path) -> None:
    text = "Publish only from main.\nNever print ${{ secrets.TOKEN }} or $NPM_TOKEN.\n"
    Path("release.txt").write_text(text, encoding="utf-8")
    section = "sections: [{name: 'team:release', order: 1, text: {file: release.txt}"
    Path("a.yml").write_text(f"{section}}}]\n", encoding="utf-8")
    ran = cli("render", "a.yml")
    assert (ran.code, ran.out) == (1, "")
    place, message = ran.err.split("\n", 1)[0].split(": error: ")
    assert place == "release.txt:2:14"
    assert "malformed" in message
    assert "{{ secrets.TOKEN }}" in message
    assert "    2 │ Never print ${{ secrets.TOKEN }} or $NPM_TOKEN.\n      │              ^^^^^^^^" in ran.err
    assert "section team:release of a.yml, 2:14 of its text\n" in ran.err

    Path("a.yml").write_text(f"{section}, literal: true}}]\n", encoding="utf-8")
    ran = cli("render", "a.yml")
    assert ran.code == 0
    assert text in ran.out


def test_an_error_in_a_text_from_code_shows_the_text(cli: Cli, project: Path) -> None:
    Path("late.py").write_text(
        "inject = ['system_prompt']\n"
        "def apply(ctx):\n"
        "    ctx.system_prompt.section('late', 1, lambda context: 'One.\\nTwo {{nobody}}.')\n",
        encoding="utf-8",
    )
    Path("a.yml").write_text("plugins: [late.py]\n", encoding="utf-8")
    ran = cli("render", "a.yml")
    assert ran.code == 1
    assert ran.err.startswith("late.py:3:")
    assert "    2 │ Two {{nobody}}.\n      │     ^^^^^^^^^^\n" in ran.err
    assert "section late of late, 2:5 of its text\n" in ran.err


def test_a_provider_that_raises(cli: Cli, project: Path) -> None:
    Path("late.py").write_text(
        "inject = ['system_prompt']\n"
        "def apply(ctx):\n"
        "    def text(context):\n"
        "        raise ValueError('no ink')\n"
        "    ctx.system_prompt.section('late', 1, text)\n",
        encoding="utf-8",
    )
    Path("a.yml").write_text("plugins: [late.py]\n", encoding="utf-8")
    ran = cli("render", "a.yml")
    assert (ran.code, ran.out) == (1, "")
    assert "no ink" in ran.err
    assert "section late of late" in ran.err
    assert "Traceback" not in ran.err


def test_a_listener_that_raises(cli: Cli, project: Path) -> None:
    Path("late.py").write_text(
        "def apply(ctx):\n"
        "    async def spoil(assembly, context, next):\n"
        "        raise ValueError('no ink')\n"
        "    ctx.on('system-prompt/assemble', spoil)\n",
        encoding="utf-8",
    )
    Path("a.yml").write_text("plugins: [late.py]\n", encoding="utf-8")
    ran = cli("render", "a.yml", "--trace")
    assert ran.code == 1
    assert "no ink" in ran.err
    assert "late: spoil, raised" in ran.out


def test_the_number_of_an_order_that_a_listener_sets_is_remarked(cli: Cli, project: Path) -> None:
    Path("route.py").write_text(
        "from workbench.prompt import NamedText\n"
        "def apply(ctx):\n"
        "    async def hint(assembly, context, next):\n"
        "        assembly.sections.append(NamedText('route:hint', 'Use the short route.', order=0))\n"
        "        return await next()\n"
        "    ctx.on('system-prompt/assemble', hint)\n",
        encoding="utf-8",
    )
    sections = "sections: [{name: 'a:one', order: 10, text: A}, {name: 'b:two', order: 20, text: B}]"
    Path("a.yml").write_text(
        f"include_harness_identity: false\nplugins: [route.py]\n{sections}\n", encoding="utf-8"
    )
    ran = cli("render", "a.yml", "--trace")
    assert ran.code == 0
    assert ran.out.startswith("A\n\nB\n\nUse the short route.\n")
    change = next(line for line in ran.out.splitlines() if "route:hint" in line)
    assert "+ section route:hint added before next (" in change
    assert "order 0" in change


def test_a_provider_that_blocks_is_interrupted(cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.cli.running.TURN_LIMIT", 0.5)
    (project / "blocks.py").write_text(
        "import time\n"
        "inject = ['system_prompt']\n"
        "def slow(context):\n"
        "    time.sleep(1000)\n"
        "def apply(ctx):\n"
        "    ctx.system_prompt.section('x:slow', 5, slow)\n"
    )
    (project / "blocks.yml").write_text("plugins: [blocks.py]\n")
    ran = cli("render", "blocks.yml")
    assert ran.code == 1
    assert "slow() blocked the event loop" in ran.err
    assert "section x:slow of blocks" in ran.err
