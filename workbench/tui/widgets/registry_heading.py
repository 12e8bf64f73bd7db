"""The line above the tree: groupings that can be clicked, and headings of the columns."""

from __future__ import annotations

from workbench.tui.view.pieces import Role
from workbench.tui.view.registry_lines import Columns, heading
from workbench.tui.view.registry_rows import Grouping
from workbench.tui.widgets.bars import BarWidget


class TreeHeading(BarWidget):
    """As wide as the tree below it."""

    GROUND: Role = "base"
    margin = 0
    _shown: tuple[Grouping, bool, int] = ("layer", True, 1)

    def show_heading(self, grouping: Grouping, *, has_focus: bool, margin: int) -> None:
        """Shows what the tree is grouped by."""
        self._shown = grouping, has_focus, margin
        width = self.size.width
        self.show_bar(heading(grouping, Columns.of(width, margin), has_focus=has_focus))

    def on_resize(self) -> None:
        grouping, has_focus, margin = self._shown
        self.show_heading(grouping, has_focus=has_focus, margin=margin)
