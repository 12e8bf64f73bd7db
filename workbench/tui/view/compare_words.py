"""What Compare says in words: its answer, the labels of the prefix line, the list of changes, and empty states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.config.difference.request import RequestDifference
from workbench.tokens import Count
from workbench.tui.view.answer import Answer
from workbench.tui.view.compare import Change, Comparison
from workbench.tui.view.frame import outer_margin
from workbench.tui.view.panel import wrapped
from workbench.tui.view.pieces import Line, Piece, Role, cut, outside, spread, width_of
from workbench.tui.view.prefix_line import BREAK, Segment
from workbench.tui.view.sizes import NOT_EXACT, counted, number

WIDEST: Final = 76
"""Cells of an empty state."""
_SIGNS: Final[dict[str, tuple[str, Role]]] = {
    "added": ("+", "added"),
    "removed": ("−", "removed"),
    "changed": ("~", "changed"),
    "moved": ("↕", "changed"),
}
_KIND_WIDTH: Final = 7
_GROWN_WIDTH: Final = 7
_NAME_WIDTH: Final = 24


def answer(request: RequestDifference, *, short: bool) -> Answer:
    """Whether the prefix stays, and how much is another."""
    if request.is_same:
        return Answer((Piece("Equal, byte for byte.", "strong", bold=True),), ())
    lead: Line
    prefix = request.prefix
    if not request.is_whole:
        which = "left" if request.before.system is None else "right"
        lead = (Piece("× ", "failed", bold=True), Piece(f"The {which} side cannot be sent.", "strong", bold=True))
    elif request.is_for_another_model:
        lead = (
            Piece(f"{BREAK} ", "broken", bold=True),
            Piece("For another model: no prefix is kept.", "strong", bold=True),
        )
    elif prefix is None:
        lead = (Piece("The prefix stays.", "strong", bold=True),)
    elif not prefix.lost:
        lead = (Piece("The prefix stays", "strong", bold=True), Piece(" and grows."))
    else:
        sign = f"{NOT_EXACT} " if prefix.label != "exact" else ""
        lead = (
            Piece(f"{BREAK} ", "broken", bold=True),
            Piece(f"The prefix breaks at token {sign}{number(prefix.number)}.", "strong", bold=True),
        )
    return Answer((*lead, Piece(f" {_counted(request, short)}")))


def first_changed(request: RequestDifference) -> Line:
    """The first changed token: whose it is, and what has to be read from there on."""
    prefix = request.prefix
    if prefix is None:
        return ()
    first = prefix.first
    sign = f"{NOT_EXACT} " if prefix.label_behind != "exact" else ""
    return (
        Piece(f"{BREAK} " if prefix.lost else "+ ", "broken" if prefix.lost else "soft", bold=True),
        *cut(outside(first.name, "strong"), _NAME_WIDTH),
        Piece(f" {first.action} first, of ", "soft"),
        *cut(outside(first.owner.plugin, "strong"), _NAME_WIDTH),
        Piece(f"; {sign}{number(prefix.read_anew)} tok from there on", "soft"),
    )


def segments(request: RequestDifference) -> tuple[Segment, ...]:
    """System text and tools, as the prefix line draws them; messages, where they are compared."""
    if request.messages is not None:
        return (*_fixed_segments(request), _messages_segment(request))
    return _fixed_segments(request)


def _messages_segment(request: RequestDifference) -> Segment:
    assert request.messages is not None
    tokens, prefix = request.messages.after.tokens, request.prefix
    if request.is_for_another_model:
        return Segment(anew=tokens)
    if prefix is None:
        return Segment(kept=tokens)
    if prefix.part != "messages":
        return Segment(anew=tokens)
    return _parted(prefix.kept_in_part, tokens - prefix.kept_in_part, prefix.lost > 0)


def _fixed_segments(request: RequestDifference) -> tuple[Segment, Segment]:
    system = request.after.system.tokens if request.after.system is not None else 0
    tools = request.after.all_tools.tokens
    prefix = request.prefix
    if request.is_for_another_model:
        return Segment(anew=system), Segment(anew=tools)
    if prefix is None or prefix.part == "messages":
        return Segment(kept=system), Segment(kept=tools)
    kept = prefix.kept_in_part
    is_broken = prefix.lost > 0
    if prefix.part == "tools":
        return Segment(kept=system), _parted(kept, tools - kept, is_broken)
    return _parted(kept, system - kept, is_broken), Segment(anew=tools) if is_broken else Segment(new=tools)


def segment_labels(request: RequestDifference) -> tuple[Line, Line, Line]:
    """Tokens of system text and tools before and after; and of the context, which is a message."""
    before, after = request.before, request.after
    fixed = _label("system", before.system, after.system), _label("tools", before.all_tools, after.all_tools)
    if request.messages is not None:
        return (*fixed, _label("messages", request.messages.before, request.messages.after))
    return (
        *fixed,
        (*_label("context", before.context, after.context), Piece(", a message", "faint")),
    )


@dataclass(frozen=True, slots=True)
class ListLook:
    """How the list is shown at the moment."""

    width: int
    chosen: int
    has_focus: bool


class ChangeRows:
    """The list: a heading, the changes, and below them what is equal, counted. Drawn row by row."""

    def __init__(self, comparison: Comparison, width: int, *, blanks: bool) -> None:
        self._changes = comparison.changes
        counts = [count for change in self._changes for count in (change.before, change.after) if count]
        self._unit = "tok" if all(count.label == "exact" for count in counts) else f"{NOT_EXACT} tok"
        equal = equal_words(comparison.request)
        words = (Piece("Equal ", "soft", bold=True), Piece(equal, "faint"))
        below: list[Line] = [(Piece(" "), *line) for line in wrapped(words, max(8, width - 2))] if equal else []
        self._below: list[Line] = [(), *below] if blanks and below else below

    def __len__(self) -> int:
        return 1 + len(self._changes) + len(self._below) if self._changes else 0

    def change_at(self, row: int) -> int | None:
        """Index of the change in that row; None: there is none in it."""
        return row - 1 if 1 <= row <= len(self._changes) else None

    def line(self, row: int, look: ListLook) -> Line:
        """One row."""
        index = self.change_at(row)
        if index is not None:
            return _list_line(self._changes[index], look, is_chosen=index == look.chosen)
        if row:
            return self._below[row - 1 - len(self._changes)]
        heading: Role = "strong" if look.has_focus else "soft"
        return spread((Piece(" Changes", heading, bold=True),), (Piece(f"{self._unit} ", "faint"),), look.width)


def equal_words(request: RequestDifference) -> str:
    """`6 sections, 4 tools, 1 context`; empty: nothing is."""
    counts = [(request.counted("same", kind), kind) for kind in ("section", "tool", "context", "message")]
    return ", ".join(counted(count, kind) for count, kind in counts if count)


def same_lines(request: RequestDifference, remedy: str, width: int) -> list[Line]:
    """In place of the changes, where there are none."""
    words = equal_words(request)
    what = f"Both sides have the same text: {words}." if words else "Neither side has anything to read."
    return empty_lines("Equal, byte for byte.", [what], remedy, width)


def empty_lines(fact: str, reasons: Sequence[str], remedy: str, width: int) -> list[Line]:
    """Bold fact, why, and what to do. Facts and reasons are outside text."""
    return list(_paragraphs(fact, reasons, remedy, outer_margin(width), max(8, min(width - 2, WIDEST))))


def _paragraphs(fact: str, reasons: Iterable[str], remedy: str, free: int, width: int) -> Iterator[Line]:
    margin = Piece(" " * free)
    for row in wrapped(outside(fact, "strong", bold=True), width):
        yield margin, *row
    for reason in reasons:
        for row in wrapped(outside(reason), width):
            yield margin, *row
    if remedy:
        yield ()
        for row in wrapped((Piece(remedy, "soft"),), width):
            yield margin, *row


def grown_words(grown: int | None) -> str:
    """`+ 9`, `− 12`, `0`."""
    if grown is None:
        return "–"
    return f"{'+' if grown > 0 else '−'} {number(abs(grown))}" if grown else "0"


def _counted(request: RequestDifference, short: bool) -> str:
    """`2 added, 2 changed, 0 removed, + 104 tok.`"""
    words: list[str] = []
    for state in ("added", "changed", "removed", "moved"):
        count = request.counted(state)
        if count or not (short or state == "moved"):
            words.append(f"{number(count)} {state}")
    added = request.added_tokens
    if added is not None:
        sign = f"{NOT_EXACT} " if added.label != "exact" else ""
        words.append(f"{sign if added.tokens else ''}{grown_words(added.tokens)} tok")
    return ", ".join(words) + "."


def _parted(kept: int, rest: int, is_broken: bool) -> Segment:
    rest = max(0, rest)
    return Segment(kept, anew=rest, is_broken=True) if is_broken else Segment(kept, new=rest)


def _label(word: str, before: Count | None, after: Count | None) -> Line:
    was, now = ("–" if count is None else number(count.tokens) for count in (before, after))
    amounts = now if was == now else f"{was} → {now}"
    is_exact = all(count is None or count.label == "exact" for count in (before, after))
    return Piece(f"{word} "), Piece(amounts if is_exact else f"{NOT_EXACT} {amounts}", "soft")


def _list_line(change: Change, look: ListLook, *, is_chosen: bool) -> Line:
    sign, role = _SIGNS[change.part.state]
    bar = Piece("▌" if is_chosen and look.has_focus else " ", "focus")
    name = outside(change.part.name, "strong" if is_chosen else "text", bold=is_chosen)
    right: Line = (
        Piece(f"{change.part.kind:<{_KIND_WIDTH}}", "faint"),
        Piece(f"{grown_words(change.grown):>{_GROWN_WIDTH}} ", "soft"),
    )
    if look.width < 30:
        right = right[1:]
    name_width = max(4, look.width - width_of(right) - 6)
    return spread((bar, Piece(f" {sign} ", role, bold=True), *cut(name, name_width)), right, look.width)
