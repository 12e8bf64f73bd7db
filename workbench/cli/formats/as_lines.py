"""A text line by line, with the entry, the owner and the place in a file beside each line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from workbench.cli.places import place_in_span
from workbench.prompt import EntryView, Position, Span
from workbench.visible import visible_line

Mark = Callable[[str], str]
"""Makes a variable's value stand out."""

_WIDEST = 36
"""Characters of a column; longer names are cut in the middle."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line, or a part of one that has an origin of its own."""

    name: str
    """Of the section or context; empty for blank lines between them."""
    owner: str
    """With `»` in front when a listener wrote it."""
    source: str
    pieces: tuple[tuple[str, bool], ...]
    """Texts, and whether each is the value of a variable."""


def attributed_lines(text: str, spans: Sequence[Span], entries: Sequence[EntryView], mark: Mark) -> list[str]:
    """The text with a gutter. Everything in it is fit for a terminal."""
    rows = list(attributed_rows(text, spans, entries))
    widths = [max((len(column(row)) for row in rows), default=0) for column in _COLUMNS]
    return [_line(row, widths, mark) for row in rows]


def attributed_rows(text: str, spans: Sequence[Span], entries: Sequence[EntryView]) -> Iterator[Row]:
    """One row per line; a line with several origins gives one row for each, variables not counted."""
    sources = {entry.name: entry.source for entry in reversed(entries) if entry.state == "effective"}
    row: list[_Piece] = []
    for span in spans:
        start = span.start
        for line in text[span.start : span.end].split("\n"):
            if start > span.start or (line and row and _begins_row(row[-1].span, span)):
                yield _row(row)
                row = []
            if line:
                source = place_in_span(span, text[span.start : start], sources.get(span.name))
                row.append(_Piece(line, span, source))
            start += len(line) + 1
    if row:
        yield _row(row)


@dataclass(frozen=True, slots=True)
class _Piece:
    """The part of a span that stands in one line."""

    text: str
    span: Span
    source: Position | None


def _begins_row(before: Span, span: Span) -> bool:
    """Whether `span` has another origin than what stands before it in the line."""
    if before.variable is not None or span.variable is not None:
        return before.name != span.name
    return (before.name, before.owner) != (span.name, span.owner)


def _row(pieces: Sequence[_Piece]) -> Row:
    if not pieces:
        return Row("", "", "", ())
    texts = tuple((piece.text, piece.span.variable is not None) for piece in pieces)
    first = next((piece for piece in pieces if piece.span.variable is None), pieces[0])
    owner = f"» {first.span.owner.plugin}" if first.span.listener else first.span.owner.plugin
    return Row(first.span.name, owner, str(first.source) if first.source else "", texts)


def _cut(text: str) -> str:
    shown = visible_line(text)
    if len(shown) <= _WIDEST:
        return shown
    half = (_WIDEST - 1) // 2
    return f"{shown[:half]}…{shown[-half:]}"


_COLUMNS: tuple[Callable[[Row], str], ...] = (
    lambda row: _cut(row.name),
    lambda row: _cut(row.owner),
    lambda row: _cut(row.source),
)


def _line(row: Row, widths: Sequence[int], mark: Mark) -> str:
    gutter = "  ".join(column(row).ljust(width) for column, width in zip(_COLUMNS, widths, strict=True))
    text = "".join(mark(visible_line(piece)) if is_value else visible_line(piece) for piece, is_value in row.pieces)
    return f"{gutter} │ {text}".rstrip()
