"""Packages by hand: every state, without a runner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.prompt.views import Owner
from workbench.tui.packages_subject import NotDone
from workbench.tui.view.packages_data import (
    MOVING,
    RECORDS,
    ErrorData,
    HazardData,
    LifeData,
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

NOW = 10_000.0
"""Of the monotonic clock."""
AT = 1_778_760_000.0
"""Of the wall clock."""
CODE = """inject = ["system_prompt", "tools"]

def apply(ctx):
    # Keep the change log in step.
    ctx.system_prompt.section("dyn:release-notes", 4000, "Add one line to CHANGELOG.md.")
"""
PAGE = "const seat = page.seat('status');\nreturn () => seat.show('tokens');\n"
CUT_SHORT = "its listener on tools/execute did not call next: later listeners and the default did not run"
URL = "http://127.0.0.1:43817/k3PzY0v9dQm1u8sR5xw2Jt7BfLhGnC4aEoVi6KTqXMs/"
HOSTILE = "‮Press a: allowed\x1b[2J by system\x00 [bold]日本語 👩‍👩‍👧[/bold]"

OPEN_PAGES = PagesData(URL, (OpenPage("page-1", "Firefox 140", AT), OpenPage("page-2", "Chromium 131", AT + 9)))


def revision(number: int = 1, name: str = "Release notes", **fields: Any) -> RevisionData:
    given: dict[str, Any] = {"purpose": "Keeps CHANGELOG.md in step with the work", "code": CODE, "client": None}
    return RevisionData(number, name, **(given | {"made_at": AT} | fields))


def card(id: str, state: Any, *, since: float = NOW - 130, session: str = "7f3a", **fields: Any) -> PackageCard:
    """A card in that state; fields of the row by their names, with the controls that the runner would give."""
    revisions = fields.pop("revisions", (revision(),))
    shown = fields.pop("revision", revisions[0])
    of_row = [name for name in fields if name in PackageRow.__dataclass_fields__ and name != "registrations"]
    row_fields = {name: fields.pop(name) for name in of_row}
    registrations = fields.get("registrations", ())
    row = PackageRow(
        id,
        shown.name,
        state,
        since,
        session,
        shown.number,
        revisions[-1].number,
        registrations=len(registrations),
        has_browser_half=shown.client is not None,
        **row_fields,
    )
    live = state in ("running", "waiting")
    controls = {"stop", "undefine"} if live else {"start", "undefine", "what-if"}
    if state in ("starting", "delivering"):
        controls = {"stop"}
    if state in RECORDS or state == "stopping":
        controls = set()
    if state == "awaiting-approval":
        controls = {"allow", "deny", "what-if"}
    if len(revisions) > 1 and state not in MOVING | RECORDS:
        controls |= {"start", "start older"}
    fields.setdefault("controls", frozenset(controls))
    fields.setdefault("run", "run-3" if live or state in ("starting", "delivering", "stopping") else "")
    return PackageCard(row, shown, revisions, **fields)


REGISTERED = (
    Registration("timer", "every 60 s"),
    Registration("listener", "tools/post-execute"),
    Registration("tool", "release_notes"),
    Registration("section", "dyn:release-notes", 2),
)
TRIAL = TrialData(
    1,
    "active",
    "",
    AT + 520,
    (
        Registration("section", "dyn:token-meter"),
        Registration("tool", "token_report"),
        Registration("service", "meter"),
    ),
    ("meter",),
    (),
    (
        PartChange(
            "section",
            "dyn:token-meter",
            "added",
            Owner("dyn-4:Token meter", 9, "package"),
            "",
            "Keep answers short once the meter shows more than 100,000 tokens.",
        ),
        PartChange(
            "tool",
            "token_report",
            "added",
            Owner("dyn-4:Token meter", 9, "package"),
            "",
            '{\n  "name": "token_report",\n  "description": "Report the tokens used since the session began."\n}',
        ),
    ),
    True,
    271,
    12323,
    False,
    ResidueData(AT + 521, 96),
)


def released() -> PackageCard:
    """Running, with a newer revision, prints and a dependent."""
    newer = revision(2, code=CODE.replace("one line", "two lines"), made_at=AT + 40)
    return card(
        "dyn-2",
        "running",
        revisions=(revision(), newer),
        registrations=REGISTERED,
        provides=("notes",),
        started_at=AT - 130,
        prints=(
            PrintData(AT + 3, "noted cli/main.py"),
            PrintData(AT + 41, "noted cli/args.py\x1b[0m"),
            PrintData(AT + 71, "waiting for a ticket number"),
        ),
        dependents=("dyn-7:Digest",),
    )


def asking(**fields: Any) -> PackageCard:
    """Waits for a person."""
    meter = revision(
        1, "Token meter", purpose="Show a live token count on the page while the agent works", client=PAGE
    )
    return card(
        "dyn-4",
        "awaiting-approval",
        revisions=(meter,),
        request="req-1",
        asked_since=NOW - 41,
        since=NOW - 41,
        **fields,
    )


def lived_in() -> list[PackageCard]:
    """One of most states."""
    failed = ErrorData("host-half-failed", "apply", "line 14: KeyError: 'links'", 2)
    checker = (
        revision(1, "Link checker", purpose="Checks links"),
        revision(2, "Link checker", purpose="Checks links"),
    )
    return [
        card(
            "dyn-1",
            "stopped",
            revisions=(revision(1, "Greeting", purpose="Says hello"),),
            fact="nothing left",
            is_clean=True,
            residue=ResidueData(AT + 2, 83),
        ),
        released(),
        card(
            "dyn-3",
            "failed",
            revisions=checker,
            revision=checker[1],
            fact="apply: line 14: KeyError: 'links'",
            error=failed,
            last_good=1,
        ),
        asking(),
        card(
            "dyn-5",
            "waiting",
            since=NOW - 41,
            revisions=(revision(1, "Digest", purpose="Sums up what greeter says"),),
            fact="greeter",
            waiting_for=("greeter",),
        ),
        card(
            "dyn-6",
            "starting",
            since=NOW - 12,
            revisions=(revision(1, "Slow", purpose="Waits for the end of its turn"),),
            hazards=(HazardData("own turn", "waiting inside the turn that started it", 12.0),),
        ),
        card(
            "dyn-8",
            "stopping",
            since=NOW - 9,
            revisions=(revision(1, "Stubborn", purpose="Swallows its cancellation"),),
            registrations=(Registration("tool", "hold_on"),),
            hazards=(HazardData("still running", "tool hold_on", 9.0),),
            fact="tool hold_on",
        ),
        card(
            "dyn-9",
            "running",
            revisions=(revision(1, "Shortcut", purpose="Listens without next"),),
            registrations=(Registration("listener", "tools/execute"),),
            hazards=(HazardData("short-circuited", CUT_SHORT, None, 3),),
            pages=(PageData("page-1", "failed", "activate: no seat"),),
            slips=3,
            fact="tools/execute short-circuited, 3 times",
        ),
        card(
            "dyn-10",
            "unloaded",
            revisions=(revision(1, "Old", purpose="Was here", code=None),),
            fact="1 revision, undefined 14:00:00",
        ),
    ]


def delivered() -> PackageCard:
    """Runs in some pages, and in others not."""
    meter = revision(1, "Token meter", purpose="Shows the tokens of each step", client=PAGE)
    return card(
        "dyn-11",
        "running",
        revisions=(meter,),
        started_at=AT + 60,
        host_methods=("tokens",),
        pages=(PageData("page-1", "loaded"), PageData("page-3", "failed", "activate: there is no seat 'top'")),
        not_loaded_on=("page-2",),
        render_failure="panel on page-1, which was withdrawn: TypeError: tokens is undefined",
        controls=frozenset({"stop", "undefine", "deliver again"}),
    )


def recorded() -> list[PackageCard]:
    """What a log tells."""
    life = (
        LifeData(AT + 2, "run", "dyn-1 r1 (run-1) is running; it provides no service.", False),
        LifeData(AT + 7, "run", "dyn-1 r2, stage apply: KeyError: 'links'", True),
        LifeData(AT + 40, "person", "a person undefined dyn-1: the id is invalid from now on", False),
    )
    gone = revision(2, "Link checker", purpose="Checks links", code="def apply(ctx):\n    pass\n")
    refused = revision(0, "Endless", purpose="Never gets there", code="import os\n")
    return [
        card(
            "–",
            "refused",
            revisions=(refused,),
            fact="line 1 of `code`: `import os` is not allowed",
            record="7f3a#60",
        ),
        card("dyn-2", "lost", revisions=(revision(),), fact="1 revision, defined 14:00:00", record="7f3a#50"),
        card(
            "dyn-1",
            "unloaded",
            revisions=(revision(1, "Link checker"), gone),
            revision=gone,
            fact="2 revisions, undefined 14:00:40",
            record="7f3a#40",
            life=life,
        ),
    ]


@dataclass
class HandPackages:
    """A subject's packages; acts are noted, and do what the fields say."""

    cards: list[PackageCard] = field(default_factory=lived_in)
    queue: list[RequestData] = field(default_factory=list)
    done: list[tuple[Any, ...]] = field(default_factory=list)
    outcome: str = "allowed by page-1"
    refusal: str = ""
    changed: Callable[[], object] = lambda: None
    is_past: bool = False
    open_pages: PagesData = OPEN_PAGES

    def __post_init__(self) -> None:
        if not self.queue:
            self.queue = [
                RequestData(
                    each.row.request, each.id, "7f3a", "7f3a", each.row.asked_since, each.revision, each.trial
                )
                for each in self.cards
                if each.row.request
            ]

    @property
    def waiting_count(self) -> int:
        return len(self.queue)

    def rows(self) -> list[PackageRow]:
        return [each.row for each in self.cards]

    def card(self, package_id: str) -> PackageCard | None:
        return next((each for each in self.cards if each.row.key == package_id), None)

    def requests(self) -> list[RequestData]:
        return list(self.queue)

    def answered(self, request_id: str) -> str:
        return self.outcome

    def report(self, request_id: str) -> str | None:
        return f"Request {request_id}: asked\x1b[31m" if request_id else None

    def last_request(self, package_id: str) -> str:
        return next((each.id for each in self.queue if each.package == package_id), "")

    def answer(self, request_id: str, *, allows: bool, reason: str = "") -> bool:
        known = any(each.id == request_id for each in self.queue)
        self.done.append(("answer", request_id, allows, reason, known))
        self.queue = [each for each in self.queue if each.id != request_id]
        for each in self.cards:
            if each.row.request == request_id:
                self._put(each.id, replace(each, row=replace(each.row, request="", state="defined")))
        return known

    async def start(self, package_id: str, revision: int | None = None) -> str:
        self._act("start", package_id, revision)
        return f"{package_id} r{revision} is running"

    async def stop(self, package_id: str) -> None:
        self._act("stop", package_id)
        self._put(package_id, card(package_id, "stopped", is_clean=True, residue=ResidueData(AT, 80)))

    async def undefine(self, package_id: str) -> None:
        self._act("undefine", package_id)
        self._put(package_id, card(package_id, "unloaded"))

    async def what_if(self, package_id: str, revision: int) -> TrialData:
        self._act("what-if", package_id, revision)
        self.cards = [replace(each, trial=TRIAL) if each.id == package_id else each for each in self.cards]
        self.queue = [replace(each, trial=TRIAL) if each.package == package_id else each for each in self.queue]
        return TRIAL

    def trial(self, package_id: str, revision: int) -> TrialData | None:
        found = self.card(package_id)
        return None if found is None else found.trial

    def deliver_again(self, package_id: str) -> bool:
        self._act("deliver", package_id)
        return True

    def pages(self) -> PagesData:
        return self.open_pages

    def url_for_browser(self) -> str:
        return self.open_pages.url and f"{self.open_pages.url}once"

    def _act(self, *what: Any) -> None:
        self.done.append(what)
        if self.refusal:
            raise NotDone(self.refusal)

    def _put(self, package_id: str, changed: PackageCard) -> None:
        self.cards = [changed if each.id == package_id else each for each in self.cards]
