"""Token ids of a text, piece by piece."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.tokens.pieces import pieces
from workbench.tokens.vocabularies import Encoder

_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATES_REPLACED = "it holds halves of characters, counted as U+FFFD"
_CUT_ANYWHERE = "it holds a run of characters too long to be counted in one piece"


class GivenUp(Exception):
    """Nobody waits for the result any more."""


@dataclass(frozen=True, slots=True)
class PieceIds:
    """The tokens of one piece of a text."""

    ids: list[int]
    doubt: str
    """Why the model might not read these; empty when it does."""


def encoded(encoder: Encoder, text: str, given_up: threading.Event) -> Iterator[PieceIds]:
    """Encode a text. Raises `GivenUp` between two pieces."""
    parts, is_cut_safely = pieces(text)
    doubt = encoder.doubt if is_cut_safely else _CUT_ANYWHERE
    for part in parts:
        if given_up.is_set():
            raise GivenUp
        try:
            yield PieceIds(encoder.encode(part), doubt)
        except UnicodeEncodeError:  # no encoding for transport carries them either
            yield PieceIds(encoder.encode(_SURROGATE.sub("\ufffd", part)), _SURROGATES_REPLACED)
