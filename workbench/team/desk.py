"""The orchestrator's desk: candidates that wait, where they went, and what was said to whom.

The host puts candidates on it and carries out what is decided: a function for each kind of decision. Without
one, the desk only keeps what was decided.

Source: docs/team.md 11.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import isawaitable
from typing import Any


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that came in, and is nobody's yet."""

    id: str
    context: str
    """What `orchestrator_eval` gives: the original message and what belongs to it."""


@dataclass(frozen=True, slots=True)
class Routing:
    """A candidate's way."""

    candidate: str
    to: str
    """A Ticket, `new`, or `skip`."""
    note: str


@dataclass(frozen=True, slots=True)
class Said:
    """A message that went out."""

    kind: str
    """`reply` to people, `note` to an Executor, `review`, or `unrelated` for a detached Thread."""
    to: str
    text: str
    by: str
    """The session that said it."""
    details: Mapping[str, Any] = field(default_factory=dict)


class Desk:
    """One for each deployment."""

    def __init__(self) -> None:
        self._candidates: dict[str, Candidate] = {}
        self.routed: list[Routing] = []
        """Everything that was decided, oldest first."""
        self.said: list[Said] = []
        """Everything that went out, oldest first."""
        self.on_routed: Callable[[Routing], Any] | None = None
        """Carries a decision out; sync or async."""
        self.on_said: Callable[[Said], Any] | None = None
        """Delivers a message; sync or async. What it raises is the error of the call."""

    def add(self, candidate: Candidate) -> None:
        """Put a candidate on the desk, in the place of one of its id."""
        self._candidates[candidate.id] = candidate

    def candidate(self, id: str) -> Candidate | None:
        """A candidate that waits."""
        return self._candidates.get(id)

    def waiting(self) -> tuple[str, ...]:
        """Ids of those that wait, oldest first."""
        return tuple(self._candidates)

    async def route(self, routings: list[Routing]) -> None:
        """Carry decisions out; all of them have been checked."""
        for routing in routings:
            await _called(self.on_routed, routing)
            self._candidates.pop(routing.candidate, None)
            self.routed.append(routing)

    async def say(self, said: Said) -> None:
        """Deliver a message."""
        await _called(self.on_said, said)
        self.said.append(said)


async def _called(function: Callable[[Any], Any] | None, argument: object) -> None:
    result = None if function is None else function(argument)
    if isawaitable(result):
        await result
