"""Budgets of a composition against the counts of a prompt."""

from __future__ import annotations

from tests.tokens.samples import Preview
from workbench.config.model import Budgets, PartBudget
from workbench.tokens import PromptTexts, TokenCounter, budget_uses, count_prompt_now

COUNTS = count_prompt_now(TokenCounter.for_model("deepseek-chat"), PromptTexts.of(Preview()))
UNRENDERED = count_prompt_now(TokenCounter.for_model("deepseek-chat"), PromptTexts.of(Preview(system=None)))


def test_without_limits_there_is_nothing_to_use() -> None:
    assert budget_uses(Budgets(), COUNTS) == ()


def test_wholes_come_first() -> None:
    uses = budget_uses(Budgets(whole=1_000, runtime_context=10, tools=1, section=100), COUNTS)
    assert [use.part for use in uses] == ["whole", "runtime_context", "tools", "section", "section", "section"]
    assert [use.state for use in uses[:3]] == ["within", "within", "over"]


def test_near_and_over() -> None:
    assert COUNTS.system is not None
    tokens = COUNTS.system.tokens
    assert [budget_uses(Budgets(whole=limit), COUNTS)[0].state for limit in (tokens - 1, tokens, tokens * 2)] == [
        "over",
        "near",
        "within",
    ]
    [use] = budget_uses(Budgets(whole=tokens - 1), COUNTS)
    assert use.excess == 1
    assert use.share > 1


def test_a_limit_of_nothing_is_exceeded_by_one_token() -> None:
    [use] = budget_uses(Budgets(whole=0), COUNTS)
    assert use.state == "over"


def test_a_named_part_goes_before_any_part_and_the_first_name_counts() -> None:
    parts = (PartBudget(7, section="place"), PartBudget(8, section="place"), PartBudget(9, tool="bash"))
    uses = budget_uses(Budgets(section=1, parts=parts), COUNTS)
    assert [(use.part, use.name, use.limit) for use in uses] == [
        ("section", "identity", 1),
        ("section", "place", 7),
        ("section", "empty", 1),
        ("tool", "bash", 9),
    ]


def test_a_limit_of_what_is_not_there_is_unknown() -> None:
    [named] = budget_uses(Budgets(parts=(PartBudget(7, context="date"),)), COUNTS)
    assert (named.name, named.state, named.share, named.excess) == ("date", "unknown", 0.0, 0)
    [whole] = budget_uses(Budgets(whole=5), UNRENDERED)
    assert whole.state == "unknown"
