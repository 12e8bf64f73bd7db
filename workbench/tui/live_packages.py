"""The packages of a runner as the screen sees them: one adapter between it and the data of the place Packages.

Looking starts nothing. What a person asks for goes through `workbench.dynamic.people`.

Source: docs/tui.md 11.
"""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, Any

from workbench.tui.packages_subject import NotDone
from workbench.tui.view.packages_data import (
    ErrorData,
    HazardData,
    PackageCard,
    PackageRow,
    PageData,
    PartChange,
    PrintData,
    Registration,
    RequestData,
    ResidueData,
    RevisionData,
    TrialData,
)
from workbench.tui.view.packages_pages import OpenPage, PagesData
from workbench.tui.view.sizes import counted

if TYPE_CHECKING:
    from workbench.core import Runtime
    from workbench.core.effects import EffectNode
    from workbench.dynamic.cards import Card
    from workbench.dynamic.delivery import RenderFailure
    from workbench.dynamic.package import Package, Revision
    from workbench.dynamic.people import People
    from workbench.dynamic.requests import Request
    from workbench.dynamic.residue import Residue
    from workbench.dynamic.service import DynamicPackages
    from workbench.dynamic.trial import TrialResult
    from workbench.tui.packages_records import LiveRecords

KINDS = {"on": "listener", "once": "listener", "provide": "service"}
"""Words of ledgers, as the screen says them."""
KNOWN = frozenset({"section", "context", "variable", "tool", "handler", "timeout", "interval"})


