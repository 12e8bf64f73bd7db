"""Nothing done to one assembly reaches a registration, a provider's own schemas or another assembly (spec 6)."""

from __future__ import annotations

import asyncio
import copy
import json
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.prompt.providers import edits, gives, says
from workbench.core import Context, Runtime
from workbench.prompt import (
    NamedText,
    PromptAssembly,
    PromptError,
    PromptFacade,
    RenderError,
    SystemPrompt,
    ToolProviderResult,
    ToolSchema,
    render_context_sections,
    render_context_snapshot,
    render_prompt,
    tools_json,
)

DEEP = {"type": "object", "properties": {"path": {"type": "string", "enum": ["a", "b"]}}, "required": ["path"]}


def described(assembly: PromptAssembly) -> list[tuple[str, str, Any]]:
    return [(tool.name, tool.description, tool.parameters) for tool in assembly.tools]


@pytest.mark.parametrize("form", ["mapping", "schema"])
async def test_editing_an_assembly_reaches_nobody(prompt: PromptFacade, form: str) -> None:
    own: Any = {"name": "t", "description": "d", "parameters": copy.deepcopy(DEEP)}
    if form == "schema":
        own = ToolSchema("t", "d", own["parameters"])
    prompt.tools(gives(own))
    earlier = await prompt.assemble()
    untouched = await prompt.assemble()
    assembly = await prompt.assemble()
    tool = assembly.tools[0]
    tool.parameters["properties"]["path"]["enum"].append("c")
    tool.name, tool.description = "other", "other"
    assembly.tools.append(ToolSchema("added"))
    later = await prompt.assemble()
    for each in (earlier, later, untouched):
        assert described(each) == [("t", "d", DEEP)]
    assert described(assembly)[0][0] == "other"
    if form == "mapping":
        assert own == {"name": "t", "description": "d", "parameters": DEEP}
    else:
        assert (own.name, own.description, own.parameters) == ("t", "d", DEEP)


async def test_an_owner_edits_a_mapping_in_place(prompt: PromptFacade) -> None:
    own: dict[str, Any] = {"name": "t", "description": "d", "parameters": copy.deepcopy(DEEP), "icon": "x"}
    prompt.tools(gives(own))
    before = await prompt.assemble()
    own["parameters"]["properties"]["path"]["enum"].append("c")
    middle = await prompt.assemble()
    own["description"] = "e"
    own["icon"] = "y"
    del own["parameters"]["required"]
    after = await prompt.assemble()
    assert described(before) == [("t", "d", DEEP)]
    assert middle.tools[0].parameters["properties"]["path"]["enum"] == ["a", "b", "c"]
    assert after.tools[0].description == "e"
    assert "required" not in after.tools[0].parameters
    assert json.loads(after.tools_json)[0].keys() == {"name", "description", "parameters"}


async def test_an_owner_edits_a_schema_in_place(prompt: PromptFacade) -> None:
    own = ToolSchema("t", "d", DEEP)
    prompt.tools(gives(own))
    before = await prompt.assemble()
    own.description = "e"
    middle = await prompt.assemble()
    parameters = own.parameters
    parameters["additionalProperties"] = False
    late = await prompt.assemble()
    parameters["properties"]["path"]["type"] = "integer"
    last = await prompt.assemble()
    own.parameters = {"type": "object"}
    own.name = "u"
    renamed = await prompt.assemble()
    assert described(before) == [("t", "d", DEEP)]
    assert described(middle) == [("t", "e", DEEP)]
    assert described(late) == [("t", "e", {**DEEP, "additionalProperties": False})]
    assert last.tools[0].parameters["properties"]["path"]["type"] == "integer"
    assert described(renamed) == [("u", "e", {"type": "object"})]


async def test_what_equals_and_is_not_the_same_is_told_apart(prompt: PromptFacade) -> None:
    own: dict[str, Any] = {"name": "t", "parameters": {"type": "object", "default": 1}}
    prompt.tools(gives(own))
    for value in (1, True, 1.0, 0, False, [1], [True]):
        own["parameters"]["default"] = value
        given_now = (await prompt.assemble()).tools[0].parameters["default"]
        assert json.dumps(given_now) == json.dumps(value)


async def test_the_order_of_keys_is_kept_and_its_change_is_seen(prompt: PromptFacade) -> None:
    own: dict[str, Any] = {"name": "t", "parameters": {"type": "object", "b": 1, "a": 2}}
    prompt.tools(gives(own))
    assert list((await prompt.assemble()).tools[0].parameters) == ["type", "b", "a"]
    own["parameters"] = {"a": 2, "b": 1, "type": "object"}
    assert list((await prompt.assemble()).tools[0].parameters) == ["a", "b", "type"]


