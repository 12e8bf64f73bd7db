"""The list of packages: cards of two lines, of which only those are drawn that are seen.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui.view import packages_words
from workbench.tui.view.packages_data import COUNTING, PackageRow
from workbench.tui.view.packages_list import ListRow, index_of, row_line
from workbench.tui.view.pieces import Role
from workbench.tui.widgets.bars import BarWidget
from workbench.tui.widgets.line import LineWidget
from workbench.tui.widgets.lines import Lines, bindings_of
from workbench.tui.widgets.registry_inspector import Inspector


class PackageTitle(LineWidget):
    """Id, name and state of the chosen package."""

    GROUND: Role = "raised"


class PackageButtons(BarWidget):
    """What can be done with it; each has a key, too."""

    GROUND: Role = "raised"


class PackagePage(Inspector, inherit_bindings=False):
    """The detail; moving scrolls."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("lines", "text")


class PackageList(Lines, inherit_bindings=False):
    """All cards, with a cursor on one of them."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("lines", "list")

    @dataclass
    class Chosen(Message):
        """The cursor is on another card."""

        package: str

    @dataclass
    class Opened(Message):
        """The person wants to read the chosen card."""

    @dataclass
    class AnswerPressed(Message):
        """The line that leads to the sheet was clicked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: Sequence[ListRow] = ()
        self.cursor = 0
        """Index of the first line of the chosen card."""
        self.answer_key = "!"

    def show_rows(self, rows: Sequence[ListRow], chosen: str) -> None:
        """Shows other rows, with the cursor on the same card, or near where it was; tells nobody."""
        if rows == self.rows and self.card is not None and self.card.id == chosen:
            return
        old, self.rows = self.cursor, rows
        found = index_of(rows, chosen) if chosen else None
        self.cursor = self._nearest(min(old, max(0, len(rows) - 1)), 1) if found is None else found
        self.virtual_size = Size(self.size.width, len(rows))
        if rows:
            self._reveal()
        self.refresh()

    @property
    def card(self) -> PackageRow | None:
        """The chosen one."""
        return self.rows[self.cursor].card if self.cursor < len(self.rows) else None

    def count_up(self) -> None:
        """A second has gone: lines in sight whose age is shown are drawn again."""
        top = round(self.scroll_y)
        for index in range(top, min(len(self.rows), top + self.size.height)):
            card = self.rows[index].card
            if card is not None and card.state in COUNTING:
                self.refresh_line(index)

    def move(self, steps: int) -> None:
        if self.card is None:
            return
        if abs(steps) > 1:
            target = max(0, min(len(self.rows) - 1, self.cursor + steps))
        else:
            target = self.cursor + (self._height(self.cursor) if steps > 0 else -1)
            if not 0 <= target < len(self.rows):
                return
        self._go_to(self._nearest(target, 1 if steps > 0 else -1))

    def move_to_end(self, *, last: bool) -> None:
        if self.rows:
            self._go_to(self._nearest(len(self.rows) - 1 if last else 0, -1 if last else 1))

    def action_open(self) -> None:
        self.post_message(self.Opened())

    def on_click(self, event: events.Click) -> None:
        index = event.y + round(self.scroll_y)
        if index >= len(self.rows) or self.rows[index].card is None:
            return
        self._go_to(index - self.rows[index].nth)
        if self.rows[index].nth == 2 and 4 <= event.x < 4 + len(f" {self.answer_key} Answer… "):
            self.post_message(self.AnswerPressed())
        elif event.chain == 2:
            self.post_message(self.Opened())

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_resize(self) -> None:
        self.virtual_size = Size(self.size.width, len(self.rows))
        if self.rows:
            self._reveal()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = y + round(self.scroll_y)
        if index >= len(self.rows):
            return self.paint.blank(width, "base")
        row = self.rows[index]
        is_chosen = row.card is not None and index - row.nth == self.cursor
        line = row_line(
            row,
            max(1, width - 1),
            packages_words.monotonic(),
            is_chosen=is_chosen,
            has_focus=self.has_focus,
            answer_key=self.answer_key,
        )
        ground: Role = "base" if not is_chosen else "cursor" if self.has_focus else "cursor-idle"
        return self.paint.strip(line, width, ground)

    def _go_to(self, index: int) -> None:
        card = self.rows[index].card if index < len(self.rows) else None
        if index == self.cursor or card is None:
            return
        self.cursor = index
        self.refresh()
        self._reveal()
        self.post_message(self.Chosen(card.id))

    def _height(self, index: int) -> int:
        card = self.rows[index].card
        return 1 if card is None else 3 if card.request else 2

    def _reveal(self) -> None:
        """The whole card, with the heading above the first of a group."""
        first = self.cursor
        if first and self.rows[first - 1].card is None:
            first -= 1
        self.bring_into_view(first, self.cursor + self._height(self.cursor) - 1)

    def _nearest(self, index: int, direction: int) -> int:
        """The first line of the next card in that direction, else in the other one; 0: there is no card."""
        if not self.rows:
            return 0
        ahead = range(index, len(self.rows)) if direction > 0 else range(index, -1, -1)
        behind = range(index, -1, -1) if direction > 0 else range(index, len(self.rows))
        rows = self.rows
        found = next((each for side in (ahead, behind) for each in side if rows[each].card is not None), None)
        return 0 if found is None else found - int(rows[found].nth)
