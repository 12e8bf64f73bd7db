"""A first look at a JSON Schema: what no draft allows is found without loading a validator.

The validator itself judges the rest with the first call: loading it takes longer than a whole command.

Source: docs/tools.md 9.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
MAX_DEPTH = 100
"""Levels of schemas inside each other; a request with more cannot be copied or written."""

_OF_SCHEMAS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")


def first_mistake(schema: Any) -> str | None:
    """The first mistake in words, beginning with its path; None for none."""
    todo: list[tuple[Any, str, int]] = [(schema, "", 0)]
    while todo:
        node, path, depth = todo.pop()
        if isinstance(node, bool):
            continue
        where = path or "the root"
        if not isinstance(node, Mapping):
            return f"{where} must be an object, not {type(node).__name__}"
        if depth > MAX_DEPTH:
            return f"{path[:60]}… is nested more than {MAX_DEPTH} levels deep"
        mistake = _own_mistake(node)
        if mistake is not None:
            return f"{where}: {mistake}"
        for keyword in _OF_SCHEMAS:
            for name, child in node.get(keyword, {}).items():
                todo.append((child, f"{path}/{keyword}/{name}", depth + 1))
        for keyword in _LISTS:
            for index, child in enumerate(node.get(keyword, ())):
                todo.append((child, f"{path}/{keyword}/{index}", depth + 1))
        for keyword in _SINGLE:
            child = node.get(keyword)
            if child is not None and not isinstance(child, list):
                todo.append((child, f"{path}/{keyword}", depth + 1))
    return None


def _own_mistake(node: Mapping[str, Any]) -> str | None:
    written = node.get("type")
    if written is not None:
        names = written if isinstance(written, list) else [written]
        unknown = [name for name in names if not isinstance(name, str) or name not in TYPES]
        if unknown or not names:
            return f"`type` must be one of {', '.join(sorted(TYPES))}, or a list of them, not {written!r}"
    required = node.get("required")
    if required is not None and not (
        isinstance(required, list) and all(isinstance(name, str) for name in required)
    ):
        return "`required` must be a list of names"
    if "enum" in node and not isinstance(node["enum"], list):
        return "`enum` must be a list"
    for keyword in _OF_SCHEMAS:
        if keyword in node and not isinstance(node[keyword], Mapping):
            return f"`{keyword}` must be an object"
    for keyword in _LISTS:
        if keyword in node and not isinstance(node[keyword], list):
            return f"`{keyword}` must be a list"
    return None
