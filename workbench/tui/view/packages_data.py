"""What the place Packages shows, as pure data. All texts in it are from outside.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from workbench.prompt.views import Owner

State: TypeAlias = Literal[
    "defined",
    "awaiting-approval",
    "starting",
    "delivering",
    "running",
    "waiting",
    "stopping",
    "stopped",
    "failed",
    "unloaded",
    "lost",
    "refused",
]
"""`unloaded` (it was undefined), `lost` and `refused` are records: nothing of them is in this process."""
GroupName: TypeAlias = Literal["Waiting for you", "Running", "Not running", "Records"]
RECORDS: frozenset[State] = frozenset({"unloaded", "lost", "refused"})
MOVING: frozenset[State] = frozenset({"starting", "delivering", "stopping"})
"""Something is under way: its card is another one each second."""
COUNTING: frozenset[State] = MOVING | {"awaiting-approval", "running", "waiting"}
"""States whose seconds are shown."""


@dataclass(frozen=True, slots=True)
class PackageRow:
    """What the list knows of a package: cheap to make for thousands."""

    id: str
    name: str
    state: State
    since: float
    """When it came into that state, as `time.monotonic()` counts."""
    session: str
    revision: int
    """The one that runs or is started, else the newest; `newest` beside it."""
    newest: int
    fact: str = ""
    """What matters now: the error, what it waits for, what is left of it."""
    registrations: int = 0
    has_browser_half: bool = False
    request: str = ""
    """Of a pending request, which may stand beside a run."""
    asked_since: float = 0.0
    is_clean: bool | None = None
    """What the proof of the last stop has said; None: there is none."""
    slips: int = 0
    """How often its code has cut something short or blocked the loop."""
    last_outcome: str = "none"
    record: str = ""
    """Tells records apart, since an id may have been given again; empty for what is in this process."""

    @property
    def key(self) -> str:
        """What it is chosen by."""
        return self.record or self.id

    @property
    def group(self) -> GroupName:
        if self.request:
            return "Waiting for you"
        if self.state in RECORDS:
            return "Records"
        return "Not running" if self.state in ("defined", "stopped", "failed") else "Running"


@dataclass(frozen=True, slots=True)
class RevisionData:
    """One revision with both sources."""

    number: int
    name: str
    purpose: str
    code: str | None
    client: str | None
    warnings: tuple[str, ...] = ()
    made_at: float = 0.0
    """`time.time()`, as all `at` here."""


class Registration(NamedTuple):
    """Something that a run has registered."""

    kind: str
    name: str
    children: int = 0


class PrintData(NamedTuple):
    """A line that a package has printed."""

    at: float
    text: str


class HazardData(NamedTuple):
    """Something that a person should know of."""

    kind: str
    """`own turn`, `short-circuited`, `not awaited`, `blocked`, `still running`, `depended on`."""
    text: str
    seconds: float | None = None
    times: int = 0


class ErrorData(NamedTuple):
    """Why the last run, or a later activation of it, failed."""

    reason: str
    stage: str
    message: str
    revision: int


class LifeData(NamedTuple):
    """Something that was done with a package, as a log tells it."""

    at: float
    """0: the log does not say when."""
    verb: str
    """`run`, `stop`, `undefine`, or `person`."""
    words: str
    is_refused: bool


class PageData(NamedTuple):
    """What one page has answered."""

    page: str
    state: str
    message: str = ""


class ResidueData(NamedTuple):
    """The proof that an undo has left nothing, or what it has left."""

    at: float
    searched: int
    left: tuple[tuple[str, str], ...] = ()
    """Kind and name."""


@dataclass(frozen=True, slots=True)
class PartChange:
    """A part of the next request that is another one with the package."""

    kind: str
    """`section`, `tool`, `context`."""
    name: str
    action: str
    """`added`, `removed`, `changed`, `moved`."""
    owner: Owner | None
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class TrialData:
    """What a what-if has shown. Its code was executed and undone."""

    revision: int
    outcome: str
    """`active`, `waiting`, `did not settle`, `failed`, `cancelled`."""
    message: str
    at: float
    registrations: tuple[Registration, ...] = ()
    provides: tuple[str, ...] = ()
    waiting_for: tuple[str, ...] = ()
    parts: tuple[PartChange, ...] = ()
    is_compared: bool = False
    """Both requests could be made."""
    first_token: int | None = None
    """The first changed token of system text and tools, from 1; None: the prefix is whole."""
    read_anew: int = 0
    """Tokens, once: of system text and tools from there on, and of the conversation behind them."""
    is_exact: bool = False
    residue: ResidueData | None = None


@dataclass(frozen=True, slots=True)
class RequestData:
    """A package that waits for a person's answer."""

    id: str
    package: str
    session: str
    asked_by: str
    since: float
    """Monotonic."""
    revision: RevisionData
    trial: TrialData | None = None
    trial_runs: bool = False
    trial_waits_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PackageCard:
    """Everything that is known of one package."""

    row: PackageRow
    revision: RevisionData
    revisions: tuple[RevisionData, ...] = ()
    run: str = ""
    started_at: float = 0.0
    """When that run began; 0: nothing runs."""
    registrations: tuple[Registration, ...] = ()
    """In the order in which they were made; an undo takes the last one first."""
    provides: tuple[str, ...] = ()
    waiting_for: tuple[str, ...] = ()
    dependents: tuple[str, ...] = ()
    host_methods: tuple[str, ...] = ()
    prints: tuple[PrintData, ...] = ()
    prints_dropped: int = 0
    error: ErrorData | None = None
    last_good: int | None = None
    pages: tuple[PageData, ...] = ()
    not_loaded_on: tuple[str, ...] = ()
    render_failure: str = ""
    trial: TrialData | None = None
    trial_runs: bool = False
    trial_waits_for: tuple[str, ...] = ()
    """What keeps a what-if from beginning. Outside text."""
    residue: ResidueData | None = None
    hazards: tuple[HazardData, ...] = ()
    remarks: tuple[str, ...] = ()
    controls: frozenset[str] = frozenset()
    """`allow`, `deny`, `what-if`, `start`, `start older`, `stop`, `undefine`, `deliver again`."""
    life: tuple[LifeData, ...] = ()
    """Of a record."""
    is_whole: bool = True
    """False: the logged call was cut, and only its first line is known."""

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def state(self) -> State:
        return self.row.state

    @property
    def last_error_matters(self) -> bool:
        """It is about what is shown, not about an attempt long ago."""
        return self.state in ("failed", "defined", "awaiting-approval")

    @property
    def newest(self) -> RevisionData:
        return self.revisions[-1] if self.revisions else self.revision

    def numbered(self, number: int) -> RevisionData | None:
        """That revision; None: there is none."""
        return next((each for each in self.revisions if each.number == number), None)


