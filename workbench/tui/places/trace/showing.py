"""What Trace draws: the timeline, the pane below it, and which of them stands in front."""

from __future__ import annotations

import asyncio
from fractions import Fraction

from textual.getters import query_one
from textual.widget import Widget

from workbench.prompt.repeats import repeats
from workbench.prompt.trace import Change
from workbench.tui.places.base import tab_of
from workbench.tui.places.stacked import Stacked
from workbench.tui.places.trace.model import TraceModel
from workbench.tui.view.detail_rows import WIDEST, Block, Detail
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.pieces import Line, plain
from workbench.tui.view.refused import unrecorded_lines
from workbench.tui.view.trace import RowKey
from workbench.tui.viewing.situation import following
from workbench.tui.viewing.viewing import Seen, Viewing
from workbench.tui.widgets.find_bar import FindBar
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.trace_timeline import Timeline, TimelineHead
from workbench.tui.workers import start_worker
from workbench.visible import visible_line


class ShowingTrace(Stacked):
    """The panes of the place, over its model."""

    tab = tab_of("Trace")
    LEAST_DETAIL = 7
    DETAIL_SHARE = Fraction(2, 5)

    head = query_one(TimelineHead)
    timeline = query_one(Timeline)
    find_bar = query_one(FindBar)

    def __init__(self, viewing: Viewing) -> None:
        super().__init__(viewing)
        self.model = TraceModel()
        self.start: int | None = None
        """The first cell of differences that is shown; None: their lines are wrapped."""
        self._shown: RowKey | None = None
        """The row that the pane below shows."""
        self._target: object = None
        """What somebody came here for before there was anything to show."""

    def _look_for_repeats(self) -> None:
        """In a long prompt it takes a moment, and the screen goes on meanwhile."""
        preview = self.model.preview
        if preview is not None and self.model.needs_repeats:
            start_worker(self, self._find_repeats, group="repeats", exclusive=True)

    async def _find_repeats(self) -> None:
        preview = self.model.preview
        if preview is None:
            return
        found = await asyncio.to_thread(repeats, preview)
        if self.model.preview is preview:
            self.model.take_repeats(preview, found)
            self._show_all()

    def _show_all(self) -> None:
        model = self.model
        if not self.is_mounted or not self.children:
            return
        word = self._take_target() if self._target is not None and model.preview is not None else ""
        has_rows = self._has_rows
        self.head.set_class(not has_rows, "-absent")
        self.give_focus_back()
        self.timeline.show_rows(model.rows if has_rows else [], model.total_ns, model.chosen)
        self.show_heading()
        self.fit()
        self._show_detail()
        self.refresh_frame()
        if word:
            self.say(word, ())

    @property
    def _has_rows(self) -> bool:
        """There is an assembly whose stages are known."""
        viewing = self.viewing
        if self._lack:
            return False
        is_bare = viewing.past is not None and not viewing.past.preview.trace.stages
        return bool(self.model.rows) and not viewing.problems and not is_bare

    @property
    def is_detail_alone(self) -> bool:
        """There is no timeline: the pane below says why."""
        return bool(self.viewing.problems or self._lack) and not self._has_rows

    @property
    def _lack(self) -> str:
        """Why a log has no answer here."""
        subject = self.viewing.subject
        return subject.lacks.get(self.tab.title, "") if subject is not None else ""

    @property
    def upper(self) -> tuple[Widget, RowList]:
        return self.head, self.timeline

    def show_heading(self) -> None:
        self.head.show_axis(self.model.total_ns, self.timeline.has_focus)

    def _show_detail(self) -> None:
        model, pane = self.model, self.detail_pane
        made = self._detail(pane.text_width, blanks=self.is_airy, start=self.start)
        block = pane.block
        is_same = self._shown == model.chosen
        pane.show_detail(made, keep_place=is_same)
        self._shown = model.chosen
        hit = model.current_hit
        if hit is not None and hit[0] == model.chosen:
            wanted: Change | None = hit[1].change
        else:
            wanted = block.change if is_same and block is not None else None
        row = (
            made.row_of(wanted)
            if wanted is not None and (pane.block is None or pane.block.change is not wanted)
            else None
        )
        if row is not None:
            has_room = row <= pane.page_size // 2  # then whose it is stays in sight, with its file
            pane.put_cursor(row, on_top=hit is not None and not has_room)

    def _detail(self, width: int, *, blanks: bool, start: int | None = None) -> Detail:
        """Of the chosen row, or why there is none."""
        viewing = self.viewing
        if self._has_rows:
            follows = following(viewing, self.house.key_of("app.reload"))
            return self.model.detail(width, blanks=blanks, start=start, follows=follows)
        if viewing.problems and not self._lack:
            return self.refused(width)
        lines: list[Line] = []
        if self._lack:
            session, prompt = self.house.key_of("app.session"), self.house.key_of("session.prompt")
            lines = unrecorded_lines(self._lack, width, session=session, prompt=prompt)
        return Detail([Block(lines)], width)

    def _plain_detail(self) -> str:
        """What is known about the row, as text."""
        made = self._detail(WIDEST, blanks=True)
        return "\n".join(plain(made[row]).rstrip() for row in range(len(made)))

    def _take_target(self) -> str:
        """Chooses what somebody came here for; what has to be said to it."""
        model, target = self.model, self._target
        self._target = None
        if isinstance(target, Seen):
            model.choose(target)
        elif isinstance(target, RowKey):
            if any(row.key == target for row in model.rows):
                model.chosen = target
        elif isinstance(target, tuple) and len(target) == 3 and target[0] == "listener":
            key = RowKey("", str(target[1]), str(target[2]))
            if not any(row.key == key for row in model.rows):
                return f"{visible_line(key.label)} does not listen in this scope."
            model.chosen = key
        elif isinstance(target, EntryKey):
            for row in model.rows:
                changes = row.listener.changes if row.listener is not None else ()
                if any((change.kind, change.name) == (target.kind, target.name) for change in changes):
                    model.chosen = row.key
                    return ""
            return "No listener changed it."
        return ""
