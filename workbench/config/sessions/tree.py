"""Logs of one tree: a session, and the children that lie beside it.

Source: docs/sessions.md 14.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.agent.log.errors import LogError
from workbench.agent.log.scanning import open_reading, scan_header
from workbench.agent.log.session_header import SessionHeader
from workbench.config.recorded import is_log, logs_in

MOST = 200
"""Logs of one folder that are looked at."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One log of a tree."""

    path: Path
    header: SessionHeader
    depth: int
    """0 for the one that was opened, or the topmost of a folder."""


def tree_of(path: Path) -> list[Branch]:
    """The log, and its children and theirs below it, in the order of their files. Blocks.

    Of a folder: every log in it. A file that is no log, or cannot be read, is left out.
    """
    folder = path if path.is_dir() else path.parent
    headers = {each: header for each in _beside(folder, path) if (header := _header(each)) is not None}
    if path.is_dir():
        ids = {header.id for header in headers.values()}
        roots = [each for each, header in headers.items() if header.parent_session not in ids]
    else:
        roots = [each for each in headers if each == path]
    branches: list[Branch] = []
    seen: set[Path] = set()

    def add(each: Path, depth: int) -> None:
        if each in seen:
            return
        seen.add(each)
        branches.append(Branch(each, headers[each], depth))
        for other, header in headers.items():
            if header.parent_session == headers[each].id and other != each:
                add(other, depth + 1)

    for root in roots or list(headers)[:1]:
        add(root, 0)
    if path.is_dir():  # what belongs to nobody here
        for each in headers:
            add(each, 0)
    return branches


def _beside(folder: Path, path: Path) -> list[Path]:
    found = logs_in(folder)[:MOST]
    if path.is_file() and path not in found and is_log(path):
        found.insert(0, path)
    return found


def _header(path: Path) -> SessionHeader | None:
    try:
        with open_reading(path) as file:
            return scan_header(file).header
    except (LogError, OSError):
        return None
