"""The list of packages: cards of two lines, of which only those are drawn that are seen.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from workbench.tui.view import packages_words
from workbench.tui.view.packages_data import COUNTING, PackageRow
from workbench.tui.view.packages_list import ListRow, index_of, row_line
from workbench.tui.view.pieces import Role
from workbench.tui.widgets.bars import BarWidget
from workbench.tui.widgets.line import LineWidget
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.registry_inspector import Inspector
from workbench.tui.widgets.row_list import DrawnRow, RowList


class PackageTitle(LineWidget):
    """Id, name and state of the chosen package."""

    GROUND: Role = "raised"


class PackageButtons(BarWidget):
    """What can be done with it; each has a key, too."""

    GROUND: Role = "raised"


class PackagePage(Inspector, inherit_bindings=False):
    """The detail; moving scrolls."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("lines", "text")


class PackageList(RowList, inherit_bindings=False):
    """All cards, with a cursor on one of them."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("lines", "list")

    @dataclass
    class Chosen(Message):
        """The cursor is on another card."""

        package: str
        """Its key."""

    @dataclass
    class Opened(Message):
        """The person wants to read the chosen card."""

    @dataclass
    class AnswerPressed(Message):
        """The line that leads to the sheet was clicked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: Sequence[ListRow] = ()
        self.answer_key = "!"

    def show_rows(self, rows: Sequence[ListRow], chosen: str) -> None:
        """Shows other rows, with the cursor on the same card, or near where it was; tells nobody."""
        if rows == self.rows and self.card is not None and self.card.key == chosen:
            return
        self.rows = rows
        self.rows_changed(index_of(rows, chosen) if chosen else None)

    @property
    def card(self) -> PackageRow | None:
        """The chosen one."""
        return self.rows[self.cursor].card if self.cursor < len(self.rows) else None

    def count_up(self) -> None:
        """A second has gone: lines in sight whose age is shown are drawn again."""
        top = round(self.scroll_y)
        for row in range(top, min(len(self.rows), top + self.size.height)):
            card = self.rows[row].card
            if card is not None and card.state in COUNTING:
                self.redraw_row(row)

    def row_count(self) -> int:
        return len(self.rows)

    def can_rest(self, row: int) -> bool:
        return self.rows[row].card is not None

    def rows_of(self, row: int) -> range:
        if row >= len(self.rows):
            return range(row, row + 1)
        card, first = self.rows[row].card, row - self.rows[row].nth
        return range(first, first + (1 if card is None else 3 if card.request else 2))

    def first_shown_with(self, row: int) -> int:
        return row - 1 if row and self.rows[row - 1].card is None else row

    def draw_row(self, row: int, width: int) -> DrawnRow:
        is_chosen = self.rows[row].card is not None and row in self.rows_of(self.cursor)
        line = row_line(
            self.rows[row],
            max(1, width - 1),
            packages_words.monotonic(),
            is_chosen=is_chosen,
            has_focus=self.has_focus,
            answer_key=self.answer_key,
        )
        return line, "base" if not is_chosen else "cursor" if self.has_focus else "cursor-idle"

    def cursor_moved(self, before: int) -> None:
        if self.card is not None:
            self.post_message(self.Chosen(self.card.key))

    def row_opened(self) -> None:
        self.post_message(self.Opened())

    def on_click(self, event: events.Click) -> None:
        row = self.row_at(event)
        if row is not None and self.rows[row].nth == 2 and 4 <= event.x < 4 + len(f" {self.answer_key} Answer… "):
            event.prevent_default()
            self.go_to_row(self.rows_of(row)[0])
            self.post_message(self.AnswerPressed())
