"""The place Team: entries by group beside what is known about the chosen one, an editor, and the revisions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widget import Widget

from workbench.tui.places.base import tab_of
from workbench.tui.places.team.acting import Acting
from workbench.tui.places.team.model import TeamModel
from workbench.tui.view import answer as answers
from workbench.tui.view.picker import Item
from workbench.tui.view.team_answer import EMPTY, TeamFacts, failed_team, team_answer, unusable
from workbench.tui.view.team_entries import EntryId
from workbench.tui.view.team_words import local_now
from workbench.tui.viewing.situation import interruption
from workbench.tui.viewing.viewing import Topic, Viewing
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.team_lists import TeamHeading, TeamList, VersionList
from workbench.tui.widgets.team_page import TeamAnswers, TeamPage, TeamTitle


class TeamPlace(Acting):
    """What has the team made of its prompts?"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("team")
    CSS_PATH = Path(__file__).parent / "style.tcss"
    AUTO_FOCUS = "#entries"
    tab = tab_of("Team")
    where = "team"
    shows_scope = False

    def __init__(self, viewing: Viewing) -> None:
        super().__init__(viewing)
        self._target: object = None
        """What somebody came here for before anything was read."""

    def panes(self) -> Iterable[Widget]:
        yield Vertical(TeamHeading(), TeamList(id="entries"), VersionList(id="revisions"), id="left")
        yield Vertical(TeamTitle(), TeamAnswers(), TeamPage(id="page"), id="right")

    def on_mount(self) -> None:
        self.show_front()

    def on_unmount(self) -> None:
        self.leave_editor()
        self.store_work.keeping.close()

    @property
    def is_busy(self) -> bool:
        """Something has not been shown yet."""
        return self.store_work.is_busy

    # what is looked at

    def look_again(self, topic: Topic) -> None:
        if topic in ("subject", "preview", "changed"):
            self._follow()

    def catch_up(self) -> None:
        """Somebody else may have saved."""
        super().catch_up()
        self._follow()

    def _follow(self) -> None:
        subject = self.viewing.subject
        access = subject.team if subject is not None else None
        if access is not self.store_work.access:
            self.leave_editor()
            self.model = TeamModel()
            self.store_work.use(access, self.model)
        if access is not None:
            self.store_work.read()
        self.show_all()

    def came(self) -> None:
        """Something has been read, stored, refused or kept."""
        if not self.is_mounted or not self.children:
            return
        self.settle_after_save()
        self.show_all()
        self.refresh_frame()
        if self._target is not None and self.model.snapshot is not None:
            target, self._target = self._target, None
            self.show_target(target)

    def answer(self, *, short: bool) -> answers.Answer:
        viewing, model, working = self.viewing, self.model, self.store_work
        if viewing.subject is None or (working.access is None and viewing.preview is None):
            return interruption(viewing) or answers.opening(viewing.opening or "…")
        if working.access is None:
            failed = failed_team(viewing.subject.troubles)
            return answers.Answer(EMPTY if failed is None else unusable(failed))
        error = model.error.removeprefix(f"store {working.access.label}: ")
        if model.snapshot is None:
            return answers.opening(working.access.label) if not error else answers.broken(RuntimeError(error))
        facts = TeamFacts(
            model.snapshot,
            model.draft if model.has_draft else None,
            model.lines.get(model.snapshot.revision),
            error,
            is_refused=bool(model.problems),
            is_saving=working.is_saving,
            draft_error=model.draft_error,
            said=model.said,
        )
        return team_answer(facts, local_now(), short=short)

    @property
    def now(self) -> frozenset[str]:
        model = self.model
        listed = model.listed()
        kind = "" if listed is None else listed.id.kind
        is_entry = model.mode == "entry" and model.snapshot is not None
        known = {
            "drafted": model.has_draft and model.mode != "conflict",
            "edited": listed is not None and bool(listed.change),
            "conflict": model.mode == "conflict",
            "updated": is_entry and listed is not None and listed.is_updated,
            "yours": is_entry and listed is not None and listed.state == "yours",
            "versions": model.mode == "versions",
            "roles": model.mode == "preview",
            "entry": is_entry and kind != "mode",
            "texts": model.mode == "conflict" or (is_entry and kind != "mode"),
            "switch": is_entry and kind in ("rule", "mode"),
            "addable": is_entry and kind in ("skill", "rule", "mode"),
            "there": model.snapshot is not None,
            "own": is_entry and kind in ("skill", "rule"),
        }
        return frozenset(fact for fact, is_so in known.items() if is_so)

    # coming from elsewhere

    def jumps(self) -> list[Item]:
        return [
            Item(f"team:{entry.id.kind}:{entry.id.key}", entry.name, entry.state, group=group.title)
            for group in self.model.groups()
            for entry in group.entries
        ]

    def jump(self, item_id: str) -> None:
        _, kind, key = item_id.split(":", 2)
        self.show_target(EntryId(kind, key))  # type: ignore[arg-type]

    def spot(self) -> object:
        return self.model.chosen

    def show_target(self, target: object) -> None:
        """An `EntryId`."""
        if self.model.snapshot is None:
            self._target = target
        elif isinstance(target, EntryId):
            self.leave_editor()
            self.model.mode, self.model.chosen, self.model.view = "entry", target, 0
            self.show_all()
            self.refresh_frame()

    def text_to_save(self) -> tuple[str, str] | None:
        text = self.text_to_copy()
        chosen = self.model.chosen
        return None if text is None or chosen is None else (text, f"{chosen.key.replace('/', '-')}.md")

    # messages of the panes

    @on(TeamList.Chosen)
    def _entry_chosen(self, event: TeamList.Chosen) -> None:
        self.entries.take_move()
        if not self.is_editing and (self.entries.entry is None or self.entries.entry.id != event.entry.id):
            return  # the cursor has gone on since
        if self.is_editing and self._editor is not None and self._editor.entry != event.entry.id:
            self.leave_editor()
        if self.model.chosen != event.entry.id:
            self.model.chosen, self.model.view, self.model.said = event.entry.id, 0, ""
        self.show_page()
        self.refresh_frame()

    @on(VersionList.Chosen)
    def _revision_chosen(self, event: VersionList.Chosen) -> None:
        self.revisions.take_move()
        if self.revisions.chosen != event.revision:
            return  # the cursor has gone on since
        self.model.revision, self.model.said = event.revision, ""
        self.show_page()
        self.refresh_frame()

    @on(VersionList.Wanted)
    def _page_wanted(self, event: VersionList.Wanted) -> None:
        self.store_work.want_page(event.revision)

    @on(TeamList.Opened)
    @on(VersionList.Opened)
    def _to_page(self) -> None:
        self.page.focus()

    @on(TeamPage.Left)
    def _to_list(self) -> None:
        self.focus_list()

    def on_descendant_focus(self) -> None:
        self.show_front()

    def on_resize(self) -> None:
        if self.is_mounted:
            self.call_after_refresh(self.show_all)
        self.refresh_frame()
