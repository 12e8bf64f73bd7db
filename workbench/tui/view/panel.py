"""The detail panel: two lines, four lines, or a column at the right, as there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from workbench.tui.view.details import Details, Fact
from workbench.tui.view.pieces import Line, Piece, cut, outside, spread, width_of

LABEL = 9
"""Cells of a label and its gap."""


def panel_lines(details: Details, width: int, height: int) -> list[Line]:
    """The lines of the panel in `width` cells."""
    if height <= 2:
        return _two_lines(details, width)
    if height <= 4:
        return _four_lines(details, width)
    return list(_column(details, width))


def _two_lines(details: Details, width: int) -> list[Line]:
    first = (*details.title, Piece("  "), *details.summary)
    if details.advice:
        return [spread(first, details.right, width), cut(details.advice[-1], width)]
    facts = [fact for fact in details.facts if fact.label not in {"owner", "layer", "value"}]
    second: Line = ()
    for fact in facts:
        part = (*((Piece("   "),) if second else ()), Piece(f"{fact.label} ", "soft"), *fact.value)
        if second and width_of((*second, *part)) > width:
            break
        second = (*second, *part)
    return [spread(first, details.right, width), cut(second, width)]


def _four_lines(details: Details, width: int) -> list[Line]:
    first = spread((*details.title, Piece("  "), Piece(details.kind, "soft")), details.right, width)
    if details.advice:
        owner = next((fact for fact in details.facts if fact.label == "owner"), None)
        facts = [_labelled(owner)] if owner else []
        return [first, *(cut(line, width) for line in [*details.advice, *facts][:3])]
    left_width = width // 2 - 4
    right_width = width - left_width - 2
    left, right = _columns(details.facts)
    lines = [first]
    for index in range(3):
        left_part = cut(_labelled(left[index]), left_width) if index < len(left) else ()
        right_part = cut(_labelled(right[index]), right_width) if index < len(right) else ()
        lines.append(spread(left_part, _padded(right_part, right_width), width))
    return lines


def _columns(facts: Sequence[Fact]) -> tuple[Sequence[Fact], Sequence[Fact]]:
    """Three facts in each column; with fewer than four, one column."""
    return facts[:3], facts[3:6]


def _column(details: Details, width: int) -> Iterator[Line]:
    yield spread(details.title, (Piece(details.kind, "soft"),), width)
    if details.right:
        yield cut(details.right, width)
    for line in details.advice:
        yield ()
        yield from wrapped(line, width)
    yield ()
    for fact in details.facts:
        if fact.label != "values":
            yield from _labelled_rows(fact, width)
    if details.values:
        yield ()
        yield (Piece("Values", "soft", bold=True),)
        longest = max(width_of(outside(fact.label)) for fact in details.values)
        for fact in details.values:
            label = outside(fact.label, "soft")
            gap = " " * (min(longest, width // 2) - width_of(label) + 2)
            yield cut((*label, Piece(gap), *fact.value), width)


def _labelled(fact: Fact) -> Line:
    return (Piece(fact.label.ljust(LABEL), "soft"), *fact.value)


def _labelled_rows(fact: Fact, width: int) -> Iterator[Line]:
    """A long value goes on below itself."""
    for index, row in enumerate(wrapped(fact.value, width - LABEL)):
        yield (Piece((fact.label if index == 0 else "").ljust(LABEL), "soft"), *row)


NO_BREAK = "\u00a0"
"""A blank of our own at which no row ends: between a key and what it does."""


def key_words(key: str, words: str) -> Line:
    """A key and what it does, for a line that is wrapped: no row ends between them. Without a key: the words."""
    if not key:
        return (Piece(words, "soft"),)
    return Piece(key, "strong", bold=True), Piece(f"{NO_BREAK}{words}", "soft")


def opened_by(key: str, words: str) -> Line:
    """Behind the name of a file: the key that opens it; without one, the end of the sentence."""
    return (Piece(": ", "soft"), *key_words(key, words)) if key else (Piece(".", "soft"),)


def wrapped(line: Line, width: int) -> Iterator[Line]:
    """A line over several rows, by words; pieces keep their look, and those without a blank between them touch."""
    row: Line = ()
    used = 0
    is_empty = True
    for word in _words(line, width):
        cells = width_of(_without_end_blanks(word))
        if row and cells and used + cells > width:
            yield cut(_without_end_blanks(row), width)
            row, used, is_empty = (), 0, False
            word = _without_blanks_before(word)
        row = (*row, *word)
        used += width_of(word)
    if row or is_empty:
        yield cut(_without_end_blanks(row) if used > width else row, width)


def _words(line: Line, width: int) -> Iterator[Line]:
    """Each word with the blanks behind it: of several pieces where they touch and are not too long together."""
    word: Line = ()
    for piece in line:
        parts = piece.text.split(" ")
        for index, part in enumerate(parts):
            is_last = index == len(parts) - 1
            text = part if is_last else f"{part} "
            if not text:
                continue
            if word and width_of(word) + cell_len(part) > width:
                yield word
                word = ()
            if not piece.is_outside:
                text = text.replace(NO_BREAK, " ")
            word = (*word, piece._replace(text=text))
            if not is_last:
                yield word
                word = ()
    if word:
        yield word


def _without_end_blanks(row: Line) -> Line:
    """Blanks behind the last word take no room."""
    while row:
        text = row[-1].text.rstrip(" ")
        if text:
            return row if text == row[-1].text else (*row[:-1], row[-1]._replace(text=text))
        row = row[:-1]
    return row


def _without_blanks_before(word: Line) -> Line:
    return (word[0]._replace(text=word[0].text.lstrip(" ")), *word[1:])


def _padded(line: Line, width: int) -> Line:
    return (*line, Piece(" " * (width - width_of(line))))
