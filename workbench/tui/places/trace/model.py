"""The state of the place Trace: the assembly that is shown, what was found in it, and the rows made from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.prompt.growth import growth
from workbench.prompt.listener_words import ListenerChange, listener_changes
from workbench.prompt.repeats import Repeat, repeats
from workbench.prompt.trace import Change, ListenerSpan
from workbench.prompt.views import Preview
from workbench.tui.view.detail_rows import Detail
from workbench.tui.view.details import SAVED
from workbench.tui.view.difference import TextDifference
from workbench.tui.view.filter import typed
from workbench.tui.view.search import pattern_for
from workbench.tui.view.trace import Marks, RowKey, TraceRow, axis_ns, listeners_of, rows
from workbench.tui.view.trace_detail import compare, detail
from workbench.tui.viewing.viewing import Seen

AT_ONCE = 20_000
"""Characters of a prompt in which repeated text is looked for at once; in a longer one beside the loop."""
SERIES = 10
"""Assemblies that growth is looked for in."""


class TraceModel:
    """Read by the widgets of the place, changed by its commands."""

    def __init__(self) -> None:
        self.seen: Seen | None = None
        self.history: Sequence[Seen] = ()
        """All that are kept, oldest first."""
        self.follows = True
        """The newest assembly is shown; False: a past one that was chosen."""
        self.marks = Marks()
        self.rows: list[TraceRow] = []
        self.chosen: RowKey | None = None
        self.query = ""
        self.hits: list[tuple[RowKey, ListenerChange]] = []
        self.hit = 0
        self._repeats: tuple[Preview, tuple[Repeat, ...]] | None = None
        self._differences: dict[int, TextDifference] = {}

    @property
    def preview(self) -> Preview | None:
        """Of the assembly that is shown."""
        return self.seen.preview if self.seen is not None else None

    @property
    def total_ns(self) -> int:
        """The length of the axis."""
        return axis_ns(self.preview) if self.preview is not None else 1

    @property
    def row(self) -> TraceRow | None:
        """The chosen one."""
        return next((row for row in self.rows if row.key == self.chosen), None)

    # which assembly

    def load(self, history: Sequence[Seen]) -> None:
        """Takes what is kept now; a past assembly that was chosen stays on the screen."""
        self.history = list(history)
        newest = self.history[-1] if self.history else None
        if self.follows or newest is None or self.seen is None:
            self._show(newest)
        else:
            self._show(next((each for each in self.history if each.number == self.seen.number), self.seen))

    def choose(self, seen: Seen) -> None:
        """Shows one of those that are kept."""
        self.follows = bool(self.history) and seen.number == self.history[-1].number
        self._show(seen)

    def neighbour(self, steps: int) -> Seen | None:
        """The assembly of the same scope that many steps away; None: there is none."""
        if self.seen is None:
            return None
        same = [each for each in self.history if each.scope == self.seen.scope]
        at = next((index for index, each in enumerate(same) if each.number == self.seen.number), None)
        if at is None:
            return same[0] if same and steps > 0 else None
        return same[at + steps] if 0 <= at + steps < len(same) else None

    def _show(self, seen: Seen | None) -> None:
        if seen is None or self.seen is None or seen.preview is not self.seen.preview:
            self._differences = {}
        self.seen = seen
        self._search()
        self._make()
        if self.row is None:
            self.chosen = self._first_of_interest()

    def _first_of_interest(self) -> RowKey | None:
        """What failed, else who kept others out, else who changed something, else the waterfall."""
        wishes: tuple[Callable[[TraceRow], bool], ...] = (
            lambda row: row.role == "failed" and row.listener is not None,
            lambda row: row.outcome == "failed here",
            lambda row: row.role == "failed" and row.key.stage == "rendered",
            lambda row: row.listener is not None and bool(row.listener.changes),
            lambda row: row.key.stage == "waterfall",
        )
        for wish in wishes:
            found = next((row.key for row in self.rows if wish(row)), None)
            if found is not None:
                return found
        return None

    # what is found in it

    @property
    def needs_repeats(self) -> bool:
        """Repeated text has still to be looked for, beside the loop."""
        return self.preview is not None and (self._repeats is None or self._repeats[0] is not self.preview)

    def take_repeats(self, preview: Preview, found: tuple[Repeat, ...]) -> None:
        """What was found in one assembly."""
        self._repeats = (preview, found)
        self._make()

    def _make(self) -> None:
        preview = self.preview
        if preview is None or self.seen is None:
            self.marks, self.rows = Marks(), []
            return
        size = len(preview.system or "") + len(preview.context or "")
        if self.needs_repeats and size <= AT_ONCE:
            self._repeats = (preview, repeats(preview))
        said = self._repeats[1] if self._repeats is not None and self._repeats[0] is preview else ()
        series = [
            each.preview
            for each in self.history
            if each.scope == self.seen.scope and each.number <= self.seen.number
        ]
        self.marks = Marks(said, growth(series[-SERIES:]), frozenset(key for key, _ in self.hits))
        self.rows = rows(preview, self.marks, self.seen.sizes)

    # details

    def detail(self, width: int, *, blanks: bool, start: int | None = None, follows: str = SAVED) -> Detail:
        """Of the chosen row. `start`: lines of differences are not wrapped, and shown from that cell on."""
        row, preview = self.row, self.preview
        if row is None or preview is None:
            return Detail(())
        return detail(
            row,
            preview,
            self.marks,
            width,
            blanks=blanks,
            compared=self._compared,
            last_ran=self.last_ran,
            start=start,
            follows=follows,
        )

    @property
    def widest(self) -> int:
        """Cells of the widest line of the differences of the chosen row."""
        listener = self.row.listener if self.row is not None else None
        return max((self._compared(change).widest for change in listener.changes), default=0) if listener else 0

    def _compared(self, change: Change) -> TextDifference:
        """Compared once for as long as the assembly is shown."""
        found = self._differences.get(id(change))
        if found is None:
            found = self._differences[id(change)] = compare(change)
        return found

    def last_ran(self, listener: ListenerSpan) -> str:
        """When a listener that did not run here ran last, as far as is kept."""
        if self.seen is None:
            return ""
        before = [each for each in self.history if each.number < self.seen.number and each.scope == self.seen.scope]
        for each in reversed(before):
            for other in each.preview.trace.listeners:
                if (other.owner.plugin, other.label) == (listener.owner.plugin, listener.label):
                    return f"it last ran in assembly {each.number}"
        return f"it ran in none of the {len(before)} before this one" if len(before) > 1 else ""

    # finding who

    def find(self, query: str) -> None:
        """Looks for words that listeners put in or took out."""
        self.query = query
        self.hit = 0
        self._search()
        self._make()

    @property
    def words(self) -> str:
        """The query without its fields, of which that of the owner counts here."""
        return typed(self.query).words

    def step(self, steps: int) -> tuple[RowKey, ListenerChange] | None:
        """The next hit, or the one before; around the ends."""
        if not self.hits:
            return None
        self.hit = (self.hit + steps) % len(self.hits)
        return self.hits[self.hit]

    @property
    def current_hit(self) -> tuple[RowKey, ListenerChange] | None:
        """Where the search stands."""
        return self.hits[self.hit] if self.hit < len(self.hits) else None

    def _search(self) -> None:
        pattern = pattern_for(self.words)
        if pattern is None or self.preview is None:
            self.hits = []
            return
        key_of = {id(listener): key for key, listener in listeners_of(self.preview)}
        found = listener_changes(self.preview, lambda text: pattern.search(text) is not None)
        owner = typed(self.query).filter.owner
        self.hits = [
            (key_of[id(each.listener)], each)
            for each in found
            if owner is None or owner in each.listener.owner.plugin.lower()
        ]
        self.hit = min(self.hit, max(0, len(self.hits) - 1))
