"""What a package prints: lines in bounded memory, never on anybody's terminal.

Source: docs/dynamic-packages.md 9.3.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MOST_LINES = 200
MOST_BYTES = 16 << 10


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """One line."""

    at: float
    """`time.time()`."""
    tag: str
    """`[cordis:dyn-1]`."""
    text: str

    def __str__(self) -> str:
        return f"{self.tag} {self.text}"


class Prints:
    """The newest lines of one run."""

    def __init__(self, tag: str, tell: Callable[[PrintedLine], None]) -> None:
        self._tag = tag
        self._tell = tell
        self._lines: deque[tuple[PrintedLine, int]] = deque()
        self._size = 0
        self._begun = ""
        self.dropped = 0
        """Lines that were dropped, oldest first."""

    def lines(self) -> tuple[PrintedLine, ...]:
        return tuple(line for line, _ in self._lines)

    @property
    def count(self) -> int:
        """How many lines were printed."""
        return len(self._lines) + self.dropped

    def print(self, *values: Any, sep: str | None = " ", end: str | None = "\n", **options: Any) -> None:
        """As the builtin, into this buffer. `flush` is ignored."""
        if options.pop("file", None) is not None or options.keys() - {"flush"}:
            raise TypeError(
                "print() of a package takes sep, end and flush: its lines go to the card of the package"
            )
        text = (" " if sep is None else sep).join([str(value) for value in values])
        self.write(text + ("\n" if end is None else end))

    def write(self, text: str) -> None:
        """Add text; each line end makes a line."""
        *whole, rest = (self._begun + text).split("\n")
        self._begun = rest[:MOST_BYTES]
        if len(whole) > MOST_LINES:
            self.dropped += len(whole) - MOST_LINES
            whole = whole[-MOST_LINES:]
        for line in whole:
            self._add(line)

    def flush(self) -> None:
        """What has no line end yet becomes a line."""
        if self._begun:
            begun, self._begun = self._begun, ""
            self._add(begun)

    def _add(self, text: str) -> None:
        if len(text) > MOST_BYTES // 4:
            text = f"{text[: MOST_BYTES // 4]}… ({len(text) - MOST_BYTES // 4} characters left out)"
        line = PrintedLine(time.time(), self._tag, text)
        size = len(text.encode("utf-8", "replace"))
        self._lines.append((line, size))
        self._size += size
        while len(self._lines) > MOST_LINES or self._size > MOST_BYTES:
            self._size -= self._lines.popleft()[1]
            self.dropped += 1
        self._tell(line)
