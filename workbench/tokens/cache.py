"""Counts by text, without keeping the texts."""

from __future__ import annotations

import threading

from workbench.tokens.count import Count

ENTRIES = 16_384
"""A few megabytes. The largest known prompts have some thousand parts."""


class TextCache:
    """The counts of the texts that were counted last.

    A text is known by its hash and length: 64 random bits of this process, which no author of a text knows.
    """

    def __init__(self, entries: int = ENTRIES) -> None:
        self._entries = entries
        self._counts: dict[tuple[int, int], Count] = {}
        self._lock = threading.Lock()

    def get(self, text: str) -> Count | None:
        """The count, if it is known."""
        return self._counts.get((hash(text), len(text)))

    def put(self, text: str, count: Count) -> None:
        """Keep a count, and forget the oldest one when there are too many."""
        with self._lock:
            self._counts.pop((hash(text), len(text)), None)
            self._counts[hash(text), len(text)] = count
            if len(self._counts) > self._entries:
                del self._counts[next(iter(self._counts))]
