"""The commands of the place. Each edit goes into the draft; only `save` and `restore` reach the store."""

from __future__ import annotations

from collections.abc import Callable

from workbench.team.drafts import Draft
from workbench.tui.places.team import edits
from workbench.tui.places.team.editing import Editing
from workbench.tui.view.pieces import Line, Piece
from workbench.tui.view.question import Choice, Question
from workbench.tui.view.sizes import counted
from workbench.tui.view.team_answer import failed_team
from workbench.tui.view.team_conflict import VIEWS, edited_entries
from workbench.tui.view.team_entry import views_of
from workbench.tui.view.team_texts import has_room
from workbench.tui.view.team_words import local_now

Answered = Callable[[bool | None], None]
FORGOTTEN_HERE: tuple[Line, ...] = ((Piece("What you have written here is forgotten.", "soft"),),)
FORGOTTEN: tuple[Line, ...] = ((Piece("All that is not saved is forgotten.", "soft"),),)
STAYS: Line = (Piece("Every revision stays, and can be restored.", "soft"),)


class Acting(Editing):
    """What a person can do."""

    # answers

    def action_keep(self) -> None:
        self.catch_cursor()
        model = self.model
        if model.snapshot is None or model.chosen is None or model.chosen.kind != "part":
            self.say("Choose a part whose default was updated.", ())
            return
        draft = edits.kept(model.started(), model.snapshot, model.chosen.key)
        self._edit(draft, "Its default has not changed since you wrote yours.")

    def action_use_default(self) -> None:
        self.catch_cursor()
        model = self.model
        if model.snapshot is None or model.chosen is None or model.chosen.kind not in ("part", "section"):
            self.say("Only parts and sections have a default.", ())
            return
        draft = edits.defaulted(model.started(), model.snapshot, model.chosen)
        self._edit(draft, "It has the default already.")

    async def action_edit(self) -> None:
        self.catch_cursor()
        chosen = self.model.chosen
        if self.model.mode in ("versions", "preview"):
            self.say("Go back to the parts first: esc.", ())
        elif chosen is not None and chosen.kind == "mode":
            self.action_switch()
        elif chosen is not None and self.model.listed() is not None:
            await self.open_editor()

    # the policy, skills

    def action_switch(self) -> None:
        self.catch_cursor()
        model = self.model
        if model.snapshot is not None and model.chosen is not None:
            draft = edits.toggled(model.started(), model.snapshot, model.chosen, model.limits.accept_modes)
            self._edit(draft, "Choose a rule, or the accept mode.")

    def action_earlier(self) -> None:
        self._move(-1)

    def action_later(self) -> None:
        self._move(1)

    def _move(self, steps: int) -> None:
        self.catch_cursor()
        model = self.model
        if model.snapshot is not None and model.chosen is not None:
            draft = edits.moved(model.started(), model.snapshot, model.chosen, steps)
            where = "up" if steps < 0 else "down"
            words = f"It cannot go further {where}." if model.chosen.kind == "rule" else "Only rules have an order."
            self._edit(draft, words)

    async def action_new(self) -> None:
        self.catch_cursor()
        model = self.model
        if model.snapshot is None or model.mode != "entry":
            return
        kind = "rule" if model.chosen is not None and model.chosen.kind in ("mode", "rule") else "skill"
        draft, id = edits.added(model.started(), model.snapshot, kind)
        model.chosen = id
        self._edit(draft)
        await self.open_editor(is_new=True)

    def action_delete(self) -> None:
        self.catch_cursor()
        model = self.model
        if model.snapshot is not None and model.chosen is not None:
            draft = edits.removed(model.started(), model.snapshot, model.chosen)
            self._edit(draft, "Only skills and rules can be removed.")

    # the draft

    def action_save(self) -> None:
        if self.is_editing:
            self.flush_editor()
        if not self.model.has_draft:
            self.say("There is nothing to save.", ())
        elif self.model.mode == "conflict":
            self.say("Somebody has saved since: a saves on top of it, after you have read what differs.", ())
        else:
            self.store_work.save()

    def action_on_top(self) -> None:
        model = self.model
        if model.mode != "conflict" or model.snapshot is None or model.draft is None:
            self.say("There is no conflict to be decided.", ())
            return
        model.edit(model.draft.rebased(model.snapshot.revision))
        model.mode = "entry"
        self.store_work.keep()
        self.store_work.save()

    async def action_discard(self) -> None:
        self.catch_cursor()
        model = self.model
        listed = model.listed()
        if model.draft is None or listed is None or not listed.change:
            self.say("This entry is not edited.", ())
            return
        id = listed.id
        title: Line = (Piece("Discard the edit of this entry?", "strong", bold=True),)

        def answered(agreed: bool | None) -> None:
            if agreed and model.draft is not None:
                self._edit(edits.without(model.draft, id))

        await self._ask(title, FORGOTTEN_HERE, "discard it", answered)

    async def action_discard_all(self) -> None:
        model = self.model
        if not model.has_draft or model.draft is None:
            self.say("There is no draft.", ())
            return
        count = counted(len(edited_entries(model.draft)), "edit")
        title: Line = (Piece(f"Discard the whole draft, {count}?", "strong", bold=True),)

        def answered(agreed: bool | None) -> None:
            if agreed and model.snapshot is not None:
                model.mode = "entry"
                self._edit(Draft(model.snapshot.revision))

        await self._ask(title, FORGOTTEN, "discard all", answered)

    def _edit(self, draft: Draft | None, else_say: str = "") -> None:
        """Takes another draft, keeps it, and shows it; None: nothing to be done."""
        model = self.model
        if draft is None:
            self.say(else_say, ())
            return
        model.edit(draft)
        self.store_work.keep()
        if draft.is_empty and not self.is_editing:
            model.draft = None
            model.mode = "entry" if model.mode == "conflict" else model.mode
        model.view = 0
        self.show_all()
        self.refresh_frame()

    # looking

    def action_compare(self) -> None:
        self.catch_cursor()
        model = self.model
        if model.snapshot is None or model.chosen is None:
            return
        if model.mode == "conflict":
            model.view = (model.view + 1) % VIEWS
        elif model.mode == "entry":
            count = views_of(model.chosen, model.situation(local_now(), self.page_width))
            if count < 2:
                self.say("There is only one text.", ())
                return
            model.view = (model.view + 1) % count
        self.show_page()

    def action_columns(self) -> None:
        model = self.model
        model.in_columns = not (has_room(3, self.page_width) if model.in_columns is None else model.in_columns)
        self.show_page()
        self.say("Side by side." if model.in_columns else "One below the other.", ())

    def action_preview(self) -> None:
        model = self.model
        if model.snapshot is None:
            return
        if self.is_editing:
            self.close_editor()
        model.mode = "preview"
        if not model.previews:
            self.store_work.want_previews()
        self.show_all()
        self.page.focus()
        self.refresh_frame()

    def action_role(self) -> None:
        model = self.model
        if model.mode == "preview":
            model.role = "worker" if model.role == "orchestrator" else "orchestrator"
            self.show_page()
        else:
            self.action_preview()

    def action_versions(self) -> None:
        model = self.model
        if model.snapshot is None:
            return
        if model.mode == "versions":
            self.action_leave()
            return
        model.mode, model.revision = "versions", model.snapshot.revision
        self.show_all()
        self.focus_list()
        self.refresh_frame()

    def action_mark(self) -> None:
        self.catch_cursor()
        model = self.model
        if model.mode == "versions":
            model.marked = None if model.marked == model.revision else model.revision
            self.show_all()
        else:
            self.say("Choose a revision first: h.", ())

    async def action_restore(self) -> None:
        self.catch_cursor()
        model = self.model
        if model.mode != "versions" or model.snapshot is None:
            self.say("Choose a revision first: h.", ())
            return
        revision, newest = model.revision, model.snapshot.revision
        if revision == newest:
            self.say("It is the newest one already.", ())
            return
        title: Line = (Piece(f"Restore revision {revision}?", "strong", bold=True),)
        lines: list[Line] = [(Piece(f"Its texts become revision {newest + 1}, read from the next step on."),)]
        lines.append(STAYS)
        if model.has_draft:
            lines.append((Piece("Your draft is kept; its base is then an older revision.", "soft"),))

        def answered(agreed: bool | None) -> None:
            if agreed:
                self.store_work.restore("defaults" if revision == 0 else revision)

        await self._ask(title, tuple(lines), "restore it", answered)

    def action_copy(self) -> None:
        self.catch_cursor()
        text = self.text_to_copy()
        if text is None:
            self.say("There is no text to copy here.", ())
        else:
            self.house.copy(text, self.say)

    def action_read_again(self) -> None:
        """Opened anew: what stands at its address may have been brought back or mended."""
        subject = self.viewing.subject
        failed = None if subject is None or self.store_work.access is not None else failed_team(subject.troubles)
        if subject is not None and failed is not None:
            self.store_work.restart(subject, failed.owner.fiber)
            return
        self.model.error = ""
        self.store_work.read(anew=True)

    # moving

    def action_leave(self) -> None:
        model = self.model
        if self.is_editing:
            self.close_editor()
        elif model.mode != "entry":
            model.mode, model.view = "entry", 0
            self.show_all()
            self.focus_list()
            self.refresh_frame()
        elif self.page.has_focus:
            self.focus_list()

    def action_other_pane(self) -> None:
        if self.is_editing and self._editor is not None:
            self._editor.focus_next()
        elif self.page.has_focus:
            self.focus_list()
        else:
            self.page.focus()

    async def _ask(self, title: Line, facts: tuple[Line, ...], word: str, answered: Answered) -> None:
        from workbench.tui.widgets.confirm import Confirm

        choices = Choice("y", f"yes, {word}", True), Choice("n", "no", False)
        await self.app.push_screen(Confirm(Question(title, facts, choices)), answered)
