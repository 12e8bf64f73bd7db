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
    grouping: Grouping = "layer"
    has_tree_focus = True

    def show_heading(self, grouping: Grouping, *, has_focus: bool, margin: int) -> None:
        """Shows what the tree is grouped by."""
        self.grouping, self.has_tree_focus = grouping, has_focus
        width = self.size.width
        self.show_bar(heading(grouping, Columns.of(width, margin), has_focus=has_focus))
