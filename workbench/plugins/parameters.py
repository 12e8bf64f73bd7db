"""Shapes of first-party tools: parameters are closed objects, so that each provider takes them; values, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

JsonSchema = dict[str, Any]


def closed_object(properties: dict[str, JsonSchema], required: Sequence[str] = ()) -> JsonSchema:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


TEXT: JsonSchema = {"type": "string"}
NUMBER: JsonSchema = {"type": "integer"}
NULLABLE_NUMBER: JsonSchema = {"type": ["integer", "null"]}
TRUTH: JsonSchema = {"type": "boolean"}


def every_key(**properties: JsonSchema) -> JsonSchema:
    """An object that has all of these keys: what a program gets as a value."""
    return closed_object(properties, tuple(properties))
