"""Texts of one entry beside each other: any two as a difference, any three in columns or one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from workbench.tui.view.difference import Form, Layout, TextDifference
from workbench.tui.view.pieces import Line, Piece, cut, width_of
from workbench.tui.view.registry_document import Document, Drawn, Part, Text, Title, Words

COLUMN: int = 34
"""Cells that a column of a text needs at least."""
_GAP = 2


@lru_cache(maxsize=24)
def _difference(before: str, after: str) -> TextDifference:
    """Kept, since the same texts are shown again after each key."""
    return TextDifference(before, after)


def counts_of(before: str, after: str) -> Line:
    """How many lines are gone, and how many came: `− 1  + 2`."""
    kinds = [line.kind for line in _difference(before, after).lines]
    removed, added = kinds.count("removed"), kinds.count("added")
    pieces: list[Piece] = []
    if removed:
        pieces.append(Piece(f"− {removed}", "soft"))
    if added:
        pieces.append(Piece(("  " if removed else "") + f"+ {added}", "soft"))
    return tuple(pieces)


@dataclass(frozen=True, slots=True)
class DifferenceOf:
    """Draws the difference of two texts. Equal ones are equal, so that nothing is laid out twice."""

    before: str
    after: str
    is_side_by_side: bool = False
    is_whole: bool = False

    def __call__(self, width: int) -> Sequence[Line]:
        if self.before == self.after and not self.is_whole:
            return [(Piece("No difference.", "soft"),)]
        return _Drawn(_difference(self.before, self.after).layout(Form(width, self.is_side_by_side, self.is_whole)))


class _Drawn(Sequence[Line]):
    """Rows of a difference, drawn when they are asked for."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def __len__(self) -> int:
        return len(self._layout)

    def __getitem__(self, row: int) -> Line:  # type: ignore[override]
        return self._layout[row]


class Named(NamedTuple):
    """A text and what it is."""

    title: str
    text: str | None
    """None: it does not exist on this side."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Draws texts in columns, each but the first one with its differences from the first."""

    texts: tuple[Named, ...]

    def __call__(self, width: int) -> Sequence[Line]:
        return _InColumns(self.texts, width)


class _InColumns(Sequence[Line]):
    """Rows are drawn when they are asked for."""

    def __init__(self, texts: tuple[Named, ...], width: int) -> None:
        count = len(texts)
        self._column = max(8, (width - _GAP * (count - 1)) // count)
        self._documents = [Document(_column_parts(texts, index), self._column) for index in range(count)]

    def __len__(self) -> int:
        return max(map(len, self._documents))

    def __getitem__(self, row: int) -> Line:  # type: ignore[override]
        if not 0 <= row < len(self):
            raise IndexError(row)
        line: Line = ()
        for index, document in enumerate(self._documents):
            cell = cut(document[row], self._column) if row < len(document) else ()
            if index < len(self._documents) - 1:
                cell = (*cell, Piece(" " * (self._column - width_of(cell) + _GAP)))
            line = (*line, *cell)
        return line


def _column_parts(texts: tuple[Named, ...], index: int) -> tuple[Part, ...]:
    named, first = texts[index], texts[0]
    return _one(named, first if index else None)


def _one(named: Named, first: Named | None) -> tuple[Part, ...]:
    right: Line = ()
    body: Part
    if named.text is None:
        body = Drawn(_nothing)
    elif first is None or first.text is None or first.text == named.text:
        right = (Piece("the same", "faint"),) if first is not None and first.text == named.text else ()
        body = Text(named.text)
    else:
        right = counts_of(first.text, named.text)
        body = Drawn(DifferenceOf(first.text, named.text, is_whole=True))
    return Title((Piece(named.title, "soft", bold=True),), right), body


def _nothing(width: int) -> Sequence[Line]:
    return [(Piece("not there", "faint"),)]


def has_room(count: int, width: int) -> bool:
    """Whether so many texts fit beside each other."""
    return (width - _GAP * (count - 1)) // count >= COLUMN


def all_texts(texts: Sequence[Named], in_columns: bool) -> Iterator[Part]:
    """All of them, whole, with their differences from the first one."""
    if in_columns:
        yield Words(())
        yield Drawn(Columns(tuple(texts)))
        return
    for index, named in enumerate(texts):
        yield from _one(named, texts[0] if index else None)


def two_texts(before: Named, after: Named, in_columns: bool) -> Iterator[Part]:
    """What differs between two texts."""
    facts = counts_of(before.text or "", after.text or "")
    yield Title((Piece(f"{before.title} → {after.title}", "soft", bold=True),), facts)
    yield Drawn(DifferenceOf(before.text or "", after.text or "", in_columns))
