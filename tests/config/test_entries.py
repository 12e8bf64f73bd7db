"""Compositions read whole: entries, references between them, and every problem in one pass."""

from __future__ import annotations

import pytest

from tests.support.compositions import Problems, Write
from workbench.config.composition import load
from workbench.config.model import Text
from workbench.prompt.source import TextSource

FULL = """\
description: all keys
persona: You are {{model}}.
include_harness_identity: false
include_runtime_context: true
tool_order: [bash, <unlisted-tools>]
scopes:
  - name: team
agents:
  - name: main
    scope: team
    model: m-1
    provider: p
    cwd: /srv
  - {name: helper, parent: main, persona: {file: texts/helper.md}}
plugins:
  - shell
  - use: files
    config: {tools: [read], deep: {n: 1, f: 1.5, no: null}}
    scope: helper
    disabled: true
sections:
  - name: team:rules
    order: 100.5
    text: |
      One.
      Two.
    scope: team
    literal: true
    complete: true
contexts:
  - {name: now, order: SANDBOX_POLICY, text: ""}
variables:
  - {name: branch, value: main}
  - {name: branch, scope: main}
tools:
  - name: look
    description: Look.
    parameters: {type: object, properties: {q: {type: string}}}
restrictions:
  - {scope: helper, allow: [look], deny: []}
"""


def test_every_key_is_read(write: Write) -> None:
    write("texts/helper.md", "Help.\r\nWell.\r\n")
    composition = load(write("c.yml", FULL))
    entries = composition.entries

    assert (entries.description, entries.tool_order) == ("all keys", ("bash", "<unlisted-tools>"))
    assert entries.persona == Text("You are {{model}}.", TextSource("c.yml", 2, 10, 0))
    assert not entries.include_harness_identity
    main, helper = entries.agents
    assert (main.scope, main.model, main.provider, main.cwd, main.parent) == ("team", "m-1", "p", "/srv", None)
    assert helper.parent == "main"
    assert helper.persona == Text("Help.\nWell.\n", TextSource("texts/helper.md", 1, 1, 0))
    shell, files = entries.plugins
    assert (shell.use, shell.config, shell.disabled) == ("shell", None, False)
    assert files.config == {"tools": ["read"], "deep": {"n": 1, "f": 1.5, "no": None}}
    assert (files.scope, files.disabled) == ("helper", True)
    [section] = entries.sections
    assert (section.order, section.literal, section.complete) == (100.5, True, True)
    assert section.text == Text("One.\nTwo.\n", TextSource("c.yml", 25, 7, 6))
    assert entries.contexts[0].order == "SANDBOX_POLICY"
    assert [variable.value and variable.value.value for variable in entries.variables] == ["main", None]
    assert entries.tools[0].parameters["properties"] == {"q": {"type": "string"}}
    assert (entries.restrictions[0].allow, entries.restrictions[0].deny) == (("look",), ())
    assert [path.as_posix() for path in composition.files] == ["c.yml", "texts/helper.md"]


def test_crlf_gives_the_same_composition_and_hash(write: Write) -> None:
    write("texts/helper.md", "Help.\nWell.\n")
    lf = load(write("c.yml", FULL))
    write("texts/helper.md", "Help.\r\nWell.\r\n")
    crlf = load(write("c.yml", FULL.replace("\n", "\r\n")))
    assert crlf == lf
    write("texts/helper.md", "Help. Well.\n")
    assert load(write("c.yml", FULL)).content_hash != lf.content_hash


def test_all_problems_of_a_file_come_at_once(problems: Problems) -> None:
    found = problems(
        "persna: x\n"
        "sections:\n"
        "  - {name: a, order: TOOL_BSH, text: x}\n"
        "  - {name: b, order: .inf, text: x, complete: yes}\n"
        "  - {order: true, text: [x]}\n"
        "  - {name: c, order: 1, text: {file: gone.md}, file: gone.md}\n"
        "plugins: shell\n"
    )
    assert found == [
        'c.yml:1:1: unknown key "persna"; did you mean "persona"?',
        'c.yml:3:22: there is no position "TOOL_BSH"; did you mean "TOOL_BASH"?',
        "c.yml:4:22: an order must be finite",
        'c.yml:4:47: true or false was expected, and this is the text "yes"',
        'c.yml:5:5: key "name" is missing; add `name:`',
        "c.yml:5:13: an order was expected, and this is true, a truth value; give a number or the key of "
        "a position",
        "c.yml:5:25: a text was expected, and this is a list; quote a text that begins with a bracket",
        "c.yml:6:38: gone.md: there is no such file; check the path",
        'c.yml:6:48: unknown key "file"; write `text: {file: …}`',
        'c.yml:7:10: a list was expected, and this is the text "shell"; begin each entry with `- `',
    ]


