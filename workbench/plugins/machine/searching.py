"""Finding files and lines. Run as a process of its own, since a pattern can take longer than anybody's life.

    python -I searching.py < request.json > answer.json

Loads nothing of the package; `pathspec` where it is installed, for what version control ignores.

Source: docs/tools.md 12.1.
"""

from __future__ import annotations

import heapq
import json
import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MAX_FILE_BYTES = 32 * 1024 * 1024
"""Larger files are not searched."""
MAX_SHOWN = 500
"""Characters of a line that is shown."""
NEVER = frozenset({".git", ".hg", ".svn"})


class Ignored:
    """What the ignore files of one directory and of those above it leave out."""

    def __init__(self, folder: str, above: Ignored | None) -> None:
        self._folder = folder
        self._above = above
        self._spec = _spec_of(folder)

    def leaves_out(self, path: str, is_folder: bool) -> bool:
        level: Ignored | None = self
        while level is not None:
            if level._spec is not None:
                relative = os.path.relpath(path, level._folder).replace(os.sep, "/")
                decided = level._spec.check_file(relative + "/" if is_folder else relative).include
                if decided is not None:
                    return bool(decided)  # the nearest file that speaks of it decides
            level = level._above
        return False


def _spec_of(folder: str) -> Any:
    try:
        with open(os.path.join(folder, ".gitignore"), encoding="utf-8", errors="replace") as file:
            lines = file.read(1 << 20).splitlines()
        import pathspec

        return pathspec.GitIgnoreSpec.from_lines(lines)
    except (OSError, ImportError, ValueError):
        return None


def ignored_above(folder: str) -> Ignored | None:
    """The ignore files from the top of the checkout down to above `folder`."""
    chain: list[str] = []
    current = folder
    while not os.path.exists(os.path.join(current, ".git")):
        parent = os.path.dirname(current)
        if parent == current:
            return None  # no checkout: only the ignore files below count
        current = parent
        chain.append(current)
    level: Ignored | None = None
    for each in reversed(chain):
        level = Ignored(each, level)
    return level


def files_below(folder: str) -> Iterator[os.DirEntry[str]]:
    """All files that nobody ignores, without following links to directories."""
    todo: list[tuple[str, Ignored | None]] = [(folder, ignored_above(folder))]
    while todo:
        current, above = todo.pop()
        ignored = Ignored(current, above)
        try:
            with os.scandir(current) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        folders = []
        for entry in found:
            if entry.name in NEVER:
                continue
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                is_file = not is_folder and entry.is_file(follow_symlinks=False)
            except OSError:
                continue
            if not (is_folder or is_file) or ignored.leaves_out(entry.path, is_folder):
                continue
            if is_folder:
                folders.append((entry.path, ignored))
            else:
                yield entry
        todo += reversed(folders)


def matcher(pattern: str) -> re.Pattern[str]:
    """A glob pattern as a regular expression over paths with `/`. `**` stands for any number of directories."""
    pattern = pattern.replace("\\", "/") if os.sep == "\\" else pattern
    pattern = pattern.removeprefix("./")
    written = ""
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            written += "(?:[^/]+/)*"
            at += 3
        elif pattern.startswith("**", at):
            written += ".*"
            at += 2
        elif pattern[at] == "*":
            written += "[^/]*"
            at += 1
        elif pattern[at] == "?":
            written += "[^/]"
            at += 1
        elif pattern[at] == "[" and (end := pattern.find("]", at + 2)) > 0:
            inside = pattern[at + 1 : end].replace("\\", "\\\\")
            written += f"[^{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]"
            at = end + 1
        elif pattern[at] == "{" and (end := pattern.find("}", at)) > 0:
            written += f"(?:{'|'.join(re.escape(each) for each in pattern[at + 1 : end].split(','))})"
            at = end + 1
        else:
            written += re.escape(pattern[at])
            at += 1
    if "/" not in pattern:
        written = f"(?:.*/)?{written}"
    return re.compile(written, re.DOTALL)


def find_files(request: dict[str, Any]) -> dict[str, Any]:
    """The files that match, the most recently changed first."""
    folder, limit = request["folder"], request["limit"]
    matches = matcher(request["pattern"])
    newest: list[tuple[int, str]] = []
    total = 0
    for entry in files_below(folder):
        relative = os.path.relpath(entry.path, folder).replace(os.sep, "/")
        if matches.fullmatch(relative) is None:
            continue
        total += 1
        try:
            changed = entry.stat(follow_symlinks=False).st_mtime_ns
        except OSError:
            continue
        item = (changed, entry.path)
        if len(newest) < limit:
            heapq.heappush(newest, item)
        else:
            heapq.heappushpop(newest, item)
    ordered = sorted(newest, key=lambda item: (-item[0], item[1]))
    return {"paths": [path for _, path in ordered], "total": total}


def find_lines(request: dict[str, Any]) -> dict[str, Any]:
    """The lines that match, by file."""
    expression = re.escape(request["pattern"]) if request["literal"] else request["pattern"]
    pattern = re.compile(expression, re.IGNORECASE if request["ignore_case"] else 0)
    only = matcher(request["files"]) if request.get("files") else None
    limit, around = request["limit"], request["context_lines"]
    found: list[dict[str, Any]] = []
    count = 0
    if os.path.isfile(request["folder"]):
        paths: Iterator[str] = iter([request["folder"]])
    else:
        paths = (entry.path for entry in files_below(request["folder"]))
    for path in paths:
        relative = os.path.relpath(path, request["folder"]).replace(os.sep, "/")
        if only is not None and only.fullmatch(relative) is None:
            continue
        lines = _lines_of(path)
        if lines is None:
            continue
        hits = []
        for index, line in enumerate(lines):
            if pattern.search(line) is not None:
                hits.append(index)
                count += 1
                if count == limit:
                    break
        if hits:
            found.append({"path": path, "lines": _shown(lines, hits, around)})
        if count == limit:
            return {"files": found, "count": count, "is_cut": True}
    return {"files": found, "count": count, "is_cut": False}


def _lines_of(path: str) -> list[str] | None:
    """The lines of a text file; None for a binary or very large one."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            if os.fstat(handle).st_size > MAX_FILE_BYTES:
                return None
            head = file.read(8192)
            if b"\0" in head:
                return None
            return (head + file.read()).decode("utf-8", "replace").splitlines()
    except OSError:
        return None


def _shown(lines: list[str], hits: list[int], around: int) -> list[list[Any]]:
    """Number, line, and whether it matches; with the lines around each match, none of them twice."""
    matching = set(hits)
    wanted = sorted({near for hit in hits for near in range(max(hit - around, 0), hit + around + 1)})
    return [
        [index + 1, lines[index][:MAX_SHOWN] + ("…" if len(lines[index]) > MAX_SHOWN else ""), index in matching]
        for index in wanted
        if index < len(lines)
    ]


def main() -> None:
    request = json.load(sys.stdin)
    try:
        answer = find_files(request) if request["what"] == "files" else find_lines(request)
    except re.error as error:
        answer = {"error": f"{error}"}
    json.dump(answer, sys.stdout, ensure_ascii=True)


if __name__ == "__main__":
    main()
