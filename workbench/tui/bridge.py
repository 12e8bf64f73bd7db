"""From any number of events of the runtime to one message per frame, so that the loop is not starved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from textual.message import Message

FRAME = 1 / 30
"""Seconds between two messages, at least."""


@dataclass
class Changed(Message):
    """Something that the workbench looks at has changed since the last message."""

    topics: frozenset[str]


class _Clock(Protocol):
    def set_timer(self, delay: float, callback: Callable[[], None], *, name: str) -> object: ...
    def post_message(self, message: Message) -> bool: ...


class Bridge:
    """Collects topics until the frame is over."""

    def __init__(self, app: _Clock) -> None:
        self._app = app
        self._topics: set[str] = set()
        self.is_due = False
        """A message is about to be posted."""

    def mark(self, topic: str) -> None:
        """Notes that something changed; cheap enough for a flood."""
        self._topics.add(topic)
        if not self.is_due:
            self.is_due = True
            self._app.set_timer(FRAME, self._flush, name="bridge")

    def _flush(self) -> None:
        self.is_due = False
        topics, self._topics = frozenset(self._topics), set()
        self._app.post_message(Changed(topics))
