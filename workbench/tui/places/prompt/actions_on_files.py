"""What the place Prompt does with edits of the files, notes on them, and findings of a check."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from workbench.tui.places.base import Place
from workbench.tui.places.prompt.model import PromptModel
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.findings import key_of, kind_of
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.check.finding import Finding


class FileActions(Place):
    """Commands about the files; the place that mixes them in has the entries."""

    model: PromptModel

    @abstractmethod
    def reveal(self, key: EntryKey) -> None:
        """Goes to that entry, from wherever the person is."""
        raise NotImplementedError

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

    def show_findings(self) -> None:
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
            self.house.leave_spot()
            self.viewing.take_scope(shown_in[0])
            self.model.chosen = EntryKey(kind, finding.name, "")  # found by its name, once it is there
        elif key is not None:
            self.reveal(key)
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
