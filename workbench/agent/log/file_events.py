"""Events that live in a file: where each stands is remembered, what it says is read when asked for.

Source: docs/sessions.md 7.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Self, overload

from workbench.agent.log.byte_source import ByteSource
from workbench.agent.log.errors import LogError
from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.line_offsets import LineOffsets
from workbench.agent.log.scanning import Line, read_records
from workbench.agent.log.writer import LogWriter

_KEPT = 128
_KEPT_BYTES = 2_097_152
"""How many events that were read from the file are kept for a second look, and what their lines may take."""
_AHEAD = 32
"""Events that are read at once for whoever asks for one after the other."""
_RUN_BYTES = 262_144
"""Bytes that are read at once when events are gone through in order."""
TAIL_EVENTS = 512
TAIL_BYTES = 2_097_152
"""How many of the newest events of a log that is being written stay in memory, at most."""


class FileEvents(Sequence[LoggedEvent]):
    """The events of a file, by seq. Memory: four bytes each. Raises `LogError` LOG_CHANGED when they are gone."""

    def __init__(self, path: Path, shown_as: Callable[[LoggedEvent], LoggedEvent] | None = None) -> None:
        """`shown_as` gives each event that is read the form in which it is shown."""
        self.path = path
        self._bytes = ByteSource(path)
        self._shown_as = shown_as
        self._offsets = LineOffsets()
        """Where the line of each event begins; the events of a packed row share one."""
        self._end = 0
        """Where the line of the last event ends."""
        self._kept: OrderedDict[int, LoggedEvent] = OrderedDict()
        self._kept_bytes = 0
        self._expected = 0
        """The seq behind the last one that was read: if it is asked for, others after it will be."""

    @property
    def file_id(self) -> tuple[int, int]:
        """Which file is open, whatever its path leads to by now."""
        return self._bytes.file_id

    def note(self, line: Line) -> None:
        """Remember that the next event stands in `line`."""
        self._offsets.append(line.offset)
        self._end = line.offset + line.length

    def close(self) -> None:
        """Release the file. Nothing can be read afterwards."""
        self._bytes.close()

    def __len__(self) -> int:
        return len(self._offsets)

    @overload
    def __getitem__(self, index: int) -> LoggedEvent: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[LoggedEvent]: ...
    def __getitem__(self, index: int | slice) -> LoggedEvent | Sequence[LoggedEvent]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return list(self.iterate(start, stop))
            return [self._at(seq) for seq in range(start, stop, step)]
        seq = index + len(self) if index < 0 else index
        if not 0 <= seq < len(self):
            raise IndexError(f"there is no event {index}; the log has {len(self)}")
        return self._at(seq)

    def __iter__(self) -> Iterator[LoggedEvent]:
        seq = 0
        while seq < len(self):  # it may grow meanwhile
            for event in self.iterate(seq, len(self)):
                seq += 1
                yield event

    def iterate(self, start: int, stop: int) -> Iterator[LoggedEvent]:
        """The events of [start, stop) in order, a run of lines at a time."""
        seq = start
        while seq < stop:
            last = seq + 1
            while last < stop and self._line_end(last) - self._offsets[seq] <= _RUN_BYTES:
                last += 1
            yield from self._run(seq, last)
            seq = last

    def extend(self, places: FileEvents) -> None:
        """Remember where the next events stand, as another pass over the file has found out."""
        self._offsets.extend(places._offsets)
        if len(places._offsets):
            self._end = places._end

    def where(self, seq: int) -> tuple[int, int]:
        """Offset and length in bytes of the line of an event."""
        return self._offsets[seq], self._line_end(seq) - self._offsets[seq]

    def _at(self, seq: int) -> LoggedEvent:
        event = self._kept.get(seq)
        if event is not None:
            return event
        stop = min(seq + (_AHEAD if seq == self._expected else 1), self._in_file)
        while stop > seq + 1 and self._line_end(stop - 1) - self._offsets[seq] > _RUN_BYTES:
            stop -= 1
        run = list(self._run(seq, stop))
        self._expected = stop
        size = self._line_end(stop - 1) - self._offsets[seq]
        if size <= _KEPT_BYTES // 4:
            self._kept.update((each.seq, each) for each in run)
            self._kept_bytes += size
            if len(self._kept) > _KEPT or self._kept_bytes > _KEPT_BYTES:
                self._shorten_kept(len(run))
        return run[0]

    def _shorten_kept(self, newest: int) -> None:
        """Forget the older half; where lines are long, all but the newest."""
        left = newest if self._kept_bytes > _KEPT_BYTES else _KEPT // 2
        while len(self._kept) > left:
            self._kept.popitem(last=False)
        self._kept_bytes = sum(self._line_end(seq) - self._offsets[seq] for seq in self._kept)

    @property
    def _in_file(self) -> int:
        """Events that can be read from the file."""
        return len(self._offsets)

    def _run(self, start: int, stop: int) -> Iterator[LoggedEvent]:
        """The events of [start, stop), whose lines are read at once."""
        offset = self._offsets[start]
        content = self._bytes.read(offset, self._line_end(stop - 1) - offset)
        seq = start
        while seq < stop:
            line_start = self._offsets[seq]
            first = self._offsets.first_at(seq)
            line = content[line_start - offset : self._line_end(seq) - offset]
            events = self._events_of(line, first)
            for event in events[seq - first : stop - first]:
                yield event
                seq += 1

    def _events_of(self, line: bytes, first: int) -> list[LoggedEvent]:
        if not line.endswith(b"\n"):
            raise self._changed()
        try:
            records = read_records(Line(0, 0, len(line), line[:-1], True), first)
            events = [LoggedEvent.from_json(record, first + index) for index, record in enumerate(records)]
        except (ValueError, LogError):
            raise self._changed() from None
        return events if self._shown_as is None else list(map(self._shown_as, events))

    def _line_end(self, seq: int) -> int:
        """Where the line of an event ends."""
        offset = self._offsets[seq]
        after = seq + 1
        while after < len(self._offsets):
            if self._offsets[after] != offset:
                return self._offsets[after]
            after += 1
        return self._end

    def _changed(self) -> LogError:
        return LogError("LOG_CHANGED", f"{self.path}: the file was changed by somebody else; open it again")


class StoredEvents(FileEvents):
    """The events of a log that is being written: the newest in memory, the others in the file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._writer: LogWriter | None = None
        self._lines_before = 0
        """Events that were in the file before the writer wrote; the header counts as one that was not."""
        self._tail: list[LoggedEvent] = []
        self._tail_start = 0

    def write_through(self, writer: LogWriter, end: int, lines: int = 0) -> Self:
        """From now on `append` is possible: the file ends at byte `end`, of which `lines` still are queued."""
        self._writer = writer
        self._end = end
        self._tail_start = len(self._offsets)
        self._lines_before = self._tail_start - lines
        return self

    def append(self, event: LoggedEvent, line: bytes) -> None:
        """Accept the next event and queue its line."""
        assert self._writer is not None
        self._offsets.append(self._end)
        self._end += len(line)
        self._tail.append(event)
        self._writer.put(line)
        if len(self._tail) > TAIL_EVENTS or self._end - self._offsets[self._tail_start] > TAIL_BYTES:
            self._shorten()

    def _shorten(self) -> None:
        """Let go of the older half of what is in memory, as far as it is in the file."""
        assert self._writer is not None
        in_file = self._lines_before + self._writer.durable_lines
        half = self._tail_start + len(self._tail) // 2
        cut = min(in_file, half) - self._tail_start
        if cut > 0:
            del self._tail[:cut]
            self._tail_start += cut

    @property
    def _in_file(self) -> int:
        return self._tail_start

    def _at(self, seq: int) -> LoggedEvent:
        if seq >= self._tail_start:
            return self._tail[seq - self._tail_start]
        return super()._at(seq)

    def iterate(self, start: int, stop: int) -> Iterator[LoggedEvent]:
        """The events of [start, stop) in order."""
        yield from super().iterate(start, min(stop, self._tail_start))
        for seq in range(max(start, self._tail_start), stop):
            yield self._at(seq)
