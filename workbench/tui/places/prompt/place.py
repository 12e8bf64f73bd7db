"""The place Prompt: ordered entries beside the text that the model is about to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.getters import query_one
from textual.widget import Widget

from workbench.prompt.source import Position, TextSource
from workbench.prompt.views import EntryView
from workbench.tui.places.base import tab_of
from workbench.tui.places.prompt.actions_on_files import FileActions
from workbench.tui.places.prompt.filtering import FilterActions
from workbench.tui.places.prompt.model import PromptModel
from workbench.tui.view import answer as answers
from workbench.tui.view.details import details
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.filter import EVERYTHING, HINT, Filter, filter_fact
from workbench.tui.view.findings import findings_fact
from workbench.tui.viewing.situation import facts, following, interruption
from workbench.tui.viewing.viewing import Topic, Viewing
from workbench.tui.widgets.entry_list import EntryList
from workbench.tui.widgets.find_bar import FindBar
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.panel import DetailPanel
from workbench.tui.widgets.prompt_text import PromptText
from workbench.visible import visible_line

WRAP, INSPECTOR = "prompt.wrap", "prompt.inspector"
"""In the memory of the layout."""


class PromptPlace(FilterActions, FileActions):
    """What will the model read?"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("prompt")
    AUTO_FOCUS = "#list"
    tab = tab_of("Prompt")
    where = "prompt"

    prompt_text = query_one("#text", PromptText)
    panel = query_one(DetailPanel)
    find_bar = query_one(FindBar)

    def __init__(self, viewing: Viewing) -> None:
        super().__init__(viewing)
        self.model = PromptModel()
        self._page_key: object = None

    def panes(self) -> Iterable[Widget]:
        return EntryList(id="list"), PromptText(id="text"), DetailPanel(id="panel")

    def below(self) -> Iterable[Widget]:
        return (FindBar(HINT),)

    def on_mount(self) -> None:
        layout = self.house.memory.layout
        self.prompt_text.wraps = bool(layout.get(WRAP, True))
        self.panel.set_class(not layout.get(INSPECTOR, True), "-off")
        self._show_front()

    # what is looked at

    def look_again(self, topic: Topic) -> None:
        match topic:
            case "subject":
                self.model = PromptModel()
            case "scope":
                self.model.changed = frozenset()
            case "preview":
                self._load()
            case "sizes":
                self.model.measure(self.viewing.sizes)
                self._show_list()
                self.prompt_text.show_sizes(self.viewing.sizes)
                self._show_details()
            case "findings":
                self.show_findings()

    def _load(self) -> None:
        viewing, model = self.viewing, self.model
        if viewing.subject is None or viewing.preview is None:
            return
        model.load(viewing.preview, viewing.subject.troubles, viewing.sizes)
        model.problems = viewing.problems
        is_failing = bool(viewing.preview.failures)
        if is_failing and not self._was_failing:
            model.chosen = model.first_failed() or model.chosen
        self._was_failing = is_failing
        self._show_all(keep_place=True)

    _was_failing = False

    def answer(self, *, short: bool) -> answers.Answer:
        viewing, model = self.viewing, self.model
        interrupting = interruption(viewing)
        if interrupting is not None or viewing.subject is None or model.preview is None:
            return interrupting or answers.opening(viewing.opening or "…")
        if model.missed is not None:
            from workbench.tui.view.missed import missed_words

            return answers.Answer(missed_words(model.typed.words, model.missed))
        if viewing.past is not None:
            past = viewing.past
            return answers.past(model.preview, past.words, past.check, past.is_equal, model.sizes, short=short)
        findings = viewing.checking.findings
        found = (
            findings_fact(findings, short=short, key=self.house.key_of("prompt.check"))
            if findings is not None
            else ()
        )
        if model.is_filtered:
            words = " ".join(each.words for each in (model.filter, model.typed.filter) if each)
            found = filter_fact(words, len(model.listed), len(model.entries))
        return answers.answer(
            model.preview,
            len(model.changed),
            notes=len(viewing.subject.notes),
            troubles=viewing.subject.troubles,
            short=short,
            sizes=model.sizes,
            first=viewing.editing.change,
            found=found,
            notes_key=self.house.key_of("prompt.notes"),
            in_force=model.in_force,
        )

    @property
    def now(self) -> frozenset[str]:
        known = facts(self.viewing)
        if self.model.hits:
            known |= {"found"}
        if self.model.is_rewritten or self.model.taken_out is not None:
            known |= {"rewritten"}
        return known | {"filtered"} if self.model.is_filtered else known

    # showing

    def _show_all(self, *, keep_place: bool = False) -> None:
        """List, text, panel and frame from the model."""
        model = self.model
        self.entry_list.set_class(not model.entries or bool(model.problems), "-absent")
        self.panel.set_class(model.entry is None, "-absent")
        self._show_list()
        self._show_page(keep_place=keep_place)
        self._show_details()
        self.refresh_frame()

    def _show_list(self) -> None:
        model = self.model
        rows = model.rows(blanks=self.is_airy)
        self.entry_list.show_rows(rows, model.changed, model.chosen, model.sizes)

    def _show_page(self, *, keep_place: bool = False) -> None:
        """The page of the chosen entry, with the entry in view."""
        model, text = self.model, self.prompt_text
        page = model.page()
        key = (page.name, page.is_bare, model.chosen if page.name == "entry" else None)
        if page is not text.page:
            if keep_place and key == self._page_key:
                text.replace_page(page)
            else:
                text.show_page(page)
        same = key == self._page_key
        self._page_key = key
        block = page.block_of.get(model.chosen) if model.chosen is not None else None
        variable = model.chosen.name if model.chosen is not None and model.chosen.kind == "variable" else None
        if page.is_bare:
            self._show_in_plain(keep_place=keep_place and same)
        elif block is not None and page.blocks[block].failure is not None:
            text.choose(block, show=False)
            if not (keep_place and same) or self._is_new_failure(block):
                text.show_failure(block)
        else:
            text.choose(block, show=not (keep_place and same), variable=variable)
        self._show_matches(go=False)

    def _show_in_plain(self, *, keep_place: bool) -> None:
        """The beginning of the chosen entry in the text as it is sent."""
        entry = self.model.entry
        if isinstance(entry, EntryView) and entry.start is not None and not keep_place:
            text = self.prompt_text.page.blocks[0].content.text
            self.prompt_text.show_offset(0, text.to_visible(entry.start))

    def _is_new_failure(self, block: int) -> bool:
        failure = self.prompt_text.page.blocks[block].failure
        is_new = failure != self._seen_failure
        self._seen_failure = failure
        return is_new

    _seen_failure: object = None

    def _show_details(self) -> None:
        model = self.model
        known = None
        if model.entry and model.preview:
            follows = following(self.viewing, self.house.key_of("app.reload"))
            known = details(model.entry, model.preview, model.sizes, follows=follows)
        self.panel.show(known)
        if model.is_rewritten is not self._says_rewritten:
            self._says_rewritten = model.is_rewritten
            self.refresh_frame()

    _says_rewritten = False

    def _show_matches(self, *, go: bool) -> None:
        model, text = self.model, self.prompt_text
        hit = model.current_hit
        is_here = hit is not None and hit.page == text.page.name and not text.page.is_bare
        current = (hit.block, hit.match) if hit is not None and is_here else None
        text.show_matches(model.matches(text.page), current if go or current else None)

    def _go_to_hit(self) -> None:
        hit = self.model.current_hit
        if hit is not None:
            if self.model.is_plain:
                self.model.is_plain = False
            key = self.model.key_of(hit)
            if key is not None and key != self.model.chosen:
                self._choose(key, tell_list=True)
            elif self.prompt_text.page is not self.model.page():
                self._show_page()
        self._show_matches(go=True)
        self._show_count()

    def _show_count(self) -> None:
        model = self.model
        if model.typed.filter and not model.typed.words:
            self.find_bar.show_kept(len(model.listed), len(model.entries), model.query)
        elif model.missed is not None:
            self.find_bar.show_missed(model.query, "not sent" if model.taken_out is None else "taken out")
        else:
            self.find_bar.show_count(model.hit, len(model.hits), model.query)

    def _choose(self, key: EntryKey, *, tell_list: bool = False) -> None:
        self.model.chosen = key
        if tell_list:
            self.entry_list.choose(key)
        self._show_page()
        self._show_details()

    # messages of the panes

    @on(EntryList.Chosen)
    def _entry_chosen(self, event: EntryList.Chosen) -> None:
        if event.steps > 3:  # a heading and a blank may lie between neighbours
            self.house.leave_spot()
        self._choose(event.key)

    @on(EntryList.Opened)
    def _entry_opened(self) -> None:
        self.prompt_text.focus()

    @on(PromptText.Moved)
    def _text_moved(self, event: PromptText.Moved) -> None:
        key = self.prompt_text.page.blocks[event.block].key
        if key is not None and key in self.model.entries:
            self.model.chosen = key
            self.entry_list.choose(key)
            self._show_details()

    @on(PromptText.Left)
    def _text_left(self) -> None:
        self.entry_list.focus()

    def on_descendant_focus(self) -> None:
        """One pane stands in front where there is no room for two."""
        self._show_front()

    def _show_front(self) -> None:
        reads = self.prompt_text.has_focus
        self.entry_list.set_class(reads, "-behind")
        self.prompt_text.set_class(not reads, "-behind")

    def on_resize(self) -> None:
        if self.model.preview is not None:
            self._show_all(keep_place=True)
        else:
            self.refresh_frame()

    # commands

    def action_other_pane(self) -> None:
        self.prompt_text.remove_class("-behind")
        self.entry_list.remove_class("-behind")
        (self.entry_list if self.prompt_text.has_focus else self.prompt_text).focus()

    def spot(self) -> object:
        return self.model.chosen

    def show_target(self, target: object) -> None:
        """An `EntryKey`, or one of another layer with the same name; or a `Filter` of the list."""
        if isinstance(target, Filter):
            self.take_filter(target)
            return
        if not isinstance(target, EntryKey):
            return
        key = self.model.find_entry(target)
        if self.viewing.assembling.is_running:
            self.model.chosen = target  # found again in what comes
        elif key is None:
            self.say(f"{visible_line(target.name)} is not in this prompt.", ())
        if key is not None:
            self._go_to_entry(key)

    def reveal(self, key: EntryKey) -> None:
        if key != self.model.chosen:
            self.house.leave_spot()
        self._go_to_entry(key)

    def _go_to_entry(self, key: EntryKey) -> None:
        """Also one that the filter leaves out: then the filter goes."""
        if not self.model.lists(key):
            self.model.filter = EVERYTHING
            if not self.model.lists(key):
                self.model.find("")
            self._show_list()
        self._choose(key, tell_list=True)
        self.refresh_frame()

    async def action_compare(self) -> None:
        from workbench.tui.view.compare_sides import CompareTarget

        self.house.leave_spot()
        await self.house.go_to("Compare", CompareTarget(came_from=self.tab.title))

    async def action_trace(self) -> None:
        self.house.leave_spot()
        if self.model.taken_out is not None:
            listener = self.model.taken_out.listener
            await self.house.go_to("Trace", ("listener", listener.owner.plugin, listener.label))
        else:
            await self.house.go_to("Trace", self.model.chosen)

    def action_find(self) -> None:
        self.house.leave_spot()
        self.key_hints.display = False
        self.find_bar.open(self.model.query)
        self._show_count()

    @on(FindBar.Typed)
    def _find_typed(self, event: FindBar.Typed) -> None:
        self._find(event.query)
        self._go_to_hit()

    @on(FindBar.Stepped)
    def _find_stepped(self, event: FindBar.Stepped) -> None:
        self.model.step(event.steps)
        self._go_to_hit()

    @on(FindBar.Closed)
    def _find_closed(self, event: FindBar.Closed) -> None:
        self.key_hints.display = True
        if not event.keep:
            self._find("")
            self._show_matches(go=False)
        only_lists = self.model.typed.filter and not self.model.typed.words
        (self.entry_list if only_lists else self.prompt_text).focus()

    def _find(self, query: str) -> None:
        before, missed = self.model.typed.filter, self.model.missed
        self.model.find(query)
        if self.model.typed.filter != before:
            self.show_listed()
        if self.model.missed is not None or missed is not None:
            self.refresh_frame()

    def action_next_match(self) -> None:
        self._step(1)

    def action_previous_match(self) -> None:
        self._step(-1)

    def _step(self, steps: int) -> None:
        if self.model.step(steps) is not None:
            self._go_to_hit()

    def action_leave(self) -> None:
        if self.model.query:
            self._find("")
            self._show_matches(go=False)
            self.refresh_frame()
        elif self.model.filter:
            self.take_filter(EVERYTHING)
        elif self.prompt_text.has_focus:
            self.entry_list.focus()

    def action_copy(self) -> None:
        self._copy(whole=False)

    def action_copy_all(self) -> None:
        self._copy(whole=True)

    def _copy(self, *, whole: bool) -> None:
        text = self.selected_text or self.model.text_to_copy(whole=whole)
        if text is None:
            self.say("Nothing to copy here.", ())
        else:
            self.house.copy(text, self.say)

    def text_to_save(self) -> tuple[str, str] | None:
        text = self.selected_text or self.model.text_to_copy(whole=False)
        return (text, self.model.chosen.name) if text is not None and self.model.chosen is not None else None

    def source(self) -> TextSource | Position | None:
        """Of the line that the person is on, or of the beginning of the chosen entry."""
        entry = self.model.entry
        if isinstance(entry, EntryView) and self.prompt_text.has_focus:
            return self.model.position_of(entry, self.prompt_text.cursor_source) or entry.source
        return getattr(entry, "source", None)

    def action_plain(self) -> None:
        self.model.is_plain = not self.model.is_plain
        self._show_page()

    def action_names(self) -> None:
        self.model.shows_names = not self.model.shows_names
        self.model.drop_pages()
        self._show_page(keep_place=True)

    def action_wrap(self) -> None:
        self.house.memory.layout[WRAP] = wraps = not self.prompt_text.wraps
        self.prompt_text.set_wrap(wraps)

    def action_fault(self) -> None:
        failed = self.model.first_failed(self.model.chosen)
        if failed is not None:
            self.reveal(failed)

    def action_inspector(self) -> None:
        self.panel.toggle_class("-off")
        self.house.memory.layout[INSPECTOR] = not self.panel.has_class("-off")
