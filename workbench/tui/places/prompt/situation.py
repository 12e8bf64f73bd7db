"""What the lines around the panes say: the state of the subject, the preview and the assembly in words."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.tui.places.prompt.assembling import Assembling
from workbench.tui.places.prompt.checking import Checking
from workbench.tui.places.prompt.editing import Editing
from workbench.tui.places.prompt.model import PromptModel
from workbench.tui.subject import Subject
from workbench.tui.view import answer as answers
from workbench.tui.view import frame
from workbench.tui.view.findings import findings_fact


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that the words depend on, at one moment."""

    subject: Subject | None
    """None while `opening` is being opened."""
    opening: str
    model: PromptModel
    assembling: Assembling
    editing: Editing
    checking: Checking

    @property
    def name(self) -> str:
        """What is looked at."""
        return self.subject.name if self.subject else self.opening

    @property
    def size(self) -> str:
        """Of what is sent: the system text in characters, or all of it in tokens."""
        preview = self.model.preview
        if preview is None:
            return ""
        total = self.model.sizes.request(preview)
        return "– no request" if total is None or self.model.problems else str(total)

    @property
    def status(self) -> frame.Status:
        """The worst that is the case."""
        if self.subject is None:
            return frame.OPENING
        if self.assembling.is_slow:
            return frame.busy(self.assembling.seconds)
        if self.subject.problems:
            return frame.REFUSED
        if self.model.preview is not None and self.model.preview.failures:
            return frame.ERROR
        if self.subject.edits is not None and self.subject.edits.are_held:
            return frame.HOLDING
        return frame.LIVE if self.subject.is_watched else frame.STILL

    def answer(self, *, short: bool) -> answers.Answer:
        """To the question of the place."""
        subject, preview = self.subject, self.model.preview
        if subject is None:
            return answers.opening(self.opening or "…")
        if self.assembling.is_slow:
            return answers.waiting(subject.waiting(), self.assembling.seconds)
        if self.assembling.error is not None:
            return answers.broken(self.assembling.error)
        if self.checking.is_running:
            return answers.checking()
        if self.checking.error:
            return answers.not_checked(self.checking.error)
        if self.editing.error:
            return answers.failed_edit(self.editing.error)
        if subject.problems:
            return answers.refused(subject.problems, subject.is_loaded)
        if self.editing.waiting is not None:
            return answers.edit_waits(self.editing.waiting)
        if preview is None:
            return answers.opening(subject.name)
        notes, troubles = len(subject.notes), subject.troubles
        return answers.answer(
            preview,
            len(self.model.changed),
            notes=notes,
            troubles=troubles,
            short=short,
            sizes=self.model.sizes,
            first=self.editing.change,
            found=findings_fact(self.checking.findings, short=short) if self.checking.findings is not None else (),
        )

    @property
    def now(self) -> frozenset[str]:
        """What is the case, for key hints that help only then."""
        preview, subject = self.model.preview, self.subject
        facts = {
            "failing": preview is not None and bool(preview.failures),
            "found": bool(self.model.hits),
            "pending": self.editing.waiting is not None,
            "noted": subject is not None and bool(subject.problems or subject.notes or self.editing.waiting),
        }
        return frozenset(fact for fact, is_so in facts.items() if is_so)
