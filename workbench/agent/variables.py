"""The plugin that registers `model`, `cwd` and `provider`: projections of the agent that a prompt is made for.

Source: docs/agents.md 8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.prompt import AssembleContext
    from workbench.prompt.contributions import VariableProvider

name = "agent"
inject = ["system_prompt"]
owner_kind = "harness"

AGENT_VARIABLES = ("model", "cwd", "provider")


def apply(ctx: Context) -> None:
    """Three projections of `context.agent`; without an agent or the fact they have no value."""
    for fact in AGENT_VARIABLES:
        ctx.system_prompt.variable(fact, _projection(fact))


def _projection(fact: str) -> VariableProvider:
    def project(context: AssembleContext) -> str | None:
        value: str | None = getattr(context.agent, fact, None)
        return value

    return project
