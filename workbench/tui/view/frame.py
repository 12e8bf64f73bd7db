"""The lines around a place: what is open and how it is, where one can go, and which keys help now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from workbench.tui.commands import Command
from workbench.tui.view.file_place import short_path
from workbench.tui.view.pieces import Line, Piece, Role, cut, outside, width_of


class Status(NamedTuple):
    """The word at the right end of the context bar, with its sign."""

    sign: str
    word: str
    role: Role


NOTHING = Status("○", "nothing open", "soft")
OPENING = Status("◐", "opening", "pending")
LIVE = Status("●", "live", "running")
STILL = Status("○", "not watched", "soft")
HOLDING = Status("◌", "edits wait", "waiting")
PAST = Status("◂", "past", "changed")
ERROR = Status("×", "error", "failed")
REFUSED = Status("×", "broken file", "failed")


def outer_margin(width: int) -> int:
    """Free cells at the edges of a screen of that width."""
    return 1 if width < 100 else 2


def busy(seconds: float) -> Status:
    """Work that has not come back."""
    return Status("◐", f"assembling, {seconds:.0f} s", "pending")


@dataclass(frozen=True, slots=True)
class Tab:
    """One place."""

    key: str
    title: str
    question: str


class Region(NamedTuple):
    """Cells of a line that a click turns into a command."""

    start: int
    end: int
    command: str


class Bar(NamedTuple):
    """A line and the parts of it that can be clicked, counted from its first cell."""

    left: Line
    right: Line
    regions: tuple[Region, ...] = ()


def context_bar(name: str, scope: str | None, size: str, status: Status, width: int, *, short: bool) -> Bar:
    """File, scope, size, state in `width` cells. `scope` None: there is only one."""
    gap = "  " if short else "    "
    right: Line = (
        Piece(size, "text"),
        Piece(gap if size else ""),
        Piece(f"{status.sign} ", status.role, bold=True),
        Piece(status.word, status.role),
    )
    chosen: Line = ()
    if scope is not None:
        word = () if short else (Piece("scope ", "soft"),)
        most = width - width_of((*right, *word)) - 2 * len(gap) - 4 - min(width_of(outside(name)), LEAST_NAME)
        chosen = (*word, *cut(outside(scope), max(LEAST_SCOPE, most)), Piece(" ▾", "faint"))
    room = width - width_of(right) - 2 - (width_of(chosen) + len(gap) if chosen else 0)
    left: Line = outside(short_path(name, max(LEAST_NAME, room)), "strong", bold=True)
    regions: tuple[Region, ...] = ()
    if chosen:
        start = width_of(left) + len(gap)
        left = (*left, Piece(gap), *chosen)
        regions = (Region(start, width_of(left), "app.scope"),)
    return Bar(left, right, regions)


LEAST_NAME = 16
"""Cells that the name of the file keeps beside a long scope."""
LEAST_SCOPE = 4


def tab_bar(
    tabs: Sequence[Tab], current: str, question: str, width: int, *, badges: Mapping[str, int] | None = None
) -> Bar:
    """The places that exist, and the question of the one on the screen, in `width` cells. A click leads to one.

    Where there is no room the question goes first, then the titles of the other places; their numbers stay.
    `badges`: how many things wait for the person there, by the title of the place.
    """
    asked: Line = (Piece(question, "faint"),)
    line, regions = _tabs(tabs, current, badges or {})
    if width_of(line) > width:
        line, regions = _tabs(tabs, current, badges or {}, only_current=True)
    fits = width_of(line) + 2 + width_of(asked) <= width
    return Bar(line, asked if fits else (), regions)


def _tabs(
    tabs: Sequence[Tab], current: str, badges: Mapping[str, int], *, only_current: bool = False
) -> tuple[Line, tuple[Region, ...]]:
    line: Line = ()
    regions: list[Region] = []
    for tab in tabs:
        start = width_of(line)
        if tab.title == current:
            line = (
                *line,
                Piece("▎", "focus", ground="base"),
                Piece(f"{tab.key} ", "focus", bold=True, ground="base"),
                Piece(f"{tab.title} ", "strong", bold=True, ground="base"),
            )
        else:
            title = "" if only_current else f"{tab.title} "
            line = (*line, Piece(" "), Piece(f"{tab.key} ", "faint"), Piece(title, "soft"))
        asked = badges.get(tab.title, 0)
        if asked:
            ground: Role | None = "base" if tab.title == current else None
            line = (*line, Piece(f"◆{asked} ", "pending", bold=True, ground=ground))
        regions.append(Region(start, width_of(line), f"app.{tab.title.lower()}"))
    return line, tuple(regions)


def key_hints(commands: Iterable[Command], width: int, now: frozenset[str] = frozenset()) -> Bar:
    """As many hints as fit, the most useful first; those that always stand at the right end.

    `now` says what is the case, for hints that help only then.
    """
    chosen = [command for command in commands if command.hint and (not command.when or command.when in now)]
    chosen.sort(key=lambda command: (not command.when, command.rank))
    right: Line = ()
    for command in chosen:
        if command.always:
            right = (*right, *((Piece("  "),) if right else ()), *_hint(command))
    room = width - width_of(right) - 2
    gap = 2 if width < 100 else 3
    left: Line = ()
    regions: list[Region] = []
    for command in chosen:
        if command.always:
            continue
        lead: Line = (Piece(" " * gap),) if left else ()
        hint = _hint(command)
        if width_of((*left, *lead, *hint)) > room:
            break
        start = width_of((*left, *lead))
        left = (*left, *lead, *hint)
        regions.append(Region(start, width_of(left), command.id))
    at = width - width_of(right)
    for command in chosen:
        if command.always:
            end = at + width_of(_hint(command))
            regions.append(Region(at, end, command.id))
            at = end + 2
    return Bar(left, right, tuple(regions))


def _hint(command: Command) -> Line:
    return Piece(command.key_label, "strong", bold=True), Piece(f" {command.hint}", "soft")
