"""Edits of the files: one that waits and what it would change, one that came into force and what it did."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from textual.app import App
from textual.worker import Worker

from workbench.prompt.views import Preview
from workbench.tui.subject import Subject
from workbench.tui.view.edits import Change, Waiting, change_between
from workbench.tui.workers import runs, start_worker


class Editing:
    """Looks at edits in workers of the app, so that a plugin that hangs holds up nothing else."""

    def __init__(self, app: App[Any], tell: Callable[[], object]) -> None:
        """`tell` is called when `waiting` or `error` is another."""
        self._app = app
        self._tell = tell
        self.waiting: Waiting | None = None
        """The edit that waits for the person."""
        self.change: Change | None = None
        """What the last edit has changed first in what is shown."""
        self.error: str = ""
        """Why an edit could not be put in force at all."""
        self._looked_at: tuple[object, str] | None = None
        self._looking: Worker[None] | None = None
        self._applying: Worker[None] | None = None
        self._before: Preview | None = None

    @property
    def is_running(self) -> bool:
        """An edit is being looked at, or put in force."""
        return runs(self._looking) or runs(self._applying)

    def forget(self) -> None:
        """After another scope or subject was chosen."""
        self.change = self._before = None

    def files_changed(self, shown: Preview | None) -> None:
        """An edit came into force, or waits, or was refused; `shown` is the preview before it."""
        self._before = self._before or shown
        self.error = ""

    def preview_came(self, preview: Preview, *, is_last: bool) -> None:
        """Compares it with what was shown before the edit. Not `is_last`: another assembly follows at once."""
        if self._before is not None and self._before.trace.scope == preview.trace.scope:
            self.change = change_between(self._before, preview)
        if is_last:
            self._before = None

    def look(self, subject: Subject, scope: str) -> None:
        """Finds out what the edit that waits would change, once for each edit and scope."""
        edits = subject.edits
        pending = edits.pending if edits is not None else None
        if edits is None or pending is None:
            self.waiting = self._looked_at = None
            if self._looking is not None:
                self._looking.cancel()
                self._looking = None
        elif self._looked_at != (pending, scope):
            self._looked_at = pending, scope
            self.waiting = Waiting()
            self._looking = start_worker(
                self._app, partial(self._look, subject, scope), group="pending", exclusive=True
            )

    def apply(self, subject: Subject) -> None:
        """Puts the edit that waits in force."""
        if not runs(self._applying):
            self._applying = start_worker(self._app, partial(self._apply, subject), group="apply")

    async def _look(self, subject: Subject, scope: str) -> None:
        assert subject.edits is not None
        try:
            self.waiting = await subject.edits.pending_change(scope)
        except Exception as error:
            self.waiting = Waiting(f"{type(error).__name__}: {error}", is_refused=True)
        self._tell()

    async def _apply(self, subject: Subject) -> None:
        assert subject.edits is not None
        try:
            await subject.edits.apply()
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"
            if subject.edits.pending is None:
                self.waiting = self._looked_at = None
            self._tell()
