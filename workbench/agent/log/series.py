"""The requests of one session compared, each with the one before it, in one pass over its log.

As long as messages were only appended nothing has to be compared: then the earlier request is a prefix of the
later one. Source: docs/sessions.md 6.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from workbench.agent.log.canonical import message_line, system_line, tool_line
from workbench.agent.log.header import RequestHeader
from workbench.agent.log.prefix import Divergence, first_divergence
from workbench.values.frozen import FrozenDict


class Conversation(Protocol):
    """The messages that requests are made of, such as a `Surface`."""

    replacements: int
    """As long as it stands still, messages were only appended."""

    def __len__(self) -> int: ...
    def messages(self) -> tuple[FrozenDict, ...]: ...
    def messages_from(self, node: int) -> list[FrozenDict]: ...


@dataclass(slots=True)
class _Request:
    """What is kept of the request before."""

    header: RequestHeader
    header_seq: int | None
    replacements: int
    nodes: int
    messages: tuple[FrozenDict, ...]
    head_length: int = 0
    """Canonical bytes of system text and tools."""
    head_characters: int = 0
    body_length: int = 0
    """Of the messages."""
    body_characters: int = 0

    @property
    def length(self) -> int:
        """Canonical bytes of all."""
        return self.head_length + self.body_length

    @property
    def characters(self) -> int:
        return self.head_characters + self.body_characters


class RequestSeries:
    """Compares consecutive requests. `next` is called for each, in order."""

    def __init__(self) -> None:
        self._last: _Request | None = None

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
        if _same_texts(last, current):
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
        # Where the texts before the messages differ, no more than the first message can be reached.
        if {"system", "tools"} & set(last.header.changes_to(header)):
            before, after = (each.header.request(each.messages[:1]) for each in (last, current))
            found = first_divergence(before, after, logged_cause=cause)
            if found.kind in ("system", "tools"):
                return found
        before, after = (each.header.request(each.messages) for each in (last, current))
        return first_divergence(before, after, logged_cause=cause)

    def _measured(self, header: RequestHeader, header_seq: int | None, surface: Conversation) -> _Request:
        """The request, with its size from that of the last one as far as that is the same."""
        last = self._last
        current = _Request(header, header_seq, surface.replacements, len(surface), surface.messages())
        if last is not None and last.header is header:
            current.head_length, current.head_characters = last.head_length, last.head_characters
        else:
            head = [system_line(header.system)] if header.system else []
            head += [tool_line(tool) for tool in header.tools]
            current.head_length, current.head_characters = _measure(head)
        if last is not None and last.replacements == surface.replacements:
            length, characters = _measure(message_line(each) for each in surface.messages_from(last.nodes))
            current.body_length = last.body_length + length
            current.body_characters = last.body_characters + characters
        else:
            current.body_length, current.body_characters = _measure(map(message_line, current.messages))
        return current


def _measure(lines: Iterable[bytes]) -> tuple[int, int]:
    """Bytes and characters."""
    length = characters = 0
    for line in lines:
        length += len(line)
        characters += len(line.decode("utf-8"))
    return length, characters


def _same_texts(last: _Request, current: _Request) -> bool:
    """Whether the later request is the earlier one with messages appended."""
    if last.replacements != current.replacements:
        return False
    if last.header is current.header:
        return True
    return not {"system", "tools"} & set(last.header.changes_to(current.header))
