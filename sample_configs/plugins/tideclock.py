"""A clock with seconds near the top of a prompt, for the sample session-clock.yml."""

from __future__ import annotations

from workbench.core import Context
from workbench.prompt import AssembleContext

name = "clock-kit"
inject = ["system_prompt"]


def apply(ctx: Context) -> None:
    """The mistake: a value that is another one in each request stands before all that never changes."""
    seconds = 0

    def now(context: AssembleContext) -> str:
        nonlocal seconds
        if context.signal is not None:  # a request, not a look at what would be sent
            seconds += 1
        return f"Time: 2031-02-03 04:05:{seconds:02d}"

    ctx.system_prompt.section("clock:now", -10, now)
