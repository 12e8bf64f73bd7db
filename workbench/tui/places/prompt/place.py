"""The place Prompt: ordered entries beside the text that the model is about to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import BindingType
from textual.getters import query_one
from textual.widget import Widget

from workbench.prompt.views import EntryView
from workbench.tui.places.base import Place, tab_of
from workbench.tui.places.prompt.model import PromptModel
from workbench.tui.view import answer as answers
from workbench.tui.view.details import details
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.findings import findings_fact, key_of, kind_of
from workbench.tui.view.picker import Item
from workbench.tui.view.sizes import CHARACTERS, number
from workbench.tui.viewing.situation import facts, interruption
from workbench.tui.viewing.viewing import Topic, Viewing
from workbench.tui.widgets.entry_list import EntryList
from workbench.tui.widgets.find_bar import FindBar
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.panel import DetailPanel
from workbench.tui.widgets.prompt_text import PromptText
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.check.finding import Finding


class PromptPlace(Place):
    """What will the model read?"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("prompt")
    AUTO_FOCUS = "#list"
    tab = tab_of("Prompt")
    where = "prompt"

    entry_list = query_one("#list", EntryList)
    prompt_text = query_one("#text", PromptText)
    panel = query_one(DetailPanel)
    find_bar = query_one(FindBar)

    def __init__(self, viewing: Viewing) -> None:
        super().__init__(viewing)
        self.model = PromptModel()
        self._page_key: object = None
        self._jumps: list[EntryKey] = []
        """Entries that the palette offers, as they were when it was opened."""

    def panes(self) -> Iterable[Widget]:
        return EntryList(id="list"), PromptText(id="text"), DetailPanel(id="panel")

    def below(self) -> Iterable[Widget]:
        return (FindBar(),)

    def on_mount(self) -> None:
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
                self._show_findings()

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
        findings = viewing.checking.findings
        return answers.answer(
            model.preview,
            len(model.changed),
            notes=len(viewing.subject.notes),
            troubles=viewing.subject.troubles,
            short=short,
            sizes=model.sizes,
            first=viewing.editing.change,
            found=findings_fact(findings, short=short) if findings is not None else (),
        )

    @property
    def now(self) -> frozenset[str]:
        known = facts(self.viewing)
        return known | {"found"} if self.model.hits else known

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
        rows = model.rows(blanks=self.size.height >= 30)
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
        known = details(model.entry, model.preview, model.sizes) if model.entry and model.preview else None
        self.panel.show(known)

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
        self.find_bar.show_count(self.model.hit, len(self.model.hits), self.model.query)

    def _choose(self, key: EntryKey, *, tell_list: bool = False) -> None:
        self.model.chosen = key
        if tell_list:
            self.entry_list.choose(key)
        self._show_page()
        self._show_details()

    # messages of the panes

    @on(EntryList.Chosen)
    def _entry_chosen(self, event: EntryList.Chosen) -> None:
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

    def jumps(self) -> list[Item]:
        self._jumps = list(self.model.entries)
        return [
            Item(f"entry:{index}", key.name, f"{key.kind} of {entry.owner.plugin}", group="Jump to")
            for index, (key, entry) in enumerate(self.model.entries.items())
        ]

    def jump(self, item_id: str) -> None:
        key = self._jumps[int(item_id.partition(":")[2])]
        if key in self.model.entries:
            self._choose(key, tell_list=True)

    def show_target(self, target: object) -> None:
        """An `EntryKey`, or one of another layer with the same name."""
        if isinstance(target, EntryKey):
            key = self.model.find_entry(target)
            if key is not None:
                self._choose(key, tell_list=True)
            else:
                self.say(f"{visible_line(target.name)} is not in this prompt.", ())

    def action_find(self) -> None:
        self.key_hints.display = False
        self.find_bar.open(self.model.query)
        self._show_count()

    @on(FindBar.Typed)
    def _find_typed(self, event: FindBar.Typed) -> None:
        self.model.find(event.query)
        self._go_to_hit()

    @on(FindBar.Stepped)
    def _find_stepped(self, event: FindBar.Stepped) -> None:
        self.model.step(event.steps)
        self._go_to_hit()

    @on(FindBar.Closed)
    def _find_closed(self, event: FindBar.Closed) -> None:
        self.key_hints.display = True
        if not event.keep:
            self.model.find("")
            self._show_matches(go=False)
        self.prompt_text.focus()

    def action_next_match(self) -> None:
        self._step(1)

    def action_previous_match(self) -> None:
        self._step(-1)

    def _step(self, steps: int) -> None:
        if self.model.step(steps) is not None:
            self._go_to_hit()

    def action_leave(self) -> None:
        if self.model.query:
            self.model.find("")
            self._show_matches(go=False)
        elif self.prompt_text.has_focus:
            self.entry_list.focus()

    def action_copy(self) -> None:
        self._copy(whole=False)

    def action_copy_all(self) -> None:
        self._copy(whole=True)

    def _copy(self, *, whole: bool) -> None:
        text = self.model.text_to_copy(whole=whole)
        if text is None:
            self.say("Nothing to copy here.")
            return
        self.app.copy_to_clipboard(text)
        self.say(f"Copied {number(len(text))} {CHARACTERS.unit} through the terminal.")

    def action_plain(self) -> None:
        self.model.is_plain = not self.model.is_plain
        self._show_page()

    def action_names(self) -> None:
        self.model.shows_names = not self.model.shows_names
        self.model.drop_pages()
        self._show_page(keep_place=True)

    def action_wrap(self) -> None:
        self.prompt_text.set_wrap(not self.prompt_text.wraps)

    def action_fault(self) -> None:
        failed = self.model.first_failed(self.model.chosen)
        if failed is not None:
            self._choose(failed, tell_list=True)

    def action_inspector(self) -> None:
        self.panel.toggle_class("-off")

    def action_notes(self) -> None:
        from workbench.tui.view.sheet import notes_lines
        from workbench.tui.widgets.sheet import Sheet

        subject = self.viewing.subject
        if subject is not None:
            problems, notes = tuple(subject.problems), tuple(subject.notes)
            edit = self.viewing.editing.waiting
            waiting = (edit.sentence or "") if edit is not None else ""
            self.app.push_screen(Sheet(lambda width: notes_lines(subject.name, problems, notes, width, waiting)))

    def action_check(self) -> None:
        if self.viewing.subject is not None:
            self.viewing.checking.start(self.viewing.subject)

    def _show_findings(self) -> None:
        """On a sheet, unless the person is at something else by now."""
        from workbench.tui.widgets.findings import FindingsSheet

        findings, subject = self.viewing.checking.findings, self.viewing.subject
        if findings is not None and subject is not None and self.app.screen is self:

            def go(index: int | None) -> None:
                if index is not None:
                    self._go_to_finding(findings[index])

            self.app.push_screen(FindingsSheet(subject.name, findings), go)

    def _go_to_finding(self, finding: Finding) -> None:
        """To the entry that it is about, in a scope that shows it."""
        kind = kind_of(finding)
        subject = self.viewing.subject
        there = {scope.label for scope in subject.scopes} if subject is not None else set()
        shown_in = [label for label in finding.scopes if label in there]
        key = key_of(finding, self.model.entries.items())
        if kind is not None and shown_in and self.viewing.scope not in shown_in:
            self.viewing.take_scope(shown_in[0])
            self.model.chosen = EntryKey(kind, finding.name, "")  # found by its name, once it is there
        elif key is not None:
            self._choose(key, tell_list=True)
        else:
            self.say(f"It is about {visible_line(finding.place)}, not about an entry.")

    def action_apply(self) -> None:
        if self.viewing.subject is not None and self.viewing.editing.waiting is not None:
            self.viewing.editing.apply(self.viewing.subject)

    def action_discard(self) -> None:
        if self.viewing.subject is not None and self.viewing.subject.edits is not None:
            self.viewing.subject.edits.discard()

    def action_hold(self) -> None:
        edits = self.viewing.subject.edits if self.viewing.subject is not None else None
        if edits is None:
            self.say("There are no files here whose edits could wait.")
            return
        edits.hold(not edits.are_held)
        self.refresh_frame()
        self.say("Edits wait until they are applied." if edits.are_held else "Edits are applied when saved.")

    def action_assemble(self) -> None:
        self.viewing.assembling.start()
