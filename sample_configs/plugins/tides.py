"""Five listeners of `system-prompt/assemble`, for the sample waterfall.yml.

A plugin can be a plain function: it gets its context, and whatever it registers there is undone with it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from workbench.core import Context
from workbench.prompt import AssembleContext, NamedText, PromptAssembly

Next = Callable[[], Awaitable[PromptAssembly]]

ASSEMBLE = "system-prompt/assemble"


def house_voice(ctx: Context) -> None:
    """Changes a text that another one owns. The trace shows the difference, and blame names this plugin."""

    async def soften(assembly: PromptAssembly, context: AssembleContext, next: Next) -> PromptAssembly:
        for section in assembly.sections:
            section.text = section.text.replace("Never estimate", "Do not estimate")
        return await next()

    ctx.on(ASSEMBLE, soften)


def route_hint(ctx: Context) -> None:
    """Adds a section with order 0, which comes too late: sections have been sorted already. It lands last."""

    async def append(assembly: PromptAssembly, context: AssembleContext, next: Next) -> PromptAssembly:
        hint = "For a route along the coast, answer with the tide at each harbour on the way."
        assembly.sections.append(NamedText("route:hint", hint, order=0))
        return await next()

    ctx.on(ASSEMBLE, append)


def stopwatch(ctx: Context) -> None:
    """Waits for the rest, then works on its result. A listener has two halves: before and after `next`."""

    async def measure(assembly: PromptAssembly, context: AssembleContext, next: Next) -> PromptAssembly:
        result = await next()
        result.variables["sections"] = str(len(result.sections))
        return result

    ctx.on(ASSEMBLE, measure)


def forgetful(ctx: Context) -> None:
    """The mistake: it only wants to look, but returns without `next()`. Nothing behind it runs.

    To mend it, write `return await next()`.
    """

    async def look(assembly: PromptAssembly, context: AssembleContext, next: Next) -> PromptAssembly:
        return assembly

    ctx.on(ASSEMBLE, look)


def signature(ctx: Context) -> None:
    """Is never called, because the listener in front of it does not pass on."""

    async def sign(assembly: PromptAssembly, context: AssembleContext, next: Next) -> PromptAssembly:
        assembly.sections.append(NamedText("tides:signature", "Sign your answers with: the harbour desk."))
        return await next()

    ctx.on(ASSEMBLE, sign)
