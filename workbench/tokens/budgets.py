"""How much of its budgets a prompt uses, in tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from workbench.tokens.count import Count
from workbench.tokens.prompt_counts import PromptCounts

Part = Literal["whole", "runtime_context", "tools", "section", "context", "tool"]
"""The keys of a composition's budgets: three wholes, then any one of the parts."""
State = Literal["within", "near", "over", "unknown"]

NEAR = 0.9
"""Share of a budget from which on it is nearly used up."""


class PartBudgetLike(Protocol):
    """The limit of the one part that is named."""

    @property
    def limit(self) -> int: ...
    @property
    def section(self) -> str | None: ...
    @property
    def context(self) -> str | None: ...
    @property
    def tool(self) -> str | None: ...


class BudgetsLike(Protocol):
    """The most tokens that a prompt and its parts should have; None: as many as they like."""

    @property
    def whole(self) -> int | None: ...
    @property
    def runtime_context(self) -> int | None: ...
    @property
    def tools(self) -> int | None: ...
    @property
    def section(self) -> int | None: ...
    @property
    def context(self) -> int | None: ...
    @property
    def tool(self) -> int | None: ...
    @property
    def parts(self) -> Sequence[PartBudgetLike]: ...


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """How much of one budget is used."""

    part: Part
    name: str
    """Name of the section, context or tool; empty for a whole."""
    limit: int
    count: Count | None
    """None: it could not be rendered, or there is no such part."""

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


def budget_uses(budgets: BudgetsLike, counts: PromptCounts) -> tuple[BudgetUse, ...]:
    """Every limit that is set, with its use: the wholes first, then each part that is limited, in order."""
    wholes: tuple[tuple[Part, int | None, Count | None], ...] = (
        ("whole", budgets.whole, counts.system),
        ("runtime_context", budgets.runtime_context, counts.context),
        ("tools", budgets.tools, counts.all_tools),
    )
    found = [BudgetUse(part, "", limit, count) for part, limit, count in wholes if limit is not None]
    return (*found, *_part_uses(budgets, counts))


def _part_uses(budgets: BudgetsLike, counts: PromptCounts) -> Iterator[BudgetUse]:
    named = tuple(reversed(budgets.parts))  # of two limits for one part the first counts
    sections = {each.section: each.limit for each in named if each.section is not None}
    contexts = {each.context: each.limit for each in named if each.context is not None}
    tools = {each.tool: each.limit for each in named if each.tool is not None}
    yield from _uses_of("section", budgets.section, sections, counts.sections)
    yield from _uses_of("context", budgets.context, contexts, counts.contexts)
    yield from _uses_of("tool", budgets.tool, tools, counts.tools)


def _uses_of(
    part: Part, limit_of_any: int | None, limits: Mapping[str, int], counts: Mapping[str, Count]
) -> Iterator[BudgetUse]:
    for name in dict.fromkeys((*counts, *limits)):
        limit = limits.get(name, limit_of_any)
        if limit is not None:
            yield BudgetUse(part, name, limit, counts.get(name))
