"""The lists of Team: entries by group, and revisions of which only those are read that are seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui.view.pieces import Role
from workbench.tui.view.team_entries import EntryId, Listed
from workbench.tui.view.team_list import ListRow, index_of, row_line
from workbench.tui.view.team_versions import revision_line
from workbench.tui.widgets.line import LineWidget
from workbench.tui.widgets.lines import Lines, bindings_of

if TYPE_CHECKING:
    from workbench.team.version import VersionLine

OF_THE_PLACE = frozenset({"j", "k", "h"})
"""`k` keeps a text and `h` shows the history, so that `j` alone would move."""


def without_keys(bindings: Sequence[BindingType]) -> list[BindingType]:
    """Bindings of a pane without the keys that the place around it needs."""
    left: list[BindingType] = []
    for each in bindings:
        assert isinstance(each, Binding)
        keys = [key for key in each.key.split(",") if key not in OF_THE_PLACE]
        if keys:
            left.append(replace(each, key=",".join(keys)))
    return left


class TeamHeading(LineWidget):
    """Above a list."""

    margin = 1


class TeamList(Lines, inherit_bindings=False):
    """All entries, with a cursor on one of them."""

    BINDINGS: ClassVar[list[BindingType]] = without_keys(bindings_of("lines", "list"))

    @dataclass
    class Chosen(Message):
        """The cursor is on another entry."""

        entry: Listed

    @dataclass
    class Opened(Message):
        """The person wants to read the chosen entry."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: Sequence[ListRow] = ()
        self.cursor = 0

    def show_rows(self, rows: Sequence[ListRow], chosen: EntryId | None) -> None:
        """Shows other rows, with the cursor on the same entry, or near where it was; tells nobody."""
        self.rows = rows
        found = index_of(rows, chosen)
        self.cursor = self._nearest(self.cursor, 1) if found is None else found
        self.virtual_size = Size(self.size.width, len(rows))
        if self.cursor < len(rows):
            self._reveal()
        self.refresh()

    @property
    def entry(self) -> Listed | None:
        """The chosen one."""
        return self.rows[self.cursor].entry if self.cursor < len(self.rows) else None

    def move(self, steps: int) -> None:
        if not self.rows:
            return
        target = max(0, min(len(self.rows) - 1, self.cursor + steps))
        self._go_to(self._nearest(target, 1 if steps > 0 else -1))

    def move_to_end(self, *, last: bool) -> None:
        self.move(len(self.rows) if last else -len(self.rows))

    def action_open(self) -> None:
        self.post_message(self.Opened())

    def on_click(self, event: events.Click) -> None:
        row = event.y + round(self.scroll_y)
        if row < len(self.rows) and self.rows[row].entry is not None:
            self._go_to(row)
            if event.chain == 2:
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
        row = y + round(self.scroll_y)
        if row >= len(self.rows):
            return self.paint.blank(width, "base")
        is_chosen = row == self.cursor
        line = row_line(self.rows[row], max(1, width - 1), is_chosen=is_chosen, has_focus=self.has_focus)
        ground: Role = "base" if not is_chosen else "cursor" if self.has_focus else "cursor-idle"
        return self.paint.strip(line, width, ground)

    def _go_to(self, row: int) -> None:
        entry = self.rows[row].entry if row < len(self.rows) else None
        if row == self.cursor or entry is None:
            return
        before, self.cursor = self.cursor, row
        self.refresh_line(before)
        self.refresh_line(row)
        self._reveal()
        self.post_message(self.Chosen(entry))

    def _reveal(self) -> None:
        """With the heading above the first entry of a group."""
        first = self.cursor
        while first and self.rows[first - 1].entry is None:
            first -= 1
        self.bring_into_view(first, self.cursor)

    def _nearest(self, row: int, direction: int) -> int:
        """The next row with an entry in that direction, else in the other one."""
        ahead = range(row, len(self.rows)) if direction > 0 else range(row, -1, -1)
        behind = range(row, -1, -1) if direction > 0 else range(row, len(self.rows))
        return next((index for each in (ahead, behind) for index in each if self._is_entry(index)), 0)

    def _is_entry(self, index: int) -> bool:
        return index < len(self.rows) and self.rows[index].entry is not None


class VersionList(Lines, inherit_bindings=False):
    """Revisions, the newest first. A row whose page has not been read shows its number and asks for the page."""

    BINDINGS: ClassVar[list[BindingType]] = without_keys(bindings_of("lines", "list"))

    @dataclass
    class Chosen(Message):
        """The cursor is on another revision."""

        revision: int

    @dataclass
    class Opened(Message):
        """The person wants to read the chosen revision."""

    @dataclass
    class Wanted(Message):
        """A revision is seen whose line is not there."""

        revision: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.newest = 0
        self.chosen = 0
        self.marked: int | None = None
        self._lines: Mapping[int, VersionLine] = {}
        self._now = datetime.min

    def show_versions(
        self, newest: int, lines: Mapping[int, VersionLine], chosen: int, marked: int | None, now: datetime
    ) -> None:
        """Shows a history of `newest` + 1 revisions; tells nobody."""
        self.newest, self._lines, self.marked, self._now = newest, lines, marked, now
        self.chosen = max(0, min(newest, chosen))
        self.virtual_size = Size(self.size.width, newest + 1)
        self._reveal()
        self.refresh()

    def move(self, steps: int) -> None:
        target = max(0, min(self.newest, self.chosen - steps))
        if target != self.chosen:
            self.chosen = target
            self._reveal()
            self.refresh()
            self.post_message(self.Chosen(target))

    def move_to_end(self, *, last: bool) -> None:
        self.move(self.newest + 1 if last else -self.newest - 1)

    def action_open(self) -> None:
        self.post_message(self.Opened())

    def on_click(self, event: events.Click) -> None:
        row = event.y + round(self.scroll_y)
        if row <= self.newest:
            self.move(row - (self.newest - self.chosen))
            if event.chain == 2:
                self.post_message(self.Opened())

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_resize(self) -> None:
        self.virtual_size = Size(self.size.width, self.newest + 1)
        self._reveal()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        revision = self.newest - y - round(self.scroll_y)
        if revision < 0:
            return self.paint.blank(width, "base")
        line: VersionLine | int = self._lines.get(revision, revision)
        if isinstance(line, int):
            self.post_message(self.Wanted(revision))
        is_chosen = revision == self.chosen
        look = (is_chosen, self.has_focus, revision == self.marked)
        drawn = revision_line(line, len(str(self.newest)), self._now, max(1, width - 1), look=look)
        ground: Role = "base" if not is_chosen else "cursor" if self.has_focus else "cursor-idle"
        return self.paint.strip(drawn, width, ground)

    def _reveal(self) -> None:
        row = self.newest - self.chosen
        self.bring_into_view(row, row)