@dataclass(frozen=True, slots=True)
class InForce:
    """A part of the present prompt that belongs to a package."""

    kind: str
    name: str
    size: str = ""


class BreakData(NamedTuple):
    """A request whose prefix broke at a part of a package."""

    request: str
    """Its name in the place Session, such as `2.1`. Outside text."""
    token: int
    """The first one that was another, from 1."""
    lost: int
    """Cached tokens that could not be reused."""
    is_exact: bool = False


class StopCost(NamedTuple):
    """What a stop would do to the next request."""

    first_token: int | None
    """The first changed one of system text and tools, from 1; None: the prefix stays whole."""
    read_anew: int
    """Tokens, once: of system text and tools from there on, and of the conversation behind them."""
    adds: int
    """Tokens by which the request is longer with the package."""
    is_exact: bool = False
    touches_others: bool = False
    """It has changed parts of others, too: what becomes of those is not known before."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a live package has in the present request."""

    parts: tuple[InForce, ...] = ()
    first: str = ""
    """The first of them: what follows it is read anew when the package is stopped."""
    broke: BreakData | None = None
    """The last break that it has made."""
    cost: StopCost | None = None
    """None: not counted yet, or there is nothing to count."""
    fails: str = ""
    """Why no request can be made, where that is its fault. Outside text."""
