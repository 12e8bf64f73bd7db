"""The pages that are open, and everything that a page can ask for.

Sessions do not matter here: pages act for people. Source: docs/dynamic-packages.md 7.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Literal

from workbench.core.calls import CURRENT, Call
from workbench.dynamic.delivery import Page, PageOutcome, PageState, RenderFailure, quietly
from workbench.dynamic.events import RequestNotice
from workbench.dynamic.host.errors import told
from workbench.dynamic.lossless import NotLossless, lossless_copy
from workbench.dynamic.run import Run

if TYPE_CHECKING:
    from workbench.dynamic.service import DynamicPackages

CallFailure = Literal["not-running", "stale-run", "method-not-found", "handler-error"]


class PageCallError(Exception):
    """A call from a page to the host half has failed; `kind` says how."""

    def __init__(self, kind: CallFailure, message: str) -> None:
        super().__init__(message)
        self.kind: CallFailure = kind


class FetchRefused(Exception):
    """The source is not given: the run is not live, has no browser half, or is another one."""


@dataclass(frozen=True, slots=True)
class LivePackage:
    """One live package with a browser half, as a page that opens is told."""

    id: str
    name: str
    purpose: str
    revision: int
    run: str
    state: str
    loaded_here: bool


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a page gets when it opens: metadata alone. Nothing starts by itself."""

    packages: tuple[LivePackage, ...]
    requests: tuple[RequestNotice, ...]


