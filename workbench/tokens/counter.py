"""Counting for one model: loaded on first use, off the loop, and each text once.

counter = TokenCounter.for_model("deepseek-chat")
system, tools = await counter.count_many([system_text, tools_text])
counter.cached(system_text)     # at once: the count, or None when the text was not counted yet
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

from workbench.tokens.cache import TextCache
from workbench.tokens.count import Count, Label
from workbench.tokens.difference import TokenDifference, estimated_difference, first_difference
from workbench.tokens.encoding import Encoding
from workbench.tokens.estimate import estimated_tokens
from workbench.tokens.ids import encoded
from workbench.tokens.models import vocabulary_of
from workbench.tokens.vocabularies import Encoder

Result = TypeVar("Result")


class TokenCounter:
    """Counts texts as one model would read them. Counters of one vocabulary share what they loaded."""

    def __init__(self, model: str, encoding: Encoding | None) -> None:
        self.model = model
        self._encoding = encoding
        self._cache = TextCache() if encoding is None else encoding.cache

    @classmethod
    def for_model(cls, model: str | None) -> TokenCounter:
        """The counter for a model's name. Nothing is loaded yet; a model that is not known gets estimates."""
        vocabulary = vocabulary_of(model) if model else None
        return cls(model or "", None if vocabulary is None else Encoding.of(vocabulary))

    @property
    def vocabulary(self) -> str | None:
        """Name of the vocabulary; None: no package carries one for this model."""
        return None if self._encoding is None else self._encoding.vocabulary.name

    @property
    def is_ready(self) -> bool:
        """Whether a count costs no loading any more."""
        return self._encoding is None or self._encoding.is_loaded

    def cached(self, text: str) -> Count | None:
        """The count of a text that was counted before, at once; None: it was not, or not lately."""
        return self._cache.get(text) if text else Count(0, Label.EXACT)

    async def count(self, text: str) -> Count:
        """Count one text."""
        return (await self.count_many([text]))[0]

    async def count_many(self, texts: Iterable[str]) -> list[Count]:
        """Count texts in a thread, in their order. At once when all of them were counted before.

        When it is cancelled, the thread stops at the next piece of a text.
        """
        wanted = list(texts)
        counts = [count for count in map(self.cached, wanted) if count is not None]
        if len(counts) == len(wanted):
            return counts
        return await _in_thread(lambda given_up: self._count_all(wanted, given_up))

    def count_now(self, text: str) -> Count:
        """Count here: for threads and scripts, not for an event loop."""
        return self.count_many_now([text])[0]

    def count_many_now(self, texts: Iterable[str]) -> list[Count]:
        """`count_now` for several texts."""
        return self._count_all(texts, threading.Event())

    async def first_difference(self, before: str, after: str) -> TokenDifference:
        """Where the tokens of two texts part, found in a thread."""
        return await _in_thread(lambda given_up: self._difference(before, after, given_up))

    def first_difference_now(self, before: str, after: str) -> TokenDifference:
        """`first_difference`, here: for threads and scripts."""
        return self._difference(before, after, threading.Event())

    async def load(self) -> None:
        """Get ready in a thread, so that the first count comes sooner. Never fails."""
        if not self.is_ready:
            await asyncio.to_thread(self._encoder)

    # -- inside a thread ---------------------------------------------------------------------------------

    def _encoder(self) -> Encoder | None:
        return None if self._encoding is None else self._encoding.encoder()

    def _count_all(self, texts: Iterable[str], given_up: threading.Event) -> list[Count]:
        return [self.cached(text) or self._count(text, given_up) for text in texts]

    def _count(self, text: str, given_up: threading.Event) -> Count:
        encoder = self._encoder()
        if encoder is None:
            count = Count(estimated_tokens(text), Label.ESTIMATE, self._why_estimated())
        else:
            tokens, doubt = 0, ""
            for piece in encoded(encoder, text, given_up):
                tokens += len(piece.ids)
                doubt = doubt or piece.doubt
            count = Count(tokens, Label.CLOSE if doubt else Label.EXACT, doubt)
        self._cache.put(text, count)
        return count

    def _difference(self, before: str, after: str, given_up: threading.Event) -> TokenDifference:
        encoder = self._encoder()
        if encoder is None:
            return estimated_difference(before, after, self._why_estimated())
        return first_difference(encoder, before, after, given_up)

    def _why_estimated(self) -> str:
        if self._encoding is not None:
            return self._encoding.failure
        return f"no vocabulary is known for {self.model}" if self.model else "no model is named"


async def _in_thread(work: Callable[[threading.Event], Result]) -> Result:
    """Wait for work in a thread; whoever stops waiting stops the work."""
    given_up = threading.Event()
    try:
        return await asyncio.to_thread(work, given_up)
    finally:
        given_up.set()
