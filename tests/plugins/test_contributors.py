"""First-party contributors: what they register, where it stands, and that nothing of it is left."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.schema_rules import broken_rules
from workbench.core import CoreError, Fiber, Runtime, create_scope
from workbench.plugins import FIRST_PARTY, first_party
from workbench.plugins.harness_source import running_checkout
from workbench.prompt import SECTION_POSITIONS, AssembleContext, PromptConfig, SystemPrompt, render_prompt
from workbench.tools import ToolRegistry

JOBS = ["job_list", "job_output", "job_start", "job_stop"]
TOOLS: dict[str, list[str]] = {
    "code_mode": ["run_code"],
    "deliverables": [],
    "files": ["edit", "glob", "grep", "read", "write"],
    "harness_source": [],
    "instructions": [],
    "jobs": JOBS,
    "lsp": ["lsp"],
    "machine": [],
    "package_page": [],
    "package_runner": [],
    "package_tools": ["cordis_define", "cordis_inspect", "cordis_run", "cordis_stop", "cordis_undefine"],
    "plan_policy": ["submit_plan"],
    "pwsh": ["pwsh"],
    "shell": ["bash"],
    "skills": ["skill"],
    "structured_output": ["structured_output"],
    "subagent": ["subagent"],
    "subagent_provider": [],
    "subagents": [],
    "todo": ["todo_write"],
    "tool_policy": [],
    "web": ["web_fetch", "web_search"],
}
SECTIONS: dict[str, list[str]] = {
    "code_mode": ["tools:ptc-only", "tools:sdk"],
    "deliverables": ["ui:deliverable-file-references"],
    "files": ["tool:read", "tool:write", "tool:edit", "tool:glob", "tool:grep"],
    "harness_source": ["harness:source"],
    "instructions": ["context:instructions"],
    "jobs": ["tool:jobs"],
    "lsp": ["tool:lsp"],
    "machine": [],
    "package_page": [],
    "package_runner": [],
    "package_tools": ["tool:cordis"],
    "plan_policy": ["plan:policy"],
    "pwsh": ["tool:pwsh"],
    "shell": ["tool:bash"],
    "skills": ["tool:skill"],
    "structured_output": ["tool:structured_output"],
    "subagent": [],
    "subagent_provider": [],
    "subagents": [],
    "todo": [],
    "tool_policy": [],
    "web": ["tool:web_search", "tool:web_fetch"],
}
POSITIONS = {position.name: key for key, position in SECTION_POSITIONS.items()}
NEEDS = {"subagent": ["subagents", "subagent_provider"], "subagent_provider": ["subagents"]}
NEEDS["package_tools"] = NEEDS["package_page"] = ["package_runner"]
"""What is loaded before."""


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
async def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Runtime]:
    monkeypatch.chdir(tmp_path)
    write("AGENTS.md", "Write {{name}} where a name belongs.\n")
    write("skills/tides/SKILL.md", "---\nname: tides\ndescription: Reads tables.\n---\nOpen it.\n")
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        await runtime.root.plugin(ToolRegistry)
        yield runtime


async def load(runtime: Runtime, name: str) -> Fiber:
    """Load a contributor behind all that it needs."""
    for needed in NEEDS.get(name, ()):
        await runtime.root.plugin(first_party(needed))
    return await runtime.root.plugin(first_party(name))


async def sections_and_tools(runtime: Runtime, scope: object = None) -> tuple[dict[str, Any], list[str]]:
    """Sections with a text, by name in order, and the names of the tools."""
    assembly = await runtime.root.system_prompt.assemble(AssembleContext(scope=scope))
    sections = {section.name: section for section in assembly.sections if section.text}
    return sections, [tool.name for tool in assembly.tools]


def test_every_contributor_is_described_here() -> None:
    assert tuple(sorted(TOOLS)) == FIRST_PARTY


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(
        LookupError, match="no first-party plugin 'shel'; there are: code_mode, deliverables, files"
    ):
        first_party("shel")


@pytest.mark.parametrize("name", FIRST_PARTY)
def test_a_contributor_is_a_whole_namespace(name: str) -> None:
    plugin = first_party(name)
    assert plugin.name == name
    inject = plugin.inject["required"] if isinstance(plugin.inject, dict) else plugin.inject
    assert {"system_prompt", "subagents", "dynamic"} & {*inject, *getattr(plugin, "provides", ())}
    assert callable(plugin.apply)


@pytest.mark.parametrize("name", FIRST_PARTY)
async def test_it_registers_its_tools_and_sections(name: str, runtime: Runtime) -> None:
    await load(runtime, name)
    sections, tools = await sections_and_tools(runtime)
    assert tools == TOOLS[name]
    assert list(sections) == SECTIONS[name]


@pytest.mark.parametrize("name", FIRST_PARTY)
async def test_its_sections_stand_at_their_named_positions(name: str, runtime: Runtime) -> None:
    await load(runtime, name)
    sections, _ = await sections_and_tools(runtime)
    orders = {section: runtime.root.system_prompt.get_section_order(POSITIONS[section]) for section in sections}
    assert {section: text.order for section, text in sections.items()} == orders


@pytest.mark.parametrize("name", FIRST_PARTY)
async def test_nothing_is_left_of_it(name: str, runtime: Runtime) -> None:
    for needed in NEEDS.get(name, ()):
        await runtime.root.plugin(first_party(needed))
    before = runtime.snapshot()
    text = render_prompt(await runtime.root.system_prompt.assemble())
    fiber = await runtime.root.plugin(first_party(name))
    assert runtime.snapshot() != before
    await fiber.dispose()
    assert runtime.snapshot() == before
    assert render_prompt(await runtime.root.system_prompt.assemble()) == text


@pytest.mark.parametrize("name", FIRST_PARTY)
async def test_its_schemas_are_complete(name: str, runtime: Runtime) -> None:
    await load(runtime, name)
    assembly = await runtime.root.system_prompt.assemble()
    for tool in assembly.tools:
        assert broken_rules(tool.name, tool.parameters) == []
        assert len(tool.description) > 60
        assert json.loads(json.dumps(tool.parameters)) == tool.parameters


@pytest.mark.parametrize("name", FIRST_PARTY)
async def test_its_texts_need_no_variable(name: str, runtime: Runtime) -> None:
    await load(runtime, name)
    assembly = await runtime.root.system_prompt.assemble()
    texts = [section.text for section in assembly.sections if section.text and section.name != "tools:sdk"]
    own = [text for text in texts if "Write {{name}} where" not in text]
    assert not [text for text in own if "{{" in text or text != text.strip() or "  " in text]
    assert all(text in render_prompt(assembly) for text in texts)


@pytest.mark.parametrize("name", FIRST_PARTY)
async def test_a_key_that_does_not_exist_is_refused(name: str, runtime: Runtime) -> None:
    for needed in NEEDS.get(name, ()):
        await runtime.root.plugin(first_party(needed))
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


@pytest.mark.parametrize("name", ["files", "jobs", "lsp", "pwsh", "shell", "web"])
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


async def test_pwsh_is_the_shell_under_a_name_of_its_own(runtime: Runtime) -> None:
    await runtime.root.plugin(first_party("pwsh"), {"timeout_seconds": 30})
    assembly = await runtime.root.system_prompt.assemble()
    text = render_prompt(assembly)
    await runtime.root.plugin(first_party("shell"))
    (bash, pwsh) = (await runtime.root.system_prompt.assemble()).tools
    assert (bash.name, pwsh.name) == ("bash", "pwsh")
    assert "PowerShell" in pwsh.description
    assert pwsh.parameters["properties"]["timeout_seconds"]["default"] == 30
    assert text in render_prompt(await runtime.root.system_prompt.assemble())


async def test_one_section_speaks_for_all_jobs_tools(runtime: Runtime) -> None:
    await runtime.root.plugin(first_party("jobs"))
    reader = create_scope(runtime.root, "reader")
    reader.ctx.tools.restrict(deny=["job_start"])
    assert (await sections_and_tools(runtime, "reader"))[0] == {}
    assert list((await sections_and_tools(runtime))[0]) == ["tool:jobs"]


async def test_a_plan_is_asked_for_only_where_it_can_be_submitted(runtime: Runtime) -> None:
    await runtime.root.plugin(first_party("plan_policy"))
    worker = create_scope(runtime.root, "worker")
    worker.ctx.tools.restrict(deny=["submit_plan"])
    assert await sections_and_tools(runtime, "worker") == ({}, [])


async def test_the_web_tools_can_be_chosen(runtime: Runtime) -> None:
    await runtime.root.plugin(first_party("web"), {"tools": ["web_fetch"]})
    sections, tools = await sections_and_tools(runtime)
    assert (list(sections), tools) == (["tool:web_fetch"], ["web_fetch"])


async def test_the_output_has_the_schema_that_is_given(runtime: Runtime) -> None:
    schema = {"type": "object", "properties": {"hours": {"type": "number"}}, "required": ["hours"]}
    await runtime.root.plugin(first_party("structured_output"), {"answer_schema": schema})
    (tool,) = (await runtime.root.system_prompt.assemble()).tools
    assert tool.parameters == schema


async def test_a_schema_that_is_no_object_is_refused(runtime: Runtime) -> None:
    with pytest.raises(ValueError, match="must be of type object, and this one's type is array"):
        await runtime.root.plugin(first_party("structured_output"), {"answer_schema": {"type": "array"}})
    assert await sections_and_tools(runtime) == ({}, [])
