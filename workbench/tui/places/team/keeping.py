"""Keeps the draft on the disk as it is typed: in a thread of its own, the newest one last, and none is lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from workbench.team.drafts import Draft, DraftError, DraftFolder


class Keeping:
    """A write begins at once; what is typed meanwhile is written behind it, in one piece.

    The thread ends its work even when the loop is gone.
    """

    def __init__(self, tell: Callable[[str], object]) -> None:
        """`tell`: is called on the loop with an error, or with nothing after a write that went well."""
        self._tell = tell
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
        return await loop.run_in_executor(self._lane, lambda: self._drafts.load(label))

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
                loop.call_soon_threadsafe(self._ended, future.result())
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

    def _write(self, label: str) -> str:
        with self._lock:
            draft = self._wanted.pop(label)
        try:
            if draft is None:
                self._drafts.drop(label)
            else:
                self._drafts.keep(label, draft)
        except DraftError as error:
            return str(error)
        return ""

    def _ended(self, error: str) -> None:
        self._count -= 1
        self._tell(error)