class Pages:
    """The page registry: `ctx.dynamic.pages`."""

    def __init__(self, service: DynamicPackages) -> None:
        self._service = service
        self._open: dict[str, Page] = {}

    def all(self) -> tuple[Page, ...]:
        return tuple(self._open.values())

    def open(self, page: Page) -> Greeting:
        """A page has connected. While a run is delivering, the page is asked, too."""
        self._open[page.id] = page
        for run in self._runs():
            if run.phase == "delivering" and run.delivery is not None:
                run.delivery.ask(page)
        requests = tuple(request.notice for request in self._service.requests.pending())
        return Greeting(self.live(page.id), requests)

    def close(self, page_id: str) -> None:
        """A page has gone. It is no failure, and stops nothing."""
        if self._open.pop(page_id, None) is not None:
            for run in self._runs():
                if run.delivery is not None:
                    run.delivery.closed(page_id)

    def live(self, page_id: str) -> tuple[LivePackage, ...]:
        """The live packages with a browser half, as seen from one page."""
        return tuple(replace(each, loaded_here=page_id in held_by) for each, held_by in self.holders())

    def holders(self) -> list[tuple[LivePackage, frozenset[str]]]:
        """The live packages with a browser half, as seen from nowhere, and the pages that hold each."""
        return [
            (
                LivePackage(
                    run.package.id,
                    run.revision.name,
                    run.revision.purpose,
                    run.revision.number,
                    run.id,
                    run.package.state,
                    False,
                ),
                frozenset(run.delivery.held_by),
            )
            for run in self._runs()
            if run.delivery is not None
        ]

    # -- what a page asks for ----------------------------------------------------------------------------

    def fetch(self, page_id: str, package_id: str, run_id: str) -> str:
        """The source for exactly that run. Raises `FetchRefused`."""
        run = self._run(package_id)
        if run is None or run.id != run_id or run.delivery is None or run.revision.client is None:
            raise FetchRefused(f"run {run_id} of {package_id} is not live, or has no browser half")
        if not run.delivery.is_asked(page_id):
            raise FetchRefused(f"page {page_id} was not asked to load run {run_id}")
        return run.revision.client

    def acknowledge(
        self,
        page_id: str,
        package_id: str,
        run_id: str,
        state: Literal["loaded", "waiting", "failed"],
        *,
        stage: str = "",
        message: str = "",
        waiting_for: Iterable[str] = (),
    ) -> bool:
        """What became of a delivery at a page. False for one that is stale."""
        run = self._run(package_id)
        if run is None or run.id != run_id or run.delivery is None:
            return False
        known: PageState = state
        return run.delivery.answered(PageOutcome(page_id, known, stage, message, tuple(waiting_for)))

    def load_here(self, page_id: str, package_id: str) -> bool:
        """Announce a live package to this one page, without a request."""
        run, page = self._run(package_id), self._open.get(page_id)
        if run is None or page is None or run.delivery is None:
            return False
        run.delivery.ask(page)
        return True

    def deliver_again(self, package_id: str) -> bool:
        """Announce a live package to every page that does not hold it. The host half stays, whatever happens."""
        run = self._run(package_id)
        if run is None or run.delivery is None:
            return False
        run.delivery.ask(*self.all())
        return True

    def answer(self, page_id: str, request_id: str, allows: bool, reason: str = "") -> bool:
        """Allow or deny at a page. False for an answer that comes too late."""
        return self._service.requests.answer(request_id, allows, reason, page_id)

    def render_failed(
        self, page_id: str, package_id: str, run_id: str, slot: str, message: str, *, withdrawn: bool = True
    ) -> bool:
        """A component has crashed. It is shown, and changes no outcome. False where the page holds no such run."""
        run = self._run(package_id)
        if run is None or run.id != run_id or run.delivery is None or not run.delivery.is_asked(page_id):
            return False
        run.delivery.render_failure = RenderFailure(page_id, slot, message, withdrawn)
        self._service.changed(run.package)
        return True

    async def call(self, page_id: str, package_id: str, run_id: str, method: str, args: Any = None) -> Any:
        """`host.call` of a browser half. Raises `PageCallError`."""
        run = self._run(package_id)
        if run is None or not run.host_is_active or page_id not in self._open:
            raise PageCallError("not-running", f"the host half of {package_id} is not running")
        if run.id != run_id:
            raise PageCallError("stale-run", f"{run_id} is over; {package_id} runs as {run.id}")
        handler = run.handlers.get(method)
        if handler is None or run.fiber is None:
            known = ", ".join(run.handlers) or "(none)"
            raise PageCallError("method-not-found", f"{package_id} has no handler {method!r}; there are: {known}")
        try:
            given = lossless_copy(args, "args")
        except NotLossless as error:
            raise PageCallError("handler-error", f"the arguments are not lossless JSON: {error}") from None
        ledger = run.fiber.activation

        async def entered() -> Any:
            value = handler(given)
            return await value if isawaitable(value) else value

        task = self._service.runtime.tasks.own(
            Call(ledger, "listener", f"handler {method}", CURRENT.get()), entered()
        )
        try:
            return lossless_copy(await task)
        except asyncio.CancelledError:
            this_task = asyncio.current_task()
            if this_task is not None and this_task.cancelling():
                raise
            raise PageCallError("not-running", f"{package_id} was stopped while {method!r} ran") from None
        except NotLossless as error:
            raise PageCallError(
                "handler-error", f"the result of {method!r} is not lossless JSON: {error}"
            ) from None
        except Exception as error:
            raise PageCallError("handler-error", told(error, run.file)) from error

    # -- what the runner tells ---------------------------------------------------------------------------

    def tell_request(self, notice: RequestNotice) -> None:
        for page in self.all():
            quietly(lambda page=page: page.request_made(notice))  # type: ignore[misc]

    def tell_resolved(self, request_id: str, outcome: str) -> None:
        for page in self.all():
            quietly(lambda page=page: page.request_resolved(request_id, outcome))  # type: ignore[misc]

    def _runs(self) -> list[Run]:
        return [package.run for package in self._service.packages() if package.run is not None]

    def _run(self, package_id: str) -> Run | None:
        package = self._service.package(package_id)
        run = None if package is None else package.run
        return None if run is None or run.phase in ("stopping", "ended") else run
