"""What Team looks at: the newest version, a draft laid over it, and where the person is."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from workbench.team.builtin import rendered
from workbench.team.drafts import Draft
from workbench.team.parts import Role
from workbench.team.problems import Problem
from workbench.team.snapshot import TeamSnapshot
from workbench.team.validation import Limits
from workbench.team.version import Version, VersionLine
from workbench.tui.view.team_conflict import ConflictView
from workbench.tui.view.team_entries import EntryId, Group, Listed, groups_of
from workbench.tui.view.team_entry import Situation
from workbench.tui.view.team_preview import RolePreview

Mode = Literal["entry", "versions", "conflict", "preview"]
KEPT_VERSIONS = 16
"""Versions whose texts are kept in memory."""


@dataclass
class TeamModel:
    """State without a screen."""

    label: str = ""
    limits: Limits = field(default_factory=Limits)
    snapshot: TeamSnapshot | None = None
    draft: Draft | None = None
    """An empty one stands while an editor is open: it remembers what the person looked at."""
    last_saved: Draft | None = None
    """The draft of which the newest version of this place was made."""
    chosen: EntryId | None = None
    mode: Mode = "entry"
    view: int = 0
    in_columns: bool | None = None
    problems: tuple[Problem, ...] = ()
    error: str = ""
    draft_error: str = ""
    """Why the draft is not on the disk."""
    said: str = ""
    """What was done last, until something else is done."""
    lines: dict[int, VersionLine] = field(default_factory=dict)
    """Lines of the history that were read."""
    versions: OrderedDict[int, Version] = field(default_factory=OrderedDict)
    revision: int = 0
    """The chosen one."""
    marked: int | None = None
    """The revision that others are compared with; None: each with the one before it."""
    role: Role = "orchestrator"
    previews: dict[Role, RolePreview] = field(default_factory=dict)
    """Of the present draft."""

    @property
    def has_draft(self) -> bool:
        """Something is edited."""
        return self.draft is not None and not self.draft.is_empty

    @property
    def is_behind(self) -> bool:
        """Somebody has saved since the draft was begun."""
        return (
            self.has_draft
            and self.draft is not None
            and self.snapshot is not None
            and self.draft.base_revision != self.snapshot.revision
        )

    def started(self) -> Draft:
        """The draft, or a new one on the newest version."""
        assert self.snapshot is not None
        return self.draft if self.draft is not None else Draft(self.snapshot.revision)

    def edit(self, draft: Draft) -> None:
        """Another draft: what was found out about the last one counts no more."""
        self.draft = draft
        self.problems = ()
        self.said = ""
        self.previews.clear()

    def groups(self) -> tuple[Group, ...]:
        """Everything in the list."""
        return () if self.snapshot is None else groups_of(self.snapshot, self.draft)

    def listed(self) -> Listed | None:
        """The chosen entry."""
        entries = (entry for group in self.groups() for entry in group.entries)
        return next((entry for entry in entries if entry.id == self.chosen), None)

    def history(self) -> Sequence[VersionLine]:
        """The newest lines that are known, newest first."""
        newest = 0 if self.snapshot is None else self.snapshot.revision
        found: list[VersionLine] = []
        for revision in range(newest, -1, -1):
            line = self.lines.get(revision)
            if line is None or len(found) == 50:
                break
            found.append(line)
        return found

    def situation(self, now: datetime, width: int) -> Situation:
        """For drawing an entry."""
        assert self.snapshot is not None
        return Situation(
            self.snapshot,
            self.draft if self.has_draft else None,
            self.history(),
            now,
            width,
            self.view,
            self.in_columns,
            self.problems,
            self.error or self.draft_error,
            self.limits.accept_modes,
        )

    def conflict(self) -> ConflictView | None:
        """What a review needs; None without a draft."""
        if self.snapshot is None or self.draft is None:
            return None
        return ConflictView(self.versions.get(self.draft.base_revision), self.snapshot, self.draft)

    def keep_version(self, version: Version) -> None:
        """Texts of one revision; the oldest ones that were looked at go."""
        self.versions[version.revision] = version
        self.versions.move_to_end(version.revision)
        base = self.draft.base_revision if self.draft is not None else -1
        while len(self.versions) > KEPT_VERSIONS:
            oldest = next(each for each in self.versions if each not in (base, version.revision))
            del self.versions[oldest]

    def pair(self) -> tuple[int, int]:
        """The revisions that are compared: before and after."""
        if self.marked is not None and self.marked != self.revision:
            return min(self.marked, self.revision), max(self.marked, self.revision)
        return max(0, self.revision - 1), self.revision

    def bytes_drafted(self) -> int:
        """Of everything that the team would have written after a save."""
        assert self.snapshot is not None
        proposal = self.started().over(self.snapshot.config)
        parts = self.snapshot.builtins.parts
        texts = [*proposal["sections"].values()]
        texts += [text for skill in proposal["skills"] for text in skill.values()]
        texts += [rule[key] for rule in proposal["policy"]["rules"] for key in ("id", "name", "instruction")]
        for key, override in proposal["overrides"].items():
            if key in parts and rendered(override["text"]) != parts[key].text:
                texts.append(override["text"])
        return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
