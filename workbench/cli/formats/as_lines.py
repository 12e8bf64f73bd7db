"""A text line by line, with the entry, the owners and the place in a file beside each line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.prompt import EntryView, Position, Span
from workbench.prompt.places import place_in_span
from workbench.visible import visible_line

Kind = Literal["text", "value", "listener"]
Mark = Callable[[str, Kind], str]
"""Makes the value of a variable, or what a listener wrote, stand out."""

_WIDEST = 36
"""Characters of a column; of longer names the end is shown."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line. An entry begins on a line of its own, so a line has one name."""

    name: str
    """Of the section or context; empty for blank lines."""
    owners: str
    """Whoever owns the entry, then `»` and the listeners that wrote in this line."""
    source: str
    pieces: tuple[tuple[str, Kind], ...]


def attributed_lines(text: str, spans: Sequence[Span], entries: Sequence[EntryView], mark: Mark) -> list[str]:
    """The text with a gutter. Everything in it is fit for a terminal."""
    rows = list(attributed_rows(text, spans, entries))
    widths = [max((len(column(row)) for row in rows), default=0) for column in _COLUMNS]
    return [_line(row, widths, mark) for row in rows]


def attributed_rows(text: str, spans: Sequence[Span], entries: Sequence[EntryView]) -> Iterator[Row]:
    """One row for each line of `text`."""
    sources = {entry.name: entry.source for entry in reversed(entries) if entry.state == "effective"}
    row: list[_Piece] = []
    for span in spans:
        start = span.start
        for line in text[span.start : span.end].split("\n"):
            if start > span.start:
                yield _row(row)
                row = []
            if line:
                source = place_in_span(span, text[span.start : start], sources.get(span.name))
                row.append(_Piece(line, span, source))
            start += len(line) + 1
    yield _row(row)


@dataclass(frozen=True, slots=True)
class _Piece:
    """The part of a span that stands in one line."""

    text: str
    span: Span
    source: Position | None

    @property
    def kind(self) -> Kind:
        if self.span.listener:
            return "listener"
        return "text" if self.span.variable is None else "value"


def _row(pieces: Sequence[_Piece]) -> Row:
    if not pieces:
        return Row("", "", "", ())
    owners = dict.fromkeys(piece.span.owner.plugin for piece in pieces if piece.kind == "text")
    listeners = dict.fromkeys(f"» {piece.span.owner.plugin}" for piece in pieces if piece.kind == "listener")
    first = next((piece for piece in pieces if piece.kind == "text"), pieces[0])
    source = str(first.source) if first.source else ""
    texts = tuple((piece.text, piece.kind) for piece in pieces)
    return Row(first.span.name, " ".join([*owners, *listeners]), source, texts)


def _cut(text: str) -> str:
    shown = visible_line(text)
    return shown if len(shown) <= _WIDEST else f"…{shown[1 - _WIDEST :]}"


_COLUMNS: tuple[Callable[[Row], str], ...] = (
    lambda row: _cut(row.name),
    lambda row: _cut(row.owners),
    lambda row: _cut(row.source),
)


def _line(row: Row, widths: Sequence[int], mark: Mark) -> str:
    gutter = "  ".join(column(row).ljust(width) for column, width in zip(_COLUMNS, widths, strict=True))
    text = "".join(mark(visible_line(piece), kind) for piece, kind in row.pieces)
    return f"{gutter} │ {text}".rstrip()
