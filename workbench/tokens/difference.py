"""Where the tokens of two texts part: what a prefix cache can keep, and what it has to read anew."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.tokens.count import Label
from workbench.tokens.estimate import estimated_tokens
from workbench.tokens.ids import encoded
from workbench.tokens.vocabularies import Encoder

_BLOCK = 4_096
"""Items that are compared at once."""


@dataclass(frozen=True, slots=True)
class TokenDifference:
    """The first token that two texts do not share."""

    position: int
    """Tokens before it, with which both texts begin."""
    offset: int
    """Where it begins, in code points. Both texts are equal up to here."""
    tokens_before: int
    """Tokens of the first text from there on."""
    tokens_after: int
    """Tokens of the second text from there on: what has to be read anew."""
    label: Label
    reason: str = ""
    """Why it is not exact; empty when it is."""

    @property
    def is_none(self) -> bool:
        """Both texts have the same tokens."""
        return not self.tokens_before and not self.tokens_after


def first_difference(encoder: Encoder, before: str, after: str, given_up: threading.Event) -> TokenDifference:
    """Encode both texts and compare."""
    ids_before, doubt_before = _all_ids(encoder, before, given_up)
    ids_after, doubt_after = _all_ids(encoder, after, given_up)
    position = shared_length(ids_before, ids_after)
    reason = doubt_before or doubt_after
    return TokenDifference(
        position=position,
        offset=len(encoder.decode(ids_before[:position])),
        tokens_before=len(ids_before) - position,
        tokens_after=len(ids_after) - position,
        label=Label.CLOSE if reason else Label.EXACT,
        reason=reason,
    )


def estimated_difference(before: str, after: str, reason: str) -> TokenDifference:
    """Without a vocabulary: where the characters part."""
    offset = shared_length(before, after)
    return TokenDifference(
        position=estimated_tokens(before[:offset]),
        offset=offset,
        tokens_before=estimated_tokens(before[offset:]),
        tokens_after=estimated_tokens(after[offset:]),
        label=Label.ESTIMATE,
        reason=reason,
    )


def shared_length(first: Sequence[object], second: Sequence[object]) -> int:
    """How many items two sequences of one kind begin with alike."""
    shorter = min(len(first), len(second))
    for start in range(0, shorter, _BLOCK):
        if first[start : start + _BLOCK] != second[start : start + _BLOCK]:
            end = min(start + _BLOCK, shorter)
            return next((at for at in range(start, end) if first[at] != second[at]), end)
    return shorter


def _all_ids(encoder: Encoder, text: str, given_up: threading.Event) -> tuple[list[int], str]:
    ids: list[int] = []
    doubt = ""
    for piece in encoded(encoder, text, given_up):
        ids += piece.ids
        doubt = doubt or piece.doubt
    return ids, doubt
