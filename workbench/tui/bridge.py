"""From any number of events of the runtime to one message per frame, so that the loop is not starved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from textual.message import Message

FRAME = 1 / 30
"""Seconds between two messages, at least."""


@dataclass
class Changed(Message):
    """Something that the workbench looks at has changed since the last message."""

    topics: frozenset[str]


class Bridge:
    """Collects topics until the frame is over.

    Events come from tasks of the runtime, which know nothing of the app: hence the loop's own timer.
    """

    def __init__(self, post: Callable[[Message], object]) -> None:
        self._post = post
        self._topics: set[str] = set()
        self._flush_due: asyncio.TimerHandle | None = None

    def mark(self, topic: str) -> None:
        """Notes that something changed; cheap enough for a flood."""
        self._topics.add(topic)
        if self._flush_due is None:
            self._flush_due = asyncio.get_running_loop().call_later(FRAME, self._flush)

    @property
    def is_due(self) -> bool:
        """A message is about to be posted."""
        return self._flush_due is not None

    def close(self) -> None:
        """Posts nothing any more."""
        if self._flush_due is not None:
            self._flush_due.cancel()
            self._flush_due = None

    def _flush(self) -> None:
        self._flush_due = None
        topics, self._topics = frozenset(self._topics), set()
        self._post(Changed(topics))