class LivePackages:
    """Those of a runner."""

    is_past = False

    def __init__(self, service: DynamicPackages, records: LiveRecords) -> None:
        self.service = service
        self.records = records
        self._people: People | None = None

    @property
    def people(self) -> People:
        if self._people is None:
            from workbench.dynamic.people import People

            self._people = People(self.service, "tui")
        return self._people

    # looking

    @property
    def waiting_count(self) -> int:
        return len(self.service.requests.pending())

    def rows(self) -> list[PackageRow]:
        asked = {request.package_id: request for request in self.service.requests.pending()}
        rows = [self._row(package, asked.get(package.id)) for package in self.service.packages()]
        return [*rows, *(card.row for card in reversed(self._record_cards()))]

    def card(self, package_id: str) -> PackageCard | None:
        package = self.service.package(package_id)
        if package is None:
            return next((card for card in self._record_cards() if card.row.key == package_id), None)
        from workbench.dynamic.cards import card_of

        request = next((each for each in self.service.requests.pending() if each.package_id == package_id), None)
        return self._card(card_of(self.service, package), self._row(package, request))

    def requests(self) -> list[RequestData]:
        found = []
        for request in self.service.requests.pending():
            package = self.service.package(request.package_id)
            revision = None if package is None else package.revision(request.revision)
            data = (
                RevisionData(request.revision, request.name, request.purpose, None, None)
                if revision is None
                else _revision(revision)
            )
            found.append(
                RequestData(
                    request.id,
                    request.package_id,
                    request.session,
                    request.asked_by,
                    _monotonic(request.asked_at),
                    data,
                    None if request.trial is None else trial_data(request.trial),
                    package is not None and package.is_trying,
                    () if package is None or package.trying is None else package.trying.waits_for,
                )
            )
        return found

    def answered(self, request_id: str) -> str:
        request = self.service.requests.find(request_id)
        if request is None:
            return ""
        if request.answer is None:
            return "" if request.outcome is None else request.outcome
        word = "allowed" if request.answer.allows else "denied"
        return f"{word} by {request.answer.by}"

    def report(self, request_id: str) -> str | None:
        request = self.service.requests.find(request_id)
        if request is None:
            return None
        from workbench.dynamic.report import request_report

        return request_report(request)

    def last_request(self, package_id: str) -> str:
        requests = self.service.requests
        every = [*requests.past(), *requests.pending()]
        return next((each.id for each in reversed(every) if each.package_id == package_id), "")

    def trial(self, package_id: str, revision: int) -> TrialData | None:
        package = self.service.package(package_id)
        last = None if package is None else package.last_trial
        return None if last is None or last.revision != revision else trial_data(last)

    # acting

    def answer(self, request_id: str, *, allows: bool, reason: str = "") -> bool:
        return self.people.allow(request_id) if allows else self.people.deny(request_id, reason)

    async def start(self, package_id: str, revision: int | None = None) -> str:
        value = await _done(self.people.start(package_id, revision))
        waits = value["waiting_for"]
        words = f"{package_id} r{value['revision']} is {value['status']}"
        return f"{words}: it waits for {', '.join(waits)}" if waits else words

    async def stop(self, package_id: str) -> None:
        await _done(self.people.stop(package_id))

    async def undefine(self, package_id: str) -> None:
        await _done(self.people.undefine(package_id))

    async def what_if(self, package_id: str, revision: int) -> TrialData:
        return trial_data(await _done(self.people.what_if(package_id, revision)))

    def deliver_again(self, package_id: str) -> bool:
        return self.people.deliver_again(package_id)

    def pages(self) -> PagesData:
        runtime = self.service.runtime
        page = runtime.root.get("page")
        known = {} if page is None else {each.id: each for each in page.pages}
        opened = tuple(
            OpenPage(each.id, known[each.id].browser, known[each.id].connected_at)
            if each.id in known
            else OpenPage(each.id)
            for each in self.service.pages.all()
        )
        if page is not None:
            return PagesData(page.url, opened)
        return PagesData("", opened, _page_problem(runtime), _has_extra())

    def url_for_browser(self) -> str:
        page = self.service.runtime.root.get("page")
        return "" if page is None else str(page.url_for_browser())

    # from the runner's facts

    def _row(self, package: Package, request: Request | None) -> PackageRow:
        run, start = package.run, package.start
        shown = run.revision if run is not None else start.revision if start is not None else package.newest
        effects = () if run is None or run.fiber is None else run.fiber.effects()
        residue, state = package.last_residue, package.state
        slips = 0 if run is None else sum(run.slips.values()) + run.budget.spent
        return PackageRow(
            package.id,
            shown.name,
            state,
            package.since,
            package.owner,
            shown.number,
            package.newest.number,
            _fact(self.service, package, state),
            len(effects),
            shown.client is not None,
            "" if request is None else request.id,
            0.0 if request is None else _monotonic(request.asked_at),
            None if residue is None else residue.is_clean,
            slips,
            package.last_outcome,
        )

    def _record_cards(self) -> list[PackageCard]:
        live: dict[str, list[str]] = {}
        for package in self.service.packages():
            live.setdefault(package.owner, []).append(package.id)
        return self.records.cards(live, self.service.undefined)

    def _card(self, card: Card, row: PackageRow) -> PackageCard:
        error, failure = card.last_error, card.render_failure
        return PackageCard(
            row=row,
            revision=_revision(card.revision),
            revisions=tuple(_revision(each) for each in card.revisions),
            run=card.run or "",
            started_at=card.started_at or 0.0,
            registrations=tuple(registration(node) for node in card.registrations),
            provides=card.provides,
            waiting_for=card.waiting_for,
            dependents=card.dependents,
            host_methods=card.host_methods,
            prints=tuple(PrintData(line.at, line.text) for line in card.output),
            prints_dropped=card.output_dropped,
            error=None if error is None else ErrorData(error.reason, error.stage, error.message, error.revision),
            last_good=card.last_good,
            pages=tuple(PageData(each.page, str(each.state), _told(each)) for each in card.pages),
            not_loaded_on=card.not_loaded_on,
            render_failure="" if failure is None else _crash(failure),
            trial=None if card.trial is None else trial_data(card.trial),
            trial_runs=card.trial_runs,
            trial_waits_for=card.trial_waits_for,
            residue=_residue(card.residue),
            hazards=tuple(HazardData(each.kind, each.text, each.seconds, each.count) for each in card.hazards),
            remarks=card.remarks,
            controls=frozenset(card.controls),
        )


