"""First-party contributors: what they register, where it stands, and that nothing of it is left."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.plugins.schema_rules import broken_rules
from workbench.core import CoreError, Runtime, create_scope
from workbench.plugins import FIRST_PARTY, first_party
from workbench.plugins.harness_source import running_checkout
from workbench.prompt import AssembleContext, PromptConfig, SystemPrompt, render_prompt
from workbench.tools import ToolRegistry

TOOLS = {
    "files": ["edit", "glob", "grep", "read", "write"],
    "harness_source": [],
    "shell": ["bash"],
    "todo": ["todo_write"],
}
SECTIONS = {
    "files": ["tool:read", "tool:write", "tool:edit", "tool:glob", "tool:grep"],
    "harness_source": ["harness:source"],
    "shell": ["tool:bash"],
    "todo": [],
}
POSITIONS = {
    "harness:source": "HARNESS_SOURCE",
    "tool:bash": "TOOL_BASH",
    "tool:pwsh": "TOOL_PWSH",
    "tool:read": "TOOL_READ",
    "tool:write": "TOOL_WRITE",
    "tool:edit": "TOOL_EDIT",
    "tool:glob": "TOOL_GLOB",
    "tool:grep": "TOOL_GREP",
}


@pytest.fixture
async def runtime() -> AsyncIterator[Runtime]:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        await runtime.root.plugin(ToolRegistry)
        yield runtime


async def sections_and_tools(runtime: Runtime, scope: object = None) -> tuple[dict[str, Any], list[str]]:
    """Sections with a text, by name in order, and the names of the tools."""
    assembly = await runtime.root.system_prompt.assemble(AssembleContext(scope=scope))
    sections = {section.name: section for section in assembly.sections if section.text}
    return sections, [tool.name for tool in assembly.tools]


def test_every_contributor_is_described_here() -> None:
    assert tuple(sorted(TOOLS)) == FIRST_PARTY


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(LookupError, match="no first-party plugin 'shel'; there are: files, harness_source, shell"):
        first_party("shel")


@pytest.mark.parametrize("name", FIRST_PARTY)
def test_a_contributor_is_a_whole_namespace(name: str) -> None:
    plugin = first_party(name)
    assert plugin.name == name
    assert "system_prompt" in plugin.inject
    assert callable(plugin.apply)


@pytest.mark.parametrize("name", FIRST_PARTY)
async def test_it_registers_its_tools_and_sections(name: str, runtime: Runtime) -> None:
    await runtime.root.plugin(first_party(name))
    sections, tools = await sections_and_tools(runtime)
    assert tools == TOOLS[name]
    assert list(sections) == SECTIONS[name]


@pytest.mark.parametrize("name", FIRST_PARTY)
async def test_its_sections_stand_at_their_named_positions(name: str, runtime: Runtime) -> None:
    await runtime.root.plugin(first_party(name))
    sections, _ = await sections_and_tools(runtime)
    orders = {section: runtime.root.system_prompt.get_section_order(POSITIONS[section]) for section in sections}
    assert {section: text.order for section, text in sections.items()} == orders


@pytest.mark.parametrize("name", FIRST_PARTY)
async def test_nothing_is_left_of_it(name: str, runtime: Runtime) -> None:
    before = runtime.snapshot()
    text = render_prompt(await runtime.root.system_prompt.assemble())
    fiber = await runtime.root.plugin(first_party(name))
    assert runtime.snapshot() != before
    await fiber.dispose()
    assert runtime.snapshot() == before
    assert render_prompt(await runtime.root.system_prompt.assemble()) == text


@pytest.mark.parametrize("name", FIRST_PARTY)
async def test_its_schemas_are_complete(name: str, runtime: Runtime) -> None:
    await runtime.root.plugin(first_party(name))
    assembly = await runtime.root.system_prompt.assemble()
    for tool in assembly.tools:
        assert broken_rules(tool.name, tool.parameters) == []
        assert len(tool.description) > 60
        assert json.loads(json.dumps(tool.parameters)) == tool.parameters


@pytest.mark.parametrize("name", FIRST_PARTY)
async def test_its_texts_need_no_variable(name: str, runtime: Runtime) -> None:
    await runtime.root.plugin(first_party(name))
    assembly = await runtime.root.system_prompt.assemble()
    texts = [section.text for section in assembly.sections]
    assert not [text for text in texts if "{{" in text or text != text.strip() or "  " in text]
    assert all(text in render_prompt(assembly) for text in texts)


@pytest.mark.parametrize("name", FIRST_PARTY)
async def test_a_key_that_does_not_exist_is_refused(name: str, runtime: Runtime) -> None:
    with pytest.raises(CoreError, match="tols"):
        await runtime.root.plugin(first_party(name), {"tols": 1})


async def test_a_section_is_silent_where_its_tool_is_hidden(runtime: Runtime) -> None:
    await runtime.root.plugin(first_party("files"))
    await runtime.root.plugin(first_party("shell"))
    reviewer = create_scope(runtime.root, "reviewer")
    undo = reviewer.ctx.tools.restrict(allow=["read", "glob"])
    sections, tools = await sections_and_tools(runtime, "reviewer")
    assert tools == ["glob", "read"]
    assert list(sections) == ["tool:read", "tool:glob"]

    sections, _ = await sections_and_tools(runtime)
    assert list(sections) == [*SECTIONS["shell"], *SECTIONS["files"]]

    await undo()
    sections, _ = await sections_and_tools(runtime, "reviewer")
    assert list(sections) == [*SECTIONS["shell"], *SECTIONS["files"]]


async def test_a_scope_can_have_tools_of_its_own(runtime: Runtime) -> None:
    writer = create_scope(runtime.root, "writer")
    await writer.ctx.plugin(first_party("files"), {"tools": ["write"]})
    assert await sections_and_tools(runtime) == ({}, [])
    sections, tools = await sections_and_tools(runtime, "writer")
    assert (list(sections), tools) == (["tool:write"], ["write"])


async def test_files_can_be_chosen(runtime: Runtime) -> None:
    await runtime.root.plugin(first_party("files"), {"tools": ["grep", "read"]})
    sections, tools = await sections_and_tools(runtime)
    assert tools == ["grep", "read"]
    assert list(sections) == ["tool:read", "tool:grep"]


@pytest.mark.parametrize("name", ["files", "shell"])
async def test_guidance_can_be_left_out(name: str, runtime: Runtime) -> None:
    await runtime.root.plugin(first_party(name), {"guidance": False})
    sections, tools = await sections_and_tools(runtime)
    assert tools == TOOLS[name]
    assert sections == {}


async def test_the_shell_of_windows_has_its_own_name_and_position(runtime: Runtime) -> None:
    await runtime.root.plugin(first_party("shell"), {"dialect": "pwsh", "timeout_seconds": 30})
    sections, tools = await sections_and_tools(runtime)
    assert tools == ["pwsh"]
    assert sections["tool:pwsh"].order == 1010
    (tool,) = (await runtime.root.system_prompt.assemble()).tools
    assert "PowerShell" in tool.description
    assert tool.parameters["properties"]["timeout_seconds"]["default"] == 30


async def test_the_source_section_names_the_checkout_that_is_given(runtime: Runtime) -> None:
    await runtime.root.plugin(first_party("harness_source"), {"root": "/opt/workbench"})
    sections, _ = await sections_and_tools(runtime)
    assert "located at /opt/workbench." in sections["harness:source"].text


async def test_without_one_it_names_the_running_checkout(runtime: Runtime) -> None:
    await runtime.root.plugin(first_party("harness_source"))
    sections, _ = await sections_and_tools(runtime)
    assert f"located at {running_checkout()}." in sections["harness:source"].text
