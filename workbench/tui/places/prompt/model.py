"""The state of the place Prompt: the preview, the chosen entry, and the pages made from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.prompt.places import place_in_span
from workbench.prompt.source import Position
from workbench.prompt.views import EntryView, Preview, ToolView, VariableView
from workbench.tui.view import search
from workbench.tui.view.answer import InForce, count_in_force
from workbench.tui.view.blocks import TextBlock, problem_block
from workbench.tui.view.changes import changed_keys
from workbench.tui.view.draw import Match
from workbench.tui.view.entries import Entry, EntryKey, PluginTrouble, Row, is_sent, keyed, rows
from workbench.tui.view.filter import EVERYTHING, typed
from workbench.tui.view.page import Page, PageName, entry_page, plain_page, sent_page
from workbench.tui.view.sizes import CHARACTERS, Sizes

if TYPE_CHECKING:
    from workbench.prompt.listener_words import ListenerChange

NOTHING_HERE = """\
Here you would see each section with its owner, in the order in which the model
reads them; then the runtime context, the tools and the variables.

To add a section, write into the file:

    sections:
      - name: team:style
        order: 50
        text: Answer in one paragraph.

The screen follows when the file is saved. To look at a finished one first:

    workbench open coding-agent
"""

SENT: tuple[PageName, ...] = ("system", "context", "tools")


class PromptModel:
    """Read by the widgets of the place, changed by its commands."""

    def __init__(self) -> None:
        self.preview: Preview | None = None
        self.in_force: InForce | None = None
        self.problems: tuple[str, ...] = ()
        """Why nothing is loaded; shown in place of the text."""
        self.sizes = CHARACTERS
        self.entries: dict[EntryKey, Entry] = {}
        self.changed: frozenset[EntryKey] = frozenset()
        self.chosen: EntryKey | None = None
        self.filter = EVERYTHING
        """What the list shows. The text shows everything."""
        self.shows_names = False
        self.is_plain = False
        self.query = ""
        self.typed = typed("")
        """The same, taken apart."""
        self.hits: list[search.Hit] = []
        self.hit: int = 0
        """Index of the current hit."""
        self.missed: ListenerChange | EntryView | None = None
        """Where the words went that are in nothing that is sent."""
        self._pages: dict[PageName, Page] = {}
        self._page_name: PageName = "system"

    def load(self, preview: Preview, troubles: Sequence[PluginTrouble] = (), sizes: Sizes = CHARACTERS) -> None:
        """Takes a new preview; the chosen entry stays chosen while it exists."""
        is_same_scope = self.preview is not None and self.preview.trace.scope == preview.trace.scope
        entries = _with_failures(dict(keyed(preview, troubles)), preview)
        self.changed = changed_keys(self.entries, entries) or self.changed if is_same_scope else frozenset()
        self.preview, self.entries, self.sizes = preview, entries, sizes
        self.in_force = count_in_force(preview)
        self.changed &= self.entries.keys()
        self._pages.clear()
        if self.chosen not in self.entries:
            self.chosen = self.find_entry(self.chosen) or self._first_sent()
        self._search()

    def measure(self, sizes: Sizes) -> None:
        """Takes the sizes of the same preview in another unit."""
        self.sizes = sizes
        for page in self._pages.values():
            page.sizes = sizes

    @property
    def entry(self) -> Entry | None:
        """The chosen entry."""
        return self.entries.get(self.chosen) if self.chosen is not None and not self.problems else None

    @property
    def is_rewritten(self) -> bool:
        """A listener has added, changed, set or removed the chosen entry."""
        entry = self.entry
        if isinstance(entry, VariableView):
            return entry.set_by is not None
        if isinstance(entry, (EntryView, ToolView)):
            return bool(entry.changed_by) or entry.added_by is not None or entry.state == "removed"
        return False

    def rows(self, *, blanks: bool) -> list[Row]:
        """The lines of the list."""
        if self.preview is None or self.problems:
            return []
        return rows(self.listed.items(), self.preview, blanks=blanks, sizes=self.sizes)

    @property
    def listed(self) -> dict[EntryKey, Entry]:
        """The entries that the filter lets through."""
        if not self.is_filtered:
            return self.entries
        return {key: entry for key, entry in self.entries.items() if self.lists(key)}

    @property
    def is_filtered(self) -> bool:
        """Some entries may not be listed."""
        return bool(self.filter or self.typed.filter)

    def lists(self, key: EntryKey) -> bool:
        """Whether the filter lets the entry through."""
        entry = self.entries[key]
        return all(each.lists(key, entry, self.changed) for each in (self.filter, self.typed.filter) if each)

    def first_failed(self, after: EntryKey | None = None) -> EntryKey | None:
        """The next entry with a failure behind `after`, or the first one."""
        failed = [key for key, entry in self.entries.items() if _failed(entry)]
        if not failed:
            return None
        if after in failed:
            return failed[(failed.index(after) + 1) % len(failed)]
        return failed[0]

    def page(self) -> Page:
        """The page that shows the chosen entry."""
        if self.problems:
            return Page("system", [problem_block(problem) for problem in self.problems])
        if self.preview is None:
            return Page("system", [])
        if not self.entries:
            return Page("system", [TextBlock(NOTHING_HERE)], is_bare=True)
        name = self._name_of_page()
        if self.is_plain and name in {"system", "context"}:
            return plain_page(name, self.preview)
        if name == "entry" and self.chosen is not None and self.entry is not None:
            page = entry_page(self.chosen, self.entry)
            page.sizes = self.sizes
            return page
        return self.sent_page(name)

    def sent_page(self, name: PageName) -> Page:
        """A page of what is sent; made once for each preview."""
        assert self.preview is not None
        page = self._pages.get(name)
        if page is None:
            page = sent_page(name, self.entries.items(), self.preview, self.shows_names)
            page.sizes = self.sizes
            self._pages[name] = page
        return page

    def drop_pages(self) -> None:
        """After another form of the text was asked for."""
        self._pages.clear()
        self._search()

    def text_to_copy(self, *, whole: bool) -> str | None:
        """The text of the chosen entry, or the whole text that it is part of, as it is sent."""
        preview, entry = self.preview, self.entry
        if preview is None:
            return None
        if whole:
            return preview.context if isinstance(entry, EntryView) and entry.kind == "context" else preview.system
        if isinstance(entry, EntryView):
            return entry.text if entry.rendered is None or self.shows_names else entry.rendered
        if isinstance(entry, ToolView):
            return entry.parameters_json
        if isinstance(entry, VariableView):
            return entry.value
        return entry.reason if entry is not None else None

    def position_of(self, entry: EntryView, offset: int) -> Position | None:
        """Where in a file the character at `offset` of the shown text of an entry stands."""
        if entry.rendered is None or self.shows_names:
            return entry.source.position(entry.text, offset) if entry.source is not None else None
        span = next((span for span in entry.spans if span.start <= offset < span.end), None)
        if span is None:
            return None
        return place_in_span(span, entry.rendered[span.start : offset], entry.source)

    # searching

    def find(self, query: str) -> None:
        """Looks for words in everything that is sent, or in what the fields among them let through."""
        self.query, self.typed = query, typed(query)
        self._search()
        page, block = self._position()
        behind = [i for i, hit in enumerate(self.hits) if (SENT.index(hit.page), hit.block) >= (page, block)]
        self.hit = behind[0] if behind else 0

    @property
    def taken_out(self) -> ListenerChange | None:
        """By which the words went that were looked for."""
        return None if isinstance(self.missed, EntryView) else self.missed

    def step(self, steps: int) -> search.Hit | None:
        """The next hit, or the one before; around the ends."""
        if not self.hits:
            return None
        self.hit = (self.hit + steps) % len(self.hits)
        return self.hits[self.hit]

    @property
    def current_hit(self) -> search.Hit | None:
        """Where the search stands."""
        return self.hits[self.hit] if self.hit < len(self.hits) else None

    def matches(self, page: Page) -> dict[int, list[Match]]:
        """What the search has found on a page, by block."""
        if page is not self._pages.get(page.name):
            pattern = search.pattern_for(self.typed.words)
            return search.by_block(search.hits([page], pattern), page.name) if pattern else {}
        return search.by_block(self.hits, page.name)

    def key_of(self, hit: search.Hit) -> EntryKey | None:
        """The entry in which a hit is."""
        return self.sent_page(hit.page).blocks[hit.block].key

    def _search(self) -> None:
        pattern = search.pattern_for(self.typed.words)
        if pattern is None or self.preview is None:
            self.hits, self.hit, self.missed = [], 0, None
            return
        self.hits = search.hits((self.sent_page(name) for name in SENT), pattern)
        if self.typed.filter:
            keys = self.listed.keys()
            self.hits = [hit for hit in self.hits if self.key_of(hit) in keys]
        self.hit = min(self.hit, max(0, len(self.hits) - 1))
        self.missed = None
        if not self.hits:
            from workbench.tui.view.missed import where_it_went

            self.missed = where_it_went(pattern, self.preview, self.entries.values())

    def _position(self) -> tuple[int, int]:
        name = self._name_of_page()
        if name not in SENT or self.preview is None or self.chosen is None:
            return 0, 0
        return SENT.index(name), self.sent_page(name).block_of.get(self.chosen, 0)

    def _name_of_page(self) -> PageName:
        entry = self.entry
        if isinstance(entry, VariableView):
            return self._page_of_variable(entry)
        if self.chosen is not None and entry is not None:
            if is_sent(entry):
                self._page_name = _PAGES[self.chosen.kind]
            else:
                return "entry"
        else:
            self._page_name = "system"
        return self._page_name

    def _page_of_variable(self, variable: VariableView) -> PageName:
        """Where it is used; else the page that was shown before."""
        preview = self.preview
        assert preview is not None
        if any(section.name in variable.used_in and is_sent(section) for section in preview.sections):
            return "system"
        if any(context.name in variable.used_in and is_sent(context) for context in preview.contexts):
            return "context"
        return self._page_name

    def find_entry(self, key: EntryKey | None) -> EntryKey | None:
        """That entry, or one of the same kind and name in another layer."""
        if key is None or key in self.entries:
            return key
        return next(self._named(key), None)

    def _first_sent(self) -> EntryKey | None:
        """Where reading begins; some entry at least, when nothing is sent."""
        sent = (key for key, entry in self.entries.items() if is_sent(entry))
        return next(sent, next(iter(self.entries), None))

    def _named(self, key: EntryKey) -> Iterator[EntryKey]:
        return (each for each in self.entries if (each.kind, each.name) == (key.kind, key.name))


def _with_failures(entries: dict[EntryKey, Entry], preview: Preview) -> dict[EntryKey, Entry]:
    """A failure of the assembly at the entry that it names."""
    for failure in preview.failures:
        for key, entry in entries.items():
            if (key.kind, key.name) == (failure.part, failure.name) and isinstance(entry, EntryView):
                if entry.failure is None and entry.state == "effective":
                    entries[key] = replace(entry, failure=failure)
                break
    return entries


_PAGES: dict[str, PageName] = {"section": "system", "context": "context", "tool": "tools"}


def _failed(entry: Entry) -> bool:
    return isinstance(entry, EntryView) and entry.failure is not None
