"""One record of a session log, and which types of records there are.

Source: docs/sessions.md 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.agent.log.errors import LogError
from workbench.agent.log.json_lines import encode_json, frozen_data
from workbench.agent.log.surface_ops import SurfaceOp, surface_op_from, surface_op_json
from workbench.values.frozen import FrozenDict

SURFACE_TYPES = frozenset({"user/message", "assistant/message", "tool/result"})
"""The only events that become messages."""

KNOWN_TYPES = SURFACE_TYPES | {
    "agent/inbox/spliced",
    "turn/start",
    "turn/end",
    "step/start",
    "step/end",
    "request/header",
    "request/context",
    "request/sent",
    "request/parts",
    "assistant/chunk",
    "tool/call",
    "tool/code-dispatch-start",
    "tool/code-dispatch",
    "llm/retry",
    "compaction/start",
    "compaction/summary",
    "compaction/end",
    "prompts/revision",
    "prompts/declared",
    "session/end-seed",
    "session/title",
    "approval/policy",
    "subagent/descriptor",
}
KNOWN_GROUPS = ("hook/", "tool-workflow/")
"""Beginnings of types that recorded logs of other harnesses hold. They are log-only."""

IGNORABLE_TYPES = frozenset({"request/sent", "request/parts", "prompts/revision", "prompts/declared"})
"""Records of our own that other readers may skip; they are always marked so."""


def is_known(event_type: str) -> bool:
    """Whether a reader of this version knows what the type means."""
    return event_type in KNOWN_TYPES or event_type.startswith(KNOWN_GROUPS)


class LoggedEvent:
    """One accepted record. Nothing of it can be changed."""

    __slots__ = ("_cited", "_data", "_ignorable", "_op", "_seq", "_time", "_type")

    def __init__(
        self,
        type: str,
        seq: int,
        time: int | None,
        data: dict[str, Any],
        surface_op: SurfaceOp | None = None,
        source_event_seqs: tuple[int, ...] = (),
        ignorable: bool = False,
    ) -> None:
        """`data` are frozen, or have just been decoded from JSON and belong to this event alone."""
        self._type = type
        self._seq = seq
        self._time = time
        self._data = data
        self._op = surface_op
        self._cited = source_event_seqs
        self._ignorable = ignorable

    @property
    def type(self) -> str:
        return self._type

    @property
    def seq(self) -> int:
        """Index in the log."""
        return self._seq

    @property
    def time(self) -> int | None:
        """Milliseconds since 1970; None where a recorded log has none."""
        return self._time

    @property
    def data(self) -> FrozenDict:
        """Deep-frozen."""
        data = self._data
        if not isinstance(data, FrozenDict):
            data = self._data = frozen_data(data, "data")
        return data

    def glance(self, key: str) -> Any:
        """One value of `data`, for folds that only compare it: most events of a long log are never frozen."""
        return self._data.get(key)

    @property
    def surface_op(self) -> SurfaceOp | None:
        return self._op

    @property
    def source_event_seqs(self) -> tuple[int, ...]:
        """Seqs of the events that this one was made from."""
        return self._cited

    @property
    def ignorable(self) -> bool:
        """A reader that does not know the type may skip it."""
        return self._ignorable

    def to_json(self) -> dict[str, Any]:
        """The record, as a line of the log holds it."""
        record: dict[str, Any] = {"type": self._type, "seq": self._seq}
        if self._time is not None:
            record["time"] = self._time
        record["data"] = self._data
        return record | self._more()

    def line(self) -> bytes:
        """The line of the log, with its line end."""
        has_more = self._ignorable or self._cited or self._op is not None
        more = self._more() if has_more else None
        if self._time is None or self._type not in _HEADS:
            return encode_json(self.to_json()) + b"\n"
        rest = b"," + encode_json(more)[1:] if more else b"}"
        return b'%b%d,"time":%d,"data":%b%b\n' % (
            _HEADS[self._type],
            self._seq,
            self._time,
            encode_json(self._data),
            rest,
        )

    def _more(self) -> dict[str, Any]:
        """What most records have not."""
        more: dict[str, Any] = {}
        if self._ignorable:
            more["ignorable"] = True
        if self._cited:
            more["sourceEventSeqs"] = self._cited
        if self._op is not None:
            more["surfaceOp"] = surface_op_json(self._op)
        return more

    @classmethod
    def from_json(cls, record: Mapping[str, Any], seq: int) -> LoggedEvent:
        """A record that `check_envelope` has passed, at position `seq`."""
        time, op = record.get("time"), record.get("surfaceOp")
        return cls(
            record["type"],
            seq,
            None if time is None else int(time),
            record["data"],
            None if op is None else surface_op_from(op),
            tuple(record.get("sourceEventSeqs") or ()),
            record.get("ignorable") is True,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LoggedEvent):
            return NotImplemented
        return self.line() == other.line()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"LoggedEvent({self.seq}: {self.type})"


def check_envelope(record: Mapping[str, Any]) -> None:
    """Raise `LogError` INVALID_EVENT or INVALID_SURFACE_OP for what no event can have beside its data."""
    time, cited, op = record.get("time"), record.get("sourceEventSeqs"), record.get("surfaceOp")
    if time is not None and (not isinstance(time, int | float) or isinstance(time, bool)):
        raise LogError("INVALID_EVENT", f"the time of an event is a number, not {time!r}")
    if cited is not None and not (isinstance(cited, list) and all(type(each) is int for each in cited)):
        raise LogError("INVALID_EVENT", "sourceEventSeqs is a list of seqs")
    if op is not None:
        surface_op_from(op)


_HEADS = {each: b'{"type":%b,"seq":' % encode_json(each) for each in KNOWN_TYPES}
"""How the line of an event begins."""
