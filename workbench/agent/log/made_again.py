"""What a timeline tells of, made again from where it stands in the log: requests, their parts, their texts.

A timeline keeps numbers; whoever wants to read gets it from here. Source: docs/sessions.md 10 and 11.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TypeVar

from workbench.agent.log.canonical import digest_of
from workbench.agent.log.errors import LogError
from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.header import RequestHeader
from workbench.agent.log.read_surface import EventOf, Messages, ReadSurface
from workbench.agent.log.rebuild import RebuiltRequest, SentRequest
from workbench.agent.log.rows import RequestRow, RequestRows
from workbench.agent.verdicts.parts import Part, RecordedParts, fixed_parts, message_part
from workbench.values.frozen import FrozenDict

AT_ONCE = 32_000_000
"""Bytes of a request up to which its messages are held; those of a longer one are read one by one."""
KEPT = 4
"""Headers, and lists of parts, that are kept for a second look."""
K = TypeVar("K")
V = TypeVar("V")


class MadeAgain:
    """The requests of one log. Everything may raise `LogError` LOG_CHANGED, when the file is another one by now."""

    def __init__(self, event_of: EventOf, surface: ReadSurface, rows: RequestRows) -> None:
        self._surface, self._rows = surface, rows
        self._event_of = event_of
        self._headers: OrderedDict[int, RequestHeader] = OrderedDict()
        self._parts: OrderedDict[tuple[int, int | None], tuple[Part, ...]] = OrderedDict()

    def header(self, seq: int | None) -> RequestHeader:
        """That of a `request/header`. Raises `LogError` NO_REQUEST for none."""
        if seq is None:
            raise LogError("NO_REQUEST", "no request header stands before this request")
        return _kept(self._headers, seq, lambda: RequestHeader.from_json(self._event(seq).data.get("header")))

    def rebuilt(self, sent: SentRequest) -> RebuiltRequest:
        """A request as it was sent. Raises `LogError` NO_REQUEST."""
        header = self.header(sent.header_seq)
        nodes = self._surface.nodes_at(sent.seq)
        messages: Sequence[FrozenDict] = self._surface.messages_of(nodes)
        index = self._rows.at_seq(sent.seq)
        if index is None or self._rows[index].byte_length <= AT_ONCE:
            messages = tuple(messages)
        return RebuiltRequest(sent, header, tuple(nodes), messages, digest_of(header, messages))

    def snapshot(self, sent: SentRequest) -> FrozenDict | None:
        """The message with the runtime context that was in force."""
        return self._surface.snapshot_at(sent.seq)

    def parts(self, row: RequestRow) -> tuple[Part, ...]:
        """System text and tools of a request."""
        key = row.sent.header_seq or 0, row.parts_seq
        return _kept(self._parts, key, lambda: self._cut(row))

    def texts(self, row: RequestRow) -> tuple[str, str]:
        """The part that changed first in a request: as it was in the request before, and as it is. "" for none."""
        part = row.verdict.part
        index = self._rows.at_seq(row.sent.seq)
        if part is None or not index:
            return "", ""
        before = self._rows[index - 1]
        if part.kind == "message":
            nth = int(part.name.removeprefix("message[").removesuffix("]"))
            return self._message_text(before, nth), self._message_text(row, nth)
        return _text(self.parts(before), part.kind, part.name), _text(self.parts(row), part.kind, part.name)

    def _event(self, seq: int) -> LoggedEvent:
        try:
            return self._event_of(seq)
        except ValueError:  # the file was closed: another one is read by now
            raise LogError("LOG_CHANGED", "the log was closed or written anew meanwhile; look again") from None

    def _cut(self, row: RequestRow) -> tuple[Part, ...]:
        header = self.header(row.sent.header_seq)
        recorded = None
        if row.parts_seq is not None:
            recorded = RecordedParts.from_json(self._event(row.parts_seq).data)
        return tuple(fixed_parts(header.system, header.tools, recorded))

    def _message_text(self, row: RequestRow, index: int) -> str:
        messages: Messages = self._surface.messages_of(self._surface.nodes_at(row.sent.seq))
        return message_part(index, messages[index]).text if index < len(messages) else ""


def _text(parts: tuple[Part, ...], kind: str, name: str) -> str:
    return next((part.text for part in parts if (part.kind, part.name) == (kind, name)), "")


def _kept(known: OrderedDict[K, V], key: K, make: Callable[[], V]) -> V:
    """From what is kept, else made and kept."""
    found = known.get(key)
    if found is None:
        found = known[key] = make()
        while len(known) > KEPT:
            known.popitem(last=False)
    return found
