"""What a workbench looks at: a composition that was opened, or the runtime of the program it is part of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from workbench.prompt.views import Preview
from workbench.tui.view.answer import Waits
from workbench.tui.view.edits import Waiting
from workbench.tui.view.entries import PluginTrouble
from workbench.tui.view.sizes import Sizes

if TYPE_CHECKING:
    from workbench.check.finding import Finding
    from workbench.config.registry.facts import LedgerEntry, Outcome, Registry
    from workbench.team import TeamConfig, TeamSnapshot, Version, VersionLine
    from workbench.team.parts import Role
    from workbench.team.validation import Accepted, Limits
    from workbench.team.version import RestoredFrom, Saved
    from workbench.tui.packages_subject import PackagesAccess
    from workbench.tui.session_feed import SessionFeed
    from workbench.tui.view.team_preview import Assembled


@dataclass(frozen=True, slots=True)
class ScopeChoice:
    """A scope whose prompt can be shown."""

    label: str
    note: str = ""
    """Such as the model of its agent, or the scope around it."""
    has_agent: bool = False


class Edits(Protocol):
    """Edits of the files of a subject, and whether they wait for the person."""

    @property
    def are_held(self) -> bool:
        """An edit waits instead of coming into force at once."""
        ...

    def hold(self, are_held: bool) -> None:
        """Says whether the next edits wait."""
        ...

    @property
    def pending(self) -> object | None:
        """The edit that waits: another object for another edit."""
        ...

    async def pending_change(self, scope: str) -> Waiting:
        """What it would change first in the prompt of that scope."""
        ...

    async def apply(self) -> None:
        """Puts the edit that waits in force."""
        ...

    def discard(self) -> None:
        """Lets it be."""
        ...


class TeamAccess(Protocol):
    """The prompts of a team. Nothing of its store happens on the loop; each function may raise `StoreError`."""

    @property
    def label(self) -> str:
        """How the store is called: drafts are kept by it."""
        ...

    @property
    def limits(self) -> Limits:
        """What the deployment allows."""
        ...

    async def snapshot(self) -> TeamSnapshot:
        """The newest version beside the defaults; the same object while nothing has changed."""
        ...

    async def reopen(self) -> None:
        """Opens the store anew: after it was gone, moved or mended."""
        ...

    async def history(self, before: int | None, limit: int) -> Sequence[VersionLine]:
        """A page of the history, newest first: revisions below `before`."""
        ...

    async def version(self, revision: int) -> Version:
        """One version with its texts. Raises `Refused`."""
        ...

    async def check(self, proposal: object, base_revision: int) -> Accepted:
        """What a save would store. Raises as `save` does."""
        ...

    async def save(self, proposal: object, base_revision: int) -> Saved:
        """Stores the next version. Raises `Conflict`, `Refused`."""
        ...

    async def restore(self, revision: RestoredFrom, base_revision: int) -> Saved:
        """Stores an earlier version as the next one. Raises as `save` does."""
        ...

    async def assembled(self, role: Role, config: TeamConfig | None) -> Assembled:
        """What an agent of that role reads; with a configuration, what it would read of that one."""
        ...


class Subject(Protocol):
    """The screen reads this, and is told when to read it again. It holds no truth of its own."""

    @property
    def name(self) -> str:
        """As the person named it; shown at the left end of the first line."""
        ...

    @property
    def is_watched(self) -> bool:
        """Changes of its files are followed."""
        ...

    @property
    def scopes(self) -> Sequence[ScopeChoice]:
        """At least one; the first is the global one."""
        ...

    @property
    def problems(self) -> Sequence[object]:
        """Why its files cannot be used as they stand now; `str()` of one names file, place and remedy."""
        ...

    @property
    def is_loaded(self) -> bool:
        """There is a good state to show; False while a file that was broken from the start is broken."""
        ...

    @property
    def is_changing(self) -> bool:
        """What is registered is not whole for this moment; `changed` is called when it is again."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What was passed over in its files."""
        ...

    @property
    def troubles(self) -> Sequence[PluginTrouble]:
        """Plugins that do not run as they should."""
        ...

    def waiting(self) -> Sequence[Waits]:
        """Calls of plugins that have not come back."""
        ...

    async def preview(self, scope: str) -> Preview:
        """One assembly for the scope with that label."""
        ...

    @property
    def edits(self) -> Edits | None:
        """None: it has no files."""
        ...

    async def findings(self) -> Sequence[Finding] | None:
        """Everything that a check finds wrong with it; None: it cannot be checked."""
        ...

    async def reload(self) -> None:
        """Reads its files again, where it has some."""
        ...

    async def sizes(self, preview: Preview) -> Sizes:
        """Of one of its previews, counted away from the loop; characters where nothing can be counted."""
        ...

    def registry(self) -> Registry:
        """Everything that is registered now, and every plugin."""
        ...

    def ledger(self, uid: int) -> tuple[LedgerEntry, ...]:
        """What the plugin with that uid has done and how it is undone; () when it is gone."""
        ...

    async def end_plugin(self, uid: int, action: Literal["stop", "restart"]) -> Outcome:
        """Stops or restarts a plugin, and says what is left of it. Raises `LookupError`."""
        ...

    async def start_plugin(self, uid: int) -> Outcome:
        """Loads a plugin again that was stopped so; the outcome has its new uid. Raises `LookupError`."""
        ...

    @property
    def team(self) -> TeamAccess | None:
        """None: it has no team prompts; the same object while they are there."""
        ...

    @property
    def packages(self) -> PackagesAccess | None:
        """None: dynamic packages are off in it; the same object while they are on."""
        ...

    @property
    def is_past(self) -> bool:
        """It was recorded: what it shows has happened already."""
        ...

    @property
    def lacks(self) -> Mapping[str, str]:
        """Places that cannot answer their question about it, and why, in a sentence of ours."""
        ...

    @property
    def sessions(self) -> SessionFeed | None:
        """What happened in it, step by step; None: no agent of it can run."""
        ...

    def is_quick(self, preview: Preview) -> bool:
        """Nothing has to be loaded any more before its sizes can be counted."""
        ...

    def subscribe(self, changed: Callable[[str], object]) -> Callable[[], object]:
        """Calls `changed(topic)` after each change, on the loop; returns how to stop that."""
        ...


def first_scope(scopes: Sequence[ScopeChoice]) -> str:
    """The scope to begin with: that of the first agent, since variables have values there."""
    with_agent = next((scope for scope in scopes if scope.has_agent), None)
    return (with_agent or scopes[0]).label if scopes else ""
