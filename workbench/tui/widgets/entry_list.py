"""The list of sections, contexts, tools and variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui.view.entries import EntryKey, Row, size_of
from workbench.tui.view.entry_lines import BARS_FROM, entry_line
from workbench.tui.view.sizes import CHARACTERS, Sizes
from workbench.tui.widgets.lines import Lines, bindings_of


class EntryList(Lines):
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
        self.cursor = 0
        self._largest: int | None = 0
        """The size that fills a bar; None: it is not known yet."""
        self._drawn: dict[int, Strip] = {}

    def show_rows(
        self,
        rows: list[Row],
        changed: frozenset[EntryKey],
        chosen: EntryKey | None,
        sizes: Sizes = CHARACTERS,
    ) -> None:
        """Shows other rows with the cursor on `chosen`, or where it was."""
        self.rows, self.changed, self.sizes = rows, changed, sizes
        self._largest = None
        self._drawn.clear()
        self.virtual_size = Size(self.size.width, len(rows))
        index = self._index_of(chosen)
        self.cursor = self._nearest(min(self.cursor, len(rows) - 1), 1) if index is None else index
        self._show_cursor()
        self.refresh()

    @property
    def chosen(self) -> EntryKey | None:
        """The entry under the cursor."""
        return self.rows[self.cursor].key if 0 <= self.cursor < len(self.rows) else None

    def choose(self, key: EntryKey) -> None:
        """Puts the cursor on an entry; tells nobody."""
        index = self._index_of(key)
        if index is not None:
            self._put_cursor(index)

    def move(self, steps: int) -> None:
        """By rows; a heading in the way is skipped."""
        if self.rows:
            target = max(0, min(len(self.rows) - 1, self.cursor + steps))
            self._choose_row(self._nearest(target, 1 if steps > 0 else -1))

    def move_to_end(self, *, last: bool) -> None:
        if self.rows:
            self._choose_row(self._nearest(len(self.rows) - 1 if last else 0, -1 if last else 1))

    def action_open(self) -> None:
        if self.chosen is not None:
            self.post_message(self.Opened(self.chosen))

    def on_click(self, event: events.Click) -> None:
        row = event.y + round(self.scroll_y)
        if row < len(self.rows) and self.rows[row].key is not None:
            self._choose_row(row)
            if event.chain == 2:
                self.action_open()

    def on_focus(self) -> None:
        self.forget_drawn()
        self.refresh()

    def on_blur(self) -> None:
        self.forget_drawn()
        self.refresh()

    def on_resize(self) -> None:
        self.forget_drawn()
        self.virtual_size = Size(self.size.width, len(self.rows))
        self._show_cursor()

    def forget_drawn(self) -> None:
        self._drawn.clear()

    def render_line(self, y: int) -> Strip:
        """One row; what is drawn is kept while nothing about it changes."""
        index = y + round(self.scroll_y)
        width = self.scrollable_content_region.width
        if index >= len(self.rows):
            return self.paint.blank(width, "base")
        strip = self._drawn.get(index)
        if strip is None or strip.cell_length != width:
            strip = self._draw(index, width)
            if len(self._drawn) > _KEPT:
                self._drawn.clear()
            self._drawn[index] = strip
        return strip

    def _draw(self, index: int, width: int) -> Strip:
        row = self.rows[index]
        line, ground = entry_line(
            row,
            width,
            is_cursor=row.heading == self._group if row.heading else index == self.cursor,
            has_focus=self.has_focus,
            is_changed=row.key in self.changed,
            largest=self._largest_size if width >= BARS_FROM else 0,
            margin=0 if self.show_vertical_scrollbar else 1,
            sizes=self.sizes,
        )
        return self.paint.strip(line, width, ground)

    @property
    def _largest_size(self) -> int:
        """Looked for only where there is room for bars."""
        if self._largest is None:
            self._largest = max((size_of(row.entry, self.sizes) for row in self.rows if row.entry), default=0)
        return self._largest

    def _choose_row(self, index: int) -> None:
        if index != self.cursor:
            steps = abs(index - self.cursor)
            self._put_cursor(index)
            if self.chosen is not None:
                self.post_message(self.Chosen(self.chosen, steps))

    def _put_cursor(self, index: int) -> None:
        before, group = self.cursor, self._group
        self.cursor = index
        for row in (before, index):
            self._drawn.pop(row, None)
            self.refresh_line(row)
        if group != self._group:
            self.forget_drawn()
            self.refresh()
        self._show_cursor()

    @property
    def _group(self) -> str | None:
        """The kind of the entry under the cursor."""
        key = self.chosen
        return key.kind if key else None

    def _show_cursor(self) -> None:
        above = self.cursor
        while above > 0 and self.rows[above - 1].key is None:  # with its heading
            above -= 1
        self.bring_into_view(above, self.cursor)

    def _index_of(self, key: EntryKey | None) -> int | None:
        if key is None:
            return None
        return next((index for index, row in enumerate(self.rows) if row.key == key), None)

    def _nearest(self, index: int, direction: int) -> int:
        """The entry at `index`, or the nearest one in that direction, or in the other one."""
        for step in (direction, -direction):
            at = index
            while 0 <= at < len(self.rows):
                if self.rows[at].key is not None:
                    return at
                at += step
        return 0


_KEPT = 512
