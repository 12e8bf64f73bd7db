"""What a count is: a number of tokens, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Label(StrEnum):
    """How a count came to be."""

    EXACT = "exact"
    """By the model's own vocabulary and rules of splitting."""
    CLOSE = "close"
    """By a vocabulary or a form of the text that is near to the model's own."""
    ESTIMATE = "estimate"
    """From the characters alone."""

    @property
    def sign(self) -> str:
        """What stands before the number, so that it is never read as more than it is."""
        return _SIGNS[self]


_SIGNS = {Label.EXACT: "", Label.CLOSE: "≈", Label.ESTIMATE: "~"}
_WEAKEST_FIRST = (Label.ESTIMATE, Label.CLOSE, Label.EXACT)


@dataclass(frozen=True, slots=True)
class Count:
    """Tokens of one text."""

    tokens: int
    label: Label
    reason: str = ""
    """Why it is not exact; empty when it is."""

    def __str__(self) -> str:
        return f"{self.label.sign}{self.tokens:,}"

    def at_best(self, label: Label, reason: str) -> Count:
        """The same number with a label that promises no more than `label` does."""
        if _WEAKEST_FIRST.index(self.label) <= _WEAKEST_FIRST.index(label):
            return self
        return Count(self.tokens, label, reason)


def total(counts: list[Count]) -> Count:
    """The sum of texts that a provider reads apart from each other; as weak as its weakest member."""
    weakest = min(counts, key=lambda count: _WEAKEST_FIRST.index(count.label), default=Count(0, Label.EXACT))
    return Count(sum(count.tokens for count in counts), weakest.label, weakest.reason)