def test_of_very_many_problems_a_hundred_are_told(problems: Problems) -> None:
    found = problems("unknown: 1\n" * 5000)
    assert len(found) == 101
    assert found[-1] == "c.yml: there are 4,899 more problems; mend these first"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("scopes: [{name: a}, {name: a}]", '1:28: there is a scope or agent "a" already, at 1:17; choose'),
        ("scopes: [{name: a}]\nagents: [{name: a}]", '2:17: there is a scope or agent "a" already, at 1:17'),
        ("scopes: [{name: (global)}]", '1:17: "(global)" is the name of the global layer'),
        ("scopes: [{name: a, scope: aa}]", '1:27: there is no scope or agent "aa"; did you mean "a"?'),
        ("plugins: [{use: shell, scope: z}]", '1:31: there is no scope or agent "z"; scopes and agents here: none'),
        ("scopes: [{name: a, scope: b}, {name: b, scope: a}]",
         "1:27: these scopes stand inside each other: a → b → a; remove one `scope:`"),
        ("scopes: [{name: a, scope: a}]", "1:27: these scopes stand inside each other: a → a"),
        ("scopes: [{name: a, parent: b}]", '1:20: unknown key "parent"; name the scope around it with `scope:`'),
        ("agents: [{name: a, parent: b}]", '1:28: there is no agent "b"; agents here: a'),
        ("agents: [{name: a, parent: a}]", "1:28: these agents descend from each other: a → a"),
        ("contexts: [{name: a, order: 1, text: x}, {name: a, order: 2, text: y}]",
         '1:49: the global layer has a context "a" already, at 1:19; rename one'),
        ("agents: [{name: a, persona: x}]\nsections: [{name: deployment:persona, order: 0, text: y, scope: a}]",
         '2:19: scope "a" has a section "deployment:persona" already, at 1:29'),
        ("sections: [{name: deployment:persona, order: 0, text: y}]", "1:19: the prompt service owns this section"),
        ("sections: [{name: harness:identity, order: 0, text: y}]", "1:19: the prompt service owns this section"),
        ("variables: [{name: Branch}]", '1:20: "Branch" cannot be the name of a variable; use small letters'),
        ("variables: [{name: model, value: m}]", '1:20: "model" is what an agent is; give the agents a `model:`'),
        ("tool_order: [a, b, a, <unlisted-tools>]", '1:20: "a" is listed more than once'),
        ("tool_order: []", "1:13: tool_order does not say where the other tools go: <unlisted-tools>"),
        ("tools: [{name: <unlisted-tools>, description: x}]", "1:16: <unlisted-tools> is reserved"),
        ("scopes: [{name: a}]\nrestrictions: [{scope: a}]", "2:16: this restriction restricts nothing"),
        ("restrictions: [{deny: [x]}]", '1:16: key "scope" is missing'),
    ],
)  # fmt: skip
def test_rules_between_entries(problems: Problems, text: str, said: str) -> None:
    [problem] = problems(text)
    assert problem.startswith(f"c.yml:{said}")


def test_names_may_be_equal_across_layers_and_kinds(problems: Problems) -> None:
    assert not problems(
        "scopes: [{name: a}]\ninclude_harness_identity: false\n"
        "sections: [{name: x, order: 0, text: ''}, {name: x, order: 0, text: '', scope: a},\n"
        "  {name: harness:identity, order: 0, text: ''}, {name: deployment:persona, order: 0, text: y, scope: a}]\n"
        "contexts: [{name: x, order: 0, text: ''}]\n"
        "variables: [{name: model, value: m, scope: a}]\n"
    )


def test_a_prompt_file_is_one_literal_section(write: Write) -> None:
    composition = load(write("Reviewer.MD", "Use ${{ x }}.\r\n"))
    [section] = composition.entries.sections
    assert (section.name, section.literal) == ("Reviewer.MD", True)
    assert section.text == Text("Use ${{ x }}.\n", TextSource("Reviewer.MD", 1, 1))
    assert not composition.entries.include_harness_identity
