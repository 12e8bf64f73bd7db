"""The requests of one session compared, each with the one before it, in one pass over its log.

As long as messages were only appended nothing has to be compared: then the earlier request is a prefix of the
later one. Where they have to be, what both have in common is never read. Source: docs/sessions.md 6.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

from workbench.agent.log.canonical import head_lines, message_line
from workbench.agent.log.header import RequestHeader
from workbench.agent.log.prefix import Divergence, NamedLine, difference_in_lines
from workbench.agent.log.read_surface import Conversation, Messages
from workbench.values.frozen import FrozenDict


class Measured:
    """Sizes of each message of the last request, taken once for as long as it is the same message."""

    def __init__(self, *measures: str, measure: Callable[[FrozenDict], tuple[int, ...]]) -> None:
        """`measures` names what `measure` gives of a message, such as bytes and characters."""
        self._measure = measure
        self._messages: Messages | None = None
        self._replacements = -1
        self.of_each = tuple(array("Q") for _ in measures)
        """Of each measure, in the order of the messages."""
        self.totals = [0 for _ in measures]

    def take(self, messages: Messages, replacements: int) -> None:
        """Those of the next request."""
        last = self._messages
        known: dict[object, tuple[int, ...]] = {}
        if last is None or replacements != self._replacements or len(messages) < len(last):
            if last is not None:
                known = {last.key(index): sizes for index, sizes in enumerate(zip(*self.of_each, strict=True))}
            self.of_each = tuple(array("Q") for _ in self.totals)
            self.totals = [0 for _ in self.totals]
        for index in range(len(self.of_each[0]), len(messages)):
            sizes = known.get(messages.key(index)) if known else None
            for nth, size in enumerate(sizes or self._measure(messages[index])):
                self.of_each[nth].append(size)
                self.totals[nth] += size
        self._messages, self._replacements = messages, replacements


@dataclass(slots=True)
class _Request:
    """What is kept of a request."""

    header: RequestHeader
    header_seq: int | None
    replacements: int
    messages: Messages
    head: tuple[bytes, ...]
    """Canonical lines of system text and tools."""
    head_length: int = 0
    """Bytes of them."""
    head_characters: int = 0
    length: int = 0
    """Canonical bytes of all."""
    characters: int = 0
    lines: int = field(init=False)

    def __post_init__(self) -> None:
        self.lines = len(self.head) + len(self.messages)

    def line(self, index: int) -> bytes:
        """A canonical line."""
        if index < len(self.head):
            return self.head[index]
        return message_line(self.messages[index - len(self.head)])

    def named_line(self, index: int) -> NamedLine | None:
        """With what it is; None behind the last one."""
        if index >= self.lines:
            return None
        if index >= len(self.head):
            return NamedLine("messages", f"message[{index - len(self.head)}]", self.line(index))
        if index == 0 and self.header.system:
            return NamedLine("system", "system", self.line(index))
        return NamedLine("tools", f"tool[{index - bool(self.header.system)}]", self.line(index))


class RequestSeries:
    """Compares consecutive requests. `next` is called for each, in order."""

    def __init__(self) -> None:
        self._last: _Request | None = None
        self._sizes = Measured("bytes", "characters", measure=_size)

    @property
    def length(self) -> int:
        """Canonical bytes of the last request."""
        return 0 if self._last is None else self._last.length

    def next(
        self, header: RequestHeader, header_seq: int | None, surface: Conversation, cause: str | None = None
    ) -> Divergence | None:
        """How the request of `header` and `surface` goes on from the last one.

        None when that cannot be said: the log holds placeholders for texts that may have changed.
        """
        last, current = self._last, self._measured(header, header_seq, surface)
        self._last = current
        if last is None:
            return Divergence(kind="cold", logged_cause=cause)
        if (last.header.config.provider, last.header.config.model) != (header.config.provider, header.config.model):
            return Divergence(kind="route", logged_cause=cause)
        has_placeholders = last.header.not_recorded or header.not_recorded
        if has_placeholders and last.header_seq != header_seq:
            return None
        if last.replacements == current.replacements and last.head == current.head:
            has_more = current.length > last.length
            return Divergence(
                kind="none",
                byte_offset=last.length,
                char_offset=last.characters,
                segment=f"message[{len(last.messages)}]" if has_more else "",
                segment_start=last.length,
                reused_tokens=last.characters // 4,
                logged_cause=cause,
            )
        return self._compared(last, current, cause)

    def _compared(self, last: _Request, current: _Request, cause: str | None) -> Divergence:
        """Line by line, up to the first that differs."""
        at, least = 0, min(last.lines, current.lines)
        while at < least and self._is_same(last, current, at):
            at += 1
        heads = current.head[:at]
        behind = at - len(heads)
        lengths, texts = self._sizes.of_each
        offset = sum(map(len, heads)) + sum(lengths[:behind])
        characters = sum(map(_characters, heads)) + sum(texts[:behind])
        return difference_in_lines(
            last.named_line(at),
            current.named_line(at),
            offset,
            characters,
            logged_cause=cause,
        )

    def _is_same(self, last: _Request, current: _Request, at: int) -> bool:
        if at >= len(last.head) and len(last.head) == len(current.head):
            nth = at - len(last.head)
            if last.messages.key(nth) == current.messages.key(nth):
                return True
        return last.line(at) == current.line(at)

    def _measured(self, header: RequestHeader, header_seq: int | None, surface: Conversation) -> _Request:
        """The request, with its size from that of the last one as far as that is the same."""
        last, messages = self._last, surface.messages()
        if last is not None and last.header is header:
            head, length, characters = last.head, last.head_length, last.head_characters
        else:
            head = tuple(head_lines(header))
            length, characters = sum(map(len, head)), sum(map(_characters, head))
            if last is not None and head == last.head:
                head = last.head
        self._sizes.take(messages, surface.replacements)
        return _Request(
            header,
            header_seq,
            surface.replacements,
            messages,
            head,
            length,
            characters,
            length + self._sizes.totals[0],
            characters + self._sizes.totals[1],
        )


def _size(message: FrozenDict) -> tuple[int, int]:
    """Bytes and characters of its canonical line."""
    line = message_line(message)
    return len(line), _characters(line)


def _characters(line: bytes) -> int:
    return len(line) if line.isascii() else len(line.decode("utf-8"))
