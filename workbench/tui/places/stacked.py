"""Rows above, and what is known about the chosen one below; one at a time where there is little room.

Source: docs/tui.md 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from textual.getters import query_one
from textual.widget import Widget

from workbench.tui.places.base import Place
from workbench.tui.view.detail_rows import Block, Detail
from workbench.tui.view.refused import refused_lines
from workbench.tui.viewing.situation import following
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.trace_detail import DetailLines


class Stacked(Place):
    """Gives both their room, and brings one to the front. A subclass names them, and what stands above the rows."""

    LEAST_DETAIL: ClassVar[int]
    """Lines that the pane below gets at least."""
    DETAIL_SHARE: ClassVar[Fraction]
    """What the pane below gets at least of a larger screen."""

    detail_pane = query_one(DetailLines)

    @property
    def upper(self) -> tuple[Widget, RowList]:
        """The heading, and the rows."""
        raise NotImplementedError

    @property
    def is_detail_alone(self) -> bool:
        """There are no rows, and the pane below says why."""
        raise NotImplementedError

    def show_heading(self) -> None:
        """Above the rows, as the focus and the rows are now."""
        raise NotImplementedError

    def refused(self, width: int) -> Detail:
        """What is wrong with a file from which nothing is loaded, and what to do."""
        viewing = self.viewing
        follows = following(viewing, self.house.key_of("app.reload"))
        lines = refused_lines(viewing.problems, width, editor=self.house.key_of("app.source"), follows=follows)
        return Detail([Block(lines)], width)

    def fit(self) -> None:
        """The rows get what they need, the pane below the rest and never too little."""
        width, height = self.size
        _, rows = self.upper
        is_single = width < 80 or height < 20
        self.set_class(is_single, "-one")
        if is_single:
            rows.styles.height = "1fr"
        else:
            room = height - (9 if self.is_airy else 5)
            least = max(self.LEAST_DETAIL, int(room * self.DETAIL_SHARE))
            rows.styles.height = max(1, min(rows.row_count(), room - least))
        self.show_front()

    def show_front(self) -> None:
        """One pane stands in front where there is no room for two."""
        reads = self.detail_pane.has_focus or self.is_detail_alone
        for each in self.upper:
            each.set_class(reads, "-behind")
        self.detail_pane.set_class(not reads, "-behind")

    def focus_rows(self) -> None:
        """Back to them."""
        for each in self.upper:
            each.remove_class("-behind")
        self.upper[1].focus()

    def action_back(self) -> None:
        """To the rows, from whatever is in front of them."""
        self.focus_rows()

    _was_detail_alone = False

    def give_focus_back(self, *, unless: bool = False) -> None:
        """To the rows when they come: while they were hidden they have lost it. `unless`: something else has it."""
        if self._was_detail_alone and not self.is_detail_alone and not unless:
            self.call_later(self.action_back)
        self._was_detail_alone = self.is_detail_alone

    def action_other_pane(self) -> None:
        if self.detail_pane.has_focus:
            self.focus_rows()
        else:
            self.detail_pane.remove_class("-behind")
            self.detail_pane.focus()

    def on_descendant_focus(self) -> None:
        self.show_front()
        self.show_heading()

    def on_descendant_blur(self) -> None:
        self.show_heading()

    def on_resize(self) -> None:
        self.fit()
        self.refresh_frame()
