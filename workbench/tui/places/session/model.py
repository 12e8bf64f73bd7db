"""The state of the place Session: rows, the chosen step, the marked one, and what was compared of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from workbench.agent.log.errors import LogError
from workbench.agent.log.rows import TurnRow
from workbench.agent.log.timeline import Timeline
from workbench.agent.verdicts.verdict import ChangedPart
from workbench.tui.session_feed import SessionFeed, Track
from workbench.tui.view.detail_rows import Detail
from workbench.tui.view.difference import TextDifference
from workbench.tui.view.session_detail import step_detail
from workbench.tui.view.session_rows import StepKey, StepRow, StepRows

KEPT = 32
"""Differences that stay compared."""
AT_ONCE = 20_000
"""Characters of a part that are compared without waiting."""


class SessionModel:
    """Read by the widgets of the place, changed by its commands."""

    def __init__(self) -> None:
        self.feed: SessionFeed | None = None
        self.rows = StepRows()
        self.chosen: StepKey | None = None
        self.marked: StepKey | None = None
        self.follows = True
        """The newest step is shown as soon as it is there."""
        self.request: Detail | None = None
        """The exact request of the chosen step, while it is read."""
        self.request_key: StepKey | None = None
        self._compared: OrderedDict[StepKey, tuple[ChangedPart, TextDifference]] = OrderedDict()

    def load(self, feed: SessionFeed | None) -> None:
        """Takes what is there now."""
        if feed is not self.feed:
            self.__init__()  # type: ignore[misc]
            self.feed = feed
        self.rows = StepRows(feed, self.marked)
        if self.rows.line_of(self.chosen) is None:
            self.chosen = None
        if self.chosen is None or self.follows:
            first = self._first_of_interest()
            self.chosen = first if self.feed is not None and self.feed.is_log and self.follows else None
            if self.chosen is None:
                self.chosen = self.rows.last

    def _first_of_interest(self) -> StepKey | None:
        """In a log: the first break; else its last step."""
        broken = self.rows.break_lines
        return self.rows[broken[0]].key if broken else None

    @property
    def row(self) -> StepRow | None:
        """The chosen one."""
        return self.rows.row_of(self.chosen)

    def row_of(self, key: StepKey | None) -> StepRow | None:
        """The row of a step."""
        return self.rows.row_of(key)

    @property
    def newest(self) -> StepKey | None:
        """The last step of the first session."""
        return self.rows.newest_of(0)

    def neighbour(self, steps: int, *, of: StepKey | None = None) -> StepRow | None:
        """The step that many before or after, in the same session."""
        key = of or self.chosen
        return None if key is None else self.rows.beside(key, steps)

    def next_break(self, direction: int) -> StepKey | None:
        """The next step that broke the prefix, or the one before; around the ends."""
        line = self.rows.next_break(self.rows.line_of(self.chosen) or 0, direction)
        return None if line is None else self.rows[line].key

    # what is known of a step

    def track_of(self, row: StepRow) -> Track:
        assert self.feed is not None
        return self.feed.tracks[row.track]

    def timeline_of(self, row: StepRow) -> Timeline:
        timeline = self.track_of(row).timeline
        assert timeline is not None
        return timeline

    def turn_of(self, row: StepRow) -> TurnRow | None:
        """The turn that its request belongs to."""
        return self.timeline_of(row).turn_of(row.request) if row.request is not None else None

    def texts_of(self, row: StepRow) -> tuple[str, str]:
        """The part that changed first, as it was and as it is. Raises `LogError`."""
        assert self.feed is not None
        assert row.request is not None
        return self.feed.texts(self.track_of(row), row.request)

    def difference_of(self, row: StepRow) -> TextDifference | None:
        """Of the part that changed first; None: it has to be compared in a thread, or cannot be read any more."""
        part = row.request.verdict.part if row.request is not None else None
        if part is None or row.key is None:
            return None
        known = self._compared.get(row.key)
        if known is not None and known[0] == part:
            return known[1]
        if part.characters <= AT_ONCE:
            try:
                return self.keep(row.key, part, TextDifference(*self.texts_of(row)))
            except LogError:
                return None
        return None

    def keep(self, key: StepKey, part: ChangedPart, difference: TextDifference) -> TextDifference:
        """What was compared."""
        self._compared[key] = part, difference
        while len(self._compared) > KEPT:
            self._compared.popitem(last=False)
        return difference

    def detail(self, width: int, *, blanks: bool, schema: Sequence[str] = ()) -> Detail:
        """Of the chosen step, or its request."""
        row = self.row
        if row is None or row.request is None:
            return Detail(())
        if self.request is not None and self.request_key == row.key:
            return self.request
        return step_detail(
            row,
            self.turn_of(row),
            self.timeline_of(row),
            width,
            blanks=blanks,
            difference=self.difference_of(row),
            schema=schema,
        )
