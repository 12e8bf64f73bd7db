"""The order of tools in a request: by name, or as configured.

Source: docs/prompt-assembly.md 8.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.prompt.errors import PromptError
from workbench.prompt.orders import code_units
from workbench.prompt.tool_schema import ToolSchema

UNLISTED = "<unlisted-tools>"
"""The rest entry of a tool order: where all tools go that it does not list."""


def check_tool_order(tool_order: Sequence[str]) -> None:
    """Raises `PromptError` for a repeated name, and for a list without the rest entry."""
    seen: set[str] = set()
    for name in tool_order:
        if name in seen:
            raise PromptError("tool_order", f"tool_order lists {name!r} more than once; keep one of them")
        seen.add(name)
    if UNLISTED not in seen:
        raise PromptError("tool_order", f"tool_order lacks {UNLISTED}: add it where all other tools shall stand")


def ordered_tools(
    given: Sequence[tuple[ToolSchema, ...]],
    known: Sequence[Sequence[str] | None],
    tool_order: Sequence[str] | None,
) -> tuple[ToolSchema, ...]:
    """All schemas in request order; equal names keep the order in which they were collected.

    Raises `PromptError` for a tool with the reserved name and for listed names that no provider knows.
    """
    collected = [schema for schemas in given for schema in schemas]
    if any(schema.name == UNLISTED for schema in collected):
        raise PromptError("reserved", f"a tool is named {UNLISTED}, which is reserved for tool_order; rename it")
    if tool_order is None:
        return tuple(sorted(collected, key=_by_name))
    known_names: set[str] = set()
    for schemas, names in zip(given, known, strict=True):
        known_names.update([schema.name for schema in schemas] if names is None else names)
    unknown = [name for name in tool_order if name != UNLISTED and name not in known_names]
    if unknown:
        listed = ", ".join(sorted(known_names, key=code_units)) or "(none)"
        raise PromptError(
            "tool_order",
            f"tool_order names tools that no provider knows: {', '.join(unknown)}; known tools: {listed}",
        )
    ordered: list[ToolSchema] = []
    for name in tool_order:
        if name == UNLISTED:
            rest = [schema for schema in collected if schema.name not in tool_order]
            ordered += sorted(rest, key=_by_name)
        else:
            ordered += [schema for schema in collected if schema.name == name]
    return tuple(ordered)


def _by_name(schema: ToolSchema) -> bytes:
    return code_units(schema.name)
