"""What a tool's section says: the prose stands in `texts/`, and speaks only where the tool can be called."""

from __future__ import annotations

from collections.abc import Callable
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
    register_section(ctx, f"tool:{tool}", position, text_name or tool, tools=(tool,))


def register_section(ctx: Context, name: str, position: str, text_name: str, tools: tuple[str, ...] = ()) -> None:
    """Register the text `texts/TEXT_NAME.md` at a named position.

    With `tools` the section is empty wherever a scope sees none of them.
    """
    text, source = shipped_text(text_name)
    prompt = ctx.system_prompt
    provider = following(ctx, text, tools) if tools else text
    prompt.section(name, prompt.get_section_order(position), provider, source=source)


def following(ctx: Context, text: str, tools: tuple[str, ...]) -> Callable[[AssembleContext], str]:
    """A provider of `text` that says nothing wherever a scope sees none of the tools."""

    def guidance(assembly: AssembleContext) -> str:
        return text if any(ctx.tools.is_visible(tool, assembly.scope) for tool in tools) else ""

    return guidance


def shipped_text(name: str) -> tuple[str, TextSource]:
    """The text `texts/NAME.md`, and where it stands."""
    file = _TEXTS / f"{name}.md"
    return file.read_text(encoding="utf-8").removesuffix("\n"), TextSource(str(file), 1, 1)
