"""The state of the place Session: rows, the chosen step, the marked one, and what was compared of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from workbench.agent.log.timeline import RequestRow, Timeline, TurnRow
from workbench.agent.verdicts.verdict import ChangedPart
from workbench.tui.session_feed import SessionFeed, Track
from workbench.tui.view.difference import TextDifference
from workbench.tui.view.session import StepKey, StepRow, step_rows
from workbench.tui.view.session_detail import step_detail
from workbench.tui.view.trace_detail import Detail

KEPT = 32
"""Differences that stay compared."""
AT_ONCE = 20_000
"""Characters of a part that are compared without waiting."""


class SessionModel:
    """Read by the widgets of the place, changed by its commands."""

    def __init__(self) -> None:
        self.feed: SessionFeed | None = None
        self.rows: list[StepRow] = []
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
        self.rows = step_rows(feed, self.marked) if feed is not None else []
        keys = [row.key for row in self.rows if row.key is not None]
        if self.chosen not in keys:
            self.chosen = None
        if self.chosen is None or self.follows:
            first = self._first_of_interest()
            self.chosen = first if self.feed is not None and self.feed.is_log and self.follows else None
            if self.chosen is None and keys:
                self.chosen = keys[-1]

    def _first_of_interest(self) -> StepKey | None:
        """In a log: the first break; else its last step."""
        broken = [row.key for row in self.rows if row.request is not None and row.request.verdict.is_break]
        return broken[0] if broken else None

    @property
    def row(self) -> StepRow | None:
        """The chosen one."""
        return self.row_of(self.chosen)

    def row_of(self, key: StepKey | None) -> StepRow | None:
        """The row of a step."""
        return next((row for row in self.rows if row.key == key), None) if key is not None else None

    @property
    def newest(self) -> StepKey | None:
        """The last step of the first session."""
        keys = [row.key for row in self.rows if row.key is not None and row.track == 0]
        return keys[-1] if keys else None

    def neighbour(self, steps: int, *, of: StepKey | None = None) -> StepRow | None:
        """The step that many before or after, in the same session."""
        key = of or self.chosen
        if key is None:
            return None
        same = [row for row in self.rows if row.key is not None and row.track == key.track]
        at = next((index for index, row in enumerate(same) if row.key == key), None)
        if at is None or not 0 <= at + steps < len(same):
            return None
        return same[at + steps]

    def next_break(self, direction: int) -> StepKey | None:
        """The next step that broke the prefix, or the one before; around the ends."""
        broken = [
            index for index, row in enumerate(self.rows) if row.request is not None and row.request.verdict.is_break
        ]
        if not broken:
            return None
        at = next((index for index, row in enumerate(self.rows) if row.key == self.chosen), 0)
        if direction > 0:
            found = next((index for index in broken if index > at), broken[0])
        else:
            found = next((index for index in reversed(broken) if index < at), broken[-1])
        return self.rows[found].key

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
        for turn in self.timeline_of(row).turns:
            if any(request is row.request for request in turn.requests):
                return turn
        return None

    def previous_request(self, row: StepRow) -> RequestRow | None:
        before = self.neighbour(-1, of=row.key)
        return before.request if before is not None else None

    def difference_of(self, row: StepRow) -> TextDifference | None:
        """Of the part that changed first; None: it has to be compared in a thread."""
        part = row.request.verdict.part if row.request is not None else None
        if part is None or row.key is None:
            return None
        known = self._compared.get(row.key)
        if known is not None and known[0] is part:
            return known[1]
        if len(part.before) + len(part.after) <= AT_ONCE:
            return self.keep(row.key, part, TextDifference(part.before, part.after))
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
