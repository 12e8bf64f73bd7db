"""Recorded session logs as answers: which chunks came in which attempt of which step.

Only the places of the chunks are kept; their bodies stay in the file until they are asked for.
Source: docs/models.md 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from workbench.models.chunks import Chunk, reasoning_delta, text_delta, tool_call_delta
from workbench.models.errors import ModelError
from workbench.values.foreign_text import foreign_json

Row = Mapping[str, Any]
"""One line of a log: an event, or several chunks packed into one row."""
Step = tuple[int, int]
"""Turn and step, from 1."""

PACKED = {"text-chunks": "texts", "reasoning-chunks": "texts", "tool-call-chunks": "args"}
"""Types of packed rows, and the key under which their pieces are."""


class RecordingError(Exception):
    """A log that cannot be replayed. The message names file and line, or the steps that have no end."""


@dataclass(frozen=True, slots=True)
class Override:
    """How an attempt ends whose end was not recorded."""

    kind: Literal["throw", "hang"]
    error: ModelError | None = None
    """What `throw` raises."""


@dataclass(slots=True)
class RecordedAttempt:
    """The chunks of one provider call."""

    rows: Callable[[], list[Row]]
    """Reads them; may read a file."""
    count: int = 0
    """Chunks, packed ones counted one by one."""
    is_finished: bool = False
    override: Override | None = None

    def chunks(self) -> Iterator[Chunk]:
        """The chunks as they were recorded."""
        for row in self.rows():
            yield from chunks_of(row)


@dataclass(slots=True)
class Recording:
    """One session's log."""

    name: str
    header: Mapping[str, Any]
    attempts: dict[Step, list[RecordedAttempt]] = field(default_factory=dict)
    summaries: list[Mapping[str, Any]] = field(default_factory=list)
    """Data of the `compaction/summary` records, in their order."""

    @classmethod
    def from_file(cls, path: str | Path, overrides: Mapping[str, Override] | None = None) -> Recording:
        """Index a JSONL log. An incomplete last line is left out. Raises `RecordingError`, `OSError`.

        `overrides` are keyed `turn/step`, or `turn/step/attempt` for another than the first.
        """
        name, file = str(path), Path(path)
        lines = _lines(file, name)
        header = _checked_header(next(lines, None), name)
        recording = cls(name, header)
        index = _Index(recording, lambda ranges: _rows_of_file(file, ranges))
        for number, start, end, row in lines:
            index.take(row, start, end, f"{name}:{number}")
        index.finish(overrides or {})
        return recording

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Row],
        name: str = "recording",
        overrides: Mapping[str, Override] | None = None,
    ) -> Recording:
        """The same for rows in memory, the header first."""
        numbered = enumerate(rows)
        first = next(numbered, None)
        recording = cls(name, _checked_header((1, 0, 0, first[1]) if first else None, name))
        kept: dict[int, Row] = {}
        index = _Index(recording, lambda ranges: [kept[at] for start, end in ranges for at in range(start, end)])
        for at, row in numbered:
            if index.take(row, at, at + 1, f"{name}:{at + 1}"):
                kept[at] = row
        index.finish(overrides or {})
        return recording


def chunks_of(row: Row) -> Iterator[Chunk]:
    """The chunks of a row: one of an `assistant/chunk`, several of a packed row, else none."""
    kind, data = row["type"], row["data"]
    if kind == "assistant/chunk":
        yield data["chunk"]
    elif kind == "text-chunks":
        yield from (text_delta(data["index"], text) for text in data["texts"])
    elif kind == "reasoning-chunks":
        yield from (reasoning_delta(data["index"], text) for text in data["texts"])
    elif kind == "tool-call-chunks":
        id, name = data["id"], data["name"]
        yield from (tool_call_delta(data["index"], id, name, piece) for piece in data["args"])


def event_count(row: Row) -> int:
    """How many events a row stands for."""
    key = PACKED.get(row["type"])
    return 1 if key is None else len(row["data"][key])


def in_binding_order(recordings: Sequence[Recording]) -> list[Recording]:
    """Parents before their children, else the given order."""
    by_id = {recording.header.get("id"): recording for recording in recordings}
    ordered: list[Recording] = []

    def place(recording: Recording, below: tuple[Recording, ...] = ()) -> None:
        parent = by_id.get(recording.header.get("parentSession"))
        if parent is not None and all(parent is not each for each in (*below, recording)):
            place(parent, (*below, recording))
        if all(recording is not each for each in ordered):
            ordered.append(recording)

    for recording in recordings:
        place(recording)
    return ordered


Ranges = list[tuple[int, int]]
"""Where rows begin and end, neighbours joined: an attempt is mostly one piece of its log."""