async def test_a_provider_may_give_something_else_each_time(prompt: PromptFacade) -> None:
    schemas: list[Any] = []
    known: list[str] = []
    prompt.tools(lambda _context: ToolProviderResult(schemas, known))
    shared = ToolSchema("b")
    steps: list[list[Any]] = [
        [shared],
        [shared, ToolSchema("a")],
        [{"name": "b"}],
        [{"name": "b"}, shared],
        [shared],
        [],
        [ToolSchema("b", "other")],
    ]
    for step in steps:
        schemas[:] = step
        given_now = [(tool.name, tool.description) for tool in (await prompt.assemble()).tools]
        expected = [(s.name, s.description) if isinstance(s, ToolSchema) else (s["name"], "") for s in step]
        assert sorted(given_now) == sorted(expected)


@pytest.mark.parametrize(
    "value",
    [10**30, -(10**30), 2**63, 1e300, "\ud800", {"1": 2}, "x" * 100_000, "0123456789012345678901234567890", None],
)
async def test_parameters_of_every_kind_arrive_as_they_are(prompt: PromptFacade, value: Any) -> None:
    parameters = {"type": "object", "default": value}
    prompt.tools(gives({"name": "t", "parameters": parameters}, ToolSchema("u", "", parameters)))
    for _ in range(2):
        assembly = await prompt.assemble()
        assert [tool.parameters for tool in assembly.tools] == [parameters, parameters]
    assert json.loads(assembly.tools_json.decode("utf-8", "surrogatepass"))[0]["parameters"] == parameters


@pytest.mark.parametrize(
    ("schema", "fragment"),
    [
        ({"name": "t", "parameters": {"x": object()}}, "'t'"),
        ({"name": "t", "parameters": {"x": {1, 2}}}, "'t'"),
        ({"name": 5}, "5"),
        ({}, "None"),
        ({"name": "t", "description": 5}, "'t'"),
        ("t", "str"),
    ],
)
async def test_a_schema_that_is_none_fails_the_assembly(prompt: PromptFacade, schema: Any, fragment: str) -> None:
    prompt.tools(gives(schema))
    for _ in range(2):
        with pytest.raises(PromptError) as caught:
            await prompt.assemble()
        assert fragment in str(caught.value)


def test_a_schema_copies_what_it_is_made_of() -> None:
    own = copy.deepcopy(DEEP)
    schema = ToolSchema("t", "d", own)
    own["required"].clear()  # type: ignore[attr-defined]
    assert schema.parameters == DEEP
    assert schema == ToolSchema("t", "d", DEEP)
    assert schema != ToolSchema("t", "d")
    assert schema != "t"
    assert json.loads(schema.json) == {"name": "t", "description": "d", "parameters": DEEP}
    assert ToolSchema("t").parameters == {"type": "object", "properties": {}}


# Bytes of a request


async def test_the_bytes_of_the_tools_follow_the_tools(root: Context, prompt: PromptFacade) -> None:
    prompt.tools(gives(ToolSchema("b", "about b"), ToolSchema("a", "about a")))
    one, two = await prompt.assemble(), await prompt.assemble()
    assert [tool["name"] for tool in json.loads(one.tools_json)] == ["a", "b"]
    assert one.tools_json is two.tools_json
    one.tools[0].description = "edited"
    assert json.loads(one.tools_json)[0]["description"] == "edited"
    assert json.loads(two.tools_json)[0]["description"] == "about a"
    assert tools_json([]) == b"[]"
    root.on("system-prompt/assemble", edits(lambda assembly: assembly.tools.reverse()))
    assert [tool["name"] for tool in json.loads((await prompt.assemble()).tools_json)] == ["b", "a"]


# Random edits by owners

KEYS = st.sampled_from(["type", "a", "b"])
JSON_VALUES = st.one_of(st.integers(0, 3), st.booleans(), st.none(), st.sampled_from(["", "x"]), st.just([1]))
OWNER_EDIT = st.tuples(
    st.sampled_from(["set", "drop", "describe", "rename", "assemble", "spoil"]), KEYS, JSON_VALUES
)


