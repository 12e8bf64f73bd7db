"""A tool's section: it speaks only where the tool can be called."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.prompt import AssembleContext


def while_visible(ctx: Context, tool: str, text: str) -> Callable[[AssembleContext], str]:
    """A text provider that gives `text`, or nothing where a restriction hides `tool` from the scope."""

    def guidance(assembly: AssembleContext) -> str:
        visible = ctx.tools.visible(assembly.scope)
        return text if any(schema.name == tool for schema in visible) else ""

    return guidance
