"""Where the rows of a text begin when it is wrapped by words into a number of cells.

One regular expression walks a text of single-width characters; text with wide characters or joined
graphemes is walked grapheme by grapheme. Either way a row never breaks inside a grapheme.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rich.cells import get_character_cell_size, split_graphemes

TAB_STOPS = 4


def row_starts(text: str, width: int | None) -> list[int]:
    """The offset of each row's first character. `width` None: a row per line."""
    if width is None:
        return [0, *(match.end() for match in _LINE_END.finditer(text))]
    if _is_narrow(text):
        return _narrow_rows(text, width)
    starts: list[int] = []
    offset = 0
    for line in text.split("\n"):
        if _is_narrow(line):
            starts += [offset + start for start in _narrow_rows(line, width)]
        else:
            starts += [offset + start for start in _wide_rows(line, width)]
        offset += len(line) + 1
    return starts


def row_count_guess(length: int, line_count: int, width: int | None) -> int:
    """About how many rows a text of that many characters and lines takes; never less than the lines."""
    return line_count + (length // width if width else 0)


def _is_narrow(text: str) -> bool:
    """Each character takes one cell, and none joins another."""
    if text.isascii():
        return True
    return all(get_character_cell_size(character) == 1 for character in set(text) if character != "\n")


def _narrow_rows(text: str, width: int) -> list[int]:
    starts = [match.start() for match in _narrow_row(width).finditer(text)]
    if len(starts) > 1 and starts[-1] == len(text) and text[-1] != "\n":
        starts.pop()  # the empty match behind the end
    return starts


@lru_cache(maxsize=16)
def _narrow_row(width: int) -> re.Pattern[str]:
    """Words that fit, with the blanks or the line end behind them; else as many characters as fit."""
    return re.compile(rf"[^\n]{{0,{width}}}(?: *\n| +|\Z)|[^\n]{{{width}}}")


def _wide_rows(line: str, width: int) -> list[int]:
    graphemes, _ = split_graphemes(line)
    starts = [0]
    used = 0
    break_at = 0  # start of the row that would begin behind the last blank or wide character
    used_at_break = 0
    for start, end, cells in graphemes:
        if used + cells > width and line[start:end] != " ":
            if break_at > starts[-1]:
                starts.append(break_at)
                used -= used_at_break
            if used + cells > width:  # no break in this row, or the rest is still too long
                starts.append(start)
                used = 0
            used_at_break = 0
        used += cells
        if line[start:end] == " " or cells > 1:
            break_at, used_at_break = end, used
    return starts


_LINE_END = re.compile("\n")
