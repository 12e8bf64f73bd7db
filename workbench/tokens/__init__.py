"""Offline token counts, each with a label that says how far it can be trusted.

Importing this room loads no vocabulary and no encoder; the first count does, in a thread.
"""

from workbench.tokens.budgets import BudgetsLike, BudgetUse, budget_uses
from workbench.tokens.count import Count, Label
from workbench.tokens.counter import TokenCounter
from workbench.tokens.difference import TokenDifference
from workbench.tokens.estimate import estimated_tokens
from workbench.tokens.prompt_counts import (
    PromptCounts,
    PromptTexts,
    cached_prompt_counts,
    count_prompt,
    count_prompt_now,
)

__all__ = [
    "BudgetUse",
    "BudgetsLike",
    "Count",
    "Label",
    "PromptCounts",
    "PromptTexts",
    "TokenCounter",
    "TokenDifference",
    "budget_uses",
    "cached_prompt_counts",
    "count_prompt",
    "count_prompt_now",
    "estimated_tokens",
]
