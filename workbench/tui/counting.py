"""Sizes of a preview in tokens. Nothing of the tokens room is imported before the first count."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from workbench.prompt.views import Preview
from workbench.tui.view.sizes import Sizes

if TYPE_CHECKING:
    from workbench.config.model import Budgets
    from workbench.tokens import BudgetUse, PromptCounts, PromptTexts


def model_of(preview: Preview) -> str | None:
    """The model that reads it, where the variable `model` says so."""
    named = (each.value for each in preview.variables if each.name == "model" and each.state == "effective")
    return next(named, None)


def is_quick(preview: Preview) -> bool:
    """Whether a count costs no import and no vocabulary any more."""
    if "workbench.tokens" not in sys.modules:
        return False
    from workbench.tokens import TokenCounter

    return TokenCounter.for_model(model_of(preview)).is_ready


async def sizes_of(preview: Preview, budgets: Budgets | None = None) -> Sizes:
    """Counts everything for the model of the preview, in a thread; cached texts cost nothing."""
    texts = await asyncio.to_thread(_texts_of, preview)
    from workbench.tokens import TokenCounter, budget_uses, count_prompt

    counts = await count_prompt(TokenCounter.for_model(model_of(preview)), texts)
    if budgets is None:
        return Sizes(counts)
    is_in_tokens = budgets.unit == "tokens"
    uses = budget_uses(budgets, counts if is_in_tokens else _in_characters(texts))
    by_part: dict[tuple[str, str], BudgetUse] = {(use.part, use.name): use for use in uses}
    return Sizes(counts, by_part, "tok" if is_in_tokens else "chars")


def _texts_of(preview: Preview) -> PromptTexts:
    """In a thread: the import takes a while, and so do many schemas."""
    from workbench.tokens import PromptTexts

    return PromptTexts.of(preview)


def _in_characters(texts: PromptTexts) -> PromptCounts:
    from workbench.tokens import Count, Label, PromptCounts

    def count(text: str) -> Count:
        return Count(len(text), Label.EXACT)

    return PromptCounts(
        model="",
        sections={name: count(text) for name, text in texts.sections.items()},
        contexts={name: count(text) for name, text in texts.contexts.items()},
        tools={name: count(text) for name, text in texts.tools.items()},
        system=None if texts.system is None else count(texts.system),
        context=None if texts.context is None else count(texts.context),
        all_tools=count(texts.all_tools),
    )
