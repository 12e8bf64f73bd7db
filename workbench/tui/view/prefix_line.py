"""The one drawing of what a provider's prefix cache keeps: `━` kept, `╳` here it breaks, `╍` read anew, `─` new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from workbench.tui.view.pieces import Line, Piece, width_of

KEPT: Final = "━"
BREAK: Final = "╳"
ANEW: Final = "╍"
NEW: Final = "─"
_GAP: Final = 1
_LEAST: Final = 4
"""Cells of a segment, so that a short one is still seen."""


class Segment(NamedTuple):
    """A part of the request, in tokens of the later one."""

    kept: int = 0
    anew: int = 0
    """A cache had them, or others in their place, and they have to be read once more."""
    new: int = 0
    """Behind everything that there was before."""
    is_broken: bool = False
    """The prefix breaks in this segment, behind `kept`."""

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.kept + self.anew + self.new


def prefix_line(segments: Sequence[Segment], width: int) -> Line:
    """The segments side by side in `width` cells, each as long as its share of the tokens."""
    line: Line = ()
    for segment, cells in zip(segments, segment_cells(segments, width), strict=True):
        line = (*line, *((Piece(" " * _GAP),) if line and cells else ()), *_drawn(segment, cells))
    return line


def segment_cells(segments: Sequence[Segment], width: int) -> list[int]:
    """The cells of each segment; none for one without tokens."""
    shown = [segment for segment in segments if _is_shown(segment)]
    room = width - _GAP * max(0, len(shown) - 1)
    least = min(_LEAST, room // len(shown)) if shown else 0
    free = max(0, room - least * len(shown))
    total = sum(segment.tokens for segment in shown) or 1
    cells: list[int] = []
    given = seen = 0
    for segment in segments:
        if not _is_shown(segment):
            cells.append(0)
            continue
        seen += segment.tokens
        share = free * seen // total - given  # what rounding leaves over goes to the next one
        given += share
        cells.append(max(0, least + share))
    return cells


def labels_line(labels: Sequence[Line], cells: Sequence[int], width: int) -> Line:
    """Below the segments, each label where its segment begins, one without a segment behind the others.

    All of them stand one behind the other, where that would be too wide.
    """
    line = _labels(labels, cells)
    return line if width_of(line) <= width else _labels(labels, [0] * len(labels))


def _labels(labels: Sequence[Line], cells: Sequence[int]) -> Line:
    line: Line = ()
    at = 0
    for label, length in zip(labels, cells, strict=True):
        used = width_of(line)
        if line:
            line = (*line, Piece(" " * max(3, at - used if length else 0)))
        line = (*line, *label)
        at += length + _GAP if length else 0
    return line


def _is_shown(segment: Segment) -> bool:
    return segment.tokens > 0 or segment.is_broken


def _drawn(segment: Segment, cells: int) -> Line:
    room = cells - 1 if segment.is_broken else cells
    kept, anew, new = _shares((segment.kept, segment.anew, segment.new), max(0, room))
    pieces = (
        Piece(KEPT * kept, "kept"),
        Piece(BREAK if segment.is_broken and cells else "", "broken", bold=True),
        Piece(ANEW * anew, "broken"),
        Piece(NEW * new, "soft"),
    )
    return tuple(piece for piece in pieces if piece.text)


def _shares(amounts: tuple[int, int, int], cells: int) -> list[int]:
    """Cells in proportion, one at least for whatever is there as long as there is room."""
    total = sum(amounts)
    if not total:
        return [0, 0, 0]
    shares = [max(1, cells * amount // total) if amount else 0 for amount in amounts]
    while sum(shares) > cells:
        longest = max(range(3), key=shares.__getitem__)
        shares[longest] -= 1
    shares[max(range(3), key=amounts.__getitem__)] += cells - sum(shares)
    return shares
