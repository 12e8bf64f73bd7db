"""The service `fs`: files of this machine, confined to the places that the composition allows.

Source: docs/tools.md 12.1.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.plugins.machine.places import Places, Refused
from workbench.plugins.machine.text_files import (
    Edited,
    TextPart,
    Written,
    read_part,
    read_whole,
    replace_in,
    write_whole,
)
from workbench.plugins.machine.threads import in_thread
from workbench.tools.processes import run_captured

SEARCH = Path(__file__).with_name("searching.py")
SEARCH_SECONDS = 60
MAX_ANSWER_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """Files that match a pattern, the most recently changed first."""

    paths: tuple[str, ...]
    total: int
    """How many there are; not all of them need to be in `paths`."""


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line of a file, and whether it matches or only stands beside a match."""

    number: int
    text: str
    matches: bool


@dataclass(frozen=True, slots=True)
class FoundLines:
    """Matching lines, by file."""

    files: tuple[tuple[str, tuple[FoundLine, ...]], ...]
    count: int
    is_cut: bool
    """There may be more: the limit was reached."""


class LocalFiles:
    """`ctx.fs`. Paths are absolute or relative to `cwd`, without one to that of the process.

    Everything raises `Refused`, whose `code` says why; nothing blocks the loop.
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        self._changing: dict[str, asyncio.Lock] = {}

    async def read(
        self, path: str, *, cwd: str | None = None, first_line: int = 1, line_count: int = 2000
    ) -> TextPart:
        """Some lines of a text file."""
        real = self.places.resolve(path, cwd)
        shown = self.places.shown(real, cwd)
        return await in_thread(lambda stop: read_part(real, shown, first_line, line_count, stop))

    async def read_text(self, path: str, *, cwd: str | None = None) -> str:
        """The whole text of a file of at most 16 MB."""
        real = self.places.resolve(path, cwd)
        shown = self.places.shown(real, cwd)
        return await in_thread(lambda stop: read_whole(real, shown, stop))

    async def write_text(self, path: str, content: str, *, cwd: str | None = None) -> Written:
        """Write a whole file, at once or not at all."""
        real = self.places.resolve(path, cwd, writing=True)
        shown = self.places.shown(real, cwd)
        async with self._lock(real):
            return await in_thread(lambda _stop: write_whole(real, shown, content))

    async def replace(
        self, path: str, old: str, new: str, *, occurrences: int = 1, cwd: str | None = None
    ) -> Edited:
        """Replace a passage that occurs exactly `occurrences` times; else nothing changes."""
        real = self.places.resolve(path, cwd, writing=True)
        shown = self.places.shown(real, cwd)
        async with self._lock(real):
            return await in_thread(lambda stop: replace_in(real, shown, old, new, occurrences, stop))

    async def glob(
        self, pattern: str, *, directory: str | None = None, limit: int = 100, cwd: str | None = None
    ) -> FoundFiles:
        """The files below a directory whose path matches."""
        folder = self._folder(directory, cwd)
        answer = await self._search({"what": "files", "folder": folder, "pattern": pattern, "limit": limit})
        return FoundFiles(tuple(self.places.shown(path, cwd) for path in answer["paths"]), answer["total"])

    async def grep(
        self,
        pattern: str,
        *,
        literal: bool = False,
        ignore_case: bool = False,
        directory: str | None = None,
        files: str | None = None,
        context_lines: int = 0,
        limit: int = 200,
        cwd: str | None = None,
    ) -> FoundLines:
        """The lines below a directory, or of one file, that match a regular expression."""
        folder = self._folder(directory, cwd, or_file=True)
        answer = await self._search(
            {
                "what": "lines",
                "folder": folder,
                "pattern": pattern,
                "literal": literal,
                "ignore_case": ignore_case,
                "files": files,
                "context_lines": context_lines,
                "limit": limit,
            }
        )
        found = tuple(
            (self.places.shown(each["path"], cwd), tuple(FoundLine(*line) for line in each["lines"]))
            for each in answer["files"]
        )
        return FoundLines(found, answer["count"], answer["is_cut"])

    def _folder(self, directory: str | None, cwd: str | None, or_file: bool = False) -> str:
        real = self.places.resolve(directory or ".", cwd)
        if not os.path.isdir(real) and not (or_file and os.path.isfile(real)):
            what = "not a directory" if os.path.exists(real) else "not there"
            raise Refused("NOT_FOUND", f"{self.places.shown(real, cwd)} is {what}")
        return real

    def _lock(self, real: str) -> asyncio.Lock:
        """Two changes of one file follow each other."""
        if len(self._changing) > 256:
            self._changing = {path: lock for path, lock in self._changing.items() if lock.locked()}
        return self._changing.setdefault(real, asyncio.Lock())

    async def _search(self, request: dict[str, Any]) -> dict[str, Any]:
        ended = await run_captured(
            [sys.executable, "-I", str(SEARCH)],
            input=json.dumps(request).encode(),
            seconds=SEARCH_SECONDS,
            most_bytes=MAX_ANSWER_BYTES,
        )
        if ended.timed_out:
            raise Refused("TOO_SLOW", f"the search took longer than {SEARCH_SECONDS} seconds; narrow it")
        if ended.status != 0 or ended.out.left_out:
            tail = ended.err.text[-300:].strip()
            raise Refused("SYSTEM_ERROR", f"the search failed: {tail or f'exit status {ended.status}'}")
        answer: dict[str, Any] = json.loads(ended.out.text)
        if "error" in answer:
            raise Refused("INVALID_PATTERN", f"{request['pattern']!r} is no regular expression: {answer['error']}")
        return answer
