"""The rows of a timeline: requests and turns, and what is summed up of them as they come.

Source: docs/sessions.md 11.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from workbench.agent.log.header import Missing
from workbench.agent.log.prefix import Divergence
from workbench.agent.log.rebuild import SentRequest
from workbench.agent.verdicts.verdict import Verdict
from workbench.models.request import CallConfig
from workbench.values.packed import Packed


@dataclass(slots=True)
class RequestRow:
    """One request and what came of it. What it said is made again from the log when it is asked for."""

    sent: SentRequest
    config: CallConfig
    not_recorded: frozenset[Missing]
    """Texts of which its log holds placeholders."""
    divergence: Divergence | None
    """From the request before; None when that cannot be said."""
    header_reason: str | None
    """Of a header record since the request before; None without one."""
    header_changes: tuple[str, ...]
    """Fields in which that header differs from the one before it."""
    message_count: int
    byte_length: int
    """Canonical bytes; without what was not recorded."""
    time: int | None
    verdict: Verdict
    """What it cost the prefix cache, and who made it so."""
    parts_seq: int | None = None
    """Seq of the `request/parts` that says who wrote its texts; None where nobody has recorded it."""
    usage: dict[str, Any] = field(default_factory=dict)
    """What the provider counted."""
    finish: str | None = None
    """Kind of the reason with which its stream ended."""
    failure: dict[str, Any] | None = None
    text: str = ""
    """How the answer begins."""
    tool_calls: tuple[str, ...] = ()
    """Names of the tools that the answer calls."""
    is_interrupted: bool = False

    @property
    def name(self) -> str:
        """Such as "2.1", or "2.1#2" for a second attempt."""
        return self.sent.name

    @property
    def is_partial(self) -> bool:
        """Some of its texts were not recorded."""
        return bool(self.not_recorded)


class RequestRows(Packed[RequestRow]):
    """All requests of a session, in order, with what a screen has to know of all of them at once."""

    def __init__(self) -> None:
        super().__init__()
        self._seqs = array("Q")
        self._turns = array("L")
        self._times = array("q")
        self.breaks = array("L")
        """Indices of those that broke the prefix."""
        self.break_owners: dict[str, int] = {}
        """Who broke it, and how often, in order of their first time. Outside text."""
        self.most = 0
        """Tokens of the longest."""
        self.lost = 0
        """Tokens that could not be reused, of all of them together."""
        self.unknown = 0
        """Those of which it cannot be said."""
        self.is_exact = True
        """Every number of tokens is."""

    def add(self, row: RequestRow, turn: int) -> None:
        """One more, of the turn with that index."""
        verdict = row.verdict
        if verdict.is_break:
            self.breaks.append(len(self._seqs))
            owner = verdict.part.owner_words if verdict.part is not None else ANOTHER_ROUTE
            self.break_owners[owner] = self.break_owners.get(owner, 0) + 1
            self.lost += verdict.lost
        self.most = max(self.most, verdict.total)
        self.unknown += verdict.word == "not recorded"
        self.is_exact &= verdict.label.value == "exact"
        self._turns.append(turn)
        self._times.append(row.time if row.time is not None and abs(row.time) < _LATEST else 0)
        self.append(row)
        self._seqs.append(row.sent.seq)

    def at_seq(self, seq: int) -> int | None:
        """Index of the request with that seq."""
        index = bisect_left(self._seqs, seq)
        return index if index < len(self._seqs) and self._seqs[index] == seq else None

    def seq_at(self, index: int) -> int:
        """Its seq."""
        return self._seqs[index]

    def turn_at(self, index: int) -> int:
        """Index of its turn."""
        return self._turns[index]

    def time_at(self, index: int) -> int:
        """When it was sent, in milliseconds; 0 where that is not known."""
        return self._times[index]

    @property
    def has_times(self) -> bool:
        """At least one time is known."""
        return any(self._times)


ANOTHER_ROUTE = "another route"
"""In the place of an owner: the request has gone to another provider or model."""
_LATEST = 1 << 62
"""Times beyond it are no times, but a foreign log may hold them."""


class RowSpan(Sequence[RequestRow]):
    """The requests of one turn."""

    def __init__(self, rows: RequestRows, first: int, count: int) -> None:
        self._rows, self._range = rows, range(first, first + count)

    def __len__(self) -> int:
        return len(self._range)

    @overload
    def __getitem__(self, index: int) -> RequestRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RequestRow]: ...
    def __getitem__(self, index: int | slice) -> RequestRow | Sequence[RequestRow]:
        if isinstance(index, slice):
            return [self._rows[each] for each in self._range[index]]
        return self._rows[self._range[index]]

    def __iter__(self) -> Iterator[RequestRow]:
        return (self._rows[each] for each in self._range)


@dataclass(slots=True)
class TurnRow:
    """One turn."""

    number: int
    seq: int
    """Of its `turn/start`."""
    time: int | None
    is_seed: bool
    """It was copied from the parent."""
    opened_by: str = ""
    """How its first message begins, runtime context left aside."""
    steps: int = 0
    first: int = 0
    """Index of its first request among all of the session."""
    count: int = 0
    """Its requests."""
    reason: dict[str, Any] | None = None
    """How it ended; None for an open turn."""


class TurnRows(Packed[TurnRow]):
    """All turns of a session, in order."""
