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
        ("web", None),
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
        ("@vendor/dsh-tool-web", "plugin", 11, 3),
        ("llm", "unknown", 12, 3),
        ("off", "disabled", 15, 3),
        ("todo", "plugin", 21, 7),
        ("app", "settings", 22, 3),
        ("webserver", "patch", 18, 3),
    ]


def test_what_is_left_out_is_said(write: Write) -> None:
    assert load(write("c.yml", CONFIG)).notes == (
        "c.yml:8:28: prompt: config.includeRuntimeContext is an expression, which is not evaluated: "
        "!!js process.env.CONTEXT",
        "c.yml:12:3: llm: @vendor/llm is unknown here, left out",
        "c.yml:14:17: llm: config.key is an expression, which is not evaluated: !!js process.env.KEY",
        "c.yml:14:48: llm: config.deep[0] is an expression, which is not evaluated: !!js 1 + 1",
        "c.yml:21:47: todo: these options of dsh-tool-todo are not taken over: many",
        "c.yml:24:46: app: persona is left out, prompt gives it already",
        "c.yml:18:3: webserver: this patch matches no row, and changes nothing",
    )  # fmt: skip


def test_a_persona_of_braces_is_refused_here_too(problems: Problems) -> None:
    [problem] = problems("- id: a\n  name: dsh-system-prompt\n  config:\n    persona: {{model}}\n")
    assert problem.startswith("c.yml:4:14: a text was expected, and braces without quotes are a mapping")


BASE = """\
- id: prompt
  name: dsh-system-prompt
  config: {persona: Base.}
- id: app
  name: dsh-acp-demo
  config: {model: m-1}
- id: todo
  name: dsh-tool-todo
"""
INCLUDING = """\
- id: base
  name: '@vendor/plugin-include'
  config:
    path: base/c.yml
    patches:
      - id: prompt
        config: {persona: Patched.}
      - id: todo
        disabled: true
      - id: nobody
        config: {}
      - insert: [{id: web, name: dsh-tool-web}]
"""


def test_an_included_file_is_read_and_patched(write: Write) -> None:
    write("base/c.yml", BASE)
    composition = load(write("c.yml", INCLUDING))
    entries = composition.entries
    assert entries.persona is not None
    assert (entries.persona.value, entries.persona.source.file, entries.persona.source.line) == (
        *("Patched.", "c.yml", 7),
    )
    assert [agent.name for agent in entries.agents] == ["app"]
    assert [plugin.use for plugin in entries.plugins] == ["web"]
    assert composition.notes == (
        "base/c.yml:1:3: prompt: its config is replaced at c.yml:6:9",
        "base/c.yml:7:3: todo: it is switched off at c.yml:8:9",
        "c.yml:10:9: nobody: this patch matches no row, and changes nothing",
    )
    assert [(row.id, row.outcome) for row in composition.rows][-5:] == [
        ("web", "plugin"),
        ("prompt", "patched"),
        ("todo", "patched"),
        ("nobody", "patch"),
        ("base", "include"),
    ]


def test_places_of_what_is_included_name_its_file(write: Write) -> None:
    write("base/c.yml", BASE)
    composition = load(write("c.yml", INCLUDING))
    document, [agent] = composition.document, composition.entries.agents
    assert str(document.position(document.offset(agent.at))) == "base/c.yml:6:11"
    [plugin] = composition.entries.plugins
    assert str(document.position(document.offset(plugin.at))) == "c.yml:12:18"
    assert {str(path) for path in composition.files} == {"c.yml", "base/c.yml"}


def test_a_composition_can_include_a_config_that_includes(write: Write) -> None:
    write("harness/base/c.yml", BASE)
    write("harness/c.yml", INCLUDING)
    write("more.yml", "agents: [{name: other}]\n")
    composition = load(write("own.yml", "include: [harness/c.yml, more.yml]\npersona: Own.\n"))
    document = composition.document
    places = [str(document.position(document.offset(agent.at))) for agent in composition.entries.agents]
    assert places == ["harness/base/c.yml:6:11", "more.yml:1:10"]
    assert composition.entries.persona is not None
    assert composition.entries.persona.value == "Own."


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("{path: none.yml}", "c.yml:2:18: none.yml: there is no such file; check the path"),
        ("{path: c.yml}", "c.yml:2:18: these files include each other: c.yml → c.yml; remove one row"),
        ("{path: a.yml}", "a.yml:2:18: these files include each other: c.yml → a.yml → c.yml; remove one row"),
        ("{path: mapping.yml}", "mapping.yml:1:1: a list of rows was expected; a harness config is a list of"),
        ("{path: bad.yml}", "bad.yml:2:1: the last list or mapping is never closed"),
        ("{path: binary.yml}", "c.yml:2:18: binary.yml: 1:1: this is not UTF-8"),
        ("{path: base.yml, patches: 3}", "c.yml:2:37: a list of rows was expected"),
    ],
)
def test_an_include_that_cannot_be_read_is_a_problem(
    config: str, said: str, write: Write, problems: Problems
) -> None:
    write("a.yml", "- name: plugin-include\n  config: {path: c.yml}\n")
    write("mapping.yml", "persona: x\n")
    write("bad.yml", "- [\n")
    write("binary.yml", b"\x80\x81")
    write("base.yml", BASE)
    found = problems(f"- name: plugin-include\n  config: {config}\n")
    assert len(found) == 1
    assert found[0].startswith(said)


@pytest.mark.parametrize("config", ["{}", "{path: 3}", "{path: !!js x}", "{url: 'https://a/b'}", "[]"])
def test_an_include_without_a_file_is_noted(config: str, write: Write) -> None:
    composition = load(write("c.yml", f"- name: plugin-include\n  config: {config}\n"))
    assert composition.notes[0] == "c.yml:1:3: plugin-include: names no file that can be read here, left out"


def test_subagent_tools_keep_their_options(write: Write) -> None:
    rows = """\
- name: dsh-tool-subagent
  config: {provider: fork, toolName: sub_fork, backgroundMode: one-shot, enableRunInBackground: false, maxDepth: 1}
"""
    composition = load(write("c.yml", rows))
    assert composition.entries.plugins[0].config == {
        "provider": "fork",
        "tool_name": "sub_fork",
        "background_mode": "none",
    }
    assert composition.notes == (
        "c.yml:2:11: dsh-tool-subagent: these options of dsh-tool-subagent are not taken over: maxDepth",
    )


@pytest.mark.skipif(not REAL_CONFIGS.is_dir(), reason="the real configs are not beside this checkout")
class TestRealConfigs:
    def test_an_application_opens_and_says_what_it_could_not_evaluate(self) -> None:
        composition = load(REAL_CONFIGS / "acp-agent.cordis.yml")
        assert composition.entries.persona is not None
        assert "{{model}}" in composition.entries.persona.value
        assert [agent.model for agent in composition.entries.agents] == ["deepseek-v4-pro"]
        assert [plugin.use for plugin in composition.entries.plugins] == [
            *("subagents", "subagent_provider", "subagent_provider", "subagent", "subagent", "todo", "files")
        ]
        expressions = [note for note in composition.notes if "not evaluated" in note]
        assert len(expressions) == 6
        assert ":33:20: sandbox-policy: config.workspaceRoot is an expression" in expressions[1]

    @pytest.mark.parametrize("name", ["headless-agent.cordis.yml", "web-cordis.cordis.yml"])
    def test_the_others_open(self, name: str) -> None:
        assert load(REAL_CONFIGS / name).rows
