"""Any request that a session sent, made again from its log alone.

Source: docs/sessions.md 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import LoggedEvent, is_known
from workbench.agent.log.header import RequestHeader
from workbench.agent.log.request_digest import RequestDigest
from workbench.agent.log.surface import Surface
from workbench.models.request import ModelRequest
from workbench.values.frozen import FrozenDict


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """One request that a log tells of."""

    seq: int
    """Seq of its `request/sent`; in logs without one, of the first chunk of its step."""
    turn: int
    step: int
    attempt: int
    header_seq: int | None
    """Seq of the header in force; None where the log has none."""
    message_count: int | None
    """As recorded; None in logs without `request/sent`."""
    digest: str | None
    """As recorded, likewise."""

    @property
    def name(self) -> str:
        """Turn and step as people write them: "2.1", and "2.1#2" for a second attempt."""
        return f"{self.turn}.{self.step}" + (f"#{self.attempt}" if self.attempt > 1 else "")


@dataclass(frozen=True, slots=True)
class RebuiltRequest:
    """A request that was made again, and whether it is the one that was sent."""

    sent: SentRequest
    header: RequestHeader
    nodes: tuple[int, ...]
    """Seqs of the surface nodes that its messages come from."""
    messages: Sequence[FrozenDict]
    """Of a very long request they are read one by one."""
    digest: str
    """Of its canonical bytes, as they are rebuilt."""

    @property
    def request(self) -> ModelRequest:
        """The request itself."""
        return self.header.request(self.messages)

    @property
    def mismatch(self) -> str | None:
        """What does not agree with the record; None when all does, or nothing was recorded to agree with."""
        sent = self.sent
        if sent.message_count is not None and sent.message_count != len(self.messages):
            return f"{len(self.messages)} messages, but {sent.message_count} were sent"
        if sent.digest is not None and self.digest != sent.digest:
            return f"digest {self.digest[:12]}…, but {sent.digest[:12]}… was sent"
        return None


class _Steps:
    """The steps whose request has been told; of a long log, the newest and how far the others went."""

    def __init__(self) -> None:
        self._newest: dict[tuple[int, int], None] = {}
        self._before = (0, 0)
        """The last of those that are not kept one by one."""

    def __contains__(self, step: object) -> bool:
        return step in self._newest or (isinstance(step, tuple) and step <= self._before)

    def add(self, step: tuple[int, int]) -> None:
        self._newest[step] = None
        if len(self._newest) > _STEPS:
            for each in list(self._newest)[: _STEPS // 2]:
                del self._newest[each]
                self._before = max(self._before, each)


_STEPS = 4_096


class Folded(Protocol):
    """A surface, as far as a fold needs one."""

    def add(self, event: LoggedEvent) -> None: ...


class SentFold:
    """Goes through a log once, and knows at each place which request was sent, and with what header."""

    def __init__(self, surface: Folded) -> None:
        self._surface = surface
        self.header: RequestHeader | None = None
        self.header_seq: int | None = None
        self._steps = _Steps()

    def sent_by(self, event: LoggedEvent) -> SentRequest | None:
        """The request that `event`, the next one, tells of. To be asked before `add`."""
        if event.type == "request/sent":
            return self._recorded(event)
        if event.type == "assistant/chunk":
            turn, step = event.glance("turn"), event.glance("step")
            if type(turn) is int and type(step) is int and (turn, step) not in self._steps:
                self._steps.add((turn, step))
                return SentRequest(
                    seq=event.seq,
                    turn=turn,
                    step=step,
                    attempt=1,
                    header_seq=self.header_seq,
                    message_count=None,
                    digest=None,
                )
        return None

    def knows_step(self, event: LoggedEvent) -> bool:
        """Whether the request of the step of a chunk has been told: the chunk tells of no other."""
        turn, step = event.glance("turn"), event.glance("step")
        return type(turn) is int and type(step) is int and (turn, step) in self._steps

    def add(self, event: LoggedEvent) -> None:
        """Fold the next event. Raises `LogError` UNKNOWN_EVENT for one that could change the messages."""
        if event.surface_op is not None:
            if not is_known(event.type) and not event.ignorable:
                raise LogError(
                    "UNKNOWN_EVENT",
                    f"event {event.seq} has the unknown type {event.type!r} and a surfaceOp: "
                    "what was sent after it cannot be known here",
                )
            self._surface.add(event)
        elif event.type == "request/header":
            self.header = RequestHeader.from_json(event.data.get("header"))
            self.header_seq = event.seq

    def check(self, sent: SentRequest) -> None:
        """Raise `LogError` NO_REQUEST unless `sent` can be rebuilt here: with the header in force."""
        if self.header is None:
            raise LogError("NO_REQUEST", f"no request header stands before event {sent.seq}")
        if sent.header_seq != self.header_seq:
            raise LogError(
                "NO_REQUEST",
                f"event {sent.seq} names event {sent.header_seq} as its header, but {self.header_seq} is in force",
            )

    def _recorded(self, event: LoggedEvent) -> SentRequest:
        data = event.data
        numbers: list[Any] = [data.get(key) for key in ("turn", "step", "attempt", "headerSeq", "messageCount")]
        found = data.get("digest")
        if not all(type(number) is int for number in numbers) or not isinstance(found, str):
            raise LogError("INVALID_EVENT", f"event {event.seq}: the data of a request/sent are incomplete")
        turn, step, attempt, header_seq, count = numbers
        self._steps.add((turn, step))
        return SentRequest(
            seq=event.seq,
            turn=turn,
            step=step,
            attempt=attempt,
            header_seq=header_seq,
            message_count=count,
            digest=found,
        )


class RequestFold(SentFold):
    """Can make each request at the place where it was sent."""

    def __init__(self) -> None:
        self.surface = Surface()
        super().__init__(self.surface)
        self._digest = RequestDigest()

    def rebuilt(self, sent: SentRequest) -> RebuiltRequest:
        """The request `sent`, which the next event tells of. Raises `LogError` NO_REQUEST as `check` does."""
        self.check(sent)
        assert self.header is not None
        found = self._digest.of(self.header.system or "", self.header.tools, self.surface)
        return RebuiltRequest(sent, self.header, self.surface.nodes, self.surface.messages(), found)


def rebuild_all(events: Iterable[LoggedEvent]) -> Iterator[RebuiltRequest]:
    """Every request of a log, in order, in one pass."""
    fold = RequestFold()
    for event in events:
        sent = fold.sent_by(event)
        if sent is not None:
            yield fold.rebuilt(sent)
        fold.add(event)


def sent_requests(events: Iterable[LoggedEvent]) -> Iterator[SentRequest]:
    """What a log says of its requests, without making them."""
    fold = RequestFold()
    for event in events:
        sent = fold.sent_by(event)
        if sent is not None:
            yield sent
        if event.type == "request/header":
            fold.header_seq = event.seq


def named(sent: Iterable[SentRequest], name: str) -> SentRequest | None:
    """The request that people call `name`: turn.step, or turn.step#attempt; of several attempts the last."""
    step, _, attempt = name.partition("#")
    found = [one for one in sent if f"{one.turn}.{one.step}" == step and attempt in ("", str(one.attempt))]
    return found[-1] if found else None


def rebuild_one(events: Sequence[LoggedEvent], k: int) -> RebuiltRequest:
    """The request that event `k` tells of, with its header. Raises `LogError` NO_REQUEST if it tells of none."""
    fold = RequestFold()
    for event in islice(events, k):  # no slice: the events before it may take more memory than the request
        fold.sent_by(event)
        fold.add(event)
    sent = fold.sent_by(events[k])
    if sent is None:
        raise LogError("NO_REQUEST", f"event {k} ({events[k].type}) tells of no request")
    return fold.rebuilt(sent)


def rebuild(events: Sequence[LoggedEvent], k: int) -> ModelRequest:
    """The request of `rebuild_one` alone."""
    return rebuild_one(events, k).request
