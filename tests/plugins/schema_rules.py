"""What a tool schema of ours must keep to, so that every provider accepts it and every model can use it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

TYPES = {"object", "array", "string", "integer", "number", "boolean"}
KEYS = {
    "object": {"type", "description", "properties", "required", "additionalProperties"},
    "array": {"type", "description", "items", "minItems", "maxItems"},
    "string": {"type", "description", "enum", "minLength", "maxLength", "default"},
    "integer": {"type", "description", "minimum", "maximum", "default"},
    "number": {"type", "description", "minimum", "maximum", "default"},
    "boolean": {"type", "description", "default"},
}
PYTHON_TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool}


def broken_rules(name: str, parameters: dict[str, Any]) -> list[str]:
    """Every rule that is broken, with the path."""
    rules = [] if re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name) else [f"name {name!r}"]
    if parameters.get("type") != "object":
        rules.append("the top is no object")
    return rules + list(_node("", parameters))


def _node(path: str, node: dict[str, Any]) -> Iterator[str]:
    kind = node.get("type")
    if kind not in TYPES:
        yield f"{path}: type {kind!r}"
        return
    yield from (f"{path}: key {key!r}" for key in node.keys() - KEYS[kind])
    if path and not path.endswith("/items") and not _is_sentence(node.get("description")):
        yield f"{path}: needs a description that is a sentence or phrase with an end"
    if kind == "object":
        properties = node.get("properties", {})
        if node.get("additionalProperties") is not False:
            yield f"{path}: is open"
        yield from (f"{path}: requires {name!r}" for name in node.get("required", []) if name not in properties)
        for name, child in properties.items():
            yield from _node(f"{path}/{name}", child)
    elif kind == "array":
        yield from _node(f"{path}/items", node["items"])
    else:
        yield from _bounds(path, node)


def _bounds(path: str, node: dict[str, Any]) -> Iterator[str]:
    if "enum" in node and (not node["enum"] or len(set(node["enum"])) < len(node["enum"])):
        yield f"{path}: enum"
    if "default" not in node:
        return
    default = node["default"]
    if not isinstance(default, PYTHON_TYPES[node["type"]]):
        yield f"{path}: default has another type"
    elif not node.get("minimum", default) <= default <= node.get("maximum", default):
        yield f"{path}: default is out of bounds"


def _is_sentence(text: object) -> bool:
    return isinstance(text, str) and text[:1] != " " and text.endswith(".")
