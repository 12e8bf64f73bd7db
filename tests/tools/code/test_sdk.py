"""The SDK text: readable Python whatever the schemas say, and a pure function of the tool set."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.prompt import ToolSchema
from workbench.prompt.tool_schema import encode_json
from workbench.tools.code.sdk import SdkTool, sdk_text


def sdk(*schemas: ToolSchema, output: Any = None) -> str:
    encoded = b"" if output is None else encode_json(output, "output")
    return sdk_text(SdkTool(schema.name, schema.json, encoded) for schema in schemas)


def code_of(text: str) -> str:
    """The code block; it ends at its own fence and nowhere earlier."""
    found = re.search(r"^(`{3,})python\n(.*)\n\1$", text, re.DOTALL | re.MULTILINE)
    assert found is not None
    assert text.endswith(found[0])
    return found[2]


def test_a_whole_tool() -> None:
    schema = {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "description": "All of\nthem.",
                "items": {
                    "type": "object",
                    "properties": {
                        "state": {"enum": ["open", "done"]},
                        "note": {"type": ["string", "null"], "description": "Why."},
                    },
                    "required": ["state"],
                },
            },
            "limit": {"type": "integer", "default": 5},
            "path": {"type": "string"},
        },
        "required": ["items", "path"],
    }
    output = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    assert (
        code_of(sdk(ToolSchema("todo_write", "Keeps a list.", schema), output=output))
        == '''\
class TodoWriteItemsItem(TypedDict):
    state: Literal['open', 'done']
    note: NotRequired[str | None]  # Why.


class TodoWriteValue(TypedDict):
    count: int


class Tools:
    def todo_write(self, *, items: list[TodoWriteItemsItem], path: str, limit: int = 5) -> TodoWriteValue:
        """Keeps a list.

        items: All of them.
        """


tools: Tools'''
    )


def test_names_that_python_cannot_write() -> None:
    text = sdk(ToolSchema("my-tool", "", {"type": "object", "properties": {"a-b": {"type": "string"}}}))
    code = code_of(text)
    assert "call it as tools['my-tool'](...)" in code
    assert "def _my_tool(self, arguments: dict[str, Any], /)" in code
    assert "a-b: str" in code


def test_references_inside_the_schema_are_followed_and_rings_end() -> None:
    schema = {
        "type": "object",
        "properties": {"node": {"$ref": "#/$defs/node"}, "far": {"$ref": "https://example.invalid/x"}},
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
    }
    code = code_of(sdk(ToolSchema("t", "", schema)))
    assert "far: Any" in code
    assert "class TNode(TypedDict)" in code
    ast.parse(code)


def test_no_tools_at_all() -> None:
    ast.parse(code_of(sdk()))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
SCHEMAS = st.recursive(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "object", "array", "null", "odd"])})
    | st.fixed_dictionaries({"enum": st.lists(JSON, max_size=3)})
    | st.fixed_dictionaries({"const": JSON})
    | st.fixed_dictionaries({"$ref": st.sampled_from(["#/properties/a", "#", "x", "#/a~1b"])})
    | JSON,
    lambda inner: (
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(st.text(max_size=6), inner, max_size=3)},
            optional={
                "required": st.lists(st.text(max_size=6), max_size=2) | JSON,
                "description": st.text(max_size=30) | JSON,
                "default": JSON,
            },
        )
        | st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.fixed_dictionaries({"anyOf": st.lists(inner, max_size=3)})
    ),
    max_leaves=6,
)
NAMES = st.text(min_size=1, max_size=8) | st.sampled_from(["read", "class", "my-tool", "print", "a.b", "__init__"])
TEXTS = st.text(max_size=40) | st.sampled_from(
    ['"""', "\\", "```", 'ends with "', "\x00\x1b[2J", "a\nb\r\nc", "\u2028"]
)


@st.composite
def tool_sets(draw: Any) -> list[SdkTool]:
    names = draw(st.lists(NAMES, max_size=4, unique=True))
    tools = []
    for name in names:
        parameters = draw(
            st.fixed_dictionaries(
                {"type": st.just("object"), "properties": st.dictionaries(NAMES, SCHEMAS, max_size=3) | JSON}
            )
        )
        output = draw(st.none() | SCHEMAS)
        encoded = b"" if output is None else encode_json(output, "output")
        tools.append(SdkTool(name, ToolSchema(name, draw(TEXTS), parameters).json, encoded))
    return tools


@given(tools=tool_sets(), seed=st.randoms(use_true_random=False))
@settings(deadline=None, database=None, derandomize=True, max_examples=40, suppress_health_check=list(HealthCheck))
def test_random_sets_give_python_and_equal_bytes(tools: list[SdkTool], seed: Any) -> None:
    _is_pure(tools, seed)


@pytest.mark.slow
@pytest.mark.timeout(900)
@given(tools=tool_sets(), seed=st.randoms(use_true_random=False))
@settings(deadline=None, database=None, max_examples=3_000, suppress_health_check=list(HealthCheck))
def test_many_random_sets(tools: list[SdkTool], seed: Any) -> None:
    _is_pure(tools, seed)


def _is_pure(tools: list[SdkTool], seed: Any) -> None:
    text = sdk_text(tools)
    shuffled = list(tools)
    seed.shuffle(shuffled)
    assert sdk_text(shuffled) == text
    code = code_of(text)
    ast.parse(code)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", code)
    code.encode()
