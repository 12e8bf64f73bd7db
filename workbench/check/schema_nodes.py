"""Every schema inside a tool's parameters: where JSON Schema expects one, and nowhere else.

So a property that is called `items`, or a default value that looks like a schema, is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from workbench.check.json_pointer import step

_ONE = frozenset(
    {
        "items",
        "additionalItems",
        "additionalProperties",
        "contains",
        "not",
        "if",
        "then",
        "else",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_LIST = frozenset({"anyOf", "oneOf", "allOf", "prefixItems", "items"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_HOLDERS = _ONE | _LIST | _NAMED


class SchemaNode(NamedTuple):
    """One schema that is an object."""

    pointer: str
    schema: dict[str, Any]
    depth: int
    """Objects around it; 0 for the parameters themselves."""

    @property
    def types(self) -> tuple[str, ...]:
        """The types that it names."""
        written = self.schema.get("type")
        if isinstance(written, str):
            return (written,)
        return tuple(each for each in written if isinstance(each, str)) if isinstance(written, list) else ()

    @property
    def properties(self) -> dict[str, Any]:
        """Its properties; nothing where they are no mapping."""
        written = self.schema.get("properties")
        return written if isinstance(written, dict) else {}

    @property
    def is_object(self) -> bool:
        """Whether it describes an object."""
        return "object" in self.types or bool(self.properties)


def schema_nodes(parameters: Any) -> Iterator[SchemaNode]:
    """The whole and every schema inside, each before those inside it."""
    pending: list[tuple[str, Any, int]] = [("", parameters, 0)]
    while pending:
        pointer, schema, depth = pending.pop()
        if not isinstance(schema, dict):
            continue
        yield SchemaNode(pointer, schema, depth)
        inside: list[tuple[str, Any, int]] = []
        for keyword, value in schema.items():
            if keyword not in _HOLDERS:
                continue
            at = step(pointer, keyword)
            deeper = depth + 1 if keyword in ("properties", "patternProperties", "additionalProperties") else depth
            if isinstance(value, dict):
                if keyword in _NAMED:
                    inside += [(step(at, name), each, deeper) for name, each in value.items()]
                elif keyword in _ONE:
                    inside.append((at, value, deeper))
            elif isinstance(value, list) and keyword in _LIST:
                inside += [(step(at, index), each, deeper) for index, each in enumerate(value)]
        pending += reversed(inside)
