"""Arguments and their schemas: what does not fit reaches nobody."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.tool_calls import Caller, Echo, counter, error_of
from workbench.core import Context
from workbench.prompt import ToolSchema
from workbench.tools import ToolError, ToolsFacade


@pytest.mark.parametrize(
    ("raw", "path", "rule"),
    [
        ('{"text": 3}', "text", "type"),
        ("{}", "'text' is a required property", "required"),
        ("", "'text' is a required property", "required"),
        ("[1]", "the whole", "type"),
        ('"text"', "no JSON object", "type"),
        ('{"text": ', "no JSON object", "type"),
        ('{"text": NaN}', "no JSON object", "type"),
        ('{"text": 1e999}', "no JSON object", "type"),
        ('{"text": ' + "[" * 5000, "no JSON object", "type"),
    ],
)
async def test_arguments_that_do_not_fit_reach_nobody(
    caller: Caller, echo: Echo, root: Context, raw: str, path: str, rule: str
) -> None:
    seen = [counter(root, f"tools/{stage}") for stage in ("pre-execute", "execute", "post-execute")]
    result = await caller.one("echo", raw)
    assert error_of(result) == "INVALID_ARGS"
    assert path in result.text
    assert f"`{rule}`" in result.text
    assert (seen, echo.runs) == ([[], [], []], [])
    assert caller.sink.events == [("call", "c1"), ("result", "c1")]


async def test_a_problem_deep_inside_has_its_path(caller: Caller, tools: ToolsFacade) -> None:
    item = {"type": "object", "properties": {"state": {"enum": ["open", "done"]}}, "additionalProperties": False}
    schema = {"type": "object", "properties": {"items": {"type": "array", "items": item}}}
    tools.register(ToolSchema("todo", "", schema), lambda _arguments, _run: "")
    result = await caller.one("todo", {"items": [{"state": "open"}, {"state": "shut", "extra": "x" * 9000}]})
    assert "items[1].state" in result.text
    assert "`enum`" in result.text
    assert "`additionalProperties`" in result.text
    assert len(result.text) < 2000


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "object", "properties": {"a": {"type": "text"}}},
        {"type": "object", "required": "a"},
        {"type": "object", "properties": {"a": {"items": {"enum": 3}}}},
        {"type": "object", "properties": []},
        {"type": "object", "properties": {"a": {"anyOf": {}}}},
    ],
)
async def test_a_body_needs_a_schema_that_is_one(tools: ToolsFacade, broken: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="no JSON Schema"):
        tools.register(ToolSchema("t", "", broken), lambda _arguments, _run: "")
    assert tools.get("t") is None


@pytest.mark.parametrize(
    "unusable",
    [
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}},
        {"type": "object", "properties": {"a": {"$ref": "https://example.invalid/schema.json"}}},
        {"type": "object", "properties": {"a": {"minLength": "three"}}},
    ],
)
async def test_a_schema_that_cannot_judge_is_an_error_and_fetches_nothing(
    caller: Caller, tools: ToolsFacade, unusable: dict[str, Any]
) -> None:
    tools.register(ToolSchema("t", "", unusable), lambda _arguments, _run: "")
    assert error_of(await caller.one("t", {"a": "b"})) == "INVALID_SCHEMA"


async def test_a_schema_that_its_owner_edits_is_compiled_again(caller: Caller, tools: ToolsFacade) -> None:
    schema = ToolSchema("t", "", {"type": "object", "properties": {"a": {"type": "string"}}})
    tools.register(schema, lambda _arguments, _run: "ran")
    registration = tools.get("t")
    assert registration is not None
    assert (await caller.one("t", {"a": "b"})).text == "ran"
    validator = registration.arguments_validator
    assert registration.arguments_validator is validator
    schema.parameters["properties"]["a"]["type"] = "integer"
    assert error_of(await caller.one("t", {"a": "b"}, "c2")) == "INVALID_ARGS"
    assert registration.arguments_validator is not validator
