"""A check of the whole subject, when a person asks for it: one at a time, beside the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.worker import Worker

from workbench.tui.subject import Subject
from workbench.tui.workers import runs, start_worker

if TYPE_CHECKING:
    from workbench.check.finding import Finding


class Checking:
    """Runs a check as a worker of the app."""

    def __init__(self, app: App[Any], tell: Callable[[], object], show: Callable[[], object]) -> None:
        """`tell` is called when something of it is another, `show` when findings have come."""
        self._app = app
        self._tell = tell
        self._show = show
        self.findings: Sequence[Finding] | None = None
        """Of what is looked at now; None: it was not checked."""
        self.error = ""
        """Why there are none."""
        self._worker: Worker[None] | None = None

    @property
    def is_running(self) -> bool:
        """A check has not come back."""
        return runs(self._worker)

    def start(self, subject: Subject) -> None:
        """Checks; a running check is given up."""
        self.findings, self.error = None, ""
        self._worker = start_worker(self._app, partial(self._check, subject), group="check", exclusive=True)
        self._tell()

    def forget(self, *, files: bool) -> None:
        """Something changed. A running check ends only when the files did: providers may change what they like."""
        self.findings, self.error = None, ""
        if files and self._worker is not None:
            self._worker.cancel()
            self._worker = None

    async def _check(self, subject: Subject) -> None:
        try:
            self.findings = await subject.findings()
            self.error = "" if self.findings is not None else "only a composition with files can be checked"
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"
        self._worker = None
        self._tell()
        if self.findings is not None:
            self._show()
