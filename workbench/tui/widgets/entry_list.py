"""The list of sections, contexts, tools and variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from workbench.tui.view.entries import EntryKey, Row, size_of
from workbench.tui.view.entry_lines import BARS_FROM, entry_line
from workbench.tui.view.sizes import CHARACTERS, Sizes
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.row_list import DrawnRow, RowList


class EntryList(RowList):
    """Rows with a cursor that skips headings."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("list")

    @dataclass
    class Chosen(Message):
        """The cursor is on another entry."""

        key: EntryKey
        steps: int = 1
        """How many rows away from the one before."""

    @dataclass
    class Opened(Message):
        """The person wants to go into the text of the entry."""

        key: EntryKey

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: list[Row] = []
        self.changed: frozenset[EntryKey] = frozenset()
        self.sizes = CHARACTERS
        self._indexes: dict[EntryKey, int] | None = None
        """Rows of the entries; None: not looked for yet."""
        self._largest: int | None = 0
        """The size that fills a bar; None: it is not known yet."""

    def show_rows(
        self,
        rows: list[Row],
        changed: frozenset[EntryKey],
        chosen: EntryKey | None,
        sizes: Sizes = CHARACTERS,
    ) -> None:
        """Shows other rows with the cursor on `chosen`, or where it was."""
        self.rows, self.changed, self.sizes = rows, changed, sizes
        self._indexes = None
        self._largest = None
        self.rows_changed(self._index_of(chosen))

    @property
    def chosen(self) -> EntryKey | None:
        """The entry under the cursor."""
        return self.rows[self.cursor].key if 0 <= self.cursor < len(self.rows) else None

    def choose(self, key: EntryKey) -> None:
        """Puts the cursor on an entry; tells nobody."""
        index = self._index_of(key)
        if index is not None:
            self.put_cursor(index)

    def put_cursor(self, row: int) -> None:
        group = self._group
        super().put_cursor(row)
        if group != self._group:
            self.forget_drawn()
            self.refresh()

    def row_count(self) -> int:
        return len(self.rows)

    def can_rest(self, row: int) -> bool:
        return self.rows[row].key is not None

    def first_shown_with(self, row: int) -> int:
        while row > 0 and self.rows[row - 1].key is None:
            row -= 1
        return row

    def cursor_moved(self, before: int) -> None:
        if self.chosen is not None:
            self.post_message(self.Chosen(self.chosen, abs(self.cursor - before)))

    def row_opened(self) -> None:
        if self.chosen is not None:
            self.post_message(self.Opened(self.chosen))

    def draw_row(self, row: int, width: int) -> DrawnRow:
        shown = self.rows[row]
        return entry_line(
            shown,
            width,
            is_cursor=shown.heading == self._group if shown.heading else row == self.cursor,
            has_focus=self.has_focus,
            is_changed=shown.key in self.changed,
            largest=self._largest_size if width >= BARS_FROM else 0,
            margin=0 if self.show_vertical_scrollbar else 1,
            sizes=self.sizes,
        )

    @property
    def _largest_size(self) -> int:
        """Looked for only where there is room for bars."""
        if self._largest is None:
            self._largest = max((size_of(row.entry, self.sizes) for row in self.rows if row.entry), default=0)
        return self._largest

    @property
    def _group(self) -> str | None:
        """The kind of the entry under the cursor."""
        key = self.chosen
        return key.kind if key else None

    def _index_of(self, key: EntryKey | None) -> int | None:
        if self._indexes is None:
            self._indexes = {row.key: index for index, row in enumerate(self.rows) if row.key is not None}
        return None if key is None else self._indexes.get(key)
