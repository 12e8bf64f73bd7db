"""The end of a log, read at once: what stands on the screen while the whole of it is being read.

Source: docs/sessions.md 10.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.agent.log.json_lines import decode_json
from workbench.agent.log.scanning import open_reading, scan_header
from workbench.agent.log.session_header import SessionHeader

TAIL = 196_608
"""Bytes at the end of a file that are looked at."""


@dataclass(frozen=True, slots=True)
class GlimpsedRequest:
    """A request near the end, as far as its own record tells."""

    turn: int
    step: int
    attempt: int
    time: int | None


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What is known of a log at once."""

    header: SessionHeader
    size: int
    """Bytes."""
    requests: tuple[GlimpsedRequest, ...]
    """The last ones, in order."""


def glimpse(path: Path) -> Glimpse:
    """Blocks, but not for long. Raises `LogError` LOG_HEADER, LOG_VERSION; `OSError`."""
    with open_reading(path) as file:
        scan = scan_header(file)
        size = file.seek(0, 2)
        start = max(scan.end, size - TAIL)
        file.seek(start)
        lines = file.read(TAIL).split(b"\n")
    if start > scan.end:
        del lines[0]  # begins somewhere inside
    found: dict[tuple[int, int, int], GlimpsedRequest] = {}
    for line in lines:
        if b'"request/sent"' not in line[:200] and b'"step/start"' not in line[:200]:
            continue
        try:
            record = decode_json(line)
            data = record["data"]
            turn, step, attempt = data["turn"], data["step"], data.get("attempt", 1)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        if type(turn) is int and type(step) is int and type(attempt) is int:
            time = record.get("time")
            request = GlimpsedRequest(turn, step, attempt, int(time) if isinstance(time, int | float) else None)
            found[turn, step, attempt] = request
    return Glimpse(scan.header, size, tuple(found.values()))
