"""The lines of the start screen: what was open, what can be learned from, and what needs no screen."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.tui.memory import Recent
from workbench.tui.view.pieces import Line, Piece, cut, outside, spread, width_of
from workbench.tui.view.sizes import counted

WIDEST = 122
COMMANDS = (
    ("workbench render FILE", "the prompt as text"),
    ("workbench blame FILE TEXT", "who wrote, changed or removed it"),
    ("workbench test FILE", "the cases beside it, for CI"),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A row that can be opened."""

    path: str
    """A file, or the name of a sample."""
    is_recent: bool = False


@dataclass(frozen=True, slots=True)
class StartRow:
    """One line below the input."""

    line: Line
    choice: Choice | None = None


def start_rows(
    recent: Sequence[Recent], samples: Iterable[tuple[str, str]], width: int, now: float, home: str
) -> list[StartRow]:
    """All rows; `samples`: name and one line about it, `home`: written as `~`."""
    rows: list[StartRow] = []
    first = min(24, max(12, width * 3 // 10))
    if recent:
        rows.append(StartRow((Piece("Recent", "soft", bold=True),)))
        for each in recent:
            rows.append(StartRow(_recent(each, width, first, now, home), Choice(each.path, is_recent=True)))
        rows.append(StartRow(()))
    samples = list(samples)
    if samples:
        title: Line = (Piece("Samples", "soft", bold=True),)
        about: Line = (Piece("each opens in a second, nothing is written", "faint"),) if width >= 60 else ()
        rows.append(StartRow(spread(title, about, width)))
        for name, what in samples:
            line = (*_padded(outside(name), first), Piece("  "), *outside(what, "soft"))
            rows.append(StartRow(cut(line, width), Choice(name)))
        rows.append(StartRow(()))
    rows.append(StartRow((Piece("Without a screen", "soft", bold=True),)))
    for call, what in COMMANDS:
        line = (*_padded((Piece(call),), max(first, 26)), Piece("  "), Piece(what, "soft"))
        rows.append(StartRow(cut(line, width)))
    return rows


def ago(seconds: float) -> str:
    """How long since, as a person says it."""
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{counted(int(seconds // size), word)} ago"
    return "just now"


def _recent(each: Recent, width: int, first: int, now: float, home: str) -> Line:
    folder, name = os.path.split(each.path)
    if folder == home or folder.startswith(home.rstrip("/") + "/"):
        folder = "~" + folder[len(home.rstrip("/")) :]
    health: Line = ()
    if "error" in each.health:
        health = (Piece("× ", "failed", bold=True), *outside(each.health, "failed"))
    elif each.health:
        health = (Piece("✓ ", "running"), *outside(each.health, "soft"))
    right: Line = (Piece(ago(max(0.0, now - each.when)), "soft"), *_padded_left(health, 11))
    left: Line = (*_padded(outside(name), first), Piece("  "), *outside(folder or "sample", "faint"))
    return spread(cut(left, max(0, width - width_of(right) - 2)), right, width)


def _padded(line: Line, width: int) -> Line:
    line = cut(line, width)
    return (*line, Piece(" " * (width - width_of(line))))


def _padded_left(line: Line, width: int) -> Line:
    return (Piece(" " * max(2, width - width_of(line))), *line)
