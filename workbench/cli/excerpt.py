"""A source line with a caret below the place that is meant."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from workbench.visible import visible_line

_WIDTH = 100
"""Characters of a source line that are shown; a longer one is cut around the place."""
_BEFORE = 40


def excerpt(source: str, line: int, column: int, length: int = 1) -> list[str]:
    """The line as it is seen, numbered, and the caret line. Columns count characters, from 1."""
    start = column - 1
    shown, start = _cut(source, start)
    text = visible_line(shown)
    caret = " " * _cells(text[: text.to_visible(start)])
    marked = text[text.to_visible(start) : text.to_visible(min(start + max(length, 1), len(shown)))]
    gutter = f"{line:>5} │ "
    return [f"{gutter}{text}", f"{'│':>7} {caret}{'^' * max(_cells(marked), 1)}"]


def line_of_file(file: str, line: int) -> str | None:
    """One line of a text file, without its end; None when the file has no such line any more."""
    try:
        text = Path(file).read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return None
    lines = text.split("\n")
    return lines[line - 1].removesuffix("\r") if 0 < line <= len(lines) else None


def _cut(source: str, start: int) -> tuple[str, int]:
    """A part of a long line with the place in it, and where in the part the place is."""
    if len(source) <= _WIDTH:
        return source, start
    begin = max(0, min(start - _BEFORE, len(source) - _WIDTH))
    before = "…" if begin else ""
    after = "…" if begin + _WIDTH < len(source) else ""
    return before + source[begin : begin + _WIDTH] + after, start - begin + len(before)


def _cells(text: str) -> int:
    """Columns that a terminal gives to the text."""
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
