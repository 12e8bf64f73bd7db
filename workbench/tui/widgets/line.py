"""One line of pieces, such as the answer under the tabs."""

from __future__ import annotations

from textual.strip import Strip

from workbench.tui.view.frame import outer_margin
from workbench.tui.view.pieces import Line, Role, spread
from workbench.tui.widgets.paint import Painted


class LineWidget(Painted):
    """A line with a left part, which is cut first, and a right part."""

    DEFAULT_CSS = """
    LineWidget { height: 1; }
    """
    GROUND: Role = "base"
    margin: int | None = None
    """Free cells at both ends; None: as the width of the screen asks for."""

    _left: Line = ()
    _right: Line = ()

    def show(self, left: Line, right: Line = ()) -> None:
        """Shows other text; nothing happens when it is the same."""
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self._strip = None
            self.refresh()

    @property
    def free_cells(self) -> int:
        """Cells at each end that stay free."""
        return self.margin if self.margin is not None else outer_margin(self.size.width)

    def forget_drawn(self) -> None:
        self._strip = None

    def render_line(self, y: int) -> Strip:
        """The parts at the two ends."""
        if self._strip is None or self._strip.cell_length != self.size.width:
            self._strip = self._draw()
        return self._strip

    _strip: Strip | None = None

    def _draw(self) -> Strip:
        width = self.size.width
        margin = self.free_cells
        line = spread(self._left, self._right, max(0, width - 2 * margin))
        strip = self.paint.strip(line, width - margin, self.GROUND)
        return Strip.join([self.paint.blank(margin, self.GROUND), strip])
