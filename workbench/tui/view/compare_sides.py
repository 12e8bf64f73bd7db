"""What can stand on the two sides of a comparison, and how it is called."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from workbench.config.snapshots import SavedSnapshot
from workbench.prompt.views import Preview
from workbench.tui.subject import ScopeChoice
from workbench.tui.view.picker import Item
from workbench.tui.view.pieces import Line, Piece, cut, outside, width_of
from workbench.tui.view.sizes import Sizes


class Seen(Protocol):
    """An assembly that was shown, as `viewing` keeps it."""

    @property
    def number(self) -> int: ...
    @property
    def scope(self) -> str: ...
    @property
    def preview(self) -> Preview: ...
    @property
    def sizes(self) -> Sizes: ...


@dataclass(frozen=True, slots=True)
class Now:
    """What is looked at, as it is now; it follows each change."""


@dataclass(frozen=True, slots=True)
class Previous:
    """The assembly of the same scope before that; it follows, too."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """One earlier assembly."""

    number: int
    """As `Seen` counts."""


@dataclass(frozen=True, slots=True)
class OtherScope:
    """Another scope of what is looked at."""

    label: str


@dataclass(frozen=True, slots=True)
class OtherFile:
    """Another composition, or what can be read as one; or the name of a sample."""

    path: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A prompt that was kept in a file."""

    path: str


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a session that is looked at."""

    track: int
    """Which of its sessions."""
    seq: int
    name: str
    """Such as `2.1`."""


SideChoice: TypeAlias = Now | Previous | Earlier | OtherScope | OtherFile | Snapshot | Step


@dataclass(frozen=True, slots=True)
class CompareTarget:
    """What another place has compared, and where to go back to."""

    left: SideChoice = Previous()
    right: SideChoice = Now()
    came_from: str = "Prompt"
    """Title of that place."""


@dataclass(frozen=True, slots=True)
class SideWords:
    """How a side is called. Both are outside text."""

    name: str
    note: str = ""


def words_of(choice: SideChoice) -> SideWords:
    """How a side is called that could not be had."""
    match choice:
        case Now():
            return SideWords("now")
        case Previous():
            return SideWords("assembly before")
        case Earlier(number):
            return SideWords(f"assembly {number}")
        case OtherScope(label):
            return SideWords(f"scope {label}")
        case OtherFile(path) | Snapshot(path):
            return SideWords(path)
        case Step(name=name):
            return SideWords(f"step {name}")


def clock(seconds: float) -> str:
    """A moment of today, or of another day with its date."""
    moment = time.localtime(seconds)
    is_today = time.strftime("%F", moment) == time.strftime("%F")
    return time.strftime("%T" if is_today else "%F %R", moment)


def sides_line(left: SideWords, right: SideWords, width: int) -> tuple[Line, tuple[int, int], tuple[int, int]]:
    """Both sides in one line, and the cells of each that can be clicked."""
    gap = 2 if width < 100 else 4
    room = (width - gap) // 2
    first = cut(_side("left", left, room), room)
    start = room + gap
    second = cut(_side("right", right, width - start), width - start)
    pad = Piece(" " * (start - width_of(first)))
    return (*first, pad, *second), (0, width_of(first)), (start, start + width_of(second))


def _side(which: str, words: SideWords, room: int) -> Line:
    name = cut(outside(words.name, "strong", bold=True), max(8, room - len(which) - 3))
    note = outside(words.note, "soft") if words.note else ()
    return (Piece(f"{which} ", "soft"), *name, Piece(" ▾", "faint"), *((Piece("  "), *note) if note else ()))


def side_items(
    seen: Sequence[Seen],
    scopes: Iterable[ScopeChoice],
    snapshots: Iterable[SavedSnapshot],
    recent: Iterable[str],
    scope: str,
) -> tuple[list[Item], dict[str, SideChoice]]:
    """What the picker offers, and what each of the items stands for."""
    items: list[Item] = []
    choices: dict[str, SideChoice] = {}

    def offer(choice: SideChoice, title: str, note: str, group: str, about: str) -> None:
        items.append(Item(f"side:{len(items)}", title, note, group=group, help=about))
        choices[items[-1].id] = choice

    here = "This prompt"
    offer(Now(), "now", f"scope {scope}", here, "What is looked at, as it is after each change.")
    offer(Previous(), "assembly before", f"scope {scope}", here, "What it was before the last change.")
    for other in scopes:
        offer(
            OtherScope(other.label), f"scope {other.label}", other.note, "Scopes", "The prompt of that scope, now."
        )
    for each in reversed(seen):
        offer(
            Earlier(each.number),
            f"assembly {each.number}",
            _assembled(each),
            "Earlier",
            "As it was assembled then.",
        )
    for snapshot in snapshots:
        note = f"saved {clock(snapshot.written)}"
        offer(Snapshot(str(snapshot.path)), f"snapshot {snapshot.name}", note, "Snapshots", str(snapshot.path))
    for path in recent:
        offer(OtherFile(path), path, "", "Other files", "Open it beside this one, for as long as it is compared.")
    return items, choices


def _assembled(seen: Seen) -> str:
    size = seen.sizes.request(seen.preview)
    words = [clock(seen.preview.trace.started), seen.scope, "cannot be sent" if size is None else str(size)]
    return ", ".join(words)
