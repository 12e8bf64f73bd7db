"""Keeps the draft on the disk as it is typed: in a thread of its own, the newest one last, and none is lost."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workbench.team.drafts import Draft, DraftError, DraftFolder


class Keeping:
    """A write begins at once; what is typed meanwhile is written behind it, in one piece.

    The thread ends its work even when the loop is gone.
    """

    def __init__(self, tell: Callable[[str, Path | None], object]) -> None:
        """`tell`: is called on the loop after each write, with an error or nothing, and with the file that holds
        the draft of another window, which was put aside.
        """
        self._tell = tell
        self._known: dict[str, object] = {}
        """By label: what tells our file from one that another window has written since."""
        self._folder: DraftFolder | None = None
        self._lane = ThreadPoolExecutor(1, "team drafts")
        self._lock = threading.Lock()
        self._wanted: dict[str, Draft | None] = {}
        self._count = 0
        """Writes that have not ended."""

    @property
    def is_busy(self) -> bool:
        """Something is being written."""
        return self._count > 0

    async def load(self, label: str) -> Draft | None:
        """The draft that was kept for a store. Raises `DraftError`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._lane, lambda: self._load(label))

    def keep(self, label: str, draft: Draft | None) -> None:
        """Writes the draft; an empty one is forgotten."""
        with self._lock:
            is_due = label in self._wanted
            self._wanted[label] = draft
        if is_due:
            return  # the write that has not begun yet takes this one
        loop = asyncio.get_running_loop()
        self._count += 1
        future = self._lane.submit(self._write, label)

        def ended(_: object) -> None:
            try:
                loop.call_soon_threadsafe(self._ended, *future.result())
            except RuntimeError:
                pass  # the loop has ended, the draft is on the disk

        future.add_done_callback(ended)

    def close(self) -> None:
        """Takes nothing more; what was asked for is written."""
        self._lane.shutdown(wait=False)

    @property
    def _drafts(self) -> DraftFolder:
        """Made in the thread: the first look for the folder of the person reads files."""
        if self._folder is None:
            self._folder = DraftFolder()
        return self._folder

    def _load(self, label: str) -> Draft | None:
        draft = self._drafts.load(label)
        self._known[label] = _identity(self._drafts.path_of(label))
        return draft

    def _write(self, label: str) -> tuple[str, Path | None]:
        with self._lock:
            draft = self._wanted.pop(label)
        aside: Path | None = None
        path = self._drafts.path_of(label)
        present = _identity(path)
        is_ours = present is None or present == self._known.get(label)
        try:
            if draft is not None:
                aside = None if is_ours else _put_aside(path)
                self._drafts.keep(label, draft)
            elif is_ours:
                self._drafts.drop(label)
        except DraftError as error:
            return str(error), aside
        except OSError as error:
            return f"{path}: {error.strerror or error}", aside
        self._known[label] = _identity(path)
        return "", aside

    def _ended(self, error: str, aside: Path | None) -> None:
        self._count -= 1
        self._tell(error, aside)


def _identity(path: Path) -> object:
    """Each write makes another file. None: there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _put_aside(path: Path) -> Path:
    """A draft of another window, or one that cannot be read, is not written over."""
    number = next(each for each in range(1, 10_000) if not path.with_suffix(f".{each}.json").exists())
    aside = path.with_suffix(f".{number}.json")
    os.replace(path, aside)
    return aside
