"""A plugin whose section computes its text, and cannot, for the sample broken-provider.yml."""

from __future__ import annotations

from workbench.core import Context
from workbench.prompt import AssembleContext

name = "barometer"
inject = ["system_prompt"]


def apply(ctx: Context) -> None:
    """A text may be a function: it is asked anew for every assembly."""
    readings: dict[str, int] = {}

    def weather(context: AssembleContext) -> str:
        return f"The barometer stands at {readings['hPa']} hPa."

    ctx.system_prompt.section("weather:now", 150, weather)
