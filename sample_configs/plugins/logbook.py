"""Two listeners of `system-prompt/assemble` that grow a prompt together, for the sample growing.yml."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from workbench.core import Context
from workbench.prompt import AssembleContext, NamedText, PromptAssembly, render_prompt

Next = Callable[[], Awaitable[PromptAssembly]]

ASSEMBLE = "system-prompt/assemble"
RULES = "\n".join(f"Rule {number}: leave page {number} of the logbook as it is." for number in range(1, 13))


def keep_kit(ctx: Context) -> None:
    """The mistake: a copy of the last prompt is put in front of the next one, copies and all."""
    kept = ""

    async def keep(assembly: PromptAssembly, context: AssembleContext, next: Next) -> PromptAssembly:
        nonlocal kept
        result = await next()
        if kept:
            result.sections.insert(0, NamedText("keep:previous", kept, literal=True))
        kept = render_prompt(result)
        return result

    ctx.on(ASSEMBLE, keep)


def tail_kit(ctx: Context) -> None:
    """Appends its rules, once for each prompt. Alone it is harmless."""

    async def append(assembly: PromptAssembly, context: AssembleContext, next: Next) -> PromptAssembly:
        assembly.sections.append(NamedText("tail:rules", RULES))
        return await next()

    ctx.on(ASSEMBLE, append)
