"""The place Session: what happened, step by step; where the prefix cache broke, who broke it, and what it cost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.getters import query_one
from textual.widget import Widget

from workbench.agent.log.errors import LogError
from workbench.agent.verdicts.verdict import ChangedPart
from workbench.tui.places.base import tab_of
from workbench.tui.places.session.model import SessionModel
from workbench.tui.places.session.past_steps import PastSteps
from workbench.tui.places.session.talking import Talking, no_step, running
from workbench.tui.places.stacked import Stacked
from workbench.tui.session_feed import SessionFeed
from workbench.tui.view import answer as answers
from workbench.tui.view.detail_rows import WIDEST, Block, Detail
from workbench.tui.view.difference import TextDifference
from workbench.tui.view.picker import Item
from workbench.tui.view.pieces import Line, Piece, cut, outside, plain
from workbench.tui.view.session import session_sentence, warnings_of
from workbench.tui.view.session_request import request_detail
from workbench.tui.view.session_rows import StepKey, StepRow
from workbench.tui.view.sheet import notes_lines
from workbench.tui.view.sizes import counted
from workbench.tui.viewing.situation import facts, interruption
from workbench.tui.viewing.viewing import Topic, Viewing
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.say_bar import SayBar
from workbench.tui.widgets.session_timeline import Steps, StepsHead
from workbench.tui.widgets.trace_detail import DetailLines
from workbench.tui.workers import start_worker

MOST_JUMPS = 500
"""Steps that the palette offers."""
MOST_OF_EDIT = 70
"""Cells of what an edit would cost; Prompt says all of it."""


class SessionPlace(PastSteps, Talking, Stacked):
    """What happened, step by step?"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("session")
    CSS_PATH = Path(__file__).parent / "style.tcss"
    AUTO_FOCUS = "#steps"
    tab = tab_of("Session")
    where = "session"
    LEAST_DETAIL = 9
    DETAIL_SHARE = Fraction(1, 2)

    head = query_one(StepsHead)
    steps = query_one(Steps)

    def __init__(self, viewing: Viewing) -> None:
        super().__init__(viewing)
        self.model = SessionModel()
        self._shown: object = None
        self._feed_version = -1
        self._target: object = None

    def panes(self) -> Iterable[Widget]:
        return StepsHead(id="head"), Steps(id="steps"), DetailLines(id="detail")

    def below(self) -> Iterable[Widget]:
        return (SayBar(id="say"),)

    # what is looked at

    def look_again(self, topic: Topic) -> None:
        feed = self._feed
        if topic == "session" and feed is not None and feed.version == self._feed_version:
            return  # an answer comes in: only the frame says so
        if topic in ("subject", "preview", "session", "changed"):
            self._load()

    def catch_up(self) -> None:
        super().catch_up()
        feed = self._feed
        if feed is not None and feed.version != self._feed_version:
            self._load()

    @property
    def _feed(self) -> SessionFeed | None:
        subject = self.viewing.subject
        return subject.sessions if subject is not None else None

    def _load(self) -> None:
        subject = self.viewing.subject
        feed = subject.sessions if subject is not None else None
        self._feed_version = feed.version if feed is not None else -1
        self.model.load(feed)
        self._show_all()

    @property
    def block(self) -> Block | None:
        return self.detail_pane.block if self.detail_pane.has_focus else None

    def focus_steps(self) -> None:
        self.steps.focus()

    def answer(self, *, short: bool) -> answers.Answer:
        viewing, model = self.viewing, self.model
        feed = model.feed
        if viewing.subject is None:
            return answers.opening(viewing.opening or "…")
        fact = self._fact(short)
        if feed is None:
            return answers.Answer(
                (
                    Piece("No session. ", "strong", bold=True),
                    Piece("Nobody runs here, and nothing was recorded."),
                )
            )
        if feed.progress:
            words = "" if feed.progress == "reading" else f": {feed.progress}"
            name = outside(viewing.subject.name)
            return answers.Answer(
                (Piece("◐ ", "pending"), Piece("Reading ", "strong", bold=True), *name, Piece(words))
            )
        interrupting = None if feed.is_log else interruption(viewing)
        has_steps = bool(model.rows.requests)
        if interrupting is not None and not has_steps:
            return interrupting
        talk = feed.talk
        if talk is not None and talk.is_running:
            packages = viewing.subject.packages
            asked = packages.waiting_count if packages is not None else 0
            return answers.Answer(running(talk, asked, self.keys, short=short), fact)
        if not has_steps and feed.problems:
            return answers.Answer((Piece("× ", "failed", bold=True), *outside(str(feed.problems[0]))))
        if not has_steps and talk is not None and talk.error:
            error = outside(talk.error.split("\n")[0])
            return answers.Answer((Piece("× No agent runs: ", "failed", bold=True), *error))
        if not has_steps:
            return answers.Answer(no_step(viewing, "" if short or talk is None else self.keys.say), fact)
        return answers.Answer(session_sentence(model.rows, short=short), fact)

    def _fact(self, short: bool) -> Line:
        """At the right end: an agent's state, else what is worth a warning."""
        feed = self.model.feed
        if feed is None:
            return ()
        talk = feed.talk
        if talk is not None and talk.error:
            return (Piece("× ", "failed", bold=True), *outside(talk.error.split("\n")[0][: 30 if short else 60]))
        waiting = self.viewing.editing.waiting
        if waiting is not None and waiting.sentence and not short:
            said = outside(f"an edit waits: {waiting.sentence}", "soft")
            return (Piece("◌ ", "pending"), *cut(said, MOST_OF_EDIT))
        warned = len(list(warnings_of([track.timeline for track in feed.tracks])))
        count = warned + len(feed.problems)
        if count:
            return (
                Piece("! " if feed.problems else "~ ", "changed", bold=True),
                Piece(f"{counted(count, 'warning')}: {self.keys.warnings}", "soft"),
            )
        return (Piece("idle", "soft"),) if talk is not None and not talk.is_running else ()

    @property
    def now(self) -> frozenset[str]:
        known = set(facts(self.viewing))
        feed, talk = self.model.feed, self.talk
        if talk is not None:
            known.add("live")
            known |= {"running"} if talk.is_running else set()
            known |= {"held"} if talk.steps_singly else set()
            known |= {"failed"} if talk.failed_message is not None else set()
        if not self.model.follows:
            known.add("past")
        known.discard("travel")
        if feed is not None and (feed.problems or any(warnings_of([track.timeline for track in feed.tracks]))):
            known.add("warned")
        return frozenset(known)

    # showing

    def _show_all(self) -> None:
        model = self.model
        if not self.is_mounted or not self.children:
            return
        if self._target is not None:
            self._take_target()
        has_rows = bool(model.rows)
        self.head.set_class(not has_rows, "-absent")
        self.give_focus_back(unless=self.say_bar.has_focus_within)
        self.steps.show_rows(model.rows, model.chosen)
        self.show_heading()
        self.fit()
        self._show_detail()
        self.refresh_frame()

    @property
    def upper(self) -> tuple[Widget, RowList]:
        return self.head, self.steps

    @property
    def is_detail_alone(self) -> bool:
        return self.is_empty or (bool(self.viewing.problems) and not self.model.rows)

    def show_heading(self) -> None:
        self.head.show_columns(self.steps.sign, self.steps.has_focus, self.steps.has_times)

    def _show_detail(self) -> None:
        model, pane = self.model, self.detail_pane
        row = model.row
        shown = (model.chosen, model.request is not None)
        width = pane.text_width
        if model.rows:
            made = model.detail(width, blanks=self.is_airy, schema=self._schema(row))
        else:
            made = self.refused(width) if self.viewing.problems else self.nothing(width)
        pane.show_detail(made, keep_place=self._shown == shown)
        self._shown = shown
        part = row.request.verdict.part if row is not None and row.request is not None else None
        if row is not None and part is not None and model.difference_of(row) is None:
            start_worker(self, partial(self._compare, row, part), group="step difference", exclusive=True)

    async def _compare(self, row: StepRow, part: ChangedPart) -> None:
        """A long part, beside the loop."""
        try:
            texts = await asyncio.to_thread(self.model.texts_of, row)
        except LogError as error:
            self.say(f"It cannot be compared: {plain(outside(str(error)))}", (Piece("× ", "failed", bold=True),))
            return
        made = await asyncio.to_thread(TextDifference, *texts)
        if row.key is not None:
            self.model.keep(row.key, part, made)
            if self.model.chosen == row.key:
                self._show_detail()

    def _schema(self, row: StepRow | None) -> Sequence[str]:
        """How the schema of a tool changed, value by value."""
        part = row.request.verdict.part if row is not None and row.request is not None else None
        if row is None or part is None or part.kind != "tool" or part.action != "changed" or part.key_order_only:
            return ()
        from workbench.check.schema_difference import compare_schemas
        from workbench.prompt import ToolSchema

        try:
            before, after = map(json.loads, self.model.texts_of(row))
            sides = [
                ToolSchema(part.name, str(each.get("description", "")), each.get("parameters", {}))
                for each in (before, after)
            ]
            return list(compare_schemas(*sides).lines())
        except Exception:  # a foreign tool may be anything
            return ()

    # messages of the panes

    @on(Steps.Chosen)
    def _step_chosen(self, event: Steps.Chosen) -> None:
        self._choose(event.key)

    def _choose(self, key: StepKey) -> None:
        self.model.chosen = key
        self.model.follows = key == self.model.newest and not (self.model.feed and self.model.feed.is_log)
        self.model.request = None
        self._show_detail()
        self.refresh_frame()

    @on(Steps.Opened)
    async def _step_opened(self) -> None:
        await self.action_open()

    @on(DetailLines.Widened)
    def _detail_widened(self) -> None:
        if self.model.request is not None:
            self.model.request = None
        self._show_detail()

    # going elsewhere and coming from there

    def jumps(self) -> list[Item]:
        return [
            Item(f"step:{index}", f"step {row.name}", row.request.verdict.word, group="Jump to")
            for index, row in islice(enumerate(self.model.rows), MOST_JUMPS)
            if row.request is not None
        ]

    def jump(self, item_id: str) -> None:
        key = self.model.rows[int(item_id.partition(":")[2])].key
        if key is not None:
            self.steps.choose(key)

    def spot(self) -> object:
        return self.model.chosen

    def text_to_save(self) -> tuple[str, str] | None:
        row = self.model.row
        return None if row is None else (self._plain_detail(), f"step-{row.name}.txt")

    def show_target(self, target: object) -> None:
        """A step."""
        self._target = target
        if self.model.rows and self.is_mounted:
            self._show_all()

    def _take_target(self) -> None:
        target, self._target = self._target, None
        if isinstance(target, StepKey) and self.model.row_of(target) is not None:
            self.model.chosen = target
            self.model.follows = False

    # commands: reading

    async def action_open(self) -> None:
        row = self.model.row
        if row is None or row.request is None or self.model.feed is None:
            return
        if self.detail_pane.has_focus and self.model.request is not None:
            return
        rebuilt = await self._rebuilt(row)
        if rebuilt is None or self.model.chosen != row.key:
            return
        width = self.detail_pane.text_width
        try:
            parts = await asyncio.to_thread(self.model.feed.parts, self.model.track_of(row), row.request)
        except LogError as error:
            self.say(f"It cannot be read: {plain(outside(str(error)))}", (Piece("× ", "failed", bold=True),))
            return
        self.model.request = await asyncio.to_thread(request_detail, rebuilt, parts, width)
        self.model.request_key = row.key
        self._show_detail()
        self.detail_pane.remove_class("-behind")
        self.detail_pane.focus()

    def action_back(self) -> None:
        if self.model.request is not None:
            self.model.request = None
            self._show_detail()
        super().action_back()

    def action_earlier(self) -> None:
        self._step_by(-1)

    def action_later(self) -> None:
        self._step_by(1)

    def _step_by(self, steps: int) -> StepRow | None:
        row = self.model.neighbour(steps)
        if row is None or row.key is None:
            self.say("This is the first step." if steps < 0 else "This is the newest step.", ())
            return None
        self.steps.choose(row.key)
        return row

    def action_next_break(self) -> None:
        self._go_to_break(1)

    def action_previous_break(self) -> None:
        self._go_to_break(-1)

    def _go_to_break(self, direction: int) -> None:
        key = self.model.next_break(direction)
        if key is None:
            self.say("No step broke the prefix.", ())
        else:
            self.steps.choose(key)

    def action_now(self) -> None:
        key = self.model.newest
        if key is not None:
            self.steps.choose(key)
            self.model.follows = True
            self.refresh_frame()

    def action_mark(self) -> None:
        model = self.model
        model.marked = None if model.marked == model.chosen else model.chosen
        model.load(model.feed)
        self.steps.show_rows(model.rows, model.chosen)

    def action_warnings(self) -> None:
        from workbench.tui.widgets.sheet import Sheet

        feed = self.model.feed
        if feed is None:
            return
        problems = [str(problem) for problem in feed.problems]
        warned = list(warnings_of([track.timeline for track in feed.tracks]))
        name = self.viewing.subject.name if self.viewing.subject is not None else ""
        self.app.push_screen(Sheet(lambda width: notes_lines(name, problems, warned, width, about="Warnings")))

    def action_copy(self) -> None:
        text = self.selected_text or self._plain_detail()
        if text:
            self.house.copy(text, self.say)
        else:
            self.say("Nothing to copy here.", ())

    def _plain_detail(self) -> str:
        made: Detail = self.model.detail(WIDEST, blanks=True, schema=self._schema(self.model.row))
        return "\n".join(plain(made[row]).rstrip() for row in range(len(made)))
