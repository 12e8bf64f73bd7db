"""A composition in a running Runtime: what is registered, by whom, and what is left afterwards."""

from __future__ import annotations

import asyncio
import sys

import pytest

from tests.support.compositions import Write
from workbench.config.opened import OpenedComposition, UnknownScope, open_composition
from workbench.config.problems import LoadError
from workbench.prompt import preview, render_prompt


async def system(opened: OpenedComposition, label: str | None = None) -> str:
    return render_prompt(await opened.prompt.assemble(opened.assemble_context(label)))


AGENTS = """\
persona: All read {{who}}.
include_harness_identity: false
scopes:
  - {name: team}
agents:
  - {name: a, scope: team, model: m-1, cwd: /a}
  - {name: b, parent: a, provider: p, persona: "B on {{provider}}."}
sections:
  - {name: x, order: 20, text: "x of all"}
  - {name: x, order: 5, text: "x of team, {{model}}", scope: team}
  - {name: "y{{", order: 20, text: "{{no}}", literal: true, scope: b}
variables:
  - {name: who, value: everybody}
  - {name: who, value: a, scope: a}
contexts:
  - {name: now, order: 1, text: "Now in {{cwd}}.", scope: a}
"""


async def test_layers_agents_and_their_variables(write: Write) -> None:
    async with open_composition(write("c.yml", AGENTS)) as opened:
        assert await system(opened, "a") == "All read a.\n\nx of team, m-1"
        assert await system(opened, "b") == "B on p.\n\nx of all\n\n{{no}}"
        assert await system(opened, "(global)") == "All read everybody.\n\nx of all"
        assert await system(opened) == await system(opened, "a")
        assert [(view.label, view.parent_label, view.agent is not None) for view in opened.scopes] == [
            ("(global)", None, False),
            ("team", "(global)", False),
            ("a", "team", True),
            ("b", "(global)", True),
        ]
        with pytest.raises(UnknownScope, match=r'c.yml: there is no scope "tean"; did you mean "team"\?'):
            opened.assemble_context("tean")


async def test_an_agent_without_a_model_has_no_value(write: Write) -> None:
    text = "persona: '{{model}}'\nagents: [{name: a, model: ''}, {name: b}]\n"
    async with open_composition(write("c.yml", text)) as opened:
        assert (await preview(opened.prompt, opened.assemble_context("a"))).failures == ()
        [failure] = (await preview(opened.prompt, opened.assemble_context("b"))).failures
        assert (failure.code, failure.name) == ("no value", "deployment:persona")


async def test_every_failure_leads_to_its_place(write: Write) -> None:
    write("texts/team.md", "One.\nTwo {{nope}}.\n")
    text = (
        "sections:\n  - name: block\n    order: 1\n    text: |\n      Fine.\n      Not {{mdel}} fine.\n"
        "  - {name: file, order: 2, text: {file: texts/team.md}}\n"
        '  - {name: folded, order: 3, text: "one\n      two {{x y}}"}\n'
    )
    async with open_composition(write("c.yml", text)) as opened:
        seen = await preview(opened.prompt, opened.assemble_context())
    assert [(failure.name, str(failure.position)) for failure in seen.failures] == [
        ("block", "c.yml:6:11"),
        ("file", "texts/team.md:2:5"),
        ("folded", "c.yml:9:11"),
    ]


async def test_the_file_owns_its_entries(write: Write) -> None:
    text = "sections: [{name: x, order: 1, text: hello}]\nvariables: [{name: v, value: w}]\nplugins: [todo]\n"
    async with open_composition(write("deep/agent.yml", text)) as opened:
        seen = await preview(opened.prompt, opened.assemble_context())
        owners = {entry.name: entry.owner.plugin for entry in (*seen.sections, *seen.variables, *seen.tools)}
    assert owners["x"] == owners["v"] == "agent.yml"
    assert (owners["todo_write"], owners["model"]) == ("todo", "agent")


