"""Budgets in tokens: for the wholes, and for parts by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from workbench.tokens.count import Count
from workbench.tokens.prompt_counts import PromptCounts

Part = Literal["request", "system", "context", "tools", "section", "context entry", "tool"]
State = Literal["within", "near", "over", "unknown"]

NEAR = 0.9
"""Share of a budget from which on it is nearly used up."""


@dataclass(frozen=True, slots=True)
class TokenBudgets:
    """The most tokens that a prompt and its parts should have. None: no limit."""

    request: int | None = None
    system: int | None = None
    context: int | None = None
    tools: int | None = None
    """Of all schemas together."""
    sections: Mapping[str, int] = field(default_factory=dict)
    contexts: Mapping[str, int] = field(default_factory=dict)
    each_tool: Mapping[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        wholes = (self.request, self.system, self.context, self.tools)
        return bool(self.sections or self.contexts or self.each_tool or any(limit is not None for limit in wholes))


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """How much of one budget is used."""

    part: Part
    name: str
    """Name of the section, context or tool; empty for a whole."""
    limit: int
    count: Count | None
    """None: there is no such part, or it could not be rendered."""

    @property
    def share(self) -> float:
        """Used part of the budget, 1.0 when it is just used up."""
        return 0.0 if self.count is None else self.count.tokens / max(1, self.limit)

    @property
    def excess(self) -> int:
        """Tokens above the budget."""
        return 0 if self.count is None else max(0, self.count.tokens - self.limit)

    @property
    def state(self) -> State:
        """Whether the budget is kept. A count that is not exact is compared as it stands."""
        if self.count is None:
            return "unknown"
        if self.excess:
            return "over"
        return "near" if self.share >= NEAR else "within"


def budget_uses(budgets: TokenBudgets, counts: PromptCounts) -> tuple[BudgetUse, ...]:
    """Every budget with its use: the wholes first, then parts by name."""
    return tuple(_uses(budgets, counts))


def _uses(budgets: TokenBudgets, counts: PromptCounts) -> Iterator[BudgetUse]:
    wholes: tuple[tuple[Part, int | None, Count | None], ...] = (
        ("request", budgets.request, counts.request),
        ("system", budgets.system, counts.system),
        ("context", budgets.context, counts.context),
        ("tools", budgets.tools, counts.all_tools),
    )
    for whole, limit, count in wholes:
        if limit is not None:
            yield BudgetUse(whole, "", limit, count)
    parts: tuple[tuple[Part, Mapping[str, int], Mapping[str, Count]], ...] = (
        ("section", budgets.sections, counts.sections),
        ("context entry", budgets.contexts, counts.contexts),
        ("tool", budgets.each_tool, counts.tools),
    )
    for part, limits, found in parts:
        for name, most in limits.items():
            yield BudgetUse(part, name, most, found.get(name))
