"""Detaching tool schemas from their owners, without copying what has not changed.

Schemas that are `ToolSchema` are compared by identity and share their bytes. Plain mappings are encoded
at every assembly: only bytes tell apart what `==` calls equal, and an owner may edit its dict in place.

Source: docs/prompt-assembly.md 6 (step 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter, is_
from typing import TYPE_CHECKING

import orjson

from workbench.prompt.tool_schema import GivenSchema, ToolSchema, detach, openings

if TYPE_CHECKING:
    from workbench.prompt.contributions import ToolsContribution

_is_open = attrgetter("is_open")


def detach_all(tools: ToolsContribution, given: Sequence[GivenSchema]) -> tuple[ToolSchema, ...]:
    """The registry's copies of `given`; the very same tuple as last time when nothing has changed."""
    if given is tools.given and tools.openings == openings[0]:
        return tools.detached
    schemas = tuple(given)
    last = tools.given
    if last is not None and len(last) == len(schemas) and all(map(is_, last, schemas)):
        if not any(map(_is_open, schemas)):
            tools.given, tools.openings = schemas, openings[0]
            return tools.detached
    elif tools.encoded is not None and _encoded(schemas) == tools.encoded:
        return tools.detached
    detached = tuple([detach(schema) for schema in schemas])
    tools.openings = -1
    if schemas and all(type(schema) is ToolSchema for schema in schemas):
        tools.given, tools.encoded = schemas, None
    else:
        tools.given, tools.encoded = None, _encoded(schemas)
    tools.detached = detached
    return detached


def _encoded(schemas: Sequence[GivenSchema]) -> bytes | None:
    """The bytes of plain mappings; None when they have no exact ones, and are copied anew each time."""
    try:
        return orjson.dumps(schemas, option=_STRICT)
    except TypeError:
        return None


_STRICT = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
