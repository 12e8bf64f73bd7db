"""One line of a text difference as rows of pieces: hidden characters marked, changed words picked out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

from workbench.config.difference.texts import ChangedLine
from workbench.tui.view.pieces import Piece, Role
from workbench.tui.view.wrap import TAB_STOPS, row_starts
from workbench.visible import VisibleText, visible


class Look(NamedTuple):
    """How lines of one kind look."""

    sign: str
    sign_role: Role
    text: Role
    ground: Role | None
    words: Role | None
    """Ground of the words that the other side does not have."""


@dataclass
class ShownLine:
    """A line as it can be shown."""

    text: VisibleText
    changed: tuple[tuple[int, int], ...]
    """Start and end of each stretch that only this side has, in order, at the edges of graphemes."""
    values: tuple[tuple[int, int], ...] = ()
    """Start and end of each stretch that is the value of a variable."""
    _starts: dict[int, list[int]] = field(default_factory=dict)

    def row_starts(self, width: int) -> list[int]:
        """The offset of each row in that many cells."""
        starts = self._starts.get(width)
        if starts is None:
            self._starts = {width: row_starts(self.text, width)}
            starts = self._starts[width]
        return starts


def shown_line(line: ChangedLine, values: Sequence[tuple[int, int]] = ()) -> ShownLine:
    """Its text through the door for outside text. A line that only one side has is not picked out as a whole.

    `values`: stretches of the line, in characters of its text, that are values of variables.
    """
    source = "".join(piece.text for piece in line.pieces)
    text = visible(source, tab_stops=TAB_STOPS)
    shown_values = [(text.to_visible(start), text.to_visible(end)) for start, end in values]
    if shown_values and not text.isascii():
        shown_values = list(_at_graphemes(text, shown_values))
    if line.kind == "same" or all(piece.kind != "same" for piece in line.pieces):
        return ShownLine(text, (), tuple(shown_values))
    ranges: list[tuple[int, int]] = []
    at = 0
    for piece in line.pieces:
        end = at + len(piece.text)
        if piece.kind != "same":
            ranges.append((text.to_visible(at), text.to_visible(end)))
        at = end
    changed = tuple(ranges if text.isascii() else _at_graphemes(text, ranges))
    return ShownLine(text, changed, tuple(shown_values))


def drawn_row(line: ShownLine, nth: int, width: int, look: Look) -> Iterator[Piece]:
    """The text of one of its rows; words of this side alone are bold and underlined, marks have their ground.

    Values of variables are underlined in their own colour.
    """
    starts = line.row_starts(width)
    start = starts[nth]
    end = starts[nth + 1] if nth + 1 < len(starts) else len(line.text)
    if nth + 1 < len(starts):
        end = start + len(line.text[start:end].rstrip(" "))  # blanks at a break are not seen
    else:
        end -= max(0, cell_len(line.text[start:end]) - width - 1)  # those that hang over; one has room
    marks = line.text.marks
    inner = (_edges_between(ranges, start, end) for ranges in (line.changed, line.values, marks))
    for left, right in pairwise(sorted({start, end}.union(*inner))):
        is_changed = _is_inside(line.changed, left)
        is_mark = _is_inside(marks, left) and not line.text[left:right].isspace()  # a tab has become blanks
        ground: Role | None = "key" if is_mark else look.words if is_changed else look.ground
        is_value = _is_inside(line.values, left)
        role = "value" if is_value else look.text
        yield Piece(line.text[left:right], role, is_changed, is_changed or is_value, ground, True)


def _edges_between(ranges: tuple[tuple[int, int], ...], start: int, end: int) -> Iterator[int]:
    index = max(0, bisect_right(ranges, start, key=itemgetter(0)) - 1)
    while index < len(ranges) and ranges[index][0] < end:
        yield from (edge for edge in ranges[index] if start < edge < end)
        index += 1


def _is_inside(ranges: tuple[tuple[int, int], ...], offset: int) -> bool:
    index = bisect_right(ranges, offset, key=itemgetter(0)) - 1
    return index >= 0 and offset < ranges[index][1]


def _at_graphemes(text: str, ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The ranges, widened to whole graphemes: half of one has no picture of its own."""
    edges = [start for start, _, _ in split_graphemes(text)[0]]
    last = -1
    for start, end in ranges:
        start = max(last, edges[bisect_right(edges, start) - 1]) if start < len(text) else start
        index = bisect_right(edges, end - 1) if end > start else 0
        end = (edges[index] if index < len(edges) else len(text)) if end > start else end
        if end > start:
            yield start, end
            last = end
