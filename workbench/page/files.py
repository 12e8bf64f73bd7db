"""The files of the page and of the frame: read once, so that a request can only name one of them.

`static/` holds the page's, `static/frame/` the frame's; `index.html` is the document of each.

Source: docs/page.md 2.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

STATIC = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file, as it is sent."""

    content: bytes
    media_type: str
    packed: bytes
    """The same in gzip, for who takes that: every browser."""


def static_files(folder: Path) -> Mapping[str, StaticFile]:
    """What can be asked for, by its path below `folder`; the empty path is `index.html`."""
    if not folder.is_dir():
        return {}
    found = {
        path.relative_to(folder).as_posix(): _read(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in _TYPES
    }
    if "index.html" in found:
        found[""] = found["index.html"]
    return found


def _read(path: Path) -> StaticFile:
    content = path.read_bytes()
    return StaticFile(content, _TYPES[path.suffix], gzip.compress(content, mtime=0))


def page_files() -> Mapping[str, StaticFile]:
    return {name: file for name, file in static_files(STATIC).items() if not name.startswith("frame/")}


def frame_files() -> Mapping[str, StaticFile]:
    return static_files(STATIC / "frame")