@given(
    form=st.sampled_from(["mapping", "schema", "both"]),
    steps=st.lists(OWNER_EDIT, max_size=12),
)
@settings(deadline=None, database=None, derandomize=True, max_examples=120, suppress_health_check=list(HealthCheck))
def test_owners_edits_are_seen_by_later_assemblies_alone(form: str, steps: list[tuple[str, str, Any]]) -> None:
    async def run() -> None:
        async with Runtime() as rt:
            await rt.root.plugin(SystemPrompt)
            prompt = rt.root.system_prompt
            mapping: dict[str, Any] = {"name": "m", "description": "", "parameters": {"type": "object"}}
            schema = ToolSchema("s", "", {"type": "object"})
            model = {"m": copy.deepcopy(mapping), "s": {**copy.deepcopy(mapping), "name": "s"}}
            owned = {"mapping": ["m"], "schema": ["s"], "both": ["m", "s"]}[form]
            prompt.tools(gives(*[mapping if name == "m" else schema for name in owned]))
            kept: list[tuple[PromptAssembly, list[Any]]] = []

            def look(assembly: PromptAssembly) -> list[Any]:
                return sorted([t.name, t.description, json.dumps(t.parameters)] for t in assembly.tools)

            for what, key, value in steps:
                for name in owned:
                    expected = model[name]
                    if what == "set":
                        expected["parameters"][key] = value
                        (mapping["parameters"] if name == "m" else schema.parameters)[key] = value
                    elif what == "drop":
                        expected["parameters"].pop(key, None)
                        (mapping["parameters"] if name == "m" else schema.parameters).pop(key, None)
                    elif what in ("describe", "rename"):
                        field = "description" if what == "describe" else "name"
                        expected[field] = f"{name}{value}"
                        if name == "m":
                            mapping[field] = f"m{value}"
                        else:
                            setattr(schema, field, f"s{value}")
                if what == "assemble":
                    assembly = await prompt.assemble()
                    now = sorted(
                        [e["name"], e["description"], json.dumps(e["parameters"])]
                        for e in (model[name] for name in owned)
                    )
                    if key == "a":
                        assert look(assembly) == now
                    kept.append((assembly, now))
                elif what == "spoil" and kept:
                    for tool in kept.pop()[0].tools:
                        tool.parameters["spoiled"] = True
                        tool.description = "spoiled"
            for assembly, then in kept:
                assert look(assembly) == then

    asyncio.run(run())


# Lists and copies


async def test_sections_are_a_list(prompt: PromptFacade) -> None:
    for number in range(4):
        prompt.section(f"s{number}", number + 1, f"{number}")
    sections = (await prompt.assemble()).sections
    assert len(sections) == 5
    assert sections[-1].text == "3"
    assert sections[1] is sections[-4]
    with pytest.raises(IndexError):
        sections[5]
    with pytest.raises(IndexError):
        sections[-6]
    assert [item.name for item in reversed(sections)] == ["s3", "s2", "s1", "s0", "deployment:persona"]
    assert [item.name for item in sections[1:3]] == ["s0", "s1"]
    assert sections.index(sections[2]) == 2
    assert sections[3] in sections
    assert NamedText("s0", "0") in sections
    assert sections == sections.copy()
    more = [NamedText("x", "")]
    assert (sections + more)[-1].name == "x"
    assert (more + sections)[0].name == "x"
    sections.sort(key=lambda item: item.name, reverse=True)
    assert sections.pop(0).name == "s3"
    sections.remove(sections[0])
    sections.extend([NamedText("t", "t")])
    sections += [NamedText("u", "u")]
    sections.reverse()
    assert sections.names() == ["u", "t", "deployment:persona", "s0", "s1"]
    assert bool(sections)
    sections.clear()
    assert not sections
    assert sections == []


@pytest.mark.parametrize("touched", [False, True])
async def test_a_deep_copy_stands_on_its_own(prompt: PromptFacade, touched: bool) -> None:
    prompt.section("s", 1, "text")
    prompt.context("c", 1, "text")
    prompt.variable("v", says("x"))
    prompt.tools(gives(ToolSchema("t", "d", DEEP)))
    assembly = await prompt.assemble()
    if touched:
        list(assembly.sections)
        list(assembly.tools)
    made = copy.deepcopy(assembly)
    made.sections[1].text = made.contexts[0].text = "other"
    made.tools[0].parameters.clear()
    made.variables["v"] = "y"
    assert render_prompt(assembly) == "text"
    assert render_context_snapshot(assembly).endswith("\n\ntext")
    assert described(assembly) == [("t", "d", DEEP)]
    assert assembly.variables == {"v": "x"}
    assert render_prompt(made) == "other"


async def test_an_assembly_of_ones_own(prompt: PromptFacade) -> None:
    made = PromptAssembly([NamedText("s", "{{v}}")], [NamedText("c", "{{v}}")], [], {"v": "x"})
    for _ in range(2):
        assert render_prompt(made) == "x"
        assert [(part.name, part.text) for part in render_context_sections(made)] == [("c", "x")]
    empty = PromptAssembly()
    assert render_prompt(empty) == render_context_snapshot(empty) == ""
    assert PromptAssembly().variables is not empty.variables


async def test_a_variable_map_of_another_kind_gives_its_entries_only(root: Context, prompt: PromptFacade) -> None:
    prompt.section("s", 1, "{{v}} {{w}}")
    prompt.context("c", 1, "{{v}} {{w}}")

    def replace(assembly: PromptAssembly) -> None:
        assembly.variables = defaultdict(lambda: "made up", v="x")

    root.on("system-prompt/assemble", edits(replace))
    for _ in range(3):
        assembly = await prompt.assemble()
        with pytest.raises(RenderError, match="unknown"):
            render_prompt(assembly)
        with pytest.raises(RenderError, match="unknown"):
            render_context_snapshot(assembly)
        assert assembly.variables == {"v": "x"}
