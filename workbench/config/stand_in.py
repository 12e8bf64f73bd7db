"""Agents of a composition, until a loop runs them: what they are, and the variables that say so.

Source: docs/compositions.md 4 and docs/prompt-assembly.md 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.prompt import AssembleContext


@dataclass(frozen=True, slots=True, eq=False)
class StandInAgent:
    """What an assembly sees as `context.agent`. It is its own scope key, compared by identity."""

    name: str
    model: str | None = None
    provider: str | None = None
    cwd: str | None = None
    parent: str | None = None
    """Name of the agent that started it: lineage, which links no scopes."""


@dataclass(frozen=True, slots=True, eq=False)
class NamedScope:
    """The key of a scope that is no agent."""

    name: str


class AgentVariables:
    """The plugin that registers `model`, `cwd` and `provider`, as a loop would."""

    name = "agent"
    inject = ("system_prompt",)

    @staticmethod
    def apply(ctx: Context) -> None:
        """Three projections of `context.agent`; without an agent or the fact they have no value."""
        for fact in ("model", "cwd", "provider"):
            ctx.system_prompt.variable(fact, _projection(fact))


def _projection(fact: str) -> object:
    def project(context: AssembleContext) -> str | None:
        value: str | None = getattr(context.agent, fact, None)
        return value

    return project
