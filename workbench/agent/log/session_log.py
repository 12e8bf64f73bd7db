"""A log that is read, by however many readers, while another process may be writing to it.

Readers take no lock, change nothing, and see every complete line. Source: docs/sessions.md 7 and 10.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import LoggedEvent, is_known
from workbench.agent.log.file_events import FileEvents
from workbench.agent.log.recorded import filling
from workbench.agent.log.scanning import BadLine, Line, Scan, open_reading, scan_header, scan_records
from workbench.agent.log.session_header import SessionHeader

Change = Literal["same", "grown", "truncated", "replaced", "gone"]
"""What happened to a file: "replaced" is another file, or the same one written anew."""

Told = Callable[[FileEvents], Callable[[LoggedEvent], object]]
"""Given the events, of which those that were told can be read already: who is told each of them."""

_MARK_BYTES = 512
"""Bytes before the last line end by which a file that was written anew is told from one that has grown."""


@dataclass(frozen=True, slots=True)
class Refresh:
    """What a second look at the file has found."""

    change: Change
    first_new: int = 0
    """Seq of the first event that was not known before; after "truncated" and "replaced" all are new."""


@dataclass(slots=True)
class _Look:
    """One pass over the file. It changes nothing, so it can be made in a thread."""

    change: Change
    scan: Scan | None = None
    places: FileEvents | None = None
    mark: bytes = b""
    unknown: tuple[tuple[int, str], ...] = ()


class SessionLog:
    """The events of a log file, and what is wrong with it. Made by `open` or `open_now`; ended by `close`."""

    path: Path
    header: SessionHeader
    events: FileEvents

    def __init__(self, path: Path, look: _Look) -> None:
        """For `open` and `open_now`."""
        self.path = path
        self._replace(look)

    @classmethod
    async def open(cls, path: str | Path) -> Self:
        """`open_now` beside the event loop."""
        return await asyncio.to_thread(cls.open_now, path)

    @classmethod
    def open_told(cls, path: str | Path, told_to: Told) -> Self:
        """`open_now` that tells each event in passing, so that whoever needs all of them decodes none twice.

        Raises as `open_now` does, and what the listener raises.
        """
        return cls(Path(path), _look_anew(Path(path), "replaced", told_to))

    @classmethod
    def open_now(cls, path: str | Path) -> Self:
        """Read a log up to its last complete line, or its first bad one. Blocks.

        Raises `LogError` LOG_HEADER, LOG_VERSION; `OSError`.
        """
        return cls(Path(path), _look_anew(Path(path), "replaced"))

    def close(self) -> None:
        """Release the file."""
        self.events.close()

    @property
    def bad(self) -> BadLine | None:
        """The line at which reading ended; None when every complete line is good."""
        return self._scan.bad

    @property
    def incomplete_bytes(self) -> int:
        """Bytes behind the last line end: a line that is being written, or never was finished."""
        return self._scan.incomplete

    @property
    def unknown(self) -> tuple[tuple[int, str], ...]:
        """Seq and type of records that are unknown here and must not be ignored. They are shown as they stand."""
        return self._unknown

    async def refresh(self) -> Refresh:
        """Look again, beside the event loop. Raises `LogError` for a new file with a bad header; `OSError`."""
        return self._apply(await asyncio.to_thread(self._look))

    def refresh_now(self) -> Refresh:
        """Look again. Blocks."""
        return self._apply(self._look())

    def _look(self) -> _Look:
        try:
            return self._looked()
        except FileNotFoundError:
            return _Look("gone")
        except LogError as error:
            if error.code == "LOG_HEADER" and not _has_whole_line(self.path):
                return _Look("gone")  # another one is being written
            raise

    def _looked(self) -> _Look:
        status = os.stat(self.path)
        scan = self._scan
        if (status.st_dev, status.st_ino) != self.events.file_id:
            return _look_anew(self.path, "replaced")
        if status.st_size < scan.end:
            return _look_anew(self.path, "truncated")
        with open_reading(self.path) as file:
            if _mark(file, scan.end) != self._mark:
                return _look_anew(self.path, "replaced")
        return _passed(self.path, Scan(scan.header, scan.end, scan.lines, scan.events), "grown")

    def _apply(self, look: _Look) -> Refresh:
        before = len(self.events)
        if look.change in ("truncated", "replaced"):
            self.events.close()
            self._replace(look)
            return Refresh(look.change)
        if look.scan is None or look.places is None:
            return Refresh(look.change, before)
        self.events.extend(look.places)
        look.places.close()
        self._scan, self._mark = look.scan, look.mark
        self._unknown += look.unknown
        return Refresh("grown" if len(self.events) > before else "same", before)

    def _replace(self, look: _Look) -> None:
        assert look.scan is not None
        assert look.places is not None
        self.header = look.scan.header
        self.events = look.places
        self._scan, self._mark = look.scan, look.mark
        self._unknown = look.unknown


def _look_anew(path: Path, change: Change, told_to: Told | None = None) -> _Look:
    with open_reading(path) as file:
        scan = scan_header(file)
    return _passed(path, scan, change, told_to)


def _passed(path: Path, scan: Scan, change: Change, told_to: Told | None = None) -> _Look:
    """One pass over the lines behind `scan.end`."""
    shown_as = filling(path)
    places = FileEvents(path, shown_as)
    unknown: list[tuple[int, str]] = []
    told = None if told_to is None else told_to(places)

    def note(record: Mapping[str, Any], seq: int, line: Line) -> None:
        places.note(line)
        if not is_known(record["type"]) and record.get("ignorable") is not True:
            unknown.append((seq, record["type"]))
        if told is not None:
            event = LoggedEvent.from_json(record, seq)
            told(event if shown_as is None else shown_as(event))

    try:
        with open_reading(path) as file:
            scan_records(file, scan, note)
            return _Look(change, scan, places, _mark(file, scan.end), tuple(unknown))
    except BaseException:
        places.close()
        raise


def _mark(file: BinaryIO, end: int) -> bytes:
    """The last bytes before `end`."""
    start = max(0, end - _MARK_BYTES)
    file.seek(start)
    return file.read(end - start)


def _has_whole_line(path: Path) -> bool:
    with open_reading(path) as file:
        return b"\n" in file.read(65_536)