class _Index:
    """Sorts rows into attempts."""

    def __init__(self, recording: Recording, read: Callable[[Ranges], list[Row]]) -> None:
        self._recording = recording
        self._read = read
        self._seed_left = recording.header.get("seedLength") or 0
        self._open: RecordedAttempt | None = None
        self._open_step: Step | None = None
        self._ranges: Ranges = []

    def take(self, row: Row, start: int, end: int, shown: str) -> bool:
        """Whether the row, from `start` to `end`, belongs to an attempt. Raises `RecordingError`."""
        try:
            if self._seed_left > 0:
                self._seed_left -= event_count(row)
                return False
            kind, data = row["type"], row["data"]
            if kind == "assistant/chunk" or kind in PACKED:
                self._chunk(row, kind, data, start, end)
                return True
            if kind in ("llm/retry", "compaction/start", "step/end"):
                self._open = None
            elif kind == "compaction/summary":
                self._recording.summaries.append(data)
        except (KeyError, TypeError, IndexError):
            raise RecordingError(f"{shown}: this is not an event of a session log") from None
        return False

    def _chunk(self, row: Row, kind: str, data: Mapping[str, Any], start: int, end: int) -> None:
        step = (data["turn"], data["step"])
        if not all(isinstance(number, int) for number in step):
            raise TypeError
        if self._open is None or step != self._open_step:
            self._begin(step)
        assert self._open is not None
        if self._ranges and self._ranges[-1][1] == start:
            self._ranges[-1] = (self._ranges[-1][0], end)
        else:
            self._ranges.append((start, end))
        self._open.count += event_count(row)
        if kind == "assistant/chunk" and data["chunk"]["type"] == "finish":
            self._open.is_finished = True
            self._open = None

    def _begin(self, step: Step) -> None:
        ranges: Ranges = []
        self._open = RecordedAttempt(lambda: self._read(ranges))
        self._open_step, self._ranges = step, ranges
        self._recording.attempts.setdefault(step, []).append(self._open)

    def finish(self, overrides: Mapping[str, Override]) -> None:
        """Apply the overrides. Raises `RecordingError` unless every attempt has an end."""
        attempts = self._recording.attempts
        for key, override in overrides.items():
            step, number = _parsed_key(key)
            recorded = attempts.setdefault(step, [])
            if number == len(recorded) + 1:
                recorded.append(RecordedAttempt(list))
            if number > len(recorded):
                raise RecordingError(f"{self._recording.name}: override {key}: there is no attempt {number - 1}")
            if recorded[number - 1].is_finished:
                raise RecordingError(f"{self._recording.name}: override {key}: the end of this attempt is recorded")
            recorded[number - 1].override = override
        endless = [
            _shown(step, number)
            for step, recorded in attempts.items()
            for number, attempt in enumerate(recorded, 1)
            if not attempt.is_finished and attempt.override is None
        ]
        if endless:
            raise RecordingError(
                f"{self._recording.name}: the recording has no finish for {', '.join(endless)}; "
                "say with an override how each ends: throw or hang"
            )


def _shown(step: Step, attempt: int) -> str:
    return f"{step[0]}/{step[1]}" + (f"/{attempt}" if attempt > 1 else "")


def _parsed_key(key: str) -> tuple[Step, int]:
    parts = key.split("/")
    if len(parts) not in (2, 3) or not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise RecordingError(f"override {key!r}: turn/step or turn/step/attempt was expected, such as 1/1")
    turn, step, *attempt = map(int, parts)
    return (turn, step), attempt[0] if attempt else 1


def _checked_header(first: Line | None, name: str) -> Row:
    if first is None or first[-1].get("type") != "session":
        raise RecordingError(f"{name}:1: this is not a session log: it does not begin with its header")
    header, seed = first[-1], first[-1].get("seedLength")
    if header.get("version") != 0:
        raise RecordingError(f"{name}:1: version {header.get('version')!r} of session logs is not known here")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool) or seed < 0):
        raise RecordingError(f"{name}:1: seedLength is not a number of events")
    return header


Line = tuple[int, int, int, Row]
"""Number, begin, end and value."""


def _lines(file: Path, name: str) -> Iterator[Line]:
    start = 0
    with file.open("rb") as log:
        for number, line in enumerate(log, 1):
            row = _decoded(line)
            if row is None and not line.endswith(b"\n"):
                return  # torn: its writer was stopped
            if row is None:
                raise RecordingError(f"{name}:{number}: this line is not a JSON object")
            yield number, start, start + len(line), row
            start += len(line)


def _rows_of_file(file: Path, ranges: Ranges) -> list[Row]:
    rows: list[Row] = []
    with file.open("rb") as log:
        for start, end in ranges:
            log.seek(start)
            content = log.read(end - start)
            decoded = [_decoded(line) for line in content.removesuffix(b"\n").split(b"\n")]
            if len(content) < end - start or None in decoded:
                raise RecordingError(f"{file}: the recording was changed after it was loaded")
            rows += [row for row in decoded if row is not None]
    return rows


def _decoded(line: bytes) -> Row | None:
    """The object on a line; None when there is none."""
    try:
        row = foreign_json(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None