def registration(node: EffectNode) -> Registration:
    """An entry of a ledger, by kind and name."""
    first, _, rest = node.label.partition(" ")
    kind = KINDS.get(first, first if first in KNOWN else "effect")
    return Registration(kind, rest if kind != "effect" and rest else node.label, len(node.children))


def trial_data(result: TrialResult) -> TrialData:
    """What a what-if has shown."""
    change = result.change
    parts: list[PartChange] = []
    if change is not None:
        parts = [
            PartChange(str(each.kind), each.name, each.action, each.owner, each.before, each.after)
            for each in change.parts
        ]
        parts += [
            PartChange("context", each.name, each.action, None, each.before, each.after) for each in change.contexts
        ]
    return TrialData(
        result.revision,
        result.outcome,
        result.message,
        result.at,
        tuple(registration(node) for node in result.registrations),
        result.provides,
        result.waiting_for,
        tuple(parts),
        change is not None,
        None if change is None else change.first_token,
        0 if change is None else change.read_anew.tokens + result.conversation,
        change is not None and change.read_anew.label == "exact" and not result.conversation,
        _residue(result.residue),
    )


async def _done(work: Any) -> Any:
    from workbench.dynamic.refusals import Refusal

    try:
        return await work
    except Refusal as refusal:
        raise NotDone(refusal.message) from None


def _fact(service: DynamicPackages, package: Package, state: str) -> str:
    run, error = package.run, package.last_error
    if state == "waiting" and run is not None:
        return ", ".join(run.missing)
    if state == "failed" and error is not None:
        stage = f"{error.stage}: " if error.stage else ""
        return f"{stage}{error.message.partition(chr(10))[0]}"
    if state == "delivering":
        return _delivering(service, package)
    if state in ("running", "stopping"):
        from workbench.dynamic.cards import trouble_words

        return trouble_words(service, package)
    residue = package.last_residue
    return residue.words if state == "stopped" and residue is not None else ""


def _delivering(service: DynamicPackages, package: Package) -> str:
    delivery = None if package.run is None else package.run.delivery
    if not service.pages.all() or delivery is None:
        return "no page is open"
    states = [each.state for each in delivery.outcomes()]
    failed = f", {states.count('failed')} failed" if "failed" in states else ""
    return f"{states.count('asked')} of {counted(len(states), 'page')} asked{failed}"


@cache
def _has_extra() -> bool:
    from workbench.dynamic.page_extra import is_installed

    return is_installed()


def _page_problem(runtime: Runtime) -> str:
    """Why the plugin that serves pages does not; empty: there is none, or it is on its way."""
    for fiber in runtime.fibers():
        if fiber.name == "package_page" and fiber.error is not None:
            return str(fiber.error)
    return ""


def _residue(residue: Residue | None) -> ResidueData | None:
    if residue is None:
        return None
    return ResidueData(residue.at, residue.searched, tuple((each.kind, each.name) for each in residue.left))


def _revision(revision: Revision | Any) -> RevisionData:
    return RevisionData(
        revision.number,
        revision.name,
        revision.purpose,
        revision.code,
        revision.client,
        tuple(revision.warnings),
        revision.made_at,
    )


def _crash(failure: RenderFailure) -> str:
    what = f"{failure.slot} on {failure.page}{', which was withdrawn' if failure.withdrawn else ''}"
    return f"{what}: {failure.message}"


def _told(outcome: Any) -> str:
    waits = f"waits for {', '.join(outcome.waiting_for)}" if outcome.waiting_for else ""
    return ": ".join(part for part in (outcome.stage, outcome.message, waits) if part)


def _monotonic(at: float) -> float:
    """A moment of the wall clock, as `time.monotonic()` counts."""
    return time.monotonic() - (time.time() - at)
