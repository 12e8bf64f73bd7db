"""A vertical scrollbar that is drawn at once: it is beside every pane, and painted anew with each key."""

from __future__ import annotations

from rich.segment import Segment, Segments
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip


class QuickScrollBar(ScrollBar):
    """Looks like that of Textual, whose way from the bar to strips of cells costs more than drawing a pane.

    A bar has a handful of different cells, however high it is: each is made once.
    """

    _strips: list[Strip] | None = None
    _drawn_as: tuple[object, ...] = ()

    def render_lines(self, crop: Region) -> list[Strip]:
        """One cell a line, as the renderer has drawn it."""
        bar = self.render()
        assert isinstance(bar, ScrollBarRender)
        ground = self.background_colors[1]
        filters = self.get_line_filters()
        size = self.size
        thumb = bar.position, bar.virtual_size, bar.window_size
        drawn_as = (self.renderer, bar.style, *thumb, size, ground, *filters)
        if self._strips is None or drawn_as != self._drawn_as:
            self._drawn_as = drawn_as
            options = self.app.console.options.update(width=size.width, height=size.height)
            below = self.rich_style
            made: dict[int, Strip] = {}
            self._strips = []
            for part in bar.__rich_console__(self.app.console, options):
                assert isinstance(part, Segments)
                for segment in part.segments:
                    strip = made.get(id(segment))
                    if strip is None:
                        text, style, _ = segment
                        strip = Strip([Segment(text, below + style if style is not None else below)], size.width)
                        for each in filters:
                            strip = strip.apply_filter(each, ground)
                        made[id(segment)] = strip
                    self._strips.append(strip)
        return self._strips[crop.y : crop.bottom]
