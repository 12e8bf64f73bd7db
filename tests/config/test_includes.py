"""Compositions over several files: who wins, whose place it is, and what cannot be included."""

from __future__ import annotations

import pytest

from tests.support.compositions import Write
from workbench.config.composition import load
from workbench.config.opened import open_composition
from workbench.config.problems import LoadError
from workbench.prompt import preview, render_prompt

BASE = """\
description: The base.
include_harness_identity: false
persona: base
agents: [{name: main, model: m}]
plugins: [todo, plug.py]
sections:
  - {name: a, order: 2, text: a of base}
  - {name: b, order: 1, text: b of base}
  - {name: a, order: 3, text: a of main, scope: main}
tools: [{name: t, description: of base}]
restrictions: [{scope: main, deny: [t]}]
tool_order: [t, <unlisted-tools>]
check: {profiles: [anthropic], off: [{rule: orders, reason: so}]}
"""
TEAM = """\
include: ../base.yml
plugins: [plug.py, {use: todo, disabled: true}]
sections:
  - {name: a, order: 4, text: {file: texts/a.md}}
restrictions: [{scope: main, allow: [t]}]
check: {off: [{rule: owners, reason: too}]}
"""
PLUG = "inject = ['system_prompt']\ndef apply(ctx): ctx.system_prompt.section('{}', 9, '{}')\n"


@pytest.fixture
def files(write: Write) -> None:
    write("base.yml", BASE)
    write("team/team.yml", TEAM)
    write("team/texts/a.md", "a of team")
    write("plug.py", PLUG.format("outer", "outer"))
    write("team/plug.py", PLUG.format("inner", "inner"))


@pytest.mark.usefixtures("files")
async def test_later_files_win_entry_by_entry(write: Write) -> None:
    main = write("main.yml", "include: [base.yml, team/team.yml]\npersona: mine\n")
    async with open_composition(main) as opened:
        seen = await preview(opened.prompt, opened.assemble_context("(global)"))
        entries = opened.composition.entries
        watched = {str(path) for path in opened.files_to_watch}
    assert seen.system == "mine\n\nb of base\n\na of team\n\ninner\n\nouter"
    assert entries.description == "The base."
    assert entries.tool_order == ("t", "<unlisted-tools>")
    assert [(entry.allow, entry.deny) for entry in entries.restrictions] == [(("t",), None)]
    assert entries.check is not None
    assert entries.check.profiles == ("anthropic",)
    assert [switch.rule for switch in entries.check.off] == ["orders", "owners"]
    assert not [tool for tool in seen.tools if tool.name == "todo_write"]
    places = {view.name: str(view.source.file) for view in seen.sections if view.source}
    assert places["a"] == "team/texts/a.md"
    assert places["b"] == "base.yml"
    assert places["deployment:persona"] == "main.yml"
    assert watched == {"main.yml", "base.yml", "team/team.yml", "team/texts/a.md", "plug.py", "team/plug.py"}


@pytest.mark.usefixtures("files")
async def test_an_edit_of_an_included_file_is_an_edit(write: Write) -> None:
    async with open_composition(write("main.yml", "include: base.yml\npersona: mine\n")) as opened:
        write("base.yml", BASE.replace("b of base", "edited"))
        assert await opened.reload()
        assembly = await opened.prompt.assemble(opened.assemble_context("(global)"))
        assert "edited" in render_prompt(assembly)
        write("base.yml", BASE.replace("order: 2", "order: two"))
        assert not await opened.reload()
        assert str(opened.problems[0]).startswith("base.yml:7:22: there is no position")


@pytest.mark.parametrize(
    ("main", "said"),
    [
        ("include: gone.yml\n", "main.yml:1:10: gone.yml: there is no such file"),
        ("include: [base.yml, gone.yml]\n", "main.yml:1:21: gone.yml: there is no such file"),
        ("include: main.yml\n", "main.yml:1:10: these files include each other: main.yml → main.yml; remove one"),
        ("include: ring.yml\n", "ring.yml:2:10: these files include each other: main.yml → ring.yml → main.yml"),
        ("include: broken.yml\n", "broken.yml:1:10: a text was expected, and braces"),
        ("include: twice.yml\n", 'twice.yml:1:59: the global layer has a section "s" already, at twice.yml:1:19'),
        ("include: 3\n", "main.yml:1:10: a list was expected"),
        ("include: ''\n", "main.yml:1:10: a name cannot be empty"),
        ("extends: base.yml\n", "main.yml:1:1: unknown key \"extends\"; call it `include:`"),
        ("include: bad_plugin.yml\n", 'bad_plugin.yml:1:11: there is no plugin "nothing-like-it"'),
        ("include: base.yml\nrestrictions: [{scope: nobody, deny: []}]\n", "main.yml:2:24: there is no scope"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("files")
async def test_what_is_wrong_is_said_in_its_file(write: Write, main: str, said: str) -> None:
    write("ring.yml", "persona: p\ninclude: main.yml\n")
    write("broken.yml", "persona: {{model}}\n")
    write("twice.yml", "sections: [{name: s, order: 1, text: s}, {order: 2, name: s, text: t}]\n")
    write("bad_plugin.yml", "plugins: [nothing-like-it]\n")
    with pytest.raises(LoadError) as caught:
        async with open_composition(write("main.yml", main)):
            pass
    assert said in "\n".join(map(str, caught.value.problems))


@pytest.mark.usefixtures("files")
def test_a_file_that_several_include_counts_once_where_it_is_named_first(write: Write) -> None:
    write("ops.yml", "include: base.yml\nsections: [{name: b, order: 1, text: b of ops}]\n")
    entries = load(write("main.yml", "include: [team/team.yml, ops.yml]\n")).entries
    assert {entry.name: entry.text.value for entry in entries.sections if entry.scope is None} == {
        "a": "a of team",
        "b": "b of ops",
    }


def test_too_deep_and_too_many_are_refused(write: Write) -> None:
    for number in range(12):
        write(f"d{number}.yml", f"include: d{number + 1}.yml\n")
    write("d12.yml", "{}")
    with pytest.raises(LoadError, match=r"d10\.yml:1:10: files include each other more than 10 levels deep"):
        load("d0.yml")
    for number in range(101):
        write(f"m{number}.yml", "{}")
    with pytest.raises(LoadError, match="more than 100 files are included"):
        load(write("many.yml", f"include: [{', '.join(f'm{number}.yml' for number in range(101))}]\n"))


def test_prompt_files_and_harness_configs_can_be_included(write: Write) -> None:
    write("rules.md", "# Rules {{x}}")
    write("cordis.yml", "- id: p\n  name: dsh-system-prompt\n  config: {persona: P, toolOrder: !!js x}\n")
    composition = load(write("main.yml", "include: [rules.md, cordis.yml]\n"))
    [section] = composition.entries.sections
    assert (section.name, section.literal, section.text.source.file) == ("rules.md", True, "rules.md")
    assert composition.entries.include_harness_identity
    assert composition.entries.persona is not None
    assert composition.entries.persona.value == "P"
    assert composition.notes == (
        "cordis.yml:3:35: p: config.toolOrder is an expression, which is not evaluated: !!js x",
    )
