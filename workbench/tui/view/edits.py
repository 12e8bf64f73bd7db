"""What is said about an edit of the files: while it waits, and after it came into force."""

from __future__ import annotations

from typing import NamedTuple

from workbench.prompt.views import Preview
from workbench.tui.view.pieces import Line, Piece, cut, outside
from workbench.tui.view.sizes import number

NAME = 24
"""Cells of a name where there is little room."""


class Waiting(NamedTuple):
    """An edit that waits for a person."""

    sentence: str | None = None
    """What it would change first; empty: nothing here. None: it is still being looked at."""
    is_refused: bool = False
    """The sentence says why it cannot come into force."""


class Change(NamedTuple):
    """What an edit has changed first, from where on nothing of the old request can be reused."""

    name: str
    action: str


def change_between(before: Preview, after: Preview) -> Change | None:
    """None when both give the same request."""
    from workbench.config.difference.first_change import first_change  # not before the first edit

    first = first_change(before, after)
    return None if first is None else Change(first.name, first.action)


def waiting_line(waiting: Waiting) -> Line:
    """The answer while an edit waits."""
    lead: Line = (Piece("◆ ", "pending"), Piece("An edit waits", "strong", bold=True))
    if waiting.sentence is None:
        return (*lead, Piece(": looking at what it changes …"))
    if waiting.is_refused:
        return (*lead, Piece(" and cannot be used: "), *outside(waiting.sentence.split("\n")[0]))
    if not waiting.sentence:
        return (*lead, Piece("; it changes nothing in this prompt."))
    return (*lead, Piece(": "), *outside(waiting.sentence), Piece("."))


def change_fact(change: Change, changed: int, *, short: bool) -> Line:
    """`~ tool:bash changed first, 3 in all`."""
    name = outside(change.name, "soft")
    rest = f", {number(changed)} in all" if changed > 1 and not short else ""
    return (
        Piece("~ ", "changed"),
        *(cut(name, NAME) if short else name),
        Piece(f" {change.action} first{rest}", "soft"),
    )
