"""The one thing that all places look at: a subject, one of its scopes, and the previews of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from textual.app import App

from workbench.prompt.views import Preview
from workbench.tui.bridge import Changed
from workbench.tui.subject import Subject, first_scope
from workbench.tui.view.sizes import CHARACTERS, Sizes
from workbench.tui.viewing.assembling import Assembling
from workbench.tui.viewing.checking import Checking
from workbench.tui.viewing.editing import Editing
from workbench.tui.viewing.measuring import Measuring
from workbench.tui.viewing.past import Past

Topic: TypeAlias = Literal[
    "subject", "scope", "preview", "sizes", "findings", "frame", "changed", "session", "packages"
]
"""What is another now. `frame`: words around the panes only. `changed`: of the subject, before its preview."""
ASIDE: tuple[Topic, ...] = ("session", "packages")
"""Topics of changes after which the present prompt is still the same."""
KEPT = 50
"""Earlier previews that can still be looked at."""
KEPT_CHARACTERS = 20_000_000
"""Of system text in them; the oldest go first."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One preview that was shown."""

    number: int
    """Counts up from 1 for each subject."""
    scope: str
    """As the person chose it."""
    preview: Preview
    sizes: Sizes


class Viewing:
    """Assembles after each change, whatever place is on the screen, and tells what is another."""

    def __init__(self, app: App[Any], tell: Callable[[Topic], object]) -> None:
        self._tell = tell
        self.subject: Subject | None = None
        self.opening = ""
        """What is being opened, while there is no subject."""
        self.scope = ""
        self.preview: Preview | None = None
        """The last one of this scope; while another scope is being assembled, that of the one before."""
        self.sizes: Sizes = CHARACTERS
        self.problems: tuple[str, ...] = ()
        """Why nothing is loaded."""
        self.history: deque[Seen] = deque()
        """The last previews, oldest first; the present one is the last."""
        self.version = 0
        """Grows with each preview, subject and change of sizes: a place compares it when it comes back."""
        self.past: Past | None = None
        """A prompt that was sent once and is looked at now; `preview` is its."""
        self._present: tuple[Preview, Sizes] | None = None
        """What is looked at again after `leave_past`."""
        self._count = 0
        tell_frame: Callable[[], object] = lambda: tell("frame")  # noqa: E731
        self.assembling = Assembling(app, self._assemble, tell_frame)
        self.editing = Editing(app, tell_frame)
        self.checking = Checking(app, tell_frame, lambda: tell("findings"))
        self.measuring = Measuring(app, self._sizes_came)

    @property
    def is_busy(self) -> bool:
        """Some of the work has not come back."""
        return any(part.is_running for part in (self.assembling, self.measuring, self.editing, self.checking))

    def show_opening(self, name: str) -> None:
        """Something is being opened."""
        self.opening = name
        self._tell("frame")

    def show_past(self, past: Past) -> None:
        """Looks at a prompt that was sent once, in all places."""
        if self.subject is None:
            return
        if self.past is None and self.preview is not None:
            self._present = self.preview, self.sizes
        self.past, self.preview, self.sizes = past, past.preview, CHARACTERS
        self.version += 1
        self._tell("preview")
        self.measuring.start(self.subject, past.preview)

    def leave_past(self) -> bool:
        """Looks at the present prompt again; False: it was looked at already."""
        if self.past is None:
            return False
        self.past = None
        self.measuring.give_up()
        if self._present is not None:
            self.preview, self.sizes = self._present
            self._present = None
            self.version += 1
            self._tell("preview")
        return True

    def _forget_past(self) -> None:
        self.past = self._present = None

    def leave(self) -> None:
        """Looks at nothing."""
        self._forget_past()
        self.assembling.give_up()
        self.measuring.give_up()
        self.subject = None
        self.preview, self.sizes, self.problems = None, CHARACTERS, ()
        self.history.clear()
        self.editing.forget()
        self.checking.forget(files=True)
        self.version += 1
        self._tell("subject")

    def show(self, subject: Subject) -> None:
        """Looks at another subject."""
        self._forget_past()
        self.subject = subject
        self.opening = ""
        self.scope = first_scope(subject.scopes)
        self.preview, self.sizes, self.problems = None, CHARACTERS, ()
        self.history.clear()
        self._count = 0
        self.version += 1
        self.editing.forget()
        self.checking.forget(files=True)
        self.editing.look(subject, self.scope)
        self._tell("subject")
        self.assembling.start()

    def take_scope(self, label: str) -> None:
        """Looks at another scope."""
        if label == self.scope or self.subject is None:
            return
        self._forget_past()
        self.scope = label
        self.editing.forget()
        self.editing.look(self.subject, label)
        self._tell("scope")
        self.assembling.start()

    def follow(self, changed: Changed) -> None:
        """A flood of changes costs one assembly at a time; one that hangs is given up for the next."""
        if self.subject is None:
            return
        if changed.topics <= set(ASIDE) and not self.subject.is_past:
            for topic in ASIDE:
                if topic in changed.topics:
                    self._tell(topic)
            return
        is_gone = self.scope not in {scope.label for scope in self.subject.scopes}
        if is_gone or (self.problems and self.subject.is_loaded):  # there was nothing to choose from before
            self.scope = first_scope(self.subject.scopes)
        self.checking.forget(files="files" in changed.topics)
        if "files" in changed.topics:
            self.editing.files_changed(self.preview)
            self.editing.look(self.subject, self.scope)
        self._tell("changed")
        if "packages" in changed.topics:
            self._tell("packages")
        if not self.subject.is_changing:
            self.assembling.after_change()

    async def _assemble(self) -> None:
        subject, scope = self.subject, self.scope
        if subject is None:
            return
        preview = await subject.preview(scope)
        sizes = await self.measuring.soon(subject, preview)
        self.editing.preview_came(preview, is_last=not self.assembling.is_stale)
        if self.past is None:
            self.preview, self.sizes = preview, sizes
        else:
            self._present = preview, sizes
        self.problems = () if subject.is_loaded else tuple(map(str, subject.problems))
        self._count += 1
        self._keep(Seen(self._count, scope, preview, sizes))
        self.version += 1
        self._tell("preview")
        if sizes is CHARACTERS and self.past is None:
            self.measuring.start(subject, preview)

    def _keep(self, seen: Seen) -> None:
        self.history.append(seen)
        characters = sum(len(each.preview.system or "") for each in self.history)
        while len(self.history) > 2 and (len(self.history) > KEPT or characters > KEPT_CHARACTERS):
            characters -= len(self.history.popleft().preview.system or "")

    def _sizes_came(self, sizes: Sizes) -> None:
        """The same preview, in tokens."""
        self.sizes = sizes
        if self.history and self.past is None:
            last = self.history[-1]
            self.history[-1] = Seen(last.number, last.scope, last.preview, sizes)
        self.version += 1
        self._tell("sizes")
