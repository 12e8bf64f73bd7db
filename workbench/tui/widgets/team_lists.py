"""The lists of Team: entries by group, and revisions of which only those are read that are seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from workbench.tui.view.team_entries import EntryId, Listed
from workbench.tui.view.team_list import ListRow, index_of, row_line
from workbench.tui.view.team_versions import revision_line
from workbench.tui.widgets.line import LineWidget
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.row_list import DrawnRow, RowList

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


class _Moved(RowList, inherit_bindings=False):
    """A list that knows of a move whose message nobody has read yet."""

    _is_untold = False

    def take_move(self) -> bool:
        """Whether a person has moved the cursor since this was asked last."""
        is_untold, self._is_untold = self._is_untold, False
        return is_untold


class TeamList(_Moved, inherit_bindings=False):
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

    def show_rows(self, rows: Sequence[ListRow], chosen: EntryId | None) -> None:
        """Shows other rows, with the cursor on the same entry, or near where it was; tells nobody."""
        self.rows = rows
        self.rows_changed(index_of(rows, chosen))

    @property
    def entry(self) -> Listed | None:
        """The chosen one."""
        return self.rows[self.cursor].entry if self.cursor < len(self.rows) else None

    def row_count(self) -> int:
        return len(self.rows)

    def can_rest(self, row: int) -> bool:
        return self.rows[row].entry is not None

    def first_shown_with(self, row: int) -> int:
        while row and self.rows[row - 1].entry is None:
            row -= 1
        return row

    def draw_row(self, row: int, width: int) -> DrawnRow:
        is_chosen = row == self.cursor
        line = row_line(self.rows[row], max(1, width - 1), is_chosen=is_chosen, has_focus=self.has_focus)
        return line, "base" if not is_chosen else "cursor" if self.has_focus else "cursor-idle"

    def cursor_moved(self, before: int) -> None:
        if self.entry is not None:
            self._is_untold = True
            self.post_message(self.Chosen(self.entry))

    def row_opened(self) -> None:
        self.post_message(self.Opened())


class VersionList(_Moved, inherit_bindings=False):
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
        self.newest = -1
        self.marked: int | None = None
        self._lines: Mapping[int, VersionLine] = {}
        self._now = datetime.min

    def show_versions(
        self, newest: int, lines: Mapping[int, VersionLine], chosen: int, marked: int | None, now: datetime
    ) -> None:
        """Shows a history of `newest` + 1 revisions; tells nobody."""
        self.newest, self._lines, self.marked, self._now = newest, lines, marked, now
        self.rows_changed(newest - max(0, min(newest, chosen)))

    @property
    def chosen(self) -> int:
        """The revision under the cursor."""
        return max(0, self.newest - self.cursor)

    def row_count(self) -> int:
        return self.newest + 1

    def draw_row(self, row: int, width: int) -> DrawnRow:
        revision = self.newest - row
        line: VersionLine | int = self._lines.get(revision, revision)
        if isinstance(line, int):
            self.post_message(self.Wanted(revision))
        is_chosen = row == self.cursor
        look = (is_chosen, self.has_focus, revision == self.marked)
        drawn = revision_line(line, len(str(self.newest)), self._now, max(1, width - 1), look=look)
        return drawn, "base" if not is_chosen else "cursor" if self.has_focus else "cursor-idle"

    def cursor_moved(self, before: int) -> None:
        self._is_untold = True
        self.post_message(self.Chosen(self.chosen))

    def row_opened(self) -> None:
        self.post_message(self.Opened())
