"""The place Compare: two prompts, what is another in them, and where a provider's prefix cache ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Container
from textual.getters import query_one
from textual.widget import Widget

from workbench.prompt.source import Position, TextSource
from workbench.tui.commands import command
from workbench.tui.places.base import Place
from workbench.tui.places.compare.choosing import keep_snapshot, pick_side
from workbench.tui.places.compare.comparing import Comparing
from workbench.tui.view import compare_words as words
from workbench.tui.view.answer import Answer
from workbench.tui.view.compare import Comparison
from workbench.tui.view.compare_sides import CompareTarget, SideChoice, sides_line
from workbench.tui.view.difference import SIDE_BY_SIDE_FROM, Form
from workbench.tui.view.frame import Bar, Region, Tab, outer_margin
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.prefix_line import labels_line, prefix_line, segment_cells
from workbench.tui.viewing.situation import interruption
from workbench.tui.viewing.viewing import Topic, Viewing
from workbench.tui.widgets.compare_panes import (
    ChangeList,
    DifferencePane,
    FirstChanged,
    PrefixBar,
    PrefixLabels,
    SidesLine,
)
from workbench.tui.widgets.lines import bindings_of
from workbench.visible import visible_line

NOTHING_YET = "Nothing to compare with yet."
NOTHING_YET_WHY = "This is the first assembly of this scope. After the next change you see here what it changed."
WHOLE, COLUMNS, WRAP = "compare.whole", "compare.columns", "compare.wrap"
"""In the memory of the layout."""
FACT: Line = (Piece("compare", "soft"),)


class ComparePlace(Place):
    """What is different?"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("compare")
    AUTO_FOCUS = "#changes"
    CSS_PATH = Path(__file__).parent / "style.tcss"
    tab = Tab("", "Compare", "What is different?")
    where = "compare"

    sides_line = query_one(SidesLine)
    prefix_bar = query_one(PrefixBar)
    prefix_labels = query_one(PrefixLabels)
    first_changed = query_one(FirstChanged)
    change_list = query_one("#changes", ChangeList)
    pane = query_one("#difference", DifferencePane)

    def __init__(self, viewing: Viewing) -> None:
        super().__init__(viewing)
        self.comparing = Comparing(self.app, viewing, self._came, self.refresh_frame)
        self.came_from = "Prompt"
        self.is_whole = False
        self.start: int | None = None
        """The first cell of the texts that is shown; None: lines are wrapped."""
        self.wants_columns: bool | None = None
        """Side by side; None: where there is room for it."""
        self._shown: Comparison | None = None

    @property
    def current_tab(self) -> str:
        """Compare is no tab of its own: that of the place behind it stays marked."""
        return self.came_from

    def panes(self) -> Iterable[Widget]:
        return (
            SidesLine(),
            PrefixBar(),
            PrefixLabels(),
            FirstChanged(),
            Container(ChangeList(id="changes"), DifferencePane(id="difference"), id="panes"),
        )

    def on_mount(self) -> None:
        layout = self.house.memory.layout
        self.is_whole = bool(layout.get(WHOLE, False))
        self.start = None if layout.get(WRAP, True) else 0
        self.wants_columns = bool(layout[COLUMNS]) if COLUMNS in layout else None
        self._show_front()

    # what is looked at

    def look_again(self, topic: Topic) -> None:
        if topic == "subject":
            self.comparing.forget()
            self._show()
        elif topic in {"preview", "scope"}:
            self.comparing.start()

    def show_target(self, target: object) -> None:
        """A `CompareTarget`."""
        if isinstance(target, CompareTarget):
            self.came_from = target.came_from
            self.comparing.choose(target.left, target.right)

    def spot(self) -> object:
        return CompareTarget(self.comparing.left, self.comparing.right, self.came_from)

    def on_screen_resume(self) -> None:
        """Also after a sheet was on top of it."""
        self.comparing.start()

    def on_screen_suspend(self) -> None:
        """Other files are closed when the place is left, not when a sheet comes on top of it."""
        if self.app.current_mode != self.tab.title:
            self.comparing.close()

    def on_unmount(self) -> None:
        self.comparing.close()

    # showing

    def answer(self, *, short: bool) -> Answer:
        comparing = self.comparing
        if comparing.is_slow:
            what = outside(f": {comparing.stage}{self._waits} …")
            return Answer((Piece("◐ ", "pending"), Piece("Comparing", "strong", bold=True), *what))
        problem = comparing.problem
        if problem is not None and problem.reasons:
            lead = f"× {problem.side}: " if problem.side else "× "
            return Answer((Piece(lead, "failed", bold=True), *outside(problem.reasons[0])), FACT)
        if problem is not None and self.viewing.history:
            return Answer((Piece(NOTHING_YET, "strong", bold=True),), FACT)
        if comparing.comparison is None:
            return interruption(self.viewing) or Answer((Piece("◐ ", "pending"), Piece("Comparing …")))
        return words.answer(comparing.comparison.request, short=short)._replace(fact=FACT)

    @property
    def _waits(self) -> str:
        """Who is being waited for while another scope is assembled."""
        subject = self.viewing.subject
        waits = subject.waiting() if subject is not None and self.comparing.stage.startswith("loading") else ()
        longest = max(waits, key=lambda wait: wait.seconds, default=None)
        return f", waiting for {longest.label}" if longest is not None else ""

    def _came(self) -> None:
        """Something else is to be seen."""
        if self.is_mounted and self.children:
            self._show()
            self.refresh_frame()

    def _show(self) -> None:
        comparison = self.comparing.comparison
        self._show_lines(comparison)
        if comparison is None:
            if not self.comparing.is_running or self._shown is None:
                self._show_empty()
        elif not comparison.changes:
            self._shown = None
            self._set_absent(True)
            self.pane.show_lines(words.same_lines(comparison.request, self._other_sides, self.pane.size.width))
        else:
            self._show_changes(comparison)

    def _show_empty(self) -> None:
        self._shown = None
        self._set_absent(True)
        problem = self.comparing.problem
        lines: list[Line] = []
        width = self.pane.size.width
        if problem is not None and problem.reasons:
            fact = (
                f"The {problem.side} side cannot be had." if problem.side else "The two sides cannot be compared."
            )
            lines = words.empty_lines(fact, problem.reasons, self._other_sides, width)
        elif problem is not None and self.viewing.history:
            left, keep = self._key("compare.left"), self._key("compare.keep")
            choose = (
                f"{left} chooses another scope, another file or a snapshot. {keep} keeps a snapshot of this prompt."
            )
            lines = words.empty_lines(NOTHING_YET, [NOTHING_YET_WHY], choose, width)
        self.pane.show_lines(lines)

    @property
    def _other_sides(self) -> str:
        return f"{self._key('compare.left')} and {self._key('compare.right')} choose another side."

    def _key(self, command_id: str) -> str:
        """The key of a command; without one the command by its name."""
        return self.house.key_of(command_id) or f"“{command(command_id).title}”"

    def _show_changes(self, comparison: Comparison) -> None:
        was_absent = self.change_list.has_class("-absent") or self._shown is None
        self._set_absent(False)
        chosen, offset = self._place_in(comparison)
        blanks = self.is_airy
        self.change_list.show_changes(comparison, chosen, blanks=blanks)
        self._fit_list()
        form = self.comparing.form = self._form
        if comparison.is_large and not comparison.has_layout(form):
            if not self.comparing.is_running:
                self.comparing.start()
            return
        layout = comparison.layout(form)
        end = layout.starts[chosen + 1] - 2
        self._shown = comparison
        if was_absent or self.focused is None:
            self.change_list.focus()
        self.pane.show_layout(layout, min(layout.starts[chosen] + offset, end))

    def _place_in(self, comparison: Comparison) -> tuple[int, int]:
        """The chosen change of what was shown before, in what is shown now, and the row in it."""
        pane = self.pane
        if self._shown is None or pane.layout_shown is None:
            return 0, 0
        chosen = self._shown.changes[pane.chosen].part
        offset = pane.cursor - pane.layout_shown.starts[pane.chosen]
        for index, change in enumerate(comparison.changes):
            if (change.part.kind, change.part.name) == (chosen.kind, chosen.name):
                return index, offset
        return min(pane.chosen, len(comparison.changes) - 1), 0

    @property
    def _form(self) -> Form:
        has_room = self.pane.size.width - 1 >= SIDE_BY_SIDE_FROM
        is_side_by_side = has_room if self.wants_columns is None else self.wants_columns
        return self.pane.form(is_side_by_side=is_side_by_side, is_whole=self.is_whole, start=self.start)

    def _set_absent(self, is_absent: bool) -> None:
        self.change_list.set_class(is_absent, "-absent")
        if is_absent:
            self.change_list.show_changes(None, 0, blanks=False)

    def _fit_list(self) -> None:
        """Above the differences, the list takes no more lines than it has, and a third of them at most."""
        is_above = self.size.width < 100
        most = max(3, self.size.height // 3)
        self.change_list.styles.height = min(most, self.change_list.height_wanted) if is_above else None

    def _show_lines(self, comparison: Comparison | None) -> None:
        """The sides, and the prefix line with its labels."""
        width = self.size.width - 2 * outer_margin(self.size.width)
        line, left, right = sides_line(*self.comparing.words, width)
        regions = Region(*left, "compare.left"), Region(*right, "compare.right")
        self.sides_line.show_bar(Bar(line, (), regions))
        is_shown = comparison is not None
        self.prefix_bar.set_class(comparison is None or not comparison.request.is_whole, "-absent")
        self.prefix_labels.set_class(not is_shown, "-absent")
        if comparison is not None:
            segments = words.segments(comparison.request)
            self.prefix_bar.show(prefix_line(segments, width))
            labels = words.segment_labels(comparison.request)
            cells = segment_cells(segments, width)
            self.prefix_labels.show(labels_line(labels, [*cells, 0][: len(labels)], width))
        first = words.first_changed(comparison.request) if comparison is not None else ()
        self.first_changed.set_class(not first, "-absent")
        self.first_changed.show(first)

    # messages of the panes

    @on(ChangeList.Chosen)
    def _change_chosen(self, event: ChangeList.Chosen) -> None:
        self.pane.go_to_change(event.index)

    @on(ChangeList.Opened)
    def _change_opened(self) -> None:
        self._go_to_pane(self.pane)

    @on(DifferencePane.Moved)
    def _pane_moved(self, event: DifferencePane.Moved) -> None:
        self.change_list.choose(event.index)

    @on(DifferencePane.Resized)
    def _pane_resized(self) -> None:
        self._show()

    @on(DifferencePane.Sideways)
    def _pane_sideways(self, event: DifferencePane.Sideways) -> None:
        shown = self.pane.layout_shown
        if self.start is not None and shown is not None:
            self.start = max(0, min(self.start + event.cells, shown.widest - 1))
            self._show()

    def on_resize(self) -> None:
        self._show()
        self.refresh_frame()

    def on_descendant_focus(self) -> None:
        self._show_front()

    def _show_front(self) -> None:
        """One pane stands in front where there is no room for two."""
        reads = self.pane.has_focus or self.change_list.has_class("-absent")
        self.change_list.set_class(reads, "-behind")
        self.pane.set_class(not reads, "-behind")

    def _go_to_pane(self, pane: Widget) -> None:
        self.change_list.remove_class("-behind")
        self.pane.remove_class("-behind")
        pane.focus()

    # commands

    def action_other_pane(self) -> None:
        self._go_to_pane(self.change_list if self.pane.has_focus else self.pane)

    async def action_leave(self) -> None:
        await self.house.go_to(self.came_from)

    def action_next(self) -> None:
        if not self.pane.step(1):
            self.say("There is no change behind this one.", ())

    def action_previous(self) -> None:
        if not self.pane.step(-1):
            self.say("There is no change before this one.", ())

    def action_whole(self) -> None:
        self.house.memory.layout[WHOLE] = self.is_whole = not self.is_whole
        self._show()

    def action_wrap(self) -> None:
        self.start = 0 if self.start is None else None
        self.house.memory.layout[WRAP] = self.start is None
        self._show()

    def action_columns(self) -> None:
        self.house.memory.layout[COLUMNS] = self.wants_columns = not self._form.is_side_by_side
        self._show()

    def action_swap(self) -> None:
        comparing = self.comparing
        comparing.choose(comparing.right, comparing.left)

    def action_copy(self) -> None:
        page = self.selected_text or self._unified()
        if page:
            self.house.copy(page, self.say)
        else:
            self.say("There is no difference to copy.", ())

    def text_to_save(self) -> tuple[str, str] | None:
        selected = self.selected_text
        page = selected or self._unified()
        return (page, "difference.txt" if selected else "difference.diff") if page else None

    def _unified(self) -> str:
        from workbench.config.difference.unified import unified_difference

        comparison = self.comparing.comparison
        if comparison is None:
            return ""
        left, right = self.comparing.words
        return unified_difference(comparison.request.changes, (left.name, right.name))

    def source(self) -> TextSource | Position | None:
        """Of the chosen change."""
        if self._shown is None:
            return None
        source: TextSource | None = self._shown.changes[self.pane.chosen].part.view.source
        return source

    async def action_left(self) -> None:
        comparing = self.comparing
        await self._pick("left", comparing.left, lambda choice: comparing.choose(choice, comparing.right))

    async def action_right(self) -> None:
        comparing = self.comparing
        await self._pick("right", comparing.right, lambda choice: comparing.choose(comparing.left, choice))

    async def _pick(self, which: str, present: SideChoice, take: Callable[[SideChoice], object]) -> None:
        await pick_side(self.app, self.viewing, self._recent, which, present, take)

    @property
    def _recent(self) -> list[str]:
        """Paths that were open before."""
        return [each.path for each in self.house.memory.recent]

    async def action_keep(self) -> None:
        subject, both = self.viewing.subject, self.comparing.compared
        if both is None or subject is None:
            self.say("There is no right side to keep.", ())
            return
        try:
            await keep_snapshot(self.app, both[1], subject.name, lambda file: self.say(f"Kept as {file}."))
        except OSError as error:
            reason = f"{error.filename}: {error.strerror}"
            self.say(f"Not kept: {visible_line(reason)}", (Piece("× ", "failed", bold=True),))
