"""Where each character of a text came from: the registration, or a listener that wrote over it.

Source: docs/prompt-assembly.md 9 and 10.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from workbench.prompt.views import Owner

_WORDS = re.compile(r"\w+\s*|\s+|[^\w\s]\s*")
"""White space goes with the word in front of it: as words of its own it would equal itself everywhere."""
_MOST_WORDS = 2000
"""Words up to which two texts are compared word by word; beyond, what differs counts as one piece."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A piece of a raw text. Offsets are code points, `end` is exclusive."""

    start: int
    end: int
    listener: Owner | None
    """The listener that wrote it; None: it is as registered."""
    registered_start: int
    """Where the piece begins in the registered text; -1 for what a listener wrote."""


def registered(text: str) -> list[Origin]:
    """All of a text is as registered."""
    return [Origin(0, len(text), None, 0)] if text else []


def written_by(listener: Owner, text: str) -> list[Origin]:
    """All of a text was written by one listener."""
    return [Origin(0, len(text), listener, -1)] if text else []


def unexplained(text: str) -> list[Origin]:
    """Nobody knows who wrote any of it: it was changed behind the back of the waterfall."""
    return [Origin(0, len(text), None, -1)] if text else []


def rewritten(origins: list[Origin], before: str, after: str, listener: Owner) -> list[Origin]:
    """The origins of `after`, which a listener made from `before`."""
    made: list[Origin] = []
    for start, end, kept_from in _pieces(before, after):
        if kept_from < 0:
            made.append(Origin(start, end, listener, -1))
            continue
        shift = start - kept_from
        kept_end = kept_from + end - start
        for origin in origins:
            low, high = max(origin.start, kept_from), min(origin.end, kept_end)
            if low < high:
                registered_start = (
                    -1 if origin.registered_start < 0 else origin.registered_start + low - origin.start
                )
                made.append(Origin(low + shift, high + shift, origin.listener, registered_start))
    return made


def _pieces(before: str, after: str) -> list[tuple[int, int, int]]:
    """`after` in pieces: start, end, and where the piece stood in `before` (-1: it is new)."""
    prefix = _common_prefix(before, after)
    suffix = _common_suffix(before[prefix:], after[prefix:])
    pieces = [(0, prefix, 0)] if prefix else []
    old, new = before[prefix : len(before) - suffix], after[prefix : len(after) - suffix]
    pieces += [
        (start + prefix, end + prefix, kept + prefix if kept >= 0 else -1)
        for start, end, kept in _compared(old, new)
    ]
    if suffix:
        pieces.append((len(after) - suffix, len(after), len(before) - suffix))
    return pieces


def _compared(old: str, new: str) -> list[tuple[int, int, int]]:
    if not new:
        return []
    old_words, new_words = _WORDS.findall(old), _WORDS.findall(new)
    if not old or len(old_words) > _MOST_WORDS or len(new_words) > _MOST_WORDS:
        return [(0, len(new), -1)]
    old_at, new_at = _offsets(old_words), _offsets(new_words)
    pieces = []
    matcher = difflib.SequenceMatcher(None, old_words, new_words, autojunk=False)
    for tag, old_low, _old_high, new_low, new_high in matcher.get_opcodes():
        if new_low < new_high:
            pieces.append((new_at[new_low], new_at[new_high], old_at[old_low] if tag == "equal" else -1))
    return pieces


def _offsets(words: list[str]) -> list[int]:
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return offsets


def _common_prefix(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle :] == other[len(other) - middle :]:
            low = middle
        else:
            high = middle - 1
    return low
