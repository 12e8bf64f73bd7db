"""Cards: everything that a surface shows of a package, as pure data.

Source: docs/dynamic-packages.md 15 and 16.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from workbench.core import Fiber
from workbench.core.effects import EffectNode
from workbench.dynamic.delivery import PageOutcome, RenderFailure
from workbench.dynamic.inspecting import waterfall_listeners
from workbench.dynamic.package import Outcome, Package, Revision, State
from workbench.dynamic.requests import Request
from workbench.dynamic.residue import Residue
from workbench.dynamic.sandbox.prints import PrintedLine
from workbench.dynamic.service import DynamicPackages
from workbench.dynamic.trial import TrialResult

Control = Literal["allow", "deny", "what-if", "start", "start older", "stop", "undefine", "deliver again"]
HazardKind = Literal["own turn", "short-circuited", "not awaited", "blocked", "still running", "depended on"]
SLOW_START_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class RevisionFacts:
    """One revision, with both sources. Outside text."""

    number: int
    name: str
    purpose: str
    code: str | None
    client: str | None
    warnings: tuple[str, ...]
    made_at: float


@dataclass(frozen=True, slots=True)
class Hazard:
    """Something that a person should know of."""

    kind: HazardKind
    text: str
    seconds: float | None = None
    """How long it lasts already."""
    count: int = 0


@dataclass(frozen=True, slots=True)
class ErrorFacts:
    """The last error."""

    reason: str
    stage: str
    message: str
    revision: int


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """One entry of the approval queue."""

    id: str
    package: str
    session: str
    revision: int
    name: str
    purpose: str
    code: str | None
    client: str | None
    seconds: float
    """Its age."""
    trial: TrialResult | None


@dataclass(frozen=True, slots=True)
class Card:
    """One live definition."""

    id: str
    session: str
    """Who owns it."""
    state: State
    seconds: float
    """How long it has been in that state."""
    revision: RevisionFacts
    """The one that runs, that is being started, or the newest."""
    revisions: tuple[RevisionFacts, ...]
    run: str | None
    started_at: float | None
    """When that run began, as `time.time()` counts."""
    registrations: tuple[EffectNode, ...]
    """What the live run has registered, in order."""
    provides: tuple[str, ...]
    waiting_for: tuple[str, ...]
    dependents: tuple[str, ...]
    """Who stands on its services: they wait again when it is stopped."""
    host_methods: tuple[str, ...]
    waterfalls: tuple[str, ...]
    output: tuple[PrintedLine, ...]
    output_dropped: int
    last_outcome: Outcome
    last_error: ErrorFacts | None
    last_good: int | None
    pages: tuple[PageOutcome, ...]
    not_loaded_on: tuple[str, ...]
    """Open pages that do not hold the browser half of the live run."""
    render_failure: RenderFailure | None
    request: RequestFacts | None
    trial_runs: bool
    """A what-if of it is under way."""
    trial_waits_for: tuple[str, ...]
    """What keeps that what-if from beginning, in words."""
    trial: TrialResult | None
    """What the last what-if has shown, until the next run."""
    residue: Residue | None
    """The proof of the last stop."""
    hazards: tuple[Hazard, ...]
    remarks: tuple[str, ...]
    controls: tuple[Control, ...]


def cards(service: DynamicPackages) -> tuple[Card, ...]:
    """All live definitions, in the order of their ids."""
    return tuple(card_of(service, package) for package in service.packages())


def card_of(service: DynamicPackages, package: Package) -> Card:
    """The card of one package, as it is now."""
    run, start = package.run, package.start
    shown = run.revision if run is not None else start.revision if start is not None else package.newest
    request = start.request if start is not None and start.is_asking else None
    error = package.last_error
    delivery = None if run is None else run.delivery
    held = () if delivery is None else delivery.held_by
    pages = service.pages.all()
    return Card(
        id=package.id,
        session=package.owner,
        state=package.state,
        seconds=time.monotonic() - package.since,
        revision=_revision(shown),
        revisions=tuple(_revision(each) for each in package.revisions),
        run=None if run is None else run.id,
        started_at=None if run is None else run.started_at,
        registrations=() if run is None or run.fiber is None else run.fiber.effects(),
        provides=() if run is None else tuple(run.provides),
        waiting_for=() if run is None else tuple(run.missing),
        dependents=package.dependents(),
        host_methods=() if run is None else tuple(sorted(run.handlers)),
        waterfalls=tuple(waterfall_listeners(package)),
        output=() if package.prints is None else package.prints.lines(),
        output_dropped=0 if package.prints is None else package.prints.dropped,
        last_outcome=package.last_outcome,
        last_error=None if error is None else ErrorFacts(error.reason, error.stage, error.message, error.revision),
        last_good=package.last_good,
        pages=() if delivery is None else delivery.outcomes(),
        not_loaded_on=() if delivery is None else tuple(page.id for page in pages if page.id not in held),
        render_failure=None if delivery is None else delivery.render_failure,
        request=None if request is None else _request(service, request),
        trial_runs=package.is_trying,
        trial_waits_for=() if package.trying is None else package.trying.waits_for,
        trial=package.last_trial,
        residue=package.last_residue,
        hazards=tuple(_hazards(service, package)),
        remarks=tuple(_remarks(package, shown)),
        controls=_controls(package),
    )


def queue(service: DynamicPackages) -> tuple[RequestFacts, ...]:
    """The approval queue of the whole process, oldest first; its length is the badge."""
    return tuple(_request(service, request) for request in service.requests.pending())


def _request(service: DynamicPackages, request: Request) -> RequestFacts:
    package = service.package(request.package_id)
    revision = None if package is None else package.revision(request.revision)
    return RequestFacts(
        request.id,
        request.package_id,
        request.session,
        request.revision,
        request.name,
        request.purpose,
        None if revision is None else revision.code,
        None if revision is None else revision.client,
        time.time() - request.asked_at,
        request.trial,
    )


def _revision(revision: Revision) -> RevisionFacts:
    return RevisionFacts(
        revision.number,
        revision.name,
        revision.purpose,
        revision.code,
        revision.client,
        revision.warnings,
        revision.made_at,
    )


def _hazards(service: DynamicPackages, package: Package) -> list[Hazard]:
    run, found = package.run, []
    if package.trying is not None and package.trying.fiber is not None:
        found += _still_running(service, package.trying.fiber)
    if run is None:
        return found
    seconds = time.monotonic() - package.since
    if package.state == "starting" and seconds >= SLOW_START_SECONDS:
        found.append(Hazard("own turn", "waiting inside the turn that started it", seconds))
    for key, count in run.slips.items():
        event, _, how = key.partition(" ")
        kind: HazardKind = "not awaited" if how == "not awaited" else "short-circuited"
        slip = "called next without awaiting it" if kind == "not awaited" else "did not call next"
        text = f"its listener on {event} {slip}: later listeners and the default did not run"
        found.append(Hazard(kind, text, count=count))
    if run.budget.spent:
        text = f"its code kept the event loop for more than {run.budget.seconds * 1000:.0f} ms"
        found.append(Hazard("blocked", text, count=run.budget.spent))
    if package.state == "stopping":
        found += _still_running(service, run.fiber)
    dependents = package.dependents()
    if dependents:
        found.append(
            Hazard("depended on", f"{', '.join(dependents)} will wait when it is stopped", count=len(dependents))
        )
    return found


def _still_running(service: DynamicPackages, fiber: Fiber | None) -> list[Hazard]:
    waits = [each for each in service.runtime.waiting() if each.fiber is fiber]
    return [Hazard("still running", each.label.removeprefix("running: "), each.seconds) for each in waits]


def trouble_words(service: DynamicPackages, package: Package) -> str:
    """The hazards of a live package in one line, as far as somebody should look at it now; else empty."""
    run = package.run
    if run is None:
        return ""
    if package.state == "stopping":
        return ", ".join(each.text for each in _still_running(service, run.fiber))
    told = [f"{key.partition(' ')[0]} {key.partition(' ')[2]}, {_times(count)}" for key, count in run.slips.items()]
    if run.budget.spent:
        told.append(f"blocked the loop, {_times(run.budget.spent)}")
    return "; ".join(told)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _remarks(package: Package, shown: Revision) -> list[str]:
    told: list[str] = []
    if package.last_outcome in ("rejected", "cancelled"):
        told.append(package.last_outcome)
    if package.newest is not shown:
        told.append(f"r{package.newest.number} is defined, r{shown.number} is shown")
    run = package.run
    if run is not None and run.delivery is not None and run.phase == "settled" and not run.delivery.held_by:
        told.append("no page holds its browser half")
    return told


def _controls(package: Package) -> tuple[Control, ...]:
    state = package.state
    older: tuple[Control, ...] = ("start older",) if len(package.revisions) > 1 else ()
    trial: tuple[Control, ...] = ("what-if",) if package.newest.half is not None and not package.is_trying else ()
    if state == "awaiting-approval":
        asked = package.start.revision if package.start is not None else package.newest
        return ("allow", "deny", "what-if") if asked.half is not None else ("allow", "deny")
    if state in ("starting", "delivering"):
        return ("stop",)
    if state in ("running", "waiting"):
        beside: tuple[Control, ...] = ()
        if package.start is not None and package.start.is_asking:
            beside = ("allow", "deny")
        elif package.run is not None and package.newest is not package.run.revision:
            beside = ("start",)
        again: tuple[Control, ...] = (
            ("deliver again",) if package.run is not None and package.run.delivery is not None else ()
        )
        return (*beside, *older, "stop", "undefine", *again)
    if state == "stopping":
        return ()
    return (*trial, "start", *older, "undefine")
