"""The shape that the parameters of every first-party tool have: a closed object, so that each provider takes it."""

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
