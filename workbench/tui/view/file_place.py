"""Where something stands in a file, in as many cells as there are: the name of the file and the line stay."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from workbench.prompt.source import Position, TextSource
from workbench.tui.view.pieces import Line, cut, outside, spread, width_of

USUAL_ROOM = 30
"""Cells of a path where nothing else says how many there are."""


def short_path(path: str, room: int = USUAL_ROOM) -> str:
    """`path` in at most `room` cells: folders go from the left, and only then the middle of the name."""
    if cell_len(path) <= room:
        return path
    *folders, name = path.split("/")
    shown = f"…/{name}" if folders else name
    while folders and cell_len(f"…/{folders[-1]}/{shown[2:]}") <= room:
        shown = f"…/{folders.pop()}/{shown[2:]}"
    return shown if cell_len(shown) <= room else _without_middle(name, room)


def file_and_line(source: TextSource | Position, room: int = USUAL_ROOM + 5) -> str:
    """`…/plugins/tides.py:57` in at most `room` cells, as long as the line alone fits."""
    line = f":{source.line}"
    return short_path(source.file, max(1, room - len(line))) + line


def with_place(
    words: Line, source: TextSource | None, width: int, *, behind: Line = (), right: Line = ()
) -> list[Line]:
    """`words, file:line behind` beside `right`; where the place has no room there, it is a row of its own."""
    if source is None:
        return [_beside((*words, *behind), right, width)]
    room = width - width_of((*words, *behind, *right)) - 2 - (2 if right else 0)
    least = cell_len(file_and_line(TextSource(source.file.rpartition("/")[2], source.line, 1), width)) + 2
    if room >= min(least, width):
        return [_beside((*words, *outside(f", {file_and_line(source, room)}", "soft"), *behind), right, width)]
    place = outside(f"  {file_and_line(source, width - 2)}", "soft")
    return [_beside((*words, *behind), right, width), place]


def _beside(left: Line, right: Line, width: int) -> Line:
    return spread(left, right, width) if right else cut(left, width)


def _without_middle(name: str, room: int) -> str:
    """Its first and its last cells, where the ending of a file stands."""
    if room < 3:
        return "…"[:room]
    behind = (room - 1) // 2
    end = name[-behind:]
    while cell_len(end) > behind:
        end = end[1:]
    return f"{set_cell_size(name, room - 1 - cell_len(end)).rstrip()}…{end}"
