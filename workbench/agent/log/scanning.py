"""Going through the lines of a log once, with little memory, up to the first that is bad.

Source: docs/sessions.md 7.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import check_envelope
from workbench.agent.log.json_lines import decode_json
from workbench.agent.log.packed import expanded
from workbench.agent.log.session_header import SessionHeader

MAX_LINE = 64 * 1_048_576
"""Bytes of the longest line that is read. Nothing longer is written."""
_BLOCK = 1_048_576


@dataclass(frozen=True, slots=True)
class BadLine:
    """The first line of a log that is no event, or an event that cannot be understood."""

    line: int
    """1-based."""
    offset: int
    """Where it begins, in bytes."""
    reason: str
    is_torn: bool
    """It is no event, and none follows: a torn tail. Otherwise the log is corrupt."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file."""

    number: int
    """1-based."""
    offset: int
    length: int
    """With its line end."""
    content: bytes | None
    """Without its line end; None for more than `MAX_LINE` bytes."""
    is_complete: bool
    """It has a line end."""


@dataclass(slots=True)
class Scan:
    """What a pass has found so far. Another one can go on from `end` when the file has grown."""

    header: SessionHeader
    end: int
    """Bytes up to the end of the last good line."""
    lines: int = 1
    """Good lines, the header included."""
    events: int = 0
    bad: BadLine | None = None
    """The line at which it ended; None when every complete line was good."""
    incomplete: int = 0
    """Bytes behind the last line end: a line that is being written, or was never finished."""


OnRecord = Callable[[Mapping[str, Any], int, Line], None]
"""Told of each record, its position, and the line that it stands in."""


def open_reading(path: Path) -> BinaryIO:
    """The file of a log. Raises `LogError` LOG_HEADER for pipes and devices, which may have no end; `OSError`."""
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise LogError("LOG_HEADER", f"{path} is no regular file, and so no session log")


def _without_waiting(path: str, flags: int) -> int:
    """A pipe is opened whether anybody writes to it or not."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def scan_header(file: BinaryIO) -> Scan:
    """Read the first line. Raises `LogError` LOG_HEADER or LOG_VERSION."""
    file.seek(0)
    first = next(read_lines(file, 0, 0), None)
    if first is None:
        raise LogError("LOG_HEADER", "line 1 is missing: the file is empty", line=1)
    if not first.is_complete or first.content is None:
        raise LogError("LOG_HEADER", "line 1 is cut: the session header has no line end", line=1)
    try:
        record = decode_json(first.content)
    except ValueError as error:
        raise LogError("LOG_HEADER", f"line 1 is no session header: {error}", line=1) from None
    return Scan(SessionHeader.from_json(record), end=first.length)


def scan_records(file: BinaryIO, scan: Scan, on_record: OnRecord) -> None:
    """Go on from where `scan` ended, and tell every record. Ends at the first bad line, without an error."""
    scan.bad, scan.incomplete = None, 0
    for line in read_lines(file, scan.end, scan.lines):
        if not line.is_complete:
            scan.incomplete = line.length
            return
        try:
            records = read_records(line, scan.events)
        except (ValueError, LogError) as error:
            later = read_lines(file, line.offset + line.length, line.number)
            is_torn = not isinstance(error, LogError) and not any(map(_is_event, later))
            scan.bad = BadLine(line.number, line.offset, str(error), is_torn)
            return
        for record in records:
            on_record(record, scan.events, line)
            scan.events += 1
        scan.lines += 1
        scan.end = line.offset + line.length


def read_records(line: Line, seq: int) -> list[Mapping[str, Any]]:
    """The records of a line, of which the first has position `seq`.

    Raises `ValueError` for what is no event here, `LogError` for an event that cannot be understood.
    """
    if line.content is None:
        raise ValueError(f"longer than {MAX_LINE} bytes")
    record = decode_json(line.content)
    if not isinstance(record, dict) or type(record.get("type")) is not str or type(record.get("data")) is not dict:
        raise ValueError('no event (an object with a "type" and an object "data")')
    stated = record.get("seq")
    if stated is not None and stated != seq:
        raise ValueError(f"out of sequence: seq {stated!r} at position {seq}")
    check_envelope(record)
    return list(expanded(record))


def read_lines(file: BinaryIO, start: int, number: int) -> Iterator[Line]:
    """The lines from byte `start`, which is the beginning of line `number` + 1. Never holds more than one."""
    file.seek(start)
    kept: list[bytes] = []
    length = 0
    while block := file.read(_BLOCK):
        at = 0
        while (end := block.find(b"\n", at)) >= 0:
            number += 1
            length += end + 1 - at
            content = None
            if length <= MAX_LINE:
                content = b"".join([*kept, block[at:end]]) if kept else block[at:end]
            yield Line(number, start, length, content, True)
            start += length
            at = end + 1
            kept, length = [], 0
        length += len(block) - at
        if length <= MAX_LINE:
            kept.append(block[at:])
        else:
            kept = []
    if length:
        yield Line(number + 1, start, length, b"".join(kept) if length <= MAX_LINE else None, False)


def _is_event(line: Line) -> bool:
    """Whether a line after a bad one shows that more than a tail is damaged."""
    if line.content is None:
        return False
    try:
        record: Any = decode_json(line.content)
    except ValueError:
        return False
    return isinstance(record, Mapping) and "type" in record and "data" in record
