"""What is logged while a test runs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class Records(logging.Handler):
    """The log records at ERROR and above of one logger."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def messages(self) -> list[str]:
        return [record.getMessage() for record in self.records]

    def naming(self, *words: str) -> list[str]:
        """The messages that contain all of the words."""
        return [message for message in self.messages if all(word in message for word in words)]


@contextmanager
def recording(name: str) -> Iterator[Records]:
    """Record what the named logger gets inside the block."""
    records = Records()
    logger = logging.getLogger(name)
    logger.addHandler(records)
    try:
        yield records
    finally:
        logger.removeHandler(records)
