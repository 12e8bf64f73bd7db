"""Packages and their revisions. Facts are stored; the state is derived from them.

Source: docs/dynamic-packages.md 2 and 3.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workbench.core.fiber import FiberState
from workbench.core.waitpoints import Waitpoint
from workbench.dynamic.source.host import HostHalf

if TYPE_CHECKING:
    from workbench.dynamic.residue import Residue
    from workbench.dynamic.run import Run
    from workbench.dynamic.sandbox.prints import Prints
    from workbench.dynamic.start import Start
    from workbench.dynamic.trial import Trial, TrialResult

State = Literal[
    "defined",
    "awaiting-approval",
    "starting",
    "delivering",
    "running",
    "waiting",
    "stopping",
    "stopped",
    "failed",
]
Resting = Literal["defined", "stopped", "failed"]
Outcome = Literal["none", "ok", "rejected", "cancelled", "host-half-failed", "client-half-failed"]


class Revision:
    """One immutable pair of sources, with its name and purpose."""

    __slots__ = ("client", "half", "is_probed", "made_at", "name", "number", "purpose")

    def __init__(self, number: int, name: str, purpose: str, half: HostHalf | None, client: str | None) -> None:
        self.number = number
        self.name = name
        self.purpose = purpose
        self.half = half
        self.client = client
        self.made_at = time.time()
        self.is_probed = False
        """Its evaluation has passed the probe."""

    @property
    def code(self) -> str | None:
        return None if self.half is None else self.half.source

    @property
    def warnings(self) -> tuple[str, ...]:
        return () if self.half is None else self.half.warnings

    def digests(self) -> tuple[str | None, str | None]:
        """SHA-256 of both sources."""
        return _digest(self.code), _digest(self.client)


def _digest(source: str | None) -> str | None:
    return None if source is None else hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class UndefinedRecord:
    """What is remembered of a package that was undefined."""

    id: str
    session: str
    name: str
    purpose: str
    revisions: int
    at: float
    """`time.time()`."""


class Failure:
    """Why a run, or a later activation of it, failed."""

    __slots__ = ("message", "reason", "revision", "stage")

    def __init__(self, reason: str, stage: str, message: str, revision: int) -> None:
        self.reason = reason
        self.stage = stage
        self.message = message
        self.revision = revision


class Package:
    """One package of one session."""

    def __init__(self, package_id: str, owner: str) -> None:
        self.id = package_id
        self.owner = owner
        """Id of the session that defined it."""
        self.revisions: list[Revision] = []
        self.run: Run | None = None
        """The live run: from its start until its undo has ended."""
        self.start: Start | None = None
        """The attempt that is in progress, from its request to its outcome."""
        self.resting: Resting = "defined"
        """The state while nothing is live and nothing waits."""
        self.last_outcome: Outcome = "none"
        self.last_error: Failure | None = None
        self.last_good: int | None = None
        """Number of the revision that last ran."""
        self.last_residue: Residue | None = None
        """What the last stop has left."""
        self.prints: Prints | None = None
        """Of the last run."""
        self.is_gone = False
        """It was undefined: no verb knows it any more."""
        self.told: str = ""
        """The state that was last told to others."""
        self.since = time.monotonic()
        """When it came into that state."""
        self.point = Waitpoint(package_id)
        """Whoever waits for a change of a fact."""
        self.last_trial: TrialResult | None = None
        """What the last what-if has shown, until the next run."""
        self.trying: Trial | None = None
        """The what-if of it that runs, or waits for its turn."""

    @property
    def newest(self) -> Revision:
        return self.revisions[-1]

    @property
    def is_trying(self) -> bool:
        return self.trying is not None

    def revision(self, number: int) -> Revision | None:
        return next((each for each in self.revisions if each.number == number), None)

    @property
    def state(self) -> State:
        """Derived from the facts, always."""
        run = self.run
        if run is not None:
            if run.phase == "stopping":
                return "stopping"
            if run.phase in ("starting", "delivering"):
                return run.phase
            return "running" if run.is_active else "waiting"
        if self.start is not None and self.start.is_asking:
            return "awaiting-approval"
        return self.resting

    def dependents(self) -> tuple[str, ...]:
        """Names of the fibers that stand on its services."""
        run = self.run
        if run is None or run.fiber is None or run.fiber.state != FiberState.ACTIVE:
            return ()
        table = run.fiber.runtime.services_table
        entries = list(run.fiber.activation.provided.values())
        return tuple(dict.fromkeys(fiber.name for entry in entries for fiber in table.dependents(entry)))
