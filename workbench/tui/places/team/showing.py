"""Showing the model: the list of entries or revisions, and beside it what is chosen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.tui.places.team.panes import TeamPanes
from workbench.tui.view.frame import outer_margin
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.registry_document import Part, Words
from workbench.tui.view.team_answer import empty_parts
from workbench.tui.view.team_answers import (
    Answered,
    answer_bar,
    answers_for,
    conflict_answers,
    preview_answers,
    version_answers,
)
from workbench.tui.view.team_conflict import conflict_parts
from workbench.tui.view.team_entry import entry_parts, raw_text, state_words
from workbench.tui.view.team_list import heading_line, list_rows
from workbench.tui.view.team_preview import ROLE_NAMES, preview_parts
from workbench.tui.view.team_texts import has_room
from workbench.tui.view.team_versions import RevisionPair, pair_parts, waiting_parts
from workbench.tui.view.team_words import TeamKeys, local_now


class Showing(TeamPanes):
    """How the place draws itself."""

    def show_all(self) -> None:
        """Both panes."""
        if self.is_mounted and self.children:
            self.show_list()
            self.show_page()
            if self.focused is None and self.is_current:
                self.focus_list()

    def show_list(self) -> None:
        """Entries, or revisions. Where the cursor has been moved meanwhile, it stays."""
        self._take_moves()
        model = self.model
        shows_revisions = model.mode == "versions"
        self.entries.set_class(shows_revisions, "-absent")
        self.revisions.set_class(not shows_revisions, "-absent")
        self.set_class(self.store_work.access is None, "-nothing")
        if shows_revisions and model.snapshot is not None:
            newest = model.snapshot.revision
            self.revisions.show_versions(newest, model.lines, model.revision, model.marked, local_now())
            right = "" if model.marked is None else f"• {model.marked} marked"
            self.heading.show((Piece("Versions", "strong", bold=True),), (Piece(right, "focus"),))
            return
        rows = list_rows(model.groups(), blanks=self.size.height >= 45)
        self.entries.show_rows(rows, model.chosen)
        if self.entries.entry is not None:
            model.chosen = self.entries.entry.id
        self.heading.show(*heading_line(has_sizes=self.size.width >= 100, has_focus=self.entries.has_focus))

    def catch_cursor(self) -> None:
        """A key may come before the message that tells of the last move of the cursor."""
        if self.is_editing or not self.is_mounted:
            return
        self._take_moves()
        if self.model.mode == "versions":
            self.model.revision = self.revisions.chosen
        elif self.entries.entry is not None and self.entries.entry.id != self.model.chosen:
            self.model.chosen, self.model.view = self.entries.entry.id, 0

    def _take_moves(self) -> None:
        """Something has been read between the move of a cursor and the message that tells of it."""
        if self.revisions.take_move():
            self.model.revision = self.revisions.chosen
        if not self.is_editing and self.entries.take_move() and self.entries.entry is not None:
            self.model.chosen, self.model.view = self.entries.entry.id, 0

    @property
    def is_editing(self) -> bool:
        """The editor is on the screen."""
        raise NotImplementedError

    def show_page(self) -> None:
        """Title, answers and document of what is chosen."""
        if not self.is_mounted or not self.children:
            return
        key, title, right, answers, parts = self._shown()
        self.title_line.show(title, right)
        self.buttons.show_bar(answer_bar(answers, self.house.commands_of("team")))
        self.buttons.set_class(not answers, "-absent")
        self.page.show(key, parts)

    def _shown(self) -> tuple[object, Line, Line, Iterable[Answered], tuple[Part, ...]]:
        """What the page is about, its title, what stands at its right end, the answers and the document."""
        model, short = self.model, self.size.width < 100
        if self.store_work.access is None or model.snapshot is None:
            return self._without_team()
        listed = model.listed()
        at = replace(model.situation(local_now(), self.page_width), keys=self._keys)
        if model.mode == "versions":
            return self._shown_revision(short)
        if model.mode == "preview":
            preview = model.previews.get(model.role)
            name: Line = (Piece(f"Prompt of the {ROLE_NAMES[model.role]}", "strong", bold=True),)
            if preview is None:
                parts: tuple[Part, ...] = (Words((Piece("Assembling …", "soft"),)),)
            else:
                parts = preview_parts(preview, self._keys)
            return ("preview", model.role), name, (Piece("preview", "soft"),), preview_answers(short=short), parts
        if listed is None:
            return None, (), (), (), ()
        title = outside(listed.name, "strong", bold=True)
        conflict = model.conflict() if model.mode == "conflict" else None
        if conflict is not None:
            answers = conflict_answers(model.snapshot.revision, short=short)
            waits = (Piece("◆ ", "pending", bold=True), Piece("review", "strong"))
            return ("conflict", listed.id), title, waits, answers, conflict_parts(conflict, listed.id, at)
        return (
            ("entry", listed.id),
            title,
            state_words(listed.id, at),
            answers_for(listed, short=short),
            entry_parts(listed.id, at),
        )

    def _shown_revision(self, short: bool) -> tuple[object, Line, Line, Iterable[Answered], tuple[Part, ...]]:
        model = self.model
        assert model.snapshot is not None
        revision, newest = model.revision, model.snapshot.revision
        title: Line = (Piece(f"Revision {revision}", "strong", bold=True),)
        right: Line = (Piece("newest" if revision == newest else "shipped" if revision == 0 else "", "soft"),)
        answers = version_answers(revision, is_newest=revision == newest, short=short)
        first, second = model.pair()
        before, after = model.versions.get(first), model.versions.get(second)
        for number, version in ((first, before), (second, after)):
            if version is None:
                self.store_work.want_version(number)
        if before is None or after is None:
            return ("revision", revision), title, right, answers, waiting_parts(revision)
        in_columns = has_room(2, self.page_width // 2) if model.in_columns is None else model.in_columns
        parts = pair_parts(RevisionPair(before, after), revision, local_now(), in_columns=in_columns)
        return ("revision", first, second), title, right, answers, parts

    def _without_team(self) -> tuple[object, Line, Line, Iterable[Answered], tuple[Part, ...]]:
        subject, model = self.viewing.subject, self.model
        if subject is None or (self.viewing.preview is None and self.store_work.access is None):
            return None, (), (), (), ()
        if self.store_work.access is None:
            return "empty", (Piece("Team", "strong", bold=True),), (), (), empty_parts(subject.troubles, self._keys)
        words = outside(model.error, "text") if model.error else (Piece("Reading the store …", "soft"),)
        return "reading", outside(self.store_work.access.label, "strong", bold=True), (), (), (Words(words),)

    @property
    def _keys(self) -> TeamKeys:
        """As this person has them."""
        named = "team.compare", "team.versions", "team.role", "team.read_again", "app.open"
        return TeamKeys(*map(self.house.key_of, named))

    @property
    def page_width(self) -> int:
        """Cells of a line of the document."""
        return max(8, self.page.size.width - 2 * outer_margin(self.size.width))

    def show_front(self) -> None:
        """One pane stands in front where there is no room for two."""
        if not self.is_mounted or not self.children:
            return
        left = self.query_one("#left")
        reads = not left.has_focus_within or self.store_work.access is None
        left.set_class(reads, "-behind")
        self.query_one("#right").set_class(not reads, "-behind")
        self.show_list()

    def focus_list(self) -> None:
        """Back to the list that is shown."""
        self.query_one("#left").remove_class("-behind")
        (self.revisions if self.model.mode == "versions" else self.entries).focus()

    def text_to_copy(self) -> str | None:
        """What is picked out, else the text of the chosen entry, character for character."""
        selected = self.selected_text
        model = self.model
        if selected or model.snapshot is None or model.chosen is None:
            return selected
        if model.mode == "preview" and model.role in model.previews:
            return model.previews[model.role].after.text
        return raw_text(model.chosen, model.situation(local_now(), self.page_width))
