"""Configs of a harness, in the `cordis.yml` form, opened directly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.compositions import Problems, Write
from workbench.config.composition import load

REAL_CONFIGS = Path(__file__).parents[3] / "shared/data/dsh/configs"

CONFIG = """\
- id: prompt
  name: '@vendor/dsh-system-prompt'
  config:
    persona: |
      You are {{model}}.
    toolOrder: [bash, <unlisted-tools>]
    includeHarnessIdentity: false
    includeRuntimeContext: !!js process.env.CONTEXT
- id: sh
  name: dsh-tool-bash
- name: '@vendor/dsh-tool-web'
- id: llm
  name: '@vendor/llm'
  config: {key: !!js 'process.env.KEY', deep: [!!js "1 + 1"]}
- id: off
  name: dsh-tool-todo
  disabled: true
- id: webserver
  config: {port: 1}
- insert:
    - {id: todo, name: dsh-tool-todo, config: {many: true}}
- id: app
  name: dsh-acp-demo
  config: {model: m-1, provider: p, persona: second}
"""


def test_what_concerns_prompts_is_taken_over(write: Write) -> None:
    composition = load(write("c.yml", CONFIG))
    entries = composition.entries
    assert entries.persona is not None
    assert (entries.persona.value, entries.persona.source.line) == ("You are {{model}}.\n", 5)
    assert entries.tool_order == ("bash", "<unlisted-tools>")
    assert (entries.include_harness_identity, entries.include_runtime_context) == (False, True)
    assert [(plugin.use, plugin.config) for plugin in entries.plugins] == [
        ("shell", {"dialect": "bash"}),
        ("todo", None),
    ]
    assert [(agent.name, agent.model, agent.provider, agent.cwd) for agent in entries.agents] == [
        ("app", "m-1", "p", None)
    ]


def test_each_row_says_what_became_of_it(write: Write) -> None:
    rows = load(write("c.yml", CONFIG)).rows
    assert [(row.id, row.outcome, row.line, row.column) for row in rows] == [
        ("prompt", "settings", 1, 3),
        ("sh", "plugin", 9, 3),
        ("@vendor/dsh-tool-web", "not yet", 11, 3),
        ("llm", "unknown", 12, 3),
        ("off", "disabled", 15, 3),
        ("webserver", "patch", 18, 3),
        ("todo", "plugin", 21, 7),
        ("app", "settings", 22, 3),
    ]


def test_what_is_left_out_is_said(write: Write) -> None:
    assert load(write("c.yml", CONFIG)).notes == (
        "c.yml:8:28: prompt: config.includeRuntimeContext is an expression, which is not evaluated: "
        "!!js process.env.CONTEXT",
        "c.yml:11:3: @vendor/dsh-tool-web: @vendor/dsh-tool-web has no contributor here yet, left out",
        "c.yml:12:3: llm: @vendor/llm is unknown here, left out",
        "c.yml:14:17: llm: config.key is an expression, which is not evaluated: !!js process.env.KEY",
        "c.yml:14:48: llm: config.deep[0] is an expression, which is not evaluated: !!js 1 + 1",
        "c.yml:18:3: webserver: changes a row of another file, left out",
        "c.yml:21:47: todo: the options of dsh-tool-todo are not taken over",
        "c.yml:24:46: app: persona is left out, prompt gives it already",
    )  # fmt: skip


def test_a_persona_of_braces_is_refused_here_too(problems: Problems) -> None:
    [problem] = problems("- id: a\n  name: dsh-system-prompt\n  config:\n    persona: {{model}}\n")
    assert problem.startswith("c.yml:4:14: a text was expected, and braces without quotes are a mapping")


@pytest.mark.skipif(not REAL_CONFIGS.is_dir(), reason="the real configs are not beside this checkout")
class TestRealConfigs:
    def test_an_application_opens_and_says_what_it_could_not_evaluate(self) -> None:
        composition = load(REAL_CONFIGS / "acp-agent.cordis.yml")
        assert composition.entries.persona is not None
        assert "{{model}}" in composition.entries.persona.value
        assert [agent.model for agent in composition.entries.agents] == ["deepseek-v4-pro"]
        assert {plugin.use for plugin in composition.entries.plugins} == {"files", "todo"}
        expressions = [note for note in composition.notes if "not evaluated" in note]
        assert len(expressions) == 6
        assert ":33:20: sandbox-policy: config.workspaceRoot is an expression" in expressions[1]

    @pytest.mark.parametrize("name", ["headless-agent.cordis.yml", "web-cordis.cordis.yml"])
    def test_the_others_open(self, name: str) -> None:
        assert load(REAL_CONFIGS / name).rows
