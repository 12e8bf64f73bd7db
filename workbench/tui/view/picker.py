"""A list to pick from: the palette, the scopes, the themes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from workbench.tui.view.pieces import Line, Piece, cut, outside, spread


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be picked."""

    id: str
    title: str
    """From outside or ours; shown through `visible_line()`."""
    note: str = ""
    key: str = ""
    """At the right edge."""
    group: str = ""
    help: str = ""


class Found(NamedTuple):
    """An item and the characters of its title that the search has matched."""

    item: Item
    at: tuple[int, ...] = ()


def search(items: Sequence[Item], query: str) -> list[Found]:
    """Items whose title holds the letters of the query in order; if there is none, those whose help has its words.

    The better match comes first, and the group of the best one; groups stay together.
    """
    if not query.strip():
        return [Found(item) for item in items]
    letters = query.replace(" ", "").lower()
    ranked: list[tuple[int, int, Found]] = []
    best: dict[str, tuple[int, int]] = {}
    for position, item in enumerate(items):
        at = _letters(letters, item.title.lower())
        if at is not None:
            looseness = _looseness(at, item.title)
            ranked.append((looseness, position, Found(item, at)))
            best[item.group] = min(best.get(item.group, (looseness, position)), (looseness, position))
    if not ranked:
        words = query.lower().split()
        return [Found(item) for item in items if all(word in item.help.lower() for word in words)]
    ranked.sort(key=lambda each: (best[each[2].item.group], each[0], each[1]))
    return [each[2] for each in ranked]


class PickerRow(NamedTuple):
    """A line of the list: the heading of a group, or the item with that index."""

    heading: str
    item: int | None


def picker_rows(found: Sequence[Found]) -> list[PickerRow]:
    """The lines of the list, cheap enough for thousands of items."""
    rows: list[PickerRow] = []
    group = ""
    for index, each in enumerate(found):
        if each.item.group != group:
            group = each.item.group
            rows.append(PickerRow(group, None))
        rows.append(PickerRow("", index))
    return rows


def picker_line(row: PickerRow, found: Sequence[Found], cursor: int, width: int) -> Line:
    """One line, drawn."""
    if row.item is None:
        return Piece(" "), Piece(row.heading, "soft", bold=True)
    return _item_line(found[row.item], row.item == cursor, width)


def _item_line(found: Found, is_cursor: bool, width: int) -> Line:
    item = found.item
    bar = Piece("▌" if is_cursor else " ", "focus")
    right = (Piece(item.key, "strong", bold=True), Piece(" "))
    note_at = max(20, width * 3 // 5)
    title = cut((bar, Piece(" "), *_title(found, is_cursor)), note_at - 1)
    if not item.note:
        return spread((bar, Piece(" "), *_title(found, is_cursor)), right, width)
    note = outside(item.note, "soft")
    return spread((*spread(title, (), note_at), *note), right, width)


def _title(found: Found, is_cursor: bool) -> Line:
    if not found.at:
        return outside(found.item.title, "strong" if is_cursor else "text", bold=is_cursor)
    line: Line = ()
    matched = set(found.at)
    for index, character in enumerate(found.item.title):
        if index in matched:
            line = (*line, *outside(character, "focus", bold=True, underline=True))
        else:
            line = (*line, *outside(character, "strong" if is_cursor else "text", bold=is_cursor))
    return line


def _letters(query: str, title: str) -> tuple[int, ...] | None:
    """Where the letters of the query stand: together if possible, else one after the other."""
    start = title.find(query)
    if start >= 0:
        other = start
        while other >= 0:
            if other == 0 or not title[other - 1].isalnum():
                start = other
                break
            other = title.find(query, other + 1)
        return tuple(range(start, start + len(query)))
    at: list[int] = []
    position = -1
    for letter in query:
        position = title.find(letter, position + 1)
        if position < 0:
            return None
        at.append(position)
    return tuple(at)


def _looseness(at: tuple[int, ...], title: str) -> int:
    """Small for letters that stand together, at the beginning of a word."""
    gaps = at[-1] - at[0] - len(at) + 1
    at_word = at[0] == 0 or not title[at[0] - 1].isalnum()
    return 4 * gaps + (0 if at_word else 20) + min(at[0], 10)
