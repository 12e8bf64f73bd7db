"""A compositor that draws for an update only what the update shows: with each key some lines of one pane."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import TypeAlias, cast

from rich.console import Console
from textual._compositor import ChopsUpdate, Compositor, CompositorUpdate
from textual.geometry import Region
from textual.strip import Strip

_Parts: TypeAlias = dict[int, Strip | None]
"""The strips of a row by the column in which each begins; None: still to be drawn."""


class QuickCompositor(Compositor):
    """Puts on the screen what that of Textual does.

    That one has every visible widget draw itself whole whenever a line of one has changed, and cuts each of their
    lines at the edges of all others, also below a widget that covers them.
    """

    def render_partial_update(self) -> ChopsUpdate | None:
        """What has changed since the last one; None: nothing has."""
        screen = self.size.region
        changed = [region.intersection(screen) for region in self._dirty_regions]
        self._dirty_regions.clear()
        spans = list(self._regions_to_spans(region for region in changed if region))
        if not spans:
            return None
        cuts = self.cuts
        drawn: dict[int, _Parts] = {}
        for y, start, end in spans:
            drawn.setdefault(y, {}).update(dict.fromkeys(_columns(cuts[y], start, end)))
        missing = set(drawn)
        around = Region.from_union(changed)
        for widget, (region, clip) in self.visible_widgets.items():  # from front to back
            shown = region.intersection(clip)
            if not shown.overlaps(around):
                continue
            rows = [y for y in shown.line_range if y in missing and _is_missing(drawn[y], shown)]
            if rows:
                first = rows[0]
                crop = Region(shown.x - region.x, first - region.y, shown.width, rows[-1] - first + 1)
                strips = widget.render_lines(crop)
                for y in rows:
                    if not _put(strips[y - first], shown, cuts[y], drawn[y]):
                        missing.discard(y)
            if not missing:
                break
        update = _Update([(y, x, strip) for y, start, end in spans for x, strip in _within(drawn[y], start, end)])
        return cast(ChopsUpdate, update)  # what is done with one is what any update can


class _Update(CompositorUpdate):
    """Strips by row and column."""

    def __init__(self, strips: list[tuple[int, int, Strip]]) -> None:
        self._strips = strips

    def render_segments(self, console: Console) -> str:
        """As it is written to the terminal."""
        return "".join([f"\x1b[{y + 1};{x + 1}H{strip.render(console)}" for y, x, strip in self._strips])


def _columns(cuts: list[int], start: int, end: int) -> list[int]:
    """Where the strips begin that a span of a row is made of."""
    return cuts[bisect_right(cuts, start) - 1 : bisect_left(cuts, end)]


def _is_missing(parts: _Parts, shown: Region) -> bool:
    return any(part is None and shown.x <= column < shown.right for column, part in parts.items())


def _put(strip: Strip, shown: Region, cuts: list[int], parts: _Parts) -> bool:
    """Takes what is still missing from a line of a widget; whether something is missing after that."""
    first, last = bisect_left(cuts, shown.x), bisect_left(cuts, shown.right)
    columns: Iterable[int] = cuts[first:last]
    whole = last - first == 1
    pieces = (strip,) if whole else strip.divide([cut - shown.x for cut in cuts[first + 1 : last + 1]])
    for column, piece in zip(columns, pieces, strict=False):  # one that is too short lacks some
        if column in parts and parts[column] is None:
            parts[column] = piece
    return None in parts.values()


def _within(parts: _Parts, start: int, end: int) -> Iterator[tuple[int, Strip]]:
    """What is shown of a span of a row, from left to right."""
    for column, strip in sorted(parts.items()):
        if strip is not None and column < end and column + strip.cell_length > start:
            yield column, strip.crop(0, end - column) if column + strip.cell_length > end else strip
