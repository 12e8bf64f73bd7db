"""Faults that users met elsewhere, as small inputs of our own: each must be seen or cannot happen here."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.prompt.providers import Next, edits, says
from tests.support.plugins import Key, P
from workbench.core import Context, Runtime, create_scope
from workbench.prompt import (
    AssembleContext,
    NamedText,
    PromptAssembly,
    PromptFacade,
    RenderError,
    TextSource,
    ToolProviderResult,
    preview,
    render_prompt,
)

EVENT = "system-prompt/assemble"


async def load(rt: Runtime, name: str, apply: Any) -> None:
    await rt.root.plugin(P(name, apply, inject=["system_prompt"]))


# FC-01: a tool's description that contains braces

PAGE_FILL = {
    "name": "page_fill",
    "description": "Fill a form. Write {{first_name}} where the page should insert a value.",
    "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


def browser_kit(literal: bool) -> Any:
    def apply(ctx: Context) -> None:
        ctx.system_prompt.tools(lambda _context: ToolProviderResult([PAGE_FILL]))
        text = f"Tools:\n- {PAGE_FILL['name']}: {PAGE_FILL['description']}"
        ctx.system_prompt.section("tools:list", 5000, text, literal=literal)

    return apply


@pytest.mark.parametrize("with_variable", [False, True])
async def test_fc_01_a_description_with_braces(rt: Runtime, prompt: PromptFacade, with_variable: bool) -> None:
    await load(rt, "browser-kit", browser_kit(literal=True))
    if with_variable:
        prompt.variable("first_name", says("SECRET"))
    for _ in range(3):
        assembly = await prompt.assemble()
        text = render_prompt(assembly)
        assert "Write {{first_name}} where" in text
        assert "SECRET" not in text
        sent = json.loads(assembly.tools_json)[0]
        assert sent["description"].encode() == str(PAGE_FILL["description"]).encode()
    assert not (await preview(prompt)).failures


async def test_fc_01_registered_as_a_template_the_error_tells_what_to_do(rt: Runtime, prompt: PromptFacade) -> None:
    await load(rt, "browser-kit", browser_kit(literal=False))
    (failure,) = (await preview(prompt)).failures
    assert failure.owner is not None
    assert (failure.name, failure.owner.plugin, failure.line, failure.column) == (
        "tools:list",
        "browser-kit",
        2,
        33,
    )
    assert "register as literal" in failure.message


# FC-02: a CI expression inside a persona

RELEASE = (
    "Publish only from the main branch.\n"
    "Never print ${{ secrets.REGISTRY_TOKEN }} or $NPM_TOKEN.\n"
    "Costs are given as $5 to $9.\n"
)


async def test_fc_02_an_expression_of_another_language(rt: Runtime, prompt: PromptFacade) -> None:
    def team(ctx: Context) -> None:
        ctx.system_prompt.section("team:release", 600, RELEASE, source=TextSource("release.md", 1, 1))

    await load(rt, "team", team)
    prompt.variable("secrets", says("S"))
    shown = await preview(prompt)
    (failure,) = shown.failures
    assert failure.owner is not None
    assert (failure.name, failure.owner.plugin, failure.code) == ("team:release", "team", "malformed")
    assert (failure.line, failure.column, failure.group) == (2, 14, "{{ secrets.REGISTRY_TOKEN }}")
    assert str(failure.position) == "release.md:2:14"
    assert shown.system is None
    for _ in range(3):
        with pytest.raises(RenderError, match="malformed"):
            render_prompt(await prompt.assemble())


async def test_fc_02_as_literal_every_byte_stays(prompt: PromptFacade) -> None:
    prompt.section("team:release", 600, RELEASE, literal=True)
    assert render_prompt(await prompt.assemble()) == RELEASE
    assert (await preview(prompt)).system == RELEASE


# FC-03: a variable that exists, but not for this agent


@pytest.fixture
def agents(prompt: PromptFacade) -> tuple[AssembleContext, AssembleContext]:
    one, other = Key("A"), Key("B")
    models = {one: "m-small"}
    prompt.variable("model", lambda context: models.get(context.agent))
    prompt.variable("cwd", says(""))
    return AssembleContext(scope=one, agent=one), AssembleContext(scope=other, agent=other)


async def test_fc_03_no_value_for_one_agent(
    prompt: PromptFacade, agents: tuple[AssembleContext, AssembleContext]
) -> None:
    prompt.section("persona", 1, "You run on {{model}} in {{cwd}}.")
    for _ in range(3):
        assert render_prompt(await prompt.assemble(agents[0])) == "You run on m-small in ."
        with pytest.raises(RenderError) as caught:
            render_prompt(await prompt.assemble(agents[1]))
        assert all(part in str(caught.value) for part in ("{{model}}", "persona", "no value"))
        assert "unknown" not in str(caught.value)
    shown = [(await preview(prompt, context)).variables for context in agents]
    assert [(view.name, view.value, view.owner.plugin) for view in shown[0]] == [
        ("model", "m-small", "root"),
        ("cwd", "", "root"),
    ]
    assert [view.value for view in shown[1]] == [None, ""]


async def test_fc_03_a_line_end_is_no_part_of_a_name(
    prompt: PromptFacade, agents: tuple[AssembleContext, AssembleContext]
) -> None:
    prompt.section("persona", 1, "You run on {{model\n}}.")
    for context in agents:
        with pytest.raises(RenderError, match="malformed"):
            render_prompt(await prompt.assemble(context))


# FC-05: two listeners that make the prompt grow


async def test_fc_05_the_trace_shows_who_makes_it_grow(rt: Runtime, prompt: PromptFacade) -> None:
    kept: list[str] = []

    async def keep(_assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        result = await next()
        if kept:
            result.sections.insert(0, NamedText("keep:previous", kept[-1], literal=True))
        return result

    rules = "\n".join(f"Rule {number}." for number in range(40))
    await load(rt, "keep-kit", lambda ctx: ctx.on(EVENT, keep))
    await load(
        rt,
        "tail-kit",
        lambda ctx: ctx.on(EVENT, edits(lambda assembly: assembly.sections.append(NamedText("tail:rules", rules)))),
    )
    prompt.section("base", 1, "The base.")
    sizes = []
    for step in range(5):
        shown = await preview(prompt)
        assert shown.system is not None
        assert shown.assembly is not None
        assert shown.system == render_prompt(shown.assembly), "what is shown is what is sent"
        sizes.append(len(shown.system))
        first, second = shown.trace.listeners
        assert [first.owner.plugin, second.owner.plugin] == ["keep-kit", "tail-kit"]
        added = [(change.name, change.action, change.before, change.after) for change in first.changes]
        assert added == ([("keep:previous", "added", None, kept[-1])] if step else [])
        assert [(change.name, change.after) for change in second.changes] == [("tail:rules", rules)]
        kept.append(shown.system)
    assert all(later - earlier > 40 for earlier, later in pairwise(sizes))


# FC-06: a listener that sets an order after sorting


async def test_fc_06_an_order_in_the_waterfall_has_no_effect(rt: Runtime, prompt: PromptFacade) -> None:
    prompt.section("a:one", 10, "One.")
    prompt.section("b:two", 20, "Two.")
    hint = NamedText("route:hint", "Use the short route.", order=0)
    await load(rt, "route-kit", lambda ctx: ctx.on(EVENT, edits(lambda assembly: assembly.sections.append(hint))))
    for _ in range(2):
        shown = await preview(prompt)
        assert shown.system == "One.\n\nTwo.\n\nUse the short route."
        (change,) = shown.trace.listeners[0].changes
        assert (change.name, change.action) == ("route:hint", "added")
        assert "order 0 has no effect" in change.remark
        view = shown.sections[-1]
        assert view.added_by is not None
        assert (view.name, view.added_by.plugin, view.order) == ("route:hint", "route-kit", None)
        assert "order 0 ignored" in view.remark
        assert [each.added_by for each in shown.sections[:-1]] == [None] * 3


async def test_one_agents_failure_is_its_own(root: Context, prompt: PromptFacade, a: Key, b: Key) -> None:
    create_scope(root, a).ctx.system_prompt.section("s", 1, "{{nothing}}")
    create_scope(root, b).ctx.system_prompt.section("s", 1, "fine")
    for _ in range(2):
        with pytest.raises(RenderError):
            render_prompt(await prompt.assemble(AssembleContext(scope=a)))
        assert render_prompt(await prompt.assemble(AssembleContext(scope=b))) == "fine"