async def test_tools_and_restrictions_wait_for_plugins(write: Write) -> None:
    write(
        "slow.py",
        "import asyncio\nfrom workbench.prompt import ToolSchema\ninject = ['tools']\nasync def apply(ctx):\n"
        "    await asyncio.sleep(0.01)\n    ctx.tools.register(ToolSchema('slow', 'Slow.', {'type': 'object'}))\n",
    )
    text = (
        "plugins: [slow.py, todo]\ntools: [{name: own, description: Own., scope: a}]\n"
        "scopes: [{name: a}]\nrestrictions: [{scope: a, deny: [slow]}]\n"
    )
    async with open_composition(write("c.yml", text)) as opened:
        assembly = await opened.prompt.assemble(opened.assemble_context("a"))
        assert [tool.name for tool in assembly.tools] == ["own", "todo_write"]
        assembly = await opened.prompt.assemble(opened.assemble_context("(global)"))
        assert [tool.name for tool in assembly.tools] == ["slow", "todo_write"]


async def test_what_the_registry_refuses_is_a_problem_of_the_file(write: Write) -> None:
    text = "scopes: [{name: a}]\nplugins: [todo]\nrestrictions: [{scope: a, allow: [tdo]}]\n"
    with pytest.raises(LoadError, match=r"c.yml:3:16: .*tdo"):
        async with open_composition(write("c.yml", text)):
            pass


async def test_a_config_that_the_plugin_refuses_has_a_place(write: Write) -> None:
    text = "plugins:\n  - use: shell\n    config:\n      dialect: basch\n      timout_seconds: 3\n"
    with pytest.raises(LoadError) as caught:
        async with open_composition(write("c.yml", text)):
            pass
    wrong_value, unknown_key = caught.value.problems
    assert (wrong_value.line, wrong_value.column, wrong_value.path) == (4, 16, "plugins[0].config.dialect")
    assert (
        str(unknown_key)
        == 'c.yml:5:7: unknown key "timout_seconds" for plugin shell; did you mean "timeout_seconds"?'
    )


FAILING = """\
import asyncio
def raises(ctx):
    raise RuntimeError("no luck")
async def waits(ctx):
    await asyncio.Event().wait()
class Needs:
    name = "needs"
    inject = ["rain"]
    apply = print
"""


async def test_plugins_that_fail_stop_nobody_else(write: Write) -> None:
    write("p.py", FAILING)
    text = (
        "plugins:\n  - p.py:raises\n  - p.py:waits\n  - p.py:Needs\n"
        "  - {use: p.py:raises, disabled: true}\n  - todo\n"
        "sections: [{name: x, order: 1, text: hello}]\n"
    )
    async with open_composition(write("c.yml", text), settle_seconds=0.5) as opened:
        assembly = await opened.prompt.assemble(opened.assemble_context())
        assert [tool.name for tool in assembly.tools] == ["todo_write"]
        assert render_prompt(assembly).endswith("hello")
        assert opened.problems == ()
        failed, waiting, needs = opened.notes
    assert failed == "c.yml:2:5: plugin raises failed: no luck"
    assert waiting.startswith("c.yml:3:5: plugin waits is loading")
    assert needs == "c.yml:4:5: plugin needs is pending (waits for rain)"


async def test_a_prompt_file_renders_byte_for_byte(write: Write) -> None:
    text = "# Rules\n\n{{x}} ${{ y }} \x00\x1b[0m\n"
    async with open_composition(write("rules.md", text)) as opened:
        assert await system(opened) == text


async def test_nothing_is_left_when_it_is_closed(write: Write) -> None:
    write("p.py", FAILING)
    modules = set(sys.modules)
    async with open_composition(write("c.yml", AGENTS + "plugins: [p.py:waits]\n"), settle_seconds=0.01) as opened:
        runtime = opened.runtime
    assert runtime.fibers() == ()
    assert len(asyncio.all_tasks()) == 1
    assert not [name for name in set(sys.modules) - modules if name.startswith("workbench_local_")]


async def test_the_same_file_gives_the_same_snapshot(write: Write) -> None:
    path = write("c.yml", AGENTS)
    async with open_composition(path) as first, open_composition(path) as second:
        assert first.runtime.snapshot() == second.runtime.snapshot()
