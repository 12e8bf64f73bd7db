"""How long texts are, in the unit that budgets count in: counted before the rules run, off the loop.

Source: docs/checks.md 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from workbench.check.checked_scope import CheckedScope
from workbench.config.model import Budgets


@dataclass(frozen=True, slots=True)
class Size:
    """The length of one text."""

    number: int
    written: str
    """Such as `1,200 characters` or `~300 tokens`, with the sign that says how far a count can be trusted."""

    def __str__(self) -> str:
        return self.written


@dataclass(frozen=True, slots=True)
class Sizes:
    """Lengths of texts as a scope's model reads them. Characters where nothing was counted."""

    _tokens: dict[tuple[str | None, str], Size] = field(default_factory=dict)

    def of(self, text: str, scope: CheckedScope) -> Size:
        """The length of a text of that scope."""
        return self._tokens.get((scope.model, text)) or Size(len(text), f"{len(text):,} characters")


async def sizes_of(scopes: Iterable[CheckedScope], budgets: Budgets | None) -> Sizes:
    """Everything that a budget may limit, counted for the model of each scope."""
    if budgets is None or budgets.unit == "characters":
        return Sizes()
    from workbench.tokens import TokenCounter  # only for budgets in tokens

    tokens: dict[tuple[str | None, str], Size] = {}
    for scope in scopes:
        texts = _texts_of(scope)
        counts = await TokenCounter.for_model(scope.model).count_many(texts)
        for text, count in zip(texts, counts, strict=True):
            tokens[scope.model, text] = Size(count.tokens, f"{count} tokens")
    return Sizes(tokens)


def _texts_of(scope: CheckedScope) -> list[str]:
    """The wholes of a scope and their parts, each once."""
    texts = scope.texts
    entries = (entry.rendered for entry in scope.effective_entries())
    found = (texts.system, texts.context, texts.all_tools, *entries, *texts.tools.values())
    return list(dict.fromkeys(text for text in found if text))
