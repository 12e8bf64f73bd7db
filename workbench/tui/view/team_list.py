"""The list of Team as lines: groups with their entries, the state of each, and its size where there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from workbench.tui.view.pieces import Line, Piece, cut, outside, spread, width_of
from workbench.tui.view.sizes import number
from workbench.tui.view.team_entries import Change, EntryId, Group, Listed

SIZES_FROM = 46
"""Cells of the list that leave room for sizes."""
CHANGE_WORDS: dict[Change, str] = {
    "edited": "edited",
    "kept": "kept",
    "to default": "to default",
    "new": "new",
    "removed": "removed",
}
CHANGE_SIGNS: dict[Change, str] = {"new": "+", "removed": "−"}


class ListRow(NamedTuple):
    """A heading, an entry, or air."""

    title: str = ""
    entry: Listed | None = None
    note: str = ""


def list_rows(groups: Sequence[Group], *, blanks: bool) -> list[ListRow]:
    """The rows, with air between groups where there is room for it."""
    return list(_rows(groups, blanks))


def _rows(groups: Sequence[Group], blanks: bool) -> Iterator[ListRow]:
    for index, group in enumerate(groups):
        if index and blanks:
            yield ListRow()
        yield ListRow(group.title)
        for entry in group.entries:
            yield ListRow(entry=entry)
        if not group.entries and group.empty:
            yield ListRow(note=group.empty)


def heading_line(*, has_sizes: bool, has_focus: bool) -> tuple[Line, Line]:
    """Above the list: its two ends."""
    left = Piece("Parts", "strong" if has_focus else "soft", bold=True)
    return (left,), (Piece("bytes, text in force" if has_sizes else "text in force", "faint"),)


def row_line(row: ListRow, width: int, *, is_chosen: bool, has_focus: bool) -> Line:
    """One row in `width` cells; the first one is for the cursor."""
    if row.entry is None:
        if row.note:
            return cut((Piece("   "), Piece(row.note, "faint")), width)
        return cut((Piece(" "), Piece(row.title, "soft", bold=True)), width)
    entry = row.entry
    bar = Piece("▌", "focus") if is_chosen and has_focus else Piece(" ")
    right = _state(entry)
    if width >= SIZES_FROM and entry.size:
        state_cells = 12
        gap = " " * max(1, state_cells - width_of(right))
        right = (Piece(number(entry.size), "faint"), Piece(gap), *right)
    is_bold = is_chosen or entry.state == "yours"
    name = outside(entry.name, "strong" if is_bold else "text", bold=is_chosen)
    return spread((bar, Piece("  "), *name), right, width, gap=1)


def _state(entry: Listed) -> Line:
    if entry.change:
        sign = CHANGE_SIGNS.get(entry.change, "~")
        return (Piece(f"{sign} ", "changed", bold=True), Piece(CHANGE_WORDS[entry.change], "changed"))
    if entry.is_updated:
        return (Piece("↑ ", "changed", bold=True), Piece("yours", "strong", bold=True))
    if entry.state == "yours":
        return (Piece("yours", "strong", bold=True),)
    if entry.id.kind == "mode":
        return outside(entry.state, "text")
    if entry.state == "on":
        return (Piece("✓ ", "running"), Piece("on", "text"))
    return (Piece("○ " if entry.state == "off" else "", "faint"), Piece(entry.state, "faint"))


def index_of(rows: Sequence[ListRow], id: EntryId | None) -> int | None:
    """The row of an entry."""
    return next((index for index, row in enumerate(rows) if row.entry is not None and row.entry.id == id), None)
