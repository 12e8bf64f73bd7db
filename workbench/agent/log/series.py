"""The requests of one session compared, each with the one before it, in one pass over its log.

As long as messages were only appended nothing has to be compared: then the earlier request is a prefix of the
later one. Source: docs/sessions.md 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from workbench.agent.log.canonical import message_line, system_line, tool_line
from workbench.agent.log.header import RequestHeader
from workbench.agent.log.prefix import Divergence, first_divergence
from workbench.models.frozen import FrozenDict


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
    length: int
    """Canonical bytes."""
    characters: int


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
        return first_divergence(
            last.header.request(last.messages), header.request(current.messages), logged_cause=cause
        )

    def _measured(self, header: RequestHeader, header_seq: int | None, surface: Conversation) -> _Request:
        """The request, with its size from that of the last one where only messages were appended."""
        last = self._last
        current = _Request(header, header_seq, surface.replacements, len(surface), surface.messages(), 0, 0)
        if last is not None and _same_texts(last, current):
            current.length, current.characters = last.length, last.characters
            lines = [message_line(message) for message in surface.messages_from(last.nodes)]
        else:
            lines = [system_line(header.system)] if header.system else []
            lines += [tool_line(tool) for tool in header.tools]
            lines += [message_line(message) for message in current.messages]
        for line in lines:
            current.length += len(line)
            current.characters += len(line.decode("utf-8"))
        return current


def _same_texts(last: _Request, current: _Request) -> bool:
    """Whether the later request is the earlier one with messages appended."""
    if last.replacements != current.replacements:
        return False
    if last.header is current.header:
        return True
    return not {"system", "tools"} & set(last.header.changes_to(current.header))
