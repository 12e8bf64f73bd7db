"""The place Trace: the stages of one assembly on one axis of time, and what each listener did to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.widget import Widget

from workbench.prompt.source import Position, TextSource
from workbench.tui.places.trace.finding import FindingWho
from workbench.tui.places.trace.model import TraceModel
from workbench.tui.view import answer as answers
from workbench.tui.view.frame import PAST, Status
from workbench.tui.view.picker import Item
from workbench.tui.view.pieces import Piece
from workbench.tui.view.sizes import number
from workbench.tui.view.trace_words import found_words, seen_words, trace_answer
from workbench.tui.viewing.situation import facts, interruption
from workbench.tui.viewing.viewing import Seen, Topic
from workbench.tui.widgets.find_bar import FindBar
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.trace_detail import DetailLines
from workbench.tui.widgets.trace_timeline import Timeline, TimelineHead

WRAP = "trace.wrap"
"""In the memory of the layout."""


class TracePlace(FindingWho):
    """How did it come to be?"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("trace")
    CSS_PATH = Path(__file__).parent / "style.tcss"
    AUTO_FOCUS = "#timeline"
    where = "trace"

    def panes(self) -> Iterable[Widget]:
        return TimelineHead(id="head"), Timeline(id="timeline"), DetailLines(id="detail")

    def below(self) -> Iterable[Widget]:
        return (FindBar("words in the text   owner:bash"),)

    def on_mount(self) -> None:
        self.start = None if self.house.memory.layout.get(WRAP, True) else 0

    # what is looked at

    def look_again(self, topic: Topic) -> None:
        match topic:
            case "subject":
                self.model = TraceModel()
                self._show_all()
            case "preview" | "sizes":
                self.model.load(self._looked_at())
                self._show_all()
                self._look_for_repeats()
            case "scope":
                self.model.follows = True

    def _looked_at(self) -> Sequence[Seen]:
        """The assemblies that are kept, or the past one that is looked at."""
        viewing = self.viewing
        if viewing.past is None:
            return viewing.history
        self.model.follows = True
        return [Seen(0, viewing.scope, viewing.past.preview, viewing.sizes)]

    def answer(self, *, short: bool) -> answers.Answer:
        model, viewing = self.model, self.viewing
        if viewing.past is not None and not viewing.past.preview.trace.stages:
            words = f" of step {viewing.past.step}: a log holds what was sent, not how it came to be."
            return answers.Answer((Piece("No trace", "strong", bold=True), Piece(words)))
        interrupting = interruption(viewing)
        if interrupting is not None or model.preview is None or model.seen is None:
            return interrupting or answers.opening(viewing.opening or "…")
        fact = seen_words(model.seen.number, model.history[-1].number, model.seen.scope, model.follows, short=short)
        if viewing.past is not None:
            fact = (Piece(f"step {viewing.past.step}, as it was assembled", "soft"),)
        if model.words:
            hit = model.current_hit
            count = (model.hit, len(model.hits))
            return answers.Answer(found_words(model.words, hit and hit[1], model.preview, count), fact)
        return trace_answer(model.preview, model.marks, fact)

    @property
    def status(self) -> Status:
        return super().status if self.model.follows else PAST

    @property
    def now(self) -> frozenset[str]:
        known = facts(self.viewing)
        return known if self.model.follows else known | {"past"}

    # messages of the panes

    @on(Timeline.Chosen)
    def _row_chosen(self, event: Timeline.Chosen) -> None:
        self.model.chosen = event.key
        self._show_detail()

    @on(Timeline.Opened)
    def _row_opened(self) -> None:
        self.action_open()

    @on(DetailLines.Widened)
    def _detail_widened(self) -> None:
        pane = self.detail_pane
        pane.scroll_to_row(0)
        self._show_detail()
        if pane.cursor and len(pane.detail):
            pane.put_cursor(pane.cursor, on_top=pane.has_focus)

    @on(DetailLines.Sideways)
    def _detail_sideways(self, event: DetailLines.Sideways) -> None:
        if self.start is not None:
            self.start = max(0, min(self.start + event.cells, self.model.widest - 1))
            self._show_detail()

    # going elsewhere and coming from there

    def jumps(self) -> list[Item]:
        return [
            Item(
                f"row:{index}",
                row.name,
                f"listener of {row.owner.plugin}" if row.owner is not None else "stage",
                group="Jump to",
            )
            for index, row in enumerate(self.model.rows)
        ]

    def jump(self, item_id: str) -> None:
        index = int(item_id.partition(":")[2])
        if index < len(self.model.rows):
            self.timeline.choose(self.model.rows[index].key)

    def spot(self) -> object:
        return self.model.chosen

    def source(self) -> TextSource | Position | None:
        row = self.model.row
        return row.listener.source if row is not None and row.listener is not None else None

    def text_to_save(self) -> tuple[str, str] | None:
        row = self.model.row
        if row is None:
            return None
        return self._plain_detail(), f"trace-{row.name.replace(' ', '-')}.txt"

    def show_target(self, target: object) -> None:
        """A row, `("listener", plugin, label)`, an entry that one may have changed, or an assembly that is kept."""
        self._target = target
        if self.model.preview is not None and self.is_mounted:
            self._show_all()

    # commands

    def action_open(self) -> None:
        self.detail_pane.remove_class("-behind")
        self.detail_pane.focus()
        row = self.detail_pane.detail.first_change()
        if row is not None and self.model.current_hit is None:
            self.detail_pane.put_cursor(row, on_top=True)

    async def action_prompt(self) -> None:
        block = self.detail_pane.block
        target = block.target if block is not None else None
        if target is None:
            first = self.detail_pane.detail.first_change()
            found = self.detail_pane.detail.block_at(first) if first is not None else None
            target = found.target if found is not None else None
        self.house.leave_spot()
        await self.house.go_to("Prompt", target)

    async def action_owner(self) -> None:
        row = self.model.row
        if row is None or row.owner is None:
            self.say("A stage has no owner; choose a listener.", ())
            return
        self.house.leave_spot()
        await self.house.go_to("Registry", ("plugin", row.owner.plugin))

    async def action_compare(self) -> None:
        from workbench.tui.view.compare_sides import CompareTarget, Earlier, Now

        before, seen = self.model.neighbour(-1), self.model.seen
        if before is None or seen is None:
            key = self.house.key_of("trace.again")
            way = f": {key} makes another." if key else "."
            self.say(f"There is no assembly of this scope before this one{way}", ())
            return
        self.house.leave_spot()
        now = Now() if self.model.follows else Earlier(seen.number)
        await self.house.go_to("Compare", CompareTarget(Earlier(before.number), now, self.tab.title))

    async def action_earlier(self) -> None:
        await self._step(-1)

    async def action_later(self) -> None:
        await self._step(1)

    async def _step(self, steps: int) -> None:
        if self.viewing.past is not None:
            await self.viewing.past.travel(steps)
        else:
            self._step_assembly(steps)

    def _step_assembly(self, steps: int) -> None:
        seen = self.model.neighbour(steps)
        if seen is None:
            self.say("This is the first one that is kept." if steps < 0 else "This is the newest one.", ())
            return
        self._choose_assembly(seen)

    def _choose_assembly(self, seen: Seen) -> None:
        self.model.choose(seen)
        self._show_all()
        self._look_for_repeats()

    def action_now(self) -> None:
        self.viewing.leave_past()
        self.model.follows = True
        self.model.load(self.viewing.history)
        self._show_all()
        self._look_for_repeats()

    async def action_pick(self) -> None:
        from workbench.tui.widgets.picker import pick

        items = [
            Item(
                str(each.number),
                f"assembly {each.number}, scope {each.scope}",
                _about(each),
                help="Look at how this one came to be.",
            )
            for each in reversed(self.model.history)
        ]

        def picked(item_id: str) -> None:
            chosen = next((each for each in self.model.history if str(each.number) == item_id), None)
            if chosen is not None:
                self._choose_assembly(chosen)

        current = str(self.model.seen.number) if self.model.seen is not None else None
        await pick(self.app, items, "assembly", picked, current)

    def action_again(self) -> None:
        self.model.follows = True
        self.viewing.assembling.start()

    def action_wrap(self) -> None:
        self.start = 0 if self.start is None else None
        self.house.memory.layout[WRAP] = self.start is None
        self._show_detail()

    def action_copy(self) -> None:
        block = self.detail_pane.block if self.detail_pane.has_focus else None
        selected = self.selected_text
        if selected:
            text = selected
        elif block is not None and block.change is not None:
            change = block.change
            text = change.after if change.after is not None else change.before or ""
        else:
            text = self._plain_detail()
        if not text:
            self.say("Nothing to copy here.", ())
        else:
            self.house.copy(text, self.say)


def _about(seen: Seen) -> str:
    """An assembly in a few words."""
    preview = seen.preview
    if preview.trace.error is not None:
        return "× failed"
    changes = sum(len(listener.changes) for listener in preview.trace.listeners)
    size = seen.sizes.request(preview)
    written = "no request" if size is None else str(size)
    return f"{written}, {number(changes)} changes" if changes != 1 else f"{written}, 1 change"
