"""The detail panel."""

from __future__ import annotations

from textual.strip import Strip

from workbench.tui.view.details import Details
from workbench.tui.view.frame import outer_margin
from workbench.tui.view.panel import panel_lines
from workbench.tui.view.pieces import Line, Piece
from workbench.tui.widgets.paint import Painted


class DetailPanel(Painted):
    """What is known about the chosen entry; it cuts what does not fit."""

    _details: Details | None = None
    _lines: list[Line] | None = None
    _strips: dict[int, Strip] = {}  # noqa: RUF012 - replaced, never changed, before a widget has its own

    def show(self, details: Details | None) -> None:
        """Shows other details."""
        if details != self._details:
            self._details = details
            self._lines = None
            self.forget_drawn()
            self.refresh()

    def on_resize(self) -> None:
        self._lines = None
        self.forget_drawn()

    def forget_drawn(self) -> None:
        self._strips = {}

    def render_line(self, y: int) -> Strip:
        """One line on the raised ground."""
        strip = self._strips.get(y)
        if strip is None:
            strip = self._draw(y)
            self._strips = {**self._strips, y: strip}
        return strip

    def _draw(self, y: int) -> Strip:
        width = self.size.width
        margin = outer_margin(self.app.size.width)
        if self._lines is None:
            inner = max(1, width - 2 * margin)
            self._lines = [] if self._details is None else panel_lines(self._details, inner, self.size.height)
            if self.size.height > 4:
                self._lines.insert(0, ())
        if y >= len(self._lines):
            return self.paint.blank(width, "raised")
        return self.paint.strip((Piece(" " * margin), *self._lines[y]), width, "raised")
