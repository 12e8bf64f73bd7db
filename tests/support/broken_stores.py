"""Stores that cannot be used for a while: what happens to a file, and how it is mended."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from workbench.team.store import versions
from workbench.team.store.database import Database


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Somebody else writes for a long time."""
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def newer(file: Path) -> Iterator[None]:
    """A newer release has opened it."""
    for statement in ("INSERT INTO team_schema VALUES (7)", "DELETE FROM team_schema WHERE version = 7"):
        with closing(sqlite3.connect(file, isolation_level=None)) as database:
            database.execute(statement)
        if statement.startswith("INSERT"):
            yield


@contextmanager
def damaged(file: Path) -> Iterator[None]:
    """No page of it can be read. For a file that nobody has open."""
    content = file.read_bytes()
    file.write_bytes(b"\xff" * len(content))
    yield
    file.write_bytes(content)


@contextmanager
def full(file: Path) -> Iterator[None]:
    """Not one page more than there are."""
    original = Database.writing

    @contextmanager
    def writing(self: Any) -> Iterator[Any]:
        pages = self._cursor.execute("PRAGMA page_count").fetchone()[0]
        self._cursor.execute(f"PRAGMA max_page_count = {pages}")
        try:
            with original(self) as connection:
                yield connection
        finally:
            self._cursor.execute("PRAGMA max_page_count = 1000000")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "writing", writing)
        yield


@contextmanager
def gone(file: Path) -> Iterator[None]:
    """It is moved away in the middle of a save, and brought back."""
    away = file.with_name("away.db")
    original = versions._row

    def row(version: Any) -> Any:
        if file.exists():
            file.rename(away)
        return original(version)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(versions, "_row", row)
        yield
    away.rename(file)


SABOTAGES: dict[str, tuple[Callable[[Path], AbstractContextManager[None]], str]] = {
    "STORE_LOCKED": (locked, "wait for it"),
    "STORE_NEWER": (newer, "install that one"),
    "STORE_FULL": (full, "make some"),
    "STORE_GONE": (gone, "bring it back"),
}
"""By the code that comes of it: what happens, and words of what is to be done. For open files, too."""
