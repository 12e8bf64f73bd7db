"""Lines of the place Session: all requests of all its sessions in the order of time, made when they are looked at.

A child's steps stand where they happened, between those of its parent, below its own heading the first time.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from heapq import merge
from typing import NamedTuple, overload

from workbench.agent.log.rows import RequestRow, RequestRows
from workbench.agent.log.timeline import Timeline
from workbench.tui.session_feed import SessionFeed, Track
from workbench.tui.view.pieces import Line, Piece, outside


class StepKey(NamedTuple):
    """What makes a request the same one at the next look."""

    track: int
    seq: int


class StepRow(NamedTuple):
    """One line of the timeline."""

    key: StepKey | None
    """None: a heading, or a request that is still being read."""
    name: str
    track: int
    request: RequestRow | None = None
    heading: Line = ()
    time: int | None = None
    opens_turn: bool = False
    """It is the first request of its turn."""
    is_marked: bool = False
    depth: int = 0
    """How deep its session stands below the first one."""
    back_to: str = ""
    """Its session, where the line above is of another one. Outside text."""
    is_copied: bool = False
    """Its session has not sent it: it has begun with what its parent had sent."""


class StepRows(Sequence[StepRow]):
    """Lines by their number. Cheap to make for any number of requests; a line is made when it is asked for."""

    def __init__(self, feed: SessionFeed | None = None, marked: StepKey | None = None) -> None:
        self.marked = marked
        self._tracks: Sequence[Track] = list(feed.tracks) if feed is not None else []
        self._read = [
            (index, track.timeline) for index, track in enumerate(self._tracks) if track.timeline is not None
        ]
        self._single = len(self._tracks) == 1
        self._length = 0
        self._others: list[StepRow] = []
        """Behind all others: what is still being read."""
        self._headings: dict[int, int] = {}
        """Line of a heading, and its session."""
        self._heading_lines: list[int] = []
        self._owner, self._nth = array("H"), array("L")
        """Session and request of each line, where there are several sessions."""
        self._lines: dict[int, array[int]] = {}
        """Of each session: the line of each of its requests."""
        if self._single and self._read:
            self._length = len(self._read[0][1].requests)
        elif self._read:
            self._interleave()
        self._add_others()
        self._breaks = {index: len(timeline.requests.breaks) for index, timeline in self._read}
        """A session may grow while these lines are looked at."""

    def _interleave(self) -> None:
        named: set[int] = set()
        counts = {index: len(timeline.requests) for index, timeline in self._read}
        for track in counts:
            self._lines[track] = array("L")
        ordered = merge(*(_moments(index, timeline, counts[index]) for index, timeline in self._read))
        for _, track, nth in ordered:
            if track not in named:
                named.add(track)
                self._put_heading(track)
            self._lines[track].append(len(self._owner))
            self._owner.append(track)
            self._nth.append(nth)
        for track, count in counts.items():
            if not count:
                self._put_heading(track)
        self._length = len(self._owner)

    def _put_heading(self, track: int) -> None:
        self._headings[len(self._owner)] = track
        self._heading_lines.append(len(self._owner))
        self._owner.append(track)
        self._nth.append(0)

    def _add_others(self) -> None:
        for index, track in enumerate(self._tracks):
            if track.timeline is not None:
                continue
            if not self._single:
                self._others.append(StepRow(None, track.label, index, heading=_heading(track)))
            for seen in track.glimpsed:
                name = f"{seen.turn}.{seen.step}" + (f"#{seen.attempt}" if seen.attempt > 1 else "")
                self._others.append(StepRow(None, name, index, time=seen.time, depth=track.depth))

    # lines

    def __len__(self) -> int:
        return self._length + len(self._others)

    @overload
    def __getitem__(self, index: int) -> StepRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[StepRow]: ...
    def __getitem__(self, index: int | slice) -> StepRow | Sequence[StepRow]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        line = index + len(self) if index < 0 else index
        if not 0 <= line < len(self):
            raise IndexError(index)
        if line >= self._length:
            return self._others[line - self._length]
        if line in self._headings:
            track = self._headings[line]
            return StepRow(None, self._tracks[track].label, track, heading=_heading(self._tracks[track]))
        if self._single:
            return self._row(self._read[0][0], line)
        track = self._owner[line]
        above = self._owner[line - 1] if line else track
        return self._row(track, self._nth[line], self._tracks[track].label if above != track else "")

    def _row(self, track: int, nth: int, back_to: str = "") -> StepRow:
        rows = self._rows(track)
        request = rows[nth]
        key = StepKey(track, request.sent.seq)
        opens_turn = not nth or rows.turn_at(nth - 1) != rows.turn_at(nth)
        depth = self._tracks[track].depth
        timeline = self._tracks[track].timeline
        assert timeline is not None
        return StepRow(
            key=key,
            name=request.name,
            track=track,
            request=request,
            time=request.time,
            opens_turn=opens_turn,
            is_marked=key == self.marked,
            depth=depth,
            back_to=back_to,
            is_copied=request.sent.seq < (timeline.header.seed_length or 0),
        )

    def _rows(self, track: int) -> RequestRows:
        timeline = self._tracks[track].timeline
        assert timeline is not None
        return timeline.requests

    def can_rest(self, line: int) -> bool:
        """A request stands in that line, and has been read."""
        return 0 <= line < self._length and line not in self._headings

    def line_of(self, key: StepKey | None) -> int | None:
        """Where a request stands."""
        if key is None or key.track >= len(self._tracks) or self._tracks[key.track].timeline is None:
            return None
        nth = self._rows(key.track).at_seq(key.seq)
        if nth is None:
            return None
        lines = self._lines.get(key.track)
        line = nth if lines is None else lines[nth] if nth < len(lines) else self._length
        return line if line < self._length else None

    def row_of(self, key: StepKey | None) -> StepRow | None:
        """The line of a request."""
        line = self.line_of(key)
        return None if line is None else self[line]

    def beside(self, key: StepKey, steps: int) -> StepRow | None:
        """The request that many before or after, in the same session."""
        at = self._rows(key.track).at_seq(key.seq) if self.line_of(key) is not None else None
        if at is None or not 0 <= at + steps < self._count(key.track):
            return None
        return self._row(key.track, at + steps)

    def _count(self, track: int) -> int:
        lines = self._lines.get(track)
        return self._length if lines is None else len(lines)

    @property
    def first(self) -> StepKey | None:
        """The first request."""
        return next((self[line].key for line in range(self._length) if self.can_rest(line)), None)

    @property
    def last(self) -> StepKey | None:
        """The last request in time."""
        lines = range(self._length - 1, -1, -1)
        return next((self[line].key for line in lines if self.can_rest(line)), None)

    def newest_of(self, track: int) -> StepKey | None:
        """The last request of one session."""
        if track >= len(self._tracks) or self._tracks[track].timeline is None or not self._count(track):
            return None
        return StepKey(track, self._rows(track).seq_at(self._count(track) - 1))

    # all of them together

    @property
    def requests(self) -> int:
        """How many there are."""
        return self._length - len(self._headings)

    @property
    def break_lines(self) -> Sequence[int]:
        """Lines of those that broke the prefix, in order."""
        if self._single:
            return self._breaks_of(self._read[0][0]) if self._read else ()
        found = []
        for track, _ in self._read:
            lines = self._lines[track]
            found += [lines[nth] for nth in self._breaks_of(track) if nth < len(lines)]
        return sorted(found)

    def _breaks_of(self, track: int) -> array[int]:
        return self._rows(track).breaks[: self._breaks[track]]

    def next_break(self, line: int, direction: int) -> int | None:
        """The line of the next break, or of the one before; around the ends. None without any."""
        broken = self.break_lines
        if not broken:
            return None
        at = bisect_left(broken, line)
        if direction > 0:
            at += at < len(broken) and broken[at] == line
            return broken[at % len(broken)]
        return broken[at - 1]

    @property
    def break_owners(self) -> list[str]:
        """Who broke it, each once. Outside text."""
        return list(dict.fromkeys(owner for _, timeline in self._read for owner in timeline.requests.break_owners))

    @property
    def lost(self) -> int:
        """Tokens that could not be reused."""
        return sum(timeline.requests.lost for _, timeline in self._read)

    @property
    def unknown(self) -> int:
        """Requests of which it cannot be said."""
        return sum(timeline.requests.unknown for _, timeline in self._read)

    @property
    def most(self) -> int:
        """Tokens of the longest."""
        return max((timeline.requests.most for _, timeline in self._read), default=0)

    @property
    def sign(self) -> str:
        """Before the tokens of a column in which at least one number is no exact one."""
        return "" if all(timeline.requests.is_exact for _, timeline in self._read) else "≈"

    @property
    def has_times(self) -> bool:
        """At least one time is known."""
        return any(timeline.requests.has_times for _, timeline in self._read) or any(
            row.time for row in self._others
        )


def _moments(track: int, timeline: Timeline, count: int) -> Iterator[tuple[int, int, int]]:
    """When each request of a session was sent, never earlier than the one before; its track and number.

    What a child has copied from its parent comes directly before its first request of its own.
    """
    rows, moment = timeline.requests, 0
    seed = timeline.header.seed_length or 0
    copied = 0
    while copied < count and rows.seq_at(copied) < seed:
        copied += 1
    if copied:
        moment = rows.time_at(copied) if copied < count else rows.time_at(copied - 1)
    for nth in range(count):
        if nth >= copied:
            moment = max(moment, rows.time_at(nth))
        yield moment, track, nth


def _heading(track: Track) -> Line:
    lead = Piece("  " * track.depth)
    note: Line = (Piece("  "), *outside(track.note, "soft")) if track.note else ()
    return (lead, *outside(track.label, "strong", bold=True), *note)
