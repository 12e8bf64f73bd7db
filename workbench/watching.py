"""Changes of files, as the operating system reports them: between two of them nothing wakes up.

Folders are watched, not files: an editor replaces a file by renaming another one over it, and a file that is
missing now may appear. Where the folder itself is missing, the nearest one above it is watched for it.

Source: docs/compositions.md 13, docs/sessions.md 10.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch

LONGEST_SECONDS = 1.6
"""Changes that follow each other without end are told that often."""
CHANGES: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileClosedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]
"""What is asked of the system. That a file was read is not among it."""


class Watch:
    """Paths that are watched from `async with` on; what changes before `changed` is asked for is not lost.

    A path may be a file or a folder, and need not exist. Of a folder, each change of something right inside
    it counts. Entering raises `OSError` when the system refuses, as when it has no watches left.
    """

    def __init__(self, paths: Iterable[str | os.PathLike[str]], *, quiet: float) -> None:
        """`quiet`: seconds without a change after which the changes before are told as one."""
        self._paths = frozenset(name for path in paths for name in _names(os.path.abspath(path)))
        self._quiet = quiet
        self._observer = Observer()
        self._handler = _Handler(self._concerns, self._note)
        self._folders: dict[tuple[str, int, int], ObservedWatch] = {}
        """By path and identity: a folder that was removed and made again is another one."""
        self._lock = threading.Lock()
        self._first = self._last = 0.0
        """Monotonic times of the changes that are not told yet; 0: none."""
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    async def __aenter__(self) -> Self:
        self._observer.start()
        try:
            await asyncio.to_thread(self._follow_folders)
        except BaseException:
            self._observer.stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._observer.stop()
        await asyncio.to_thread(self._observer.join)

    async def changed(self, stop: asyncio.Event | None = None) -> bool:
        """Waits until something has changed and is at rest again; True. False once `stop` is set."""
        if not await _set_before(stop, self._news):
            return False
        while (left := self._seconds_left()) > 0:
            if await _is_set_within(left, stop):
                return False
        with self._lock:
            self._first = 0.0
            self._news.clear()
        await asyncio.to_thread(self._follow_folders)
        return True

    def _follow_folders(self) -> None:
        """Watches the folders that there are now."""
        wanted = {_identity(folder): folder for folder in map(_nearest_folder, self._paths)}
        for known in self._folders.keys() - wanted.keys():
            self._observer.unschedule(self._folders.pop(known))
        for identity in wanted.keys() - self._folders.keys():
            with suppress(FileNotFoundError):  # gone since: the one above it tells when it is back
                self._folders[identity] = self._observer.schedule(
                    self._handler, wanted[identity], event_filter=CHANGES
                )

    def _concerns(self, path: str) -> bool:
        if path in self._paths or os.path.dirname(path) in self._paths:
            return True
        return any(each.startswith(path + os.sep) for each in self._paths)

    def _note(self) -> None:
        """On the thread of the observer."""
        with self._lock:
            self._last = time.monotonic()
            is_first = not self._first
            if is_first:
                self._first = self._last
        if is_first:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                self._loop.call_soon_threadsafe(self._news.set)

    def _seconds_left(self) -> float:
        """Until the changes are told."""
        with self._lock:
            return min(self._last + self._quiet, self._first + LONGEST_SECONDS) - time.monotonic()


class _Handler(FileSystemEventHandler):
    def __init__(self, concerns: Callable[[str], bool], note: Callable[[], None]) -> None:
        self._concerns = concerns
        self._note = note

    def dispatch(self, event: FileSystemEvent) -> None:
        if any(path and self._concerns(os.fsdecode(path)) for path in (event.src_path, event.dest_path)):
            self._note()


def _names(path: str) -> Collection[str]:
    """Every way in which a change may be reported: the path itself in the real folder, and what it links to."""
    folder, name = os.path.split(path)
    return {os.path.join(os.path.realpath(folder), name), os.path.realpath(path)}


def _nearest_folder(path: str) -> str:
    """The path itself where it is a folder, else the first one above it that exists."""
    while not os.path.isdir(path) and (above := os.path.dirname(path)) != path:
        path = above
    return path


def _identity(folder: str) -> tuple[str, int, int]:
    try:
        found = os.stat(folder)
    except OSError:
        return folder, 0, 0
    return folder, found.st_dev, found.st_ino


async def _set_before(stop: asyncio.Event | None, news: asyncio.Event) -> bool:
    """Waits for both; True when the second one came and the first one did not."""
    if stop is None:
        return await news.wait()
    waiting = [asyncio.ensure_future(event.wait()) for event in (stop, news)]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waiting:
            each.cancel()
    return not stop.is_set()


async def _is_set_within(seconds: float, stop: asyncio.Event | None) -> bool:
    if stop is None:
        await asyncio.sleep(seconds)
        return False
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
    return stop.is_set()
