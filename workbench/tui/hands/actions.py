"""Copying, saving, exporting, the editor, and reading the files again."""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from workbench.prompt.source import Position
from workbench.tui.hands.house import HouseBase
from workbench.tui.view.pieces import Piece
from workbench.tui.view.sizes import CHARACTERS, number
from workbench.tui.workers import start_worker
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.tui.hands.editor import Editor
    from workbench.tui.hands.exports import Form

HANDS = frozenset({"copy", "editor", "reload", "export"})
"""Groups of workers whose errors the person is told, because nothing else would."""
TERMINAL_LIMIT = 74_994
"""Bytes of base64 that xterm takes; others take more."""


class Hands(HouseBase):
    """Commands that bring something out of the workbench, or into it."""

    is_away = False
    """An editor has the terminal."""

    # copying

    def copy_to_clipboard(self, text: str) -> None:
        """Hands the bytes of the text to the terminal (OSC 52), whatever stands in it."""
        self._clipboard = text
        if self._driver is not None:
            encoded = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")
            self._driver.write(f"\x1b]52;c;{encoded}\x07")

    def copy(self, text: str, done: Callable[[str], object]) -> None:
        """Copies both ways, and says then which way it went."""
        self.copy_to_clipboard(text)
        if self.is_headless:
            done(self._copied(text, None))
        else:
            start_worker(self, partial(self._copy_here, text, done), group="copy", exclusive=True)

    async def _copy_here(self, text: str, done: Callable[[str], object]) -> None:
        from workbench.tui.hands import clipboard

        done(self._copied(text, await clipboard.copy(text)))

    def _copied(self, text: str, program: str | None) -> str:
        ways = "through the terminal" if program is None else f"through the terminal and with {program}"
        size = len(text.encode("utf-8", "surrogatepass"))
        doubt = ", which may not take so much" if program is None and size * 4 // 3 > TERMINAL_LIMIT else ""
        key = self.key_of("app.save")
        beside = f"; {key} saves it to a file" if key else ""
        return f"Copied {number(len(text))} {CHARACTERS.unit} {ways}{doubt}{beside}."

    def key_of(self, command_id: str) -> str:
        """The key of a command as this person has it, for a sentence; empty: it has none."""
        from workbench.tui.commands import command

        each = self.keymap.of(command(command_id))
        return each.key_label if each.keys else ""

    # saving and exporting

    def action_save(self) -> None:
        """What a copy would give, to a file."""
        from workbench.tui.hands.saving import file_name

        given = self.place.text_to_save()
        if given is None:
            self.place.say("There is no text to save here.", ())
            return
        text, name = given
        data = text.encode("utf-8", "surrogatepass")
        self._ask_for_file(data, f"the text of {visible_line(name)}", file_name(name, ending=".txt"))

    async def action_export(self) -> None:
        from workbench.tui.hands.exports import FORMS
        from workbench.tui.view.picker import Item
        from workbench.tui.widgets.picker import pick

        if self.viewing.preview is None:
            self.place.say("There is nothing to export yet.", ())
            return
        items = [Item(form.name, form.title, form.ending, help=form.about) for form in FORMS]
        forms = {form.name: form for form in FORMS}
        await pick(self, items, "form of the file", lambda name: self._start_export(forms[name]))

    def _start_export(self, form: Form) -> None:
        start_worker(self, partial(self._export, form), group="export", exclusive=True)

    async def _export(self, form: Form) -> None:
        from workbench.tui.hands.exports import exported, with_wide_characters
        from workbench.tui.hands.saving import file_name

        viewing = self.viewing
        subject, preview, scope = viewing.subject, viewing.preview, viewing.scope
        if subject is None or preview is None:
            return
        if form.name == "svg":
            page: str | None = with_wide_characters(self.export_screenshot(title=str(visible_line(subject.name))))
        else:
            notes = tuple(subject.notes)
            with self.place.while_working(f"Exporting {form.title}"):
                page = await asyncio.to_thread(exported, form.name, preview, subject.name, scope, notes)
        if page is None:
            self.place.say("This prompt cannot be sent, so there is no text of it.", ())
            return
        name = file_name(Path(subject.name).stem, scope.strip("()"), ending=form.ending)
        self._ask_for_file(page.encode("utf-8", "surrogatepass"), form.title, name)

    def _ask_for_file(self, data: bytes, what: str, name: str) -> None:
        from workbench.tui.widgets.save_sheet import SaveSheet

        def saved(path: Path | None) -> None:
            if path is not None:
                self.place.say(f"Saved {number(len(data))} bytes to {visible_line(str(path))}.")

        self.push_screen(SaveSheet(data, what, name), saved)

    # the editor

    def action_source(self) -> None:
        """Opens the place in the file where the thing stands that is looked at."""
        from workbench.tui.hands.editor import editor_at

        source = self.place.source() or self._first_problem()
        if source is None:
            self.place.say("It stands in no file that is known.", ())
            return
        shown = f"{visible_line(source.file)}:{source.line}"
        if not Path(source.file).is_file():
            self.place.say(f"{shown} is no file here.", ())
            return
        try:
            editor = editor_at(os.environ, source.file, source.line, source.column)
        except ValueError as error:
            self.place.say(f"$VISUAL or $EDITOR cannot be read: {error}.", ())
            return
        if editor is None:
            self.place.say(f"Set $VISUAL or $EDITOR to open {shown} from here, such as `export EDITOR=nano`.", ())
            return
        start_worker(self, partial(self._edit, editor, shown), group="editor", exclusive=True)

    def _first_problem(self) -> Position | None:
        """Where a file is broken: nothing of it can be chosen."""
        problems = self.viewing.subject.problems if self.viewing.subject is not None else ()
        file, line = (getattr(problems[0], name, None) for name in ("file", "line")) if problems else (None, None)
        return Position(file, line, getattr(problems[0], "column", None) or 1) if file and line else None

    async def _edit(self, editor: Editor, shown: str) -> None:
        """A terminal editor gets the terminal until it goes; the runtime goes on meanwhile."""
        name = visible_line(editor.name)
        try:
            if not editor.needs_terminal:
                self.place.say(f"Opening {shown} with {name}.")
                code = await self._run(editor, quiet=True)
            else:
                with self.batch_update(), self.suspend():
                    self.is_away = True
                    try:
                        code = await self._run(editor)
                    finally:
                        self.is_away = False
        except SuspendNotSupported:
            self.place.say(f"{name} needs the terminal, which cannot be lent here.", ())
            return
        except OSError as error:
            self.place.say(f"{name} cannot be started: {error.strerror or error}.", ())
            return
        self.action_reload()
        if code:
            self.place.say(f"{name} ended with exit code {code}.", (Piece("× ", "failed", bold=True),))

    @staticmethod
    async def _run(editor: Editor, *, quiet: bool = False) -> int:
        streams = asyncio.subprocess.DEVNULL if quiet else None
        process = await asyncio.create_subprocess_exec(
            *editor.command, stdin=streams, stdout=streams, stderr=streams, start_new_session=quiet
        )
        try:
            return await process.wait()
        except asyncio.CancelledError:  # the workbench is left: a window of an editor stays, a terminal one cannot
            if not quiet and process.returncode is None:
                process.terminate()
                await process.wait()
            raise

    # reading again

    def action_reload(self) -> None:
        start_worker(self, self._reload, group="reload", exclusive=True)

    async def _reload(self) -> None:
        subject = self.viewing.subject
        if subject is not None:
            with self.place.while_working(f"Reading {visible_line(subject.name)} again"):
                await subject.reload()
            if self.viewing.subject is subject:
                self.viewing.assembling.start()
