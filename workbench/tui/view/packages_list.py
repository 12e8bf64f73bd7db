"""The list of Packages as lines: groups of cards of two lines, the oldest request first.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from workbench.tui.view.packages_data import GroupName, PackageRow
from workbench.tui.view.packages_words import fact_line, short_id, sign_piece, state_line
from workbench.tui.view.pieces import Line, Piece, cut, outside, spread
from workbench.tui.view.sizes import number

GROUPS: Final[tuple[GroupName, ...]] = ("Waiting for you", "Running", "Not running", "Records")


class ListRow(NamedTuple):
    """A heading, a line of a card, or air."""

    group: GroupName | None = None
    cards: int = 0
    """In that group."""
    card: PackageRow | None = None
    nth: int = 0
    """Which line of the card: 0 name and state, 1 the fact, 2 how to answer."""


def ordered(rows: Sequence[PackageRow]) -> list[PackageRow]:
    """By group; requests by their age, what is not running with the newest first."""
    found: list[PackageRow] = []
    for group in GROUPS:
        inside = [row for row in rows if row.group == group]
        if group == "Waiting for you":
            inside.sort(key=lambda row: row.asked_since)
        elif group == "Not running":
            inside.reverse()
        found += inside
    return found


def list_rows(cards: Sequence[PackageRow], *, blanks: bool) -> list[ListRow]:
    """All lines of cards that are `ordered`; `blanks`: air between groups."""
    return list(_rows(cards, blanks))


def _rows(cards: Sequence[PackageRow], blanks: bool) -> Iterator[ListRow]:
    counts: dict[str, int] = {}
    for card in cards:
        counts[card.group] = counts.get(card.group, 0) + 1
    group: GroupName | None = None
    for card in cards:
        own = card.group
        if own != group:
            if group is not None and blanks:
                yield ListRow()
            group = own
            yield ListRow(group, counts[own])
        for nth in range(3 if card.request else 2):
            yield ListRow(None, 0, card, nth)


def row_line(
    row: ListRow, width: int, now: float, *, is_chosen: bool, has_focus: bool, answer_key: str = "!"
) -> Line:
    """One line in `width` cells; the first one is for the cursor."""
    card = row.card
    if card is None:
        if row.group is None:
            return ()
        note = "oldest first" if row.group == "Waiting for you" else number(row.cards) if row.cards > 9 else ""
        return spread((Piece(" "), Piece(row.group, "soft", bold=True)), (Piece(note, "faint"),), width)
    bar = Piece("▌", "focus") if is_chosen and has_focus else Piece(" ")
    if row.nth == 0:
        name = outside(card.name, "strong" if is_chosen else "text", bold=is_chosen)
        left = (
            bar,
            Piece(" "),
            sign_piece(card),
            Piece(" "),
            *outside(card.id, "strong", bold=True),
            Piece("  "),
            *name,
        )
        return spread(left, state_line(card, now, short=True), width, gap=1)
    if row.nth == 1:
        return cut((bar, Piece("   "), *fact_line(card, now)), width)
    answer: Line = (
        Piece(f" {answer_key} ", "focus", bold=True, ground="key"),
        Piece("Answer… ", "strong", ground="key"),
    )
    return cut(
        (bar, Piece("   "), *answer, Piece("  asked by ", "soft"), *outside(short_id(card.session), "soft")), width
    )


def index_of(rows: Sequence[ListRow], key: str) -> int | None:
    """The first line of that card."""
    return next((at for at, row in enumerate(rows) if row.card is not None and row.card.key == key), None)
