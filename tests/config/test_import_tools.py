"""Tools from JSON: every shape, every place, and everything that can be wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.compositions import Problems, Write
from workbench.config import open_composition
from workbench.config.composition import load
from workbench.config.problems import LoadError
from workbench.prompt import preview

DATA = Path(__file__).parents[3] / "shared" / "data"

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}
PLAIN = {"name": "plain", "description": "Plain.", "parameters": SCHEMA}
RESPONSES = {"type": "function", "name": "responses", "description": "Flat.", "parameters": SCHEMA, "strict": True}
CHAT = {"type": "function", "function": {"name": "chat", "description": "Nested.", "parameters": SCHEMA}}
ANTHROPIC = {"name": "anthropic", "description": "Snake.", "input_schema": SCHEMA}
MCP = {"name": "mcp", "description": "Camel.", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}}
EVERY_SHAPE = [PLAIN, RESPONSES, CHAT, ANTHROPIC, MCP]


@pytest.mark.parametrize(
    "value",
    [
        EVERY_SHAPE,
        {"tools": EVERY_SHAPE},
        {"tools": EVERY_SHAPE, "nextCursor": "x"},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": EVERY_SHAPE}},
    ],
)
def test_every_shape_is_read(value: Any, write: Write) -> None:
    composition = load(write("t.json", json.dumps(value, indent=1)))
    assert [(tool.name, tool.description.value) for tool in composition.entries.tools] == [
        ("plain", "Plain."),
        ("responses", "Flat."),
        ("chat", "Nested."),
        ("anthropic", "Snake."),
        ("mcp", "Camel."),
    ]
    assert all(tool.parameters == SCHEMA for tool in composition.entries.tools)
    assert composition.rows[0].taken_over == ("5 tools",)
    [note] = composition.notes
    assert note.endswith("no provider is sent these keys of tools: annotations (of 1), strict (of 1)")


def test_each_character_of_a_description_has_its_place(write: Write) -> None:
    text = '{"tools": [\n  {"name": "a", "description": "One \\"two\\"\\nthree \\ud83c\\udf0a four"}\n]}'
    write("t.json", text)
    [tool] = load(write("c.yml", "imports: [{tools: t.json}]")).entries.tools
    described, source = tool.description
    assert described == 'One "two"\nthree 🌊 four'
    places = [str(source.position(described, described.index(word))) for word in ("One", "two", "three", "four")]
    assert places == [
        f"t.json:2:{text.splitlines()[1].index(word) + 1}" for word in ("One", "two", "three", "four")
    ]


async def test_the_tools_are_sent_as_they_are(write: Write) -> None:
    write("t.json", json.dumps([{**PLAIN, "description": "Write {{first_name}} here."}, CHAT]))
    path = write("c.yml", "agents: [{name: main}]\nimports: [{tools: t.json, scope: main, only: [plain]}]\n")
    async with open_composition(path) as opened:
        shown = await preview(opened.prompt, opened.assemble_context("main"))
        assert [(tool.name, tool.description) for tool in shown.tools] == [("plain", "Write {{first_name}} here.")]
        assert json.loads(shown.tools[0].parameters_json) == SCHEMA
        assert shown.tools[0].source is not None
        assert (shown.tools[0].source.file, shown.tools[0].source.line) == ("t.json", 1)
        assert shown.failures == ()
        everywhere = await preview(opened.prompt, opened.assemble_context("(global)"))
        assert everywhere.tools == ()


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        ({"description": "x"}, "this tool has no name, left out"),
        ({"name": ""}, "this tool has no name, left out"),
        ({"name": "<unlisted-tools>"}, "<unlisted-tools> is no name of a tool"),
        ({"name": "a", "description": 3}, 'the description of "a" is a number, left out'),
        ({"name": "a", "parameters": []}, 'the parameters of "a" are a list, left out'),
        ({"name": "a", "parameters": {"type": "array"}}, 'the parameters of "a" are of type array'),
        ({"name": "a", "parameters": {"properties": {}}}, 'the parameters of "a" are without the type `object`'),
        ({"name": "a", "type": "web_search_20250305"}, '"a" is a tool that a provider runs itself'),
        ({"name": "a", "description": "\ud800"}, "this tool holds half of a surrogate pair, left out"),
        ({"name": "a", "parameters": {"type": "object", "x": float("inf")}}, "this tool holds a number that is"),
        (3, "a tool was expected, and this is a number, left out"),
        (None, "a tool was expected, and this is null, left out"),
        ([], "a tool was expected, and this is a list, left out"),
    ],
)
def test_a_tool_that_cannot_be_used_is_noted_and_the_others_come(tool: Any, reason: str, write: Write) -> None:
    write("t.json", json.dumps([PLAIN, tool, MCP], indent=1).replace("Infinity", "1e999"))
    composition = load(write("c.yml", "imports: [{tools: t.json}]"))
    assert [entry.name for entry in composition.entries.tools] == ["plain", "mcp"]
    line = json.dumps([PLAIN], indent=1).count("\n") + 1
    assert composition.notes[0].startswith(f"t.json:{line}:2: {reason}")


def test_a_schema_may_be_missing_or_empty(write: Write) -> None:
    composition = load(
        write("t.json", json.dumps([{"name": "a", "description": ""}, {"name": "b", "parameters": {}}]))
    )
    assert [tool.parameters for tool in composition.entries.tools] == [None, None]


def test_a_schema_that_is_too_deep_is_noted(write: Write) -> None:
    deep: dict[str, Any] = {"type": "object"}
    for _ in range(70):
        deep = {"type": "object", "properties": {"a": deep}}
    write("t.json", json.dumps([{"name": "a", "parameters": deep}]))
    [note, none] = load(write("c.yml", "imports: [{tools: t.json}]")).notes
    assert "nested more than 60 levels deep" in note
    assert "no tool could be taken" in none


def test_of_one_name_the_first_counts(write: Write) -> None:
    write("t.json", json.dumps([PLAIN, {**PLAIN, "description": "Other."}], indent=1))
    composition = load(write("c.yml", "imports: [{tools: t.json}]"))
    assert [tool.description.value for tool in composition.entries.tools] == ["Plain."]
    [note] = composition.notes
    assert note.startswith('t.json:17:2: there is a tool "plain" already, at t.json:2:2; this one is left out')


def test_very_many_remarks_are_counted(write: Write) -> None:
    write("t.json", json.dumps([3] * 5000))
    notes = load(write("c.yml", "imports: [{tools: t.json}]")).notes
    assert len(notes) == 51
    assert "4,951 more remarks" in notes[-1]


BAD: dict[str, tuple[str | bytes, str]] = {
    "missing": ("", "c.yml:1:19: missing.json: there is no such file; check the path"),
    "directory": ("", "c.yml:1:19: directory.json: this is a directory"),
    "empty": ("", "empty.json:1:1: the file is empty"),
    "blank": (" \n ", "blank.json:1:1: the file is empty"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\xff", "c.yml:1:19: binary.json: 1:1: this is not UTF-8 text"),
    "utf16": ("[]".encode("utf-16"), "c.yml:1:19: utf16.json: this is UTF-16"),
    "latin": ('[{"name": "é"}]'.encode("latin-1"), "c.yml:1:19: latin.json: 1:12: this is not UTF-8 text"),
    "huge": (b"[" + b" " * (50 * 1024 * 1024), "c.yml:1:19: huge.json: 16 MiB is the limit here"),
    "comma": ('[\n  {"name": "a"},\n]', "comma.json:"),
    "cut": ('[\n  {"name": "a"', "cut.json:2:15: this is not JSON: expecting ',' delimiter; correct it there"),
    "prose": ("Tools:\n", "prose.json:1:1: this is not JSON: expecting value; name a JSON file"),
    "two": ("[] []", "two.json:1:4: this is not JSON: extra data"),
    "nan": ('[{"name": "a",\n "x": NaN}]', "nan.json:2:7: NaN is no value of JSON"),
    "deep": ("[" * 100_000, "deep.json:1:1: values are nested too deeply"),
    "digits": (f"[{'9' * 5000}]", "digits.json:1:1: this cannot be read"),
    "text": ('"tools"', "text.json:1:1: a list of tool schemas was expected"),
    "number": ("3", "number.json:1:1: a list of tool schemas was expected"),
    "null": ("null", "null.json:1:1: a list of tool schemas was expected"),
    "object": ('{"name": "a"}', "object.json:1:1: a list of tool schemas was expected"),
    "mapping": ('{"tools": {}}', "mapping.json:1:1: a list of tool schemas was expected"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_used_is_a_problem_and_the_rest_is_read(
    name: str, write: Write, problems: Problems
) -> None:
    content, said = BAD[name]
    if name == "directory":
        write("directory.json/x", "")
    elif name != "missing":
        write(f"{name}.json", content)
    found = problems(f"imports: [{{tools: {name}.json}}]\nlater: 1\n")
    assert len(found) == 2
    assert any(problem.startswith(said) for problem in found), found
    assert any('unknown key "later"' in problem for problem in found)


@pytest.mark.parametrize("name", BAD)
def test_opened_directly_it_is_a_problem_too(name: str, write: Write) -> None:
    content, _ = BAD[name]
    path = Path("missing.json") if name == "missing" else write(f"{name}.json", content)
    if name in ("directory", "empty", "blank", "null"):
        assert load(path).entries.tools == ()  # An empty composition.
        return
    with pytest.raises(LoadError) as caught:
        load(path)
    assert caught.value.problems


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("{}", "this import names no file; write one of `tools:`, `instructions:`, `markdown:`"),
        ("{tools: t.json, markdown: a.md}", "an import names one file"),
        ("{file: t.json}", 'unknown key "file"; name the file by what it is'),
        ("{tools: t.json, order: 3}", '"order" says nothing about tools; known here: only, scope'),
        ("{tools: t.json, limit: 3}", '"limit" says nothing about tools'),
        ("{markdown: a.md, only: [x]}", '"only" says nothing about markdown'),
        ("{tools: t.json, only: [plian]}", 't.json has no tool "plian"; did you mean "plain"?'),
        ("{tools: t.json, scope: nobody}", 'there is no scope or agent "nobody"'),
        ("{tools: 3}", "a text was expected, and this is the number 3"),
        ("t.json", "a mapping was expected, and this is the text"),
    ],
)
def test_an_import_that_makes_no_sense(item: str, said: str, write: Write, problems: Problems) -> None:
    write("t.json", json.dumps([PLAIN, MCP]))
    write("a.md", "Text.")
    found = problems(f"imports:\n  - {item}\n")
    assert said in found[0]
    assert all(problem.startswith("c.yml:2:") for problem in found)


def test_a_tool_that_the_composition_has_itself_is_an_error_with_both_places(
    write: Write, problems: Problems
) -> None:
    write("t.json", json.dumps([PLAIN]))
    [problem] = problems("tools:\n  - {name: plain, description: Own.}\nimports:\n  - tools: t.json\n")
    assert problem.startswith('c.yml:4:5: the global layer has a tool "plain" already, at 2:12')


def test_a_composition_in_json_stays_one(write: Write) -> None:
    value = {"persona": "You.", "tools": [PLAIN], "agents": [{"name": "main"}]}
    composition = load(write("c.json", json.dumps(value)))
    assert composition.entries.include_harness_identity
    assert [tool.name for tool in composition.entries.tools] == ["plain"]
    assert composition.rows == ()
    rows = load(write("rows.json", json.dumps([{"id": "a", "name": "dsh-tool-bash"}])))
    assert [plugin.use for plugin in rows.entries.plugins] == ["shell"]


def test_a_tools_file_can_be_included(write: Write) -> None:
    write("t.json", json.dumps([MCP]))
    composition = load(write("c.yml", "include: t.json\npersona: You.\n"))
    assert [tool.name for tool in composition.entries.tools] == ["mcp"]
    assert composition.entries.include_harness_identity


async def test_an_edit_of_the_file_counts(write: Write) -> None:
    write("t.json", json.dumps([PLAIN]))
    async with open_composition(write("c.yml", "imports: [{tools: t.json}]")) as opened:
        assert [tool.name for tool in opened.tools.visible()] == ["plain"]
        write("t.json", json.dumps([PLAIN, MCP]))
        assert await opened.reload()
        assert [tool.name for tool in opened.tools.visible()] == ["plain", "mcp"]
        write("t.json", "[")
        assert not await opened.reload()
        assert str(opened.problems[0]).startswith("t.json:1:2: this is not JSON")
        assert [tool.name for tool in opened.tools.visible()] == ["plain", "mcp"]


@pytest.mark.parametrize(
    ("file", "count", "doubles"),
    [
        ("tools/github-mcp-server.json", 117, []),
        ("tools/server-github.json", 26, []),
        ("tools/server-filesystem.json", 14, []),
        ("dsh/tools.json", 58, ["bash", "pwsh", "interrupt_agent", "list_agents", "send_message"]),
    ],
)
async def test_real_files(file: str, count: int, doubles: list[str]) -> None:
    path = DATA / file
    if not DATA.exists():
        pytest.skip(f"{file} is not here: the recorded tools come with no release")
    async with open_composition(path) as opened:
        callable_ones = [schema.name for schema in opened.tools.visible()]
        assert len(callable_ones) == count - (file == "dsh/tools.json")  # run_code is shown, and nobody's to call
        noted = [note.split('"')[1] for note in opened.notes if "already" in note]
        assert noted == doubles
        assert len(opened.notes) == len(doubles) + (file != "tools/server-github.json")
        shown = await preview(opened.prompt, opened.assemble_context())
        assert len(shown.tools) == count
        assert shown.failures == ()
