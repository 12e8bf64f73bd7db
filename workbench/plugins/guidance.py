"""What a tool's section says: the prose stands in `texts/`, and speaks only where the tool can be called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.prompt import TextSource

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.prompt import AssembleContext

_TEXTS = Path(__file__).parent / "texts"


def register_guidance(ctx: Context, tool: str, position: str, text_name: str | None = None) -> None:
    """Register `tool:NAME` at a named position, with the text `texts/NAME.md` or that of another name.

    Where a restriction hides the tool from a scope, the section is empty.
    """
    file = _TEXTS / f"{text_name or tool}.md"
    text = file.read_text(encoding="utf-8").removesuffix("\n")

    def guidance(assembly: AssembleContext) -> str:
        visible = ctx.tools.visible(assembly.scope)
        return text if any(schema.name == tool for schema in visible) else ""

    prompt = ctx.system_prompt
    order = prompt.get_section_order(position)
    prompt.section(f"tool:{tool}", order, guidance, source=TextSource(str(file), 1, 1))
