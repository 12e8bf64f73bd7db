"""Layers and chains of scopes (spec 4): who shadows whom, and what follows when a scope is moved."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.prompt.providers import edits, gives, says
from tests.support.plugins import Key
from workbench.core import Context, CoreError, Scope, create_scope
from workbench.prompt import (
    AssembleContext,
    NamedText,
    PromptAssembly,
    PromptFacade,
    render_context_snapshot,
    render_prompt,
)


class Family:
    """Three scopes below one another, and a sibling of the last one."""

    def __init__(self, root: Context) -> None:
        self.grandparent, self.parent, self.child, self.sibling = map(Key, ["gp", "p", "c", "s"])
        self.scopes: dict[Key | None, Scope] = {
            self.grandparent: create_scope(root, self.grandparent),
            self.parent: create_scope(root, self.parent, parent=self.grandparent),
            self.child: create_scope(root, self.child, parent=self.parent),
            self.sibling: create_scope(root, self.sibling, parent=self.parent),
        }
        self.root = root

    def __iter__(self) -> Any:
        return iter([None, self.grandparent, self.parent, self.child, self.sibling])

    def at(self, key: Key | None) -> PromptFacade:
        ctx = self.root if key is None else self.scopes[key].ctx
        facade: PromptFacade = ctx.system_prompt
        return facade

    async def assemble(self, key: Key | None) -> PromptAssembly:
        return await self.at(None).assemble(AssembleContext(scope=key))


@pytest.fixture
def family(root: Context) -> Family:
    return Family(root)


def tag(key: Key | None) -> str:
    return "g" if key is None else repr(key)


async def test_the_nearest_layer_wins_a_name_and_its_order_counts(family: Family) -> None:
    for order, key in enumerate(family):
        family.at(key).section("s", -order, f"s of {tag(key)}")
        family.at(key).context("c", -order, f"c of {tag(key)}")
        family.at(key).section(f"only {tag(key)}", 0.5, "")
    family.at(None).section("first", -2.5, "between")
    for key in family:
        assembly = await family.assemble(key)
        text = f"s of {tag(key)}"
        behind = key in (family.child, family.sibling)
        assert render_prompt(assembly).split("\n\n") == ([text, "between"] if behind else ["between", text])
        assert render_context_snapshot(assembly).endswith(f"\n\nc of {tag(key)}")
    assert (await family.assemble(family.child)).sections.names() == [
        "s",
        "first",
        "deployment:persona",
        "only c",
        "only g",
        "only gp",
        "only p",
    ]


async def test_a_shadowed_text_is_never_asked_for_and_a_shadowed_variable_always(family: Family) -> None:
    asked: list[str] = []

    def noting(what: str, key: Key | None, value: str | None) -> Any:
        def provider(context: AssembleContext) -> str | None:
            asked.append(f"{what} {tag(key)}")
            return value

        return provider

    for key in (None, family.parent, family.child):
        family.at(key).variable("v", noting("variable", key, None if key is family.child else "x"))
        family.at(key).section("s", 1, noting("section", key, ""))
        family.at(key).context("c", 1, noting("context", key, ""))
    assembly = await family.assemble(family.child)
    assert asked == ["variable g", "variable p", "variable c", "section c", "context c"]
    assert assembly.variables == {"v": None}
    asked.clear()
    assert (await family.assemble(family.sibling)).variables == {"v": "x"}
    assert asked == ["variable g", "variable p", "section p", "context p"]


async def test_an_empty_text_occupies_its_name(family: Family) -> None:
    family.at(None).section("s", 1, "text")
    family.at(family.child).section("s", 1, "")
    assembly = await family.assemble(family.child)
    assert assembly.sections.names() == ["deployment:persona", "s"]
    assert render_prompt(assembly) == ""


async def test_tool_providers_do_not_shadow(family: Family) -> None:
    for key in (family.child, family.grandparent, family.parent, None, family.sibling):
        family.at(key).tools(gives({"name": "t", "description": f"1 {tag(key)}"}))
        family.at(key).tools(gives({"name": "t", "description": f"2 {tag(key)}"}))
    given = [tool.description for tool in (await family.assemble(family.child)).tools]
    assert given == ["1 g", "2 g", "1 gp", "2 gp", "1 p", "2 p", "1 c", "2 c"]
    assert [tool.description for tool in (await family.assemble(None)).tools] == ["1 g", "2 g"]


async def test_one_suppressor_anywhere_in_the_chain_is_enough(family: Family) -> None:
    family.at(None).context("c", 1, "text")

    async def hidden() -> list[str]:
        return [tag(key) for key in family if not (await family.assemble(key)).contexts]

    assert await hidden() == []
    at_parent = family.at(family.parent).suppress_runtime_context()
    again = family.at(family.parent).suppress_runtime_context()
    assert await hidden() == ["p", "c", "s"]
    at_parent()
    assert await hidden() == ["p", "c", "s"]
    again()
    assert await hidden() == []
    everywhere = family.at(None).suppress_runtime_context()
    assert await hidden() == ["g", "gp", "p", "c", "s"]
    everywhere()
    at_child = family.at(family.child).suppress_runtime_context()
    assert await hidden() == ["c"]
    at_child()


async def test_listeners_hear_their_scope_and_its_descendants(family: Family) -> None:
    heard: list[str] = []

    def noting(name: str, _assembly: PromptAssembly) -> None:
        heard.append(name)

    for key in family:
        ctx = family.root if key is None else family.scopes[key].ctx
        ctx.on("system-prompt/assemble", edits(partial(noting, tag(key))))

    async def hears(key: Key | None) -> list[str]:
        heard.clear()
        await family.assemble(key)
        return heard.copy()

    assert await hears(None) == ["g"]
    assert await hears(family.grandparent) == ["g", "gp"]
    assert await hears(family.child) == ["g", "gp", "p", "c"]
    assert await hears(family.sibling) == ["g", "gp", "p", "s"]


async def test_a_scope_that_is_moved_sees_the_layers_of_its_new_chain(family: Family) -> None:
    other = Key("other")
    create_scope(family.root, other).ctx.system_prompt.section("s", 1, "other")
    for key in (family.grandparent, family.parent):
        family.at(key).section("s", 1, tag(key))
        family.at(key).variable("v", says(tag(key)))
        family.at(key).tools(gives({"name": tag(key)}))
        family.at(key).context("c", 1, tag(key))

    async def seen() -> tuple[str, dict[str, str | None], list[str], int]:
        assembly = await family.assemble(family.child)
        tools = [tool.name for tool in assembly.tools]
        return render_prompt(assembly), assembly.variables, tools, len(assembly.contexts)

    child = family.scopes[family.child]
    assert await seen() == ("p", {"v": "p"}, ["gp", "p"], 1)
    assert await seen() == ("p", {"v": "p"}, ["gp", "p"], 1)
    child.move(other)
    assert await seen() == ("other", {}, [], 0)
    child.move(family.grandparent)
    assert await seen() == ("gp", {"v": "gp"}, ["gp"], 1)
    with pytest.raises(CoreError, match="cycle"):
        family.scopes[family.grandparent].move(family.child)
    child.move(family.sibling)
    assert await seen() == ("p", {"v": "p"}, ["gp", "p"], 1)
    family.scopes[family.parent].move(other)
    assert await seen() == ("p", {"v": "p"}, ["p"], 1)


async def test_a_link_goes_with_the_scope_that_bound_it(family: Family) -> None:
    family.at(family.parent).section("s", 1, "of the parent")
    assert render_prompt(await family.assemble(family.child)) == "of the parent"
    await family.scopes[family.child].dispose()
    assert render_prompt(await family.assemble(family.child)) == ""


async def test_keys_are_compared_by_identity(root: Context, prompt: PromptFacade) -> None:
    class Same:
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 1

    one, two = Same(), Same()
    create_scope(root, one).ctx.system_prompt.section("s", 1, "one")
    create_scope(root, two).ctx.system_prompt.section("s", 1, "two")
    for key, text in ((one, "one"), (two, "two"), (Same(), "")):
        assert render_prompt(await prompt.assemble(AssembleContext(scope=key))) == text


async def test_an_address_that_is_used_again_is_another_scope(root: Context, prompt: PromptFacade) -> None:
    """Keys that come and go at one address never see what was kept for an earlier one."""
    for number in range(200):
        key = Key("agent")
        assert render_prompt(await prompt.assemble(AssembleContext(scope=key))) == ""
        scope = create_scope(root, key)
        scope.ctx.system_prompt.section("s", 1, str(number))
        assert render_prompt(await prompt.assemble(AssembleContext(scope=key))) == str(number)
        await scope.dispose()
        del key, scope


# Complete sections


async def test_a_scoped_section_takes_completeness_away(family: Family) -> None:
    family.at(None).section("whole", 5, "all of it", complete=True)
    family.at(None).section("part", 1, "a part")
    family.at(family.parent).section("whole", 5, "one of many")
    assert render_prompt(await family.assemble(family.grandparent)) == "all of it"
    assert render_prompt(await family.assemble(family.child)) == "a part\n\none of many"
    family.at(family.child).section("part", 1, "the child alone", complete=True)
    assert render_prompt(await family.assemble(family.child)) == "the child alone"


async def test_an_empty_complete_section_gives_an_empty_prompt(prompt: PromptFacade) -> None:
    prompt.section("part", 1, "a part {{broken}}")
    prompt.section("whole", 5, "", complete=True)
    assert render_prompt(await prompt.assemble()) == ""


async def test_nothing_reaches_a_complete_section(root: Context, prompt: PromptFacade) -> None:
    prompt.section("whole", 5, "all of {{v}}", complete=True)
    prompt.variable("v", says("it"))

    def meddle(assembly: PromptAssembly) -> None:
        for item in assembly.sections:
            item.text, item.name, item.literal = "mine", "mine", True
        assembly.sections.clear()
        assembly.sections.append(NamedText("mine", "mine"))
        assembly.variables["v"] = "them"

    listening = root.on("system-prompt/assemble", edits(meddle, meddle))
    for _ in range(3):
        assembly = await prompt.assemble()
        assert render_prompt(assembly) == "all of them"
        assembly.sections[0].text = "after the assembly"
    listening()
    stopping = root.on("system-prompt/assemble", lambda _assembly, _context, _next: PromptAssembly())
    assembly = await prompt.assemble()
    assert [item.text for item in assembly.sections] == ["all of {{v}}"]
    assert assembly.variables == {}
    stopping()
    assert render_prompt(await prompt.assemble()) == "all of it"
