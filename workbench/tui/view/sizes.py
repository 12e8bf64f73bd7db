"""How large a text is. Until tokens are counted a size is a number of characters, and says so."""

from __future__ import annotations

from workbench.prompt.views import EntryView, Preview, ToolView

UNIT = "chars"
"""The word beside a size where there is little room."""
UNIT_WORD = "characters"
"""The same in a sentence."""


def entry_size(entry: EntryView) -> int:
    """Of what the model reads of it; of the raw text where that could not be made."""
    return len(entry.text if entry.rendered is None else entry.rendered)


def tool_size(tool: ToolView) -> int:
    """Of everything in the schema that the model reads."""
    return len(tool.name) + len(tool.description) + len(tool.parameters_json)


def section_total(preview: Preview) -> int | None:
    """Of the system text; None when it could not be rendered."""
    return None if preview.system is None else len(preview.system)


def context_total(preview: Preview) -> int | None:
    """Of the runtime-context snapshot; None when it could not be rendered."""
    return None if preview.context is None else len(preview.context)


def tool_total(preview: Preview) -> int:
    """Of all tools that are sent."""
    return sum(tool_size(tool) for tool in preview.tools if tool.state == "effective")


def number(count: int) -> str:
    """`12431` as `12,431`."""
    return f"{count:,}"


def counted(count: int, word: str) -> str:
    """`1 section`, `2 sections`."""
    return f"{number(count)} {word}" if count == 1 else f"{number(count)} {word}s"
