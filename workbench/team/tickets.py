"""Tickets: the unit of work of one Executor.

Source: docs/team.md 1 and 6.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from workbench.team.compose import RuntimeEnv
from workbench.team.config import Rule
from workbench.team.snapshot import TeamSnapshot


@dataclass(frozen=True, slots=True)
class Ticket:
    """What an Executor works on."""

    id: str
    kind: Literal["explicit", "inferred"] = "explicit"
    """Whether a person asked for it, or the policy matched something."""
    environment: tuple[tuple[str, str], ...] = ()
    """Environment lines beside that of the Ticket itself."""
    matched_rules: tuple[Rule, ...] = ()
    """Of an inferred Ticket, as they were when it was created. Later edits of the policy change nothing here."""

    @classmethod
    def inferred(
        cls, id: str, snapshot: TeamSnapshot, rule_ids: Iterable[str], environment: Iterable[tuple[str, str]] = ()
    ) -> Ticket:
        """A Ticket that these enabled rules of the snapshot matched. Raises `KeyError` for others."""
        rules = {rule.id: rule for rule in snapshot.config.policy.enabled_rules()}
        return cls(id, "inferred", tuple(environment), tuple(rules[each] for each in rule_ids))

    @property
    def env(self) -> RuntimeEnv:
        """What its Executor's prompt is made with."""
        lines = (("ticket", self.id), *self.environment)
        return RuntimeEnv(lines, self.matched_rules if self.kind == "inferred" else None)
