"""Prompts kept in files, to be compared with later ones.

A snapshot is what `workbench render FILE --format json` prints, with the time at which it was saved: whatever
that prints can be read as one. Source: docs/cli.md 8.1.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.prompt import Preview

if TYPE_CHECKING:
    from workbench.config.formats.from_json import ReadPreview

SUFFIX = ".prompt.json"
MOST_BYTES = 64 * 1024 * 1024
"""A file that is longer is none of ours."""


class SnapshotError(Exception):
    """A snapshot that could not be read; the message names the file and what is wrong."""


@dataclass(frozen=True, slots=True)
class SavedSnapshot:
    """A file in the folder of snapshots; nothing of it has been read."""

    path: Path
    written: float
    """Seconds since the epoch."""

    @property
    def name(self) -> str:
        """As the person named it."""
        return self.path.name.removesuffix(SUFFIX)


def folder_of_person() -> Path:
    """Where snapshots go, unless the person says otherwise."""
    from platformdirs import user_data_path

    return user_data_path("prompt-workbench") / "snapshots"


def saved_snapshots(folder: Path) -> list[SavedSnapshot]:
    """Those in a folder, the newest first; () where there is none. Blocks on the disk."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX) and entry.is_file():
                    found.append(SavedSnapshot(Path(entry.path), entry.stat().st_mtime))
    except OSError:
        pass  # no folder yet, or a file that has just gone
    return sorted(found, key=lambda each: (-each.written, each.name))


def snapshot_bytes(preview: Preview, *, file: str, scope: str) -> bytes:
    """What a file of it holds. Counts tokens: for a thread."""
    from workbench.config.formats.as_json import preview_json
    from workbench.config.formats.as_request import model_of
    from workbench.tokens import PromptTexts, TokenCounter, count_prompt_now

    counts = count_prompt_now(TokenCounter.for_model(model_of(preview)), PromptTexts.of(preview))
    text = preview_json(preview, file=file, scope=scope, counts=counts, saved=time.time())
    text = _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)  # half a character has no UTF-8
    return f"{text}\n".encode()


def read_snapshot(path: Path) -> ReadPreview:
    """The prompt in a file; raises `SnapshotError`. Blocks on the disk."""
    from workbench.config.formats.from_json import UnreadablePreview, read_preview

    try:
        with path.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise SnapshotError(f"{path}: {error.strerror or error}") from None
    if len(content) > MOST_BYTES:
        raise SnapshotError(f"{path}: longer than {MOST_BYTES // 1024 // 1024} MB")
    try:
        return read_preview(content)
    except UnreadablePreview as error:
        raise SnapshotError("\n".join(f"{path}: {reason}" for reason in str(error).split("\n"))) from None


def looks_like_snapshot(path: Path) -> bool:
    """Whether a file begins as one that was written by us; a file that cannot be read does not."""
    if path.suffix != ".json":
        return False
    try:
        with path.open("rb") as stream:
            head = stream.read(200)
    except OSError:
        return False
    return re.match(rb'\s*\{\s*"format":\s*\d+,\s*"file":', head) is not None


_SURROGATE = re.compile("[\ud800-\udfff]")
