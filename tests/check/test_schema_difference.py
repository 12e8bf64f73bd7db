"""Two versions of a tool, compared value by value."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.check.schema_difference import compare_schemas, compare_tools
from workbench.prompt import ToolSchema


def lookup(parameters: str) -> ToolSchema:
    return ToolSchema("lookup", "Look it up.", json.loads(parameters))


FIRST = lookup(
    '{"type": "object", "properties": {"q": {"type": "string"}, "limit": {"type": "integer", "maximum": 50}}}'
)
SECOND = lookup(
    '{"properties": {"q": {"type": "string"}, "limit": {"maximum": 100, "type": "integer"}}, "type": "object"}'
)


def others(*names: str) -> list[ToolSchema]:
    return [ToolSchema(name, "", {"type": "object"}) for name in names]


def test_a_changed_value_has_its_path_and_key_order_is_named_once() -> None:
    difference = compare_schemas(FIRST, SECOND)
    assert difference.state == "changed"
    assert list(difference.lines()) == [
        "tool lookup, /properties/limit/maximum: 50 -> 100",
        "tool lookup, key order (the top, /properties/limit)",
    ]


def test_key_order_alone_is_a_change_of_its_own_kind() -> None:
    before, after = lookup('{"type": "object", "title": "x"}'), lookup('{"title": "x", "type": "object"}')
    difference = compare_schemas(before, after)
    assert difference.state == "key order only"
    assert list(difference.lines()) == [
        "tool lookup, key order only: the content is equal, the bytes are not (the top)"
    ]


def test_the_order_of_delivery_does_not_matter() -> None:
    alpha, zeta = others("alpha", "zeta")
    assert compare_tools([alpha, SECOND, zeta], [zeta, SECOND, alpha]).is_same
    changed = compare_tools([alpha, FIRST, zeta], [zeta, SECOND, alpha])
    assert [difference.name for difference in changed.changed] == ["lookup"]


def test_tools_that_come_and_go() -> None:
    difference = compare_tools(others("a", "b", "b"), others("b", "c"))
    assert (difference.added, difference.removed, difference.changed) == (("c",), ("a", "b"), ())


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"enum": ["a", "b"]}, {"enum": ["b", "a"]}, ['/enum/0: "a" -> "b"', '/enum/1: "b" -> "a"']),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}, ['/enum/1: (absent) -> "b"']),
        ({"prefixItems": [{}, {}]}, {"prefixItems": [{}]}, ["/prefixItems/1: {} -> (absent)"]),
        ({"minimum": 1}, {"minimum": True}, ["/minimum: 1 -> true"]),
        ({"minimum": 1}, {"minimum": 1.0}, ["/minimum: 1 -> 1.0"]),
        ({"a/b~c": 1}, {}, ["/a~1b~0c: 1 -> (absent)"]),
        ({"items": {}}, {"items": []}, ["/items: {} -> []"]),
        ({"const": None}, {}, ["/const: null -> (absent)"]),
        ({}, {}, []),
    ],
)
def test_values(before: dict[str, Any], after: dict[str, Any], expected: list[str]) -> None:
    difference = compare_schemas(ToolSchema("t", "", before), ToolSchema("t", "", after))
    assert [str(change) for change in difference.changes] == expected


def test_a_changed_description() -> None:
    difference = compare_schemas(ToolSchema("t", "Old.", {}), ToolSchema("t", "New.", {}))
    assert list(difference.lines()) == ['tool t, description: "Old." -> "New."']
