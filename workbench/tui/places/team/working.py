"""What Team asks of the store: beside the loop, one save at a time, and an error changes nothing but words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from textual.dom import DOMNode
from textual.worker import Worker

from workbench.team.drafts import DraftError
from workbench.team.parts import ROLES, Role
from workbench.team.problems import Conflict, Refused
from workbench.team.store.errors import StoreError
from workbench.team.version import RestoredFrom, Saved, VersionLine
from workbench.tui.places.team import edits
from workbench.tui.places.team.keeping import Keeping
from workbench.tui.places.team.model import TeamModel
from workbench.tui.subject import Subject, TeamAccess
from workbench.tui.view.team_conflict import edited_entries
from workbench.tui.view.team_preview import Assembled, RolePreview
from workbench.tui.workers import runs, start_worker

PAGE = 50
"""Lines of a history that are read at once."""


class Working:
    """Reads and writes as workers of the place."""

    def __init__(self, place: DOMNode, model: TeamModel, show: Callable[[], object]) -> None:
        """`show` is called when something has come."""
        self._place, self._show = place, show
        self.model = model
        self.access: TeamAccess | None = None
        self.keeping = Keeping(self._kept)
        self.is_saving = False
        self._again = False
        self._anew = False
        """The next look opens the store again."""
        self._reading: Worker[None] | None = None
        self._others: set[Worker[None]] = set()
        self._asked: set[int] = set()
        """First revisions of pages, and versions, that are on their way."""

    @property
    def is_busy(self) -> bool:
        """Something has not come back."""
        workers = (self._reading, *self._others)
        return self.is_saving or self.keeping.is_busy or any(map(runs, workers))

    def use(self, access: TeamAccess | None, model: TeamModel) -> None:
        """Another team: what was on its way is nobody's any more."""
        for worker in (self._reading, *self._others):
            if worker is not None:
                worker.cancel()
        self._reading = None
        self._others.clear()
        self._asked.clear()
        self.access, self.model = access, model

    def read(self, *, anew: bool = False) -> None:
        """The newest version, soon. Any number of calls meanwhile cost one more look. `anew`: opened again."""
        if self.access is None:
            return
        self._anew = self._anew or anew
        if runs(self._reading):
            self._again = True
            return
        self._reading = start_worker(self._place, self._read, group="team read")

    def keep(self) -> None:
        """The draft goes to the disk."""
        if self.model.label:
            draft = self.model.draft
            self.keeping.keep(self.model.label, draft if draft is not None and not draft.is_empty else None)

    def save(self) -> None:
        """The draft becomes the next revision, unless somebody was faster or it is refused."""
        model, access = self.model, self.access
        if access is None or model.snapshot is None or model.draft is None or model.draft.is_empty:
            return
        draft = model.draft
        proposal = draft.over(model.snapshot.config)
        self._store(lambda: access.save(proposal, draft.base_revision), draft)

    def restore(self, revision: RestoredFrom) -> None:
        """An earlier version becomes the next one."""
        access, snapshot = self.access, self.model.snapshot
        if access is not None and snapshot is not None:
            self._store(lambda: access.restore(revision, snapshot.revision), None)

    def restart(self, subject: Subject, uid: int) -> None:
        """The plugin that provides a team's prompts, after it has failed."""
        self._start(partial(self._restarted, subject, uid), "team restart", exclusive=True)

    def want_page(self, revision: int) -> None:
        """Lines of the history around a revision."""
        first = revision - revision % PAGE
        if first not in self._asked and self.access is not None:
            self._asked.add(first)
            self._start(partial(self._page, first), "team page")

    def want_version(self, revision: int) -> None:
        """Texts of a revision."""
        if revision not in self.model.versions and ~revision not in self._asked and self.access is not None:
            self._asked.add(~revision)
            self._start(partial(self._version, revision), "team version")

    def want_previews(self) -> None:
        """What both roles would read."""
        self._start(self._previews, "team preview", exclusive=True)

    # work

    def _start(self, work: Callable[[], Coroutine[Any, Any, None]], group: str, *, exclusive: bool = False) -> None:
        self._others = set(filter(runs, self._others))
        self._others.add(start_worker(self._place, work, group=group, exclusive=exclusive))

    async def _read(self) -> None:
        while True:
            self._again = False
            access, model = self.access, self.model
            if access is None:
                return
            await self._read_once(access, model)
            if model is self.model:
                self._show()
            if not self._again:
                return

    async def _read_once(self, access: TeamAccess, model: TeamModel) -> None:
        anew, self._anew = self._anew, False
        try:
            if anew:
                await access.reopen()
                model.lines.clear()  # another file may say something else
                model.versions.clear()
            snapshot = await access.snapshot()
            label = access.label
            is_other = anew or model.snapshot is None or snapshot.revision != model.snapshot.revision
            page = await access.history(None, PAGE) if is_other else ()
            if label != model.label:
                model.label, model.limits = label, access.limits
                model.draft = model.draft or await self._loaded(label)
        except StoreError as error:
            model.error = told(error)
            return
        model.error = ""
        model.snapshot = snapshot
        model.lines |= {line.revision: line for line in page}
        model.previews.clear()

    async def _loaded(self, label: str) -> Any:
        try:
            return await self.keeping.load(label)
        except DraftError as error:
            self.model.draft_error = str(error)
            return None

    def _store(self, work: Callable[[], Awaitable[Saved]], draft: Any) -> None:
        if not self.is_saving:
            self.is_saving = True
            self._start(partial(self._stored, work, draft), "team save")
            self._show()

    async def _stored(self, work: Callable[[], Awaitable[Saved]], draft: Any) -> None:
        model = self.model
        try:
            saved = await work()
        except Conflict:
            model.error = ""
            model.mode, model.view = "conflict", 0
            edited = edited_entries(draft) if draft is not None else []
            if edited and model.chosen not in edited:
                model.chosen = edited[0]
            if draft is not None:
                self.want_version(draft.base_revision)
        except Refused as refused:
            model.error, model.problems = "", refused.problems
        except StoreError as error:
            model.error = told(error)
        else:
            self._took(model, saved, draft)
        finally:
            self.is_saving = False
        if model is self.model:
            await self._read_again(model)

    def _took(self, model: TeamModel, saved: Saved, draft: Any) -> None:
        version = saved.version
        model.error, model.problems = "", ()
        model.previews.clear()
        model.keep_version(version)
        model.lines[version.revision] = _line_of(version)
        how = "Saved as" if version.restored_from is None else f"Restored {version.restored_from} as"
        dropped = (
            f"; gone with parts that no longer exist: {', '.join(saved.dropped_parts)}"
            if saved.dropped_parts
            else ""
        )
        model.said = f"{how} revision {version.revision}{dropped}."
        model.revision = version.revision
        if draft is None:
            return
        model.last_saved = draft
        if model.chosen is not None:
            model.chosen = edits.after_save(model.chosen, draft)
        if model.draft is draft:
            model.draft = None
            model.mode = "entry" if model.mode in ("conflict", "preview") else model.mode
        elif model.draft is not None:
            model.draft = edits.typed_meanwhile(model.draft, draft, version.revision)
        self.keep()

    async def _read_again(self, model: TeamModel) -> None:
        """Also after a conflict: the review shows what is newest."""
        error, access = model.error, self.access
        if access is not None:
            await self._read_once(access, model)
            model.error = error or model.error
        self._show()

    async def _restarted(self, subject: Subject, uid: int) -> None:
        with suppress(Exception):  # what keeps it from starting stands on the page
            await subject.end_plugin(uid, "restart")
        self._show()

    async def _page(self, first: int) -> None:
        access, model = self.access, self.model
        if access is None:
            return
        try:
            page = await access.history(first + PAGE, PAGE)
        except StoreError as error:
            model.error = told(error)
        else:
            model.lines |= {line.revision: line for line in page}
        self._asked.discard(first)
        self._show()

    async def _version(self, revision: int) -> None:
        access, model = self.access, self.model
        if access is None:
            return
        try:
            model.keep_version(await access.version(revision))
        except StoreError as error:
            model.error = told(error)
        except Refused as refused:
            if model.mode != "conflict":  # a draft of another store says so itself
                model.error = str(refused)
        self._asked.discard(~revision)
        self._show()

    async def _previews(self) -> None:
        access, model = self.access, self.model
        if access is None or model.snapshot is None:
            return
        draft = model.started()
        try:
            accepted = await access.check(draft.over(model.snapshot.config), model.snapshot.revision)
            made = {}
            for role in ROLES:
                before = await access.assembled(role, None)
                after = await access.assembled(role, accepted.config)
                made[role] = await asyncio.to_thread(_compared, role, before, after)
        except Refused as refused:
            model.problems, model.mode = refused.problems, "entry"
        except StoreError as error:
            model.error = told(error)
        except Exception as error:  # of a plugin that takes part in the assembly
            model.error = f"{type(error).__name__}: {error}"
        else:
            if model.draft is None or model.draft is draft:
                model.previews = made
        self._show()

    def _kept(self, error: str, aside: Path | None) -> None:
        if aside is not None:
            self.model.said = f"A draft of another window was put aside: {aside}"
            self._show()
        if error != self.model.draft_error:
            self.model.draft_error = error
            self._show()


def told(error: StoreError) -> str:
    """What went wrong, and what to do about it in this place."""
    return f"{error}: the command “Read the store again” does" if error.code == "STORE_GONE" else str(error)


def _compared(role: Role, before: Assembled, after: Assembled) -> RolePreview:
    """In a thread: counting loads a vocabulary."""
    from workbench.tokens import TokenCounter

    if before.failure or after.failure:
        return RolePreview(role, before, after, None)
    counter = TokenCounter.for_model(after.model)
    return RolePreview(role, before, after, counter.first_difference_now(before.text, after.text))


def _line_of(version: Any) -> VersionLine:
    return VersionLine(**{name: getattr(version, name) for name in VersionLine.__dataclass_fields__})
