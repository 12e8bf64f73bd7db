"""A scrollbar with marks where a search has found something."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment, Segments
from rich.style import Style
from textual.scrollbar import ScrollBar, ScrollBarRender

MARK = "•"


class MarkedRender(ScrollBarRender):
    """The bar of Textual, with signs on it."""

    def __init__(self, *args: Any, marks: Sequence[float] = (), colour: str = "white", **options: Any) -> None:
        """`marks`: where, between 0 and 1."""
        super().__init__(*args, **options)
        self._marks = marks
        self._colour = colour

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or console.height
        cells = {min(height - 1, int(mark * height)) for mark in self._marks}
        for part in super().__rich_console__(console, options):
            if isinstance(part, Segments):
                segments = [
                    self._marked(segment) if index in cells else segment
                    for index, segment in enumerate(part.segments)
                ]
                yield Segments(segments, new_lines=True)
            else:
                yield part

    def _marked(self, segment: Segment) -> Segment:
        style = segment.style or Style()
        ground = style.color if style.reverse else style.bgcolor
        return Segment(MARK, Style(color=self._colour, bgcolor=ground, bold=True, meta=style.meta))


def mark_scrollbar(scrollbar: ScrollBar, marks: Sequence[float], colour: str) -> None:
    """Shows the marks, or none."""
    renderer: Any = partial(MarkedRender, marks=marks, colour=colour) if marks else ScrollBarRender
    scrollbar.renderer = renderer  # type: ignore[misc]  # declared for the class, read from the instance
    scrollbar.refresh()
