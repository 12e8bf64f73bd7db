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
        if not prefix.lost and not conversation:
            said = f"nothing that was sent is lost, {behind}{prefix.read_anew:,} tokens are new"
            return f"{_where(prefix.first)}; {said}"
        return (
            f"{_where(prefix.first)}; the prefix breaks at token {sign}{prefix.number:,}, "
            f"{behind}{prefix.read_anew:,} tokens are read anew{said}"
        )
    first = request.prompts.first
    if first is None:
        return ""
    return f"{_where(first)}; it is appended as a message, and breaks nothing"


def _where(first: FirstChange) -> str:
    place = f" ({first.position})" if first.position is not None else ""
    return f"{first.part} {first.name} of {first.owner.plugin} is {first.action}{place}"
