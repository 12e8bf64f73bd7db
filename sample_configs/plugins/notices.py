"""A tool that adds to the prompt on purpose, for the sample session-package.yml."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from workbench.core import Context
from workbench.prompt import ToolSchema

name = "harbour-office"
inject = ["system_prompt", "tools"]

START = ToolSchema(
    name="start_notices",
    description="Start the notices to mariners: from the next step on, each answer ends with the notices in force.",
    parameters={"type": "object", "properties": {}, "additionalProperties": False},
)


def notices(ctx: Context) -> None:
    """What is started: one section, behind the tools."""
    ctx.system_prompt.section("notices:mariners", 4000, "End each answer with the notices to mariners in force.")


def apply(ctx: Context) -> None:
    """The tool loads a plugin while the session runs, and says so in its log."""

    async def start(_arguments: Mapping[str, Any], run: Any) -> str:
        plugin = SimpleNamespace(name="notices", inject=["system_prompt"], owner_kind="package", apply=notices)
        await ctx.plugin(plugin)
        run.agent.declare("package", "package notices was started by the agent", "notices")
        return "The notices run."

    ctx.tools.register(START, start)
