"""One record of a session log, and which types of records there are.

Source: docs/sessions.md 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.agent.log.errors import LogError
from workbench.agent.log.json_lines import encode_json, frozen_data
from workbench.agent.log.surface_ops import SurfaceOp, surface_op_from, surface_op_json
from workbench.models.frozen import FrozenDict

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
    "assistant/chunk",
    "tool/call",
    "tool/code-dispatch-start",
    "tool/code-dispatch",
    "llm/retry",
    "compaction/start",
    "compaction/summary",
    "compaction/end",
    "prompts/revision",
    "session/end-seed",
    "session/title",
    "approval/policy",
    "subagent/descriptor",
}
KNOWN_GROUPS = ("hook/", "tool-workflow/")
"""Beginnings of types that recorded logs of other harnesses hold. They are log-only."""

IGNORABLE_TYPES = frozenset({"request/sent", "prompts/revision"})
"""Records of our own that other readers may skip; they are always marked so."""


def is_known(event_type: str) -> bool:
    """Whether a reader of this version knows what the type means."""
    return event_type in KNOWN_TYPES or event_type.startswith(KNOWN_GROUPS)


class LoggedEvent:
    """One accepted record. Nothing of it can be changed."""

    __slots__ = ("data", "ignorable", "seq", "source_event_seqs", "surface_op", "time", "type")

    type: str
    seq: int
    """Index in the log."""
    time: int | None
    """Milliseconds since 1970; None where a recorded log has none."""
    data: FrozenDict
    """Deep-frozen."""
    surface_op: SurfaceOp | None
    source_event_seqs: tuple[int, ...]
    """Seqs of the events that this one was made from."""
    ignorable: bool
    """A reader that does not know the type may skip it."""

    def __init__(
        self,
        type: str,
        seq: int,
        time: int | None,
        data: FrozenDict,
        surface_op: SurfaceOp | None = None,
        source_event_seqs: tuple[int, ...] = (),
        ignorable: bool = False,
    ) -> None:
        put = object.__setattr__
        put(self, "type", type)
        put(self, "seq", seq)
        put(self, "time", time)
        put(self, "data", data)
        put(self, "surface_op", surface_op)
        put(self, "source_event_seqs", source_event_seqs)
        put(self, "ignorable", ignorable)

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"an event of a log cannot be changed ({name})")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        """The record, as a line of the log holds it."""
        record: dict[str, Any] = {"type": self.type, "seq": self.seq}
        if self.time is not None:
            record["time"] = self.time
        record["data"] = self.data
        if self.ignorable:
            record["ignorable"] = True
        if self.source_event_seqs:
            record["sourceEventSeqs"] = list(self.source_event_seqs)
        if self.surface_op is not None:
            record["surfaceOp"] = surface_op_json(self.surface_op)
        return record

    def line(self) -> bytes:
        """The line of the log, with its line end."""
        return encode_json(self.to_json()) + b"\n"

    @classmethod
    def from_json(cls, record: Mapping[str, Any], seq: int) -> LoggedEvent:
        """A record that was read at position `seq`. Raises `LogError` INVALID_EVENT or INVALID_SURFACE_OP."""
        event_type, data, time = record.get("type"), record.get("data"), record.get("time")
        if type(event_type) is not str or not event_type or not isinstance(data, Mapping):
            raise LogError("INVALID_EVENT", 'an event is an object with a "type" and an object "data"')
        if time is not None and not isinstance(time, int | float):
            raise LogError("INVALID_EVENT", f"the time of an event is a number, not {time!r}")
        cited = record.get("sourceEventSeqs", ())
        if (
            not isinstance(cited, Sequence)
            or isinstance(cited, str)
            or any(type(each) is not int for each in cited)
        ):
            raise LogError("INVALID_EVENT", "sourceEventSeqs is a list of seqs")
        op = record.get("surfaceOp")
        return cls(
            event_type,
            seq,
            None if time is None else int(time),
            frozen_data(data, "data"),
            None if op is None else surface_op_from(op),
            tuple(cited),
            record.get("ignorable") is True,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LoggedEvent):
            return NotImplemented
        return self.line() == other.line()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"LoggedEvent({self.seq}: {self.type})"
