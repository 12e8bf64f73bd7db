"""Opening a log for writing: scan it, refuse what is corrupt, cut what is torn, and find what stands open.

Source: docs/sessions.md 7 and 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import SURFACE_TYPES, LoggedEvent, is_known
from workbench.agent.log.file_events import StoredEvents
from workbench.agent.log.log_file import LogFile
from workbench.agent.log.open_work import FOLDED_TYPES, OpenWork
from workbench.agent.log.scanning import Line, open_reading, scan_header, scan_records
from workbench.agent.log.session_header import SessionHeader
from workbench.agent.log.surface import Surface


@dataclass(frozen=True, slots=True)
class OpenedLog:
    """A log that is locked, and whole up to its end."""

    header: SessionHeader
    file: LogFile
    events: StoredEvents
    length: int
    """Bytes of the file."""
    cut_bytes: int
    surface: Surface
    work: OpenWork


def open_for_writing(path: Path) -> OpenedLog:
    """Raises `LogError`: SESSION_LOCKED, LOG_HEADER, LOG_VERSION, LOG_CORRUPT, UNKNOWN_EVENT; `OSError`."""
    file = LogFile.open(path)
    events: StoredEvents | None = None
    try:
        events = StoredEvents(path)
        folds = _Folds(events)
        with open_reading(path) as reading:
            scan = scan_header(reading)
            scan_records(reading, scan, folds.add)
        if scan.bad is not None and not scan.bad.is_torn:
            raise LogError(
                "LOG_CORRUPT",
                f"{path}: {scan.bad}; events follow it, so nothing is cut off: mend or remove the line",
                line=scan.bad.line,
            )
        cut_bytes = file.length - scan.end
        if cut_bytes:
            file.cut(scan.end)
            file.sync()
        return OpenedLog(scan.header, file, events, scan.end, cut_bytes, folds.surface, folds.work)
    except BaseException as error:
        file.close()
        if events is not None:
            events.close()
        if isinstance(error, LogError) and not str(error).startswith(str(path)):
            raise LogError(error.code, f"{path}: {error}", line=error.line) from None
        raise


class _Folds:
    """What a scan for writing gathers."""

    def __init__(self, events: StoredEvents) -> None:
        self._events = events
        self.surface = Surface()
        self.work = OpenWork()

    def add(self, record: Mapping[str, Any], seq: int, line: Line) -> None:
        event_type = record["type"]
        if not is_known(event_type) and record.get("ignorable") is not True:
            raise LogError(
                "UNKNOWN_EVENT",
                f"line {line.number}: the event type {event_type!r} is unknown here, and not marked as ignorable: "
                "this log can be read, but not continued",
                line=line.number,
            )
        if event_type in _FOLDED or "surfaceOp" in record:
            try:
                event = LoggedEvent.from_json(record, seq)
                self.surface.check(event, self._events.__getitem__)
                self.surface.add(event)
                self.work.add(event)
            except LogError as error:
                raise LogError("LOG_CORRUPT", f"line {line.number}: {error}", line=line.number) from None
        self._events.note(line)


_FOLDED = SURFACE_TYPES | FOLDED_TYPES
