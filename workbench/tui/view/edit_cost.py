"""What an edit of the files would cost the prefix, in a sentence, before it is in force."""

from __future__ import annotations

from workbench.config.difference.first_change import FirstChange
from workbench.config.difference.request import RequestDifference
from workbench.tui.view.sizes import NOT_EXACT


def cost_sentence(request: RequestDifference, conversation: int = 0) -> str:
    """Empty where nothing is another. Names in it are outside text.

    `conversation`: tokens of the messages behind system text and tools, which go with them; an estimate.
    """
    if request.is_for_another_model:
        before, after = request.models
        total = request.before.request
        tokens = 0 if total is None else total.tokens
        return (
            f"it goes to another model, {before} → {after}: nothing of ≈ {max(tokens, conversation + tokens):,} "
            "tokens can be reused"
        )
    prefix = request.prefix
    if prefix is not None:
        sign, behind = (f"{NOT_EXACT} " * (label != "exact") for label in (prefix.label, prefix.label_behind))
        said = f", and ≈ {conversation:,} of the conversation behind them" if conversation else ""
        if prefix.lost or conversation:
            cost = f"{behind}{prefix.read_anew:,} tokens are read anew{said}"
        else:
            cost = f"nothing that was sent is lost, {behind}{prefix.read_anew:,} tokens are new"
        return f"{_what(prefix.first)} at token {sign}{prefix.number:,}; {cost}{_place(prefix.first)}"
    first = request.prompts.first
    if first is None:
        return ""
    return f"{_what(first)}; it is appended as a message, and breaks nothing{_place(first)}"


def _what(first: FirstChange) -> str:
    return f"{first.part} {first.name} of {first.owner.plugin} is {first.action}"


def _place(first: FirstChange) -> str:
    return f" ({first.position})" if first.position is not None else ""
