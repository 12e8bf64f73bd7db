"""The editor of the place: what is typed is the draft, at once, and is kept on the disk as it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from workbench.tui.keymap import key_label, types_text
from workbench.tui.places.team.edits import after_save, with_place, with_text
from workbench.tui.places.team.showing import Showing
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.team_editor import EditorFacts
from workbench.tui.view.team_entries import EntryId, laid_value
from workbench.tui.view.team_entry import raw_text
from workbench.tui.view.team_words import local_now
from workbench.tui.widgets.team_editor_messages import Edited, Moved

if TYPE_CHECKING:
    from workbench.team.drafts import Draft
    from workbench.tui.widgets.team_editor import EditorField, EditorPane


class Editing(Showing):
    """How the place edits."""

    _editor: EditorPane | None = None
    """Made when it is first needed."""

    @property
    def is_editing(self) -> bool:
        """The editor is on the screen."""
        return self._editor is not None and bool(self._editor.display)

    async def open_editor(self, *, is_new: bool = False) -> None:
        """On the chosen entry, with the cursor where it was left."""
        model, id = self.model, self.model.chosen
        if model.snapshot is None or id is None or id.kind == "mode":
            return
        if self._editor is None:
            from workbench.tui.widgets.team_editor import EditorPane

            self._editor = EditorPane(id="editor")
            self._editor.display = False
            await self.query_one("#right").mount(self._editor)
        editor = self._editor
        model.chosen = id  # whatever was told meanwhile
        model.draft = model.started()
        if editor.entry != id or editor.text != self._text_of(id):
            editor.open(id, self._fields_of(id), self._text_of(id), model.draft.places.get(id.field, (0, 0)))
        self._set_editing(True)
        self._show_title()
        editor.focus_first(is_new=is_new)
        self._check()
        self.refresh_frame()

    def close_editor(self) -> None:
        """Back to the page; what was typed is in the draft."""
        self.leave_editor()
        self.show_all()
        self.focus_list()
        self.refresh_frame()

    def leave_editor(self) -> None:
        """The editor goes, for whatever reason: nothing of it is lost."""
        editor, model = self._editor, self.model
        if editor is None or not editor.display:
            return
        if editor.entry is not None and model.draft is not None and editor.is_mounted:
            self._take(editor.entry, editor.text, editor.values)
            model.draft = with_place(model.draft, editor.entry, editor.area.cursor_location)
        if model.draft is not None and model.draft.is_empty:
            model.draft = None
        else:
            self.store_work.keep()
        self._set_editing(False)

    def flush_editor(self) -> None:
        """What stands in the editor is in the draft now, whatever message of it is still on its way."""
        editor = self._editor
        if editor is not None and editor.entry is not None:
            self._take(editor.entry, editor.text, editor.values)

    def settle_after_save(self) -> None:
        """An open editor goes on, on top of the new version; a review or a refusal comes in front of it."""
        model = self.model
        if self.is_editing:
            if model.mode == "conflict" or model.problems:
                self.leave_editor()
                self.focus_list()
            elif model.draft is None:
                model.draft = model.started()
            self._follow_name(model.last_saved)
            self._check()
        model.last_saved = None

    def _follow_name(self, saved: Draft | None) -> None:
        """A skill or rule that was saved under another name is edited by that from now on."""
        editor = self._editor
        if editor is not None and editor.entry is not None and saved is not None:
            editor.entry = after_save(editor.entry, saved)

    @on(Edited)
    def _edited(self, event: Edited) -> None:
        if self.is_editing and self._take(event.id, event.text, event.values):
            self.store_work.keep()
            self.show_list()
            self.refresh_frame()
            self._show_title()
        self._check()

    @on(Moved)
    def _cursor_moved(self, event: Moved) -> None:
        if self.is_editing and self.model.draft is not None:
            self.model.draft = with_place(self.model.draft, event.id, event.place)
            if self.model.has_draft:
                self.store_work.keep()
            self._check()

    def _take(self, id: EntryId, text: str, values: dict[str, str]) -> bool:
        """What stands in the editor becomes part of the draft; False: it is already."""
        model = self.model
        if model.snapshot is None or model.draft is None:
            return False
        if self._editor is not None and not self._editor.takes(text, values):
            return False
        draft = with_text(model.draft, model.snapshot, id, text, values)
        if self._editor is not None:
            draft = with_place(draft, id, self._editor.area.cursor_location)
        model.edit(draft)
        return True

    def _show_title(self) -> None:
        """A skill or rule may be called otherwise by now."""
        listed = self.model.listed()
        if self._editor is not None and listed is not None:
            keys = self._key_while_typing("team.leave"), self._key_while_typing("team.save")
            self._editor.show_title(outside(listed.name, "strong", bold=True), *keys)

    def _check(self) -> None:
        editor, model = self._editor, self.model
        if editor is None or editor.entry is None or model.snapshot is None or not self.is_editing:
            return
        row, column = place = editor.area.cursor_location
        here = editor.area.document.get_line(row)[column : column + 1]
        facts = EditorFacts(editor.entry, editor.text, model.bytes_drafted(), model.limits.size, place, here)
        editor.show_trouble(model.error or model.draft_error)
        editor.show_checks(facts, self._about(editor.entry, editor.text))

    def _about(self, id: EntryId, text: str) -> Line:
        """What is to be known about this kind of entry while it is edited."""
        if id.kind == "rule" and ("\n" in text or not text.strip()):
            return (Piece("× ", "failed", bold=True), Piece("an instruction is one line, and not empty", "failed"))
        if id.kind == "section" and not text.strip():
            return (Piece("Empty: only its heading is rendered.", "soft"),)
        return ()

    def _text_of(self, id: EntryId) -> str:
        return raw_text(id, self.model.situation(local_now(), self.page_width))

    def _fields_of(self, id: EntryId) -> tuple[EditorField, ...]:
        from workbench.tui.widgets.team_editor import EditorField

        assert self.model.snapshot is not None
        value = (
            laid_value(self.model.snapshot.config, self.model.draft, id) if id.kind in ("skill", "rule") else None
        )
        if value is None:
            return ()
        keys = {"name": "name", "description": "about"} if id.kind == "skill" else {"id": "id", "name": "name"}
        return tuple(EditorField(key, label, value[key]) for key, label in keys.items())

    def refresh_frame(self) -> None:
        """While a text is typed, letters are no keys."""
        super().refresh_frame()
        if self.is_mounted and self.is_editing:
            hints = ("save", "save"), ("preview", "preview"), ("other_pane", "next field"), ("leave", "back, kept")
            line: Line = ()
            for name, word in hints:
                key = self._key_while_typing(f"team.{name}")
                if key:
                    line = (*line, Piece(key, "strong", bold=True), Piece(f" {word}   ", "soft"))
            key = self._key_while_typing("app.palette")
            self.key_hints.show(line, (Piece(key, "strong", bold=True), Piece(" commands", "soft")))

    def _key_while_typing(self, command_id: str) -> str:
        """One of its keys that is no letter, as this person has them; empty: there is none."""
        command = next(each for each in self.house.commands_of("team", "app") if each.id == command_id)
        keys = sorted((key for key in command.keys if not types_text(key)), key=lambda key: not key.startswith("f"))
        return key_label(keys[0]) if keys else ""

    def _set_editing(self, is_editing: bool) -> None:
        self.set_class(is_editing, "-editing")
        if self._editor is not None:
            self._editor.display = is_editing
        for widget in (self.title_line, self.buttons, self.page):
            widget.set_class(is_editing, "-covered")
