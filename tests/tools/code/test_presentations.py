"""Presentations: A36 and A37, scopes, and what fails an assembly."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from tests.support.plugins import Key
from tests.support.tool_calls import Caller, error_of
from workbench.core import Context, Runtime, create_scope
from workbench.plugins import first_party
from workbench.prompt import AssembleContext, PromptConfig, PromptError, SystemPrompt, ToolSchema, render_prompt
from workbench.tools import ToolError, ToolRegistry


async def texts_of(root: Context, scope: object = None) -> tuple[dict[str, str], list[str], str]:
    """Sections with a text, names of the tools, and the whole system text."""
    assembly = await root.system_prompt.assemble(AssembleContext(scope=scope))
    sections = {section.name: section.text for section in assembly.sections if section.text}
    return sections, [tool.name for tool in assembly.tools], render_prompt(assembly)


async def test_a36_only_run_code_can_be_called(root: Context, caller: Caller, echoed: list[str]) -> None:
    root.tools.register(ToolSchema("a"))
    root.system_prompt.section("tool:echo", 1000, "Speak up.")
    seen: list[object] = []

    async def count(call: Any, next: Any) -> object:
        seen.append(call)
        return await next()

    root.on("tools/pre-execute", count)
    root.tools.guard(seen.append)
    sections, tools, _ = await texts_of(root)
    assert tools == ["run_code"]
    assert list(sections) == ["tools:ptc-only", "tool:echo", "tools:sdk"]
    result = await caller.one("echo", {"text": "a"})
    assert error_of(result) == "UNKNOWN_TOOL"
    assert "run_code" in result.text
    assert "tools.echo(" in result.text
    assert (seen, echoed) == ([], [])
    assert "run_code" in (await caller.one("nothing", id="c2")).text


async def test_a37_the_sdk_depends_on_the_tool_set_alone() -> None:
    texts: set[str] = set()
    for names in (("zulu", "alpha"), ("alpha", "zulu")):
        async with Runtime() as rt:
            await rt.root.plugin(SystemPrompt, PromptConfig())
            await rt.root.plugin(ToolRegistry)
            await rt.root.plugin(first_party("code_mode"))
            for name in names:
                rt.root.tools.register(ToolSchema(name))
            for _ in range(2):
                texts.add((await texts_of(rt.root))[0]["tools:sdk"])
    (text,) = texts
    assert text.index("def alpha") < text.index("def zulu")
    assert "run_code(" not in text.split("```python")[1]


async def test_a37_both_has_the_tools_and_no_rule(rt: Runtime) -> None:
    await rt.root.plugin(first_party("code_mode"), {"presentation": "both"})
    for name in ("zulu", "alpha"):
        rt.root.tools.register(ToolSchema(name))
    sections, tools, _ = await texts_of(rt.root)
    assert tools == ["alpha", "run_code", "zulu"]
    assert "tools:sdk" in sections
    assert "tools:ptc-only" not in sections


async def test_native_has_neither_section_nor_run_code(rt: Runtime) -> None:
    await rt.root.plugin(first_party("code_mode"), {"presentation": "native"})
    rt.root.tools.register(ToolSchema("a"))
    sections, tools, _ = await texts_of(rt.root)
    assert tools == ["a"]
    assert not {"tools:sdk", "tools:ptc-only"} & sections.keys()
    assert rt.root.tools.get("run_code") is None
    assert error_of(await Caller(rt.root).one("run_code", {"code": "1", "description": ""})) == "UNKNOWN_TOOL"


async def test_the_nearest_scope_decides(root: Context) -> None:
    root.tools.register(ToolSchema("a"))
    outer = create_scope(root, Key("outer"))
    inner = create_scope(root, Key("inner"), parent=outer.key)
    undo = outer.ctx.tools.present("native")
    with pytest.raises(ToolError, match="already declared as 'native'"):
        outer.ctx.tools.present("both")
    with pytest.raises(ToolError, match="not as 'prose'"):
        inner.ctx.tools.present("prose")
    assert (await texts_of(root))[1] == ["run_code"]
    assert (await texts_of(root, inner.key))[1] == ["a"]
    inner.ctx.tools.present("both")
    assert (await texts_of(root, inner.key))[1] == ["a", "run_code"]
    undo()
    assert (await texts_of(root, outer.key))[1] == ["run_code"]


async def test_code_mode_may_belong_to_one_agent(rt: Runtime) -> None:
    rt.root.tools.register(ToolSchema("a"))
    coder = create_scope(rt.root, Key("coder"))
    await coder.ctx.plugin(first_party("code_mode"))
    assert (await texts_of(rt.root))[1] == ["a"]
    assert (await texts_of(rt.root, coder.key))[1] == ["run_code"]


async def test_without_a_runtime_the_assembly_fails(rt: Runtime) -> None:
    rt.root.tools.present("code")
    with pytest.raises(PromptError, match="load the plugin code_mode"):
        await texts_of(rt.root)


async def test_a_tool_order_cannot_name_what_only_programs_reach() -> None:
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig(tool_order=["a", "<unlisted-tools>"]))
        await rt.root.plugin(ToolRegistry)
        rt.root.tools.register(ToolSchema("a"))
        await texts_of(rt.root)
        await rt.root.plugin(first_party("code_mode"))
        with pytest.raises(PromptError, match="known tools: run_code"):
            await texts_of(rt.root)


async def test_restrictions_and_scoped_tools_change_the_sdk(root: Context) -> None:
    for name in ("a", "b"):
        root.tools.register(ToolSchema(name))
    agent = create_scope(root, Key("agent"))
    agent.ctx.tools.restrict(deny=["b"])
    agent.ctx.tools.register(ToolSchema("mine"))
    everywhere, scoped = (await texts_of(root))[0]["tools:sdk"], (await texts_of(root, agent.key))[0]["tools:sdk"]
    assert [name in everywhere for name in ("def a", "def b", "def mine")] == [True, True, False]
    assert [name in scoped for name in ("def a", "def b", "def mine")] == [True, False, True]


async def test_foreign_braces_and_fences_stay_as_they_are(root: Context) -> None:
    root.tools.register(ToolSchema("t", "Fills {{name}} in.\n```\nnot the end\n```"))
    text = (await texts_of(root))[2]
    assert "{{name}}" in text
    assert text.rstrip().endswith("````")


async def test_an_unchanged_set_gives_the_very_same_text(root: Context) -> None:
    schema = ToolSchema("a", "First.")
    undo = root.tools.register(schema)
    first = (await texts_of(root))[0]["tools:sdk"]
    assert (await texts_of(root))[0]["tools:sdk"] is first
    undo()
    assert "def a" not in (await texts_of(root))[0]["tools:sdk"]
    root.tools.register(schema)
    assert (await texts_of(root))[0]["tools:sdk"] is first
    schema.description = "Second."
    assert "Second." in (await texts_of(root))[0]["tools:sdk"]
    schema.parameters["properties"]["x"] = {"type": "integer"}
    assert "x: int" in (await texts_of(root))[0]["tools:sdk"]


async def test_nothing_is_left_of_code_mode(rt: Runtime) -> None:
    rt.root.tools.register(ToolSchema("a"))
    before, text = rt.snapshot(), (await texts_of(rt.root))[2]
    fiber = await rt.root.plugin(first_party("code_mode"))
    with pytest.raises(ToolError, match="already registered"):
        await rt.root.plugin(first_party("code_mode"), {"presentation": "both"})
    await fiber.dispose()
    for other in rt.fibers():
        if other.name == "code_mode":
            await other.dispose()
    assert rt.snapshot() == before
    assert (await texts_of(rt.root))[2] == text


def test_equal_sets_give_equal_bytes() -> None:
    from workbench.tools.code.sdk import SdkTool, sdk_text

    tools = [
        SdkTool(name, ToolSchema(name, f"about {name}").json, b"") for name in ("b", "\ufb01", "\U0001d518", "a")
    ]
    assert len({sdk_text(order) for order in permutations(tools)}) == 1
