"""Agents and scopes of a composition, as an assembly sees them until a loop runs the agents.

Source: docs/compositions.md 4.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class StandInAgent:
    """What an assembly sees as `context.agent`. It is its own scope key, compared by identity.

    An edit of its facts leaves it the same agent, so that what is registered in its scope can stay.
    """

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
