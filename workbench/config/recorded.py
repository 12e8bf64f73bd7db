"""Whether a path leads to something recorded, by its first bytes: what reads it is not loaded for that.

Source: docs/sessions.md 14.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

ENDINGS = (".json", ".jsonl", ".ndjson")
"""Of files with captured requests."""


def is_recorded(path: str | Path) -> bool:
    """Whether a path leads to a session log, a folder of them, or captured requests. Blocks for a moment."""
    found = Path(path)
    if found.is_dir():
        return bool(logs_in(found)) or is_capture(found)
    return found.is_file() and (is_log(found) or is_capture(found))


def is_log(path: str | Path) -> bool:
    """Whether the first line of a file is that of a session log."""
    try:
        with open(path, "rb") as file:
            first = file.read(4_096).lstrip()
    except OSError:
        return False
    return first.startswith(b"{") and b'"session"' in first.split(b"\n", 1)[0] and b'"type"' in first


def logs_in(folder: Path) -> list[Path]:
    """The session logs in a folder, the shortest name first: a parent's before those of its children."""
    found = [each for each in folder.glob("*.jsonl") if each.is_file() and is_log(each)]
    return sorted(found, key=lambda each: (len(each.name), each.name))


def is_capture(path: str | os.PathLike[str]) -> bool:
    """Whether a file or folder looks like captured requests; reads no more than its beginning."""
    found = Path(path)
    if found.is_dir():
        first = next(iter(captures_in(found)), None)
        return first is not None and is_capture(first)
    if found.suffix.lower() not in ENDINGS:
        return False
    try:
        with open(found, "rb") as file:
            head = file.read(65_536)
    except OSError:
        return False
    return bool(re.search(rb'"(messages|input)"\s*:', head)) and not head.startswith(b'{"type":"session"')


def captures_in(folder: Path) -> Sequence[Path]:
    """By name, in which numbers count as numbers."""
    found = [each for each in folder.iterdir() if each.suffix.lower() in ENDINGS and each.is_file()]
    return sorted(
        found, key=lambda each: [(not part.isdigit(), part.zfill(20)) for part in _NUMBERS.split(each.name)]
    )


_NUMBERS = re.compile(r"(\d+)")
