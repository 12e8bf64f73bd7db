"""The file of an SQLite store, as the system sees it.

Source: docs/team.md 9 and 16.
"""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import URL

from workbench.team.store.errors import StoreError


def identity_of(file: Path | None) -> object:
    """What tells an open file from another one of its name; None where there is none."""
    found = _stat(file)
    return None if found is None else (found.st_dev, found.st_ino)


def state_of(file: Path | None) -> object:
    """What is another as soon as somebody has written to the file; None where there is none."""
    found = _stat(file)
    return None if found is None else (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def is_read_only(file: Path) -> bool:
    """Whether the file holds everything and can be read, but a connection could keep no notes beside it.

    SQLite needs two files beside one with a write-ahead log, even for reading. Where the folder takes none and
    nobody has left a log, the file alone is whole.
    """
    notes = file.with_name(f"{file.name}-wal")
    log = _stat(notes)
    is_writable = _may(file, os.W_OK) and _may(file.parent, os.W_OK)
    return not is_writable and _may(file, os.R_OK) and file.is_file() and (log is None or not log.st_size)


def why_unusable(file: Path, store: str) -> StoreError | None:
    """What keeps a file from being opened, where the rights of it say so."""
    if file.exists() and not _may(file, os.R_OK):
        return StoreError("STORE_UNAVAILABLE", store, "it may not be read by this user")
    if not _may(file.parent, os.W_OK):
        return StoreError("STORE_READ_ONLY", store, "its folder may not be written to")
    return None


def read_only_url(file: Path) -> URL:
    """Reads the file as it is, without locks and without files beside it."""
    return URL.create("sqlite", database=file.absolute().as_uri(), query={"immutable": "1", "uri": "true"})


def _may(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _stat(file: Path | None) -> os.stat_result | None:
    if file is None:
        return None
    try:
        return os.stat(file)
    except OSError:
        return None
