"""Delivering a browser half: which pages were asked, and what they answered.

One map of pages and outcomes, and one function that judges it after each change.

Source: docs/dynamic-packages.md 7.1 and 7.2.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

log = logging.getLogger("workbench.dynamic")

PageState = Literal["asked", "loaded", "waiting", "failed"]
Judgement = Literal["open", "confirmed", "failed"]


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a page is told: it fetches the source for exactly that run. Never code."""

    id: str
    revision: int
    run: str
    name: str
    purpose: str


class Page(Protocol):
    """One open web page, as the runner sees it. Nothing that it raises reaches the runner."""

    @property
    def id(self) -> str: ...
    def request_made(self, notice: object) -> None:
        """A `RequestNotice`: a person may allow or deny it here."""

    def request_resolved(self, request: str, outcome: str) -> None: ...
    def announce(self, announcement: Announcement) -> None:
        """Fetch the source of this run, load it, and acknowledge."""

    def retract(self, package_id: str, run: str) -> None:
        """Unload that run; a page that holds a newer one ignores it."""


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """What one page has answered."""

    page: str
    state: PageState
    stage: str = ""
    """Of a failure: `fetch`, `evaluate` or `activate`."""
    message: str = ""
    waiting_for: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        told: dict[str, object] = {"page": self.page, "state": self.state}
        if self.stage:
            told["stage"] = self.stage
        if self.message:
            told["message"] = self.message
        return told


@dataclass(frozen=True, slots=True)
class RenderFailure:
    """A component crashed after loading. It never changes the outcome of the run."""

    page: str
    slot: str
    message: str
    withdrawn: bool


class Delivery:
    """The delivery of one run."""

    def __init__(self, announcement: Announcement, changed: Callable[[], None]) -> None:
        self.announcement = announcement
        self.render_failure: RenderFailure | None = None
        self._changed = changed
        self._pages: dict[str, Page] = {}
        """Those that were asked, and are open."""
        self._outcomes: dict[str, PageOutcome] = {}
        self._failures: dict[str, PageOutcome] = {}
        """Failures of pages, also of those that have closed since."""

    def ask(self, *pages: Page) -> None:
        """Announce to pages, unless they hold the run already."""
        asked: list[Page] = []
        for page in pages:
            held = self._outcomes.get(page.id)
            self._pages[page.id] = page
            if held is None or held.state == "failed":
                self._outcomes[page.id] = PageOutcome(page.id, "asked")
                asked.append(page)
        for page in asked:
            quietly(lambda page=page: page.announce(self.announcement))  # type: ignore[misc]
        if asked:
            self._changed()

    def answered(self, outcome: PageOutcome) -> bool:
        """Record what a page says; False for one that was not asked."""
        if outcome.page not in self._pages:
            return False
        self._outcomes[outcome.page] = outcome
        if outcome.state == "failed":
            self._failures[outcome.page] = outcome
        else:
            self._failures.pop(outcome.page, None)
        self._changed()
        return True

    def closed(self, page_id: str) -> None:
        """A page has gone. It is no failure; one that it had reported before stays on record."""
        if self._pages.pop(page_id, None) is not None:
            self._outcomes.pop(page_id, None)
            self._changed()

    def is_asked(self, page_id: str) -> bool:
        return page_id in self._pages

    def outcomes(self) -> tuple[PageOutcome, ...]:
        gone = [each for page, each in self._failures.items() if page not in self._pages]
        return (*self._outcomes.values(), *gone)

    def failures(self) -> tuple[PageOutcome, ...]:
        return tuple(self._failures.values())

    @property
    def judgement(self) -> Judgement:
        states = [outcome.state for outcome in self._outcomes.values()]
        if "loaded" in states or "waiting" in states:
            return "confirmed"
        return "failed" if self._failures and "asked" not in states else "open"

    @property
    def status(self) -> Literal["loaded", "waiting", "delivering"]:
        states = {outcome.state for outcome in self._outcomes.values()}
        return "loaded" if "loaded" in states else "waiting" if "waiting" in states else "delivering"

    @property
    def only_waits(self) -> bool:
        """Every page that holds it waits for services."""
        return self.status == "waiting"

    @property
    def waiting_for(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for each in self._outcomes.values() for name in each.waiting_for))

    @property
    def held_by(self) -> tuple[str, ...]:
        return tuple(page for page, each in self._outcomes.items() if each.state in ("loaded", "waiting"))

    def retract(self) -> None:
        """Only from those to which it was announced; nobody waits for them."""
        announcement = self.announcement
        for page in list(self._pages.values()):
            quietly(lambda page=page: page.retract(announcement.id, announcement.run))  # type: ignore[misc]
        self._pages.clear()
        self._outcomes = {
            page: replace(each, state="asked") for page, each in self._outcomes.items() if each.state == "asked"
        }


def quietly(say: Callable[[], None]) -> None:
    """Say something to a page: what it raises is logged."""
    try:
        say()
    except Exception:
        log.exception("a page raised")
