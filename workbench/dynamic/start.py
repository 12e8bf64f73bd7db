"""Starting a package: one attempt, from its request to its outcome.

It is a task of the runtime that gives a value or a refusal, and is never cancelled: whoever wants its end asks
for it, the first reason counts, and everybody waits.

Source: docs/dynamic-packages.md 6.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from workbench.core.calls import Running
from workbench.dynamic.delivery import Announcement, Delivery
from workbench.dynamic.package import Failure, Package, Resting, Revision
from workbench.dynamic.refusals import Refusal
from workbench.dynamic.requests import Answer, Request, ResolvedAs
from workbench.dynamic.run import Run

if TYPE_CHECKING:
    from workbench.dynamic.service import DynamicPackages

log = logging.getLogger("workbench.dynamic")


class _Ended(Exception):
    """Somebody asked for the end."""


class Start:
    """One attempt."""

    def __init__(
        self,
        service: DynamicPackages,
        package: Package,
        revision: Revision,
        spared: set[Running],
    ) -> None:
        self.service = service
        self.package = package
        self.revision = revision
        self.request: Request | None = None
        self.run: Run | None = None
        self.outcome: dict[str, Any] | Refusal | None = None
        """None until everything has been done, or undone."""
        self.end_reason = ""
        self.spared = spared
        self._resting_before: Resting = package.resting
        self._replaced: Run | None = None

    @property
    def is_asking(self) -> bool:
        return self.request is not None and self.request.is_pending

    # -- in the step of whoever asks -----------------------------------------------------------------------

    def begin(self, request: Request | None) -> None:
        """Ask, or go on at once without a request."""
        package = self.package
        package.start = self
        self.request = request
        if request is None:
            self._allowed()
        else:
            self.service.requests.add(request, self._answered)
            self.service.changed(package)
        self._spawn()

    def _spawn(self) -> None:
        task = self.service.runtime.tasks.spawn(self._drive(), f"start of {self.package.id}")
        task.add_done_callback(self._driven)

    def _driven(self, task: asyncio.Task[None]) -> None:
        """Cancelled before its first step, by a loop that is closed around the runtime: the end is left to do."""
        if task.cancelled() and self.outcome is None:
            self.end_reason = self.end_reason or "the event loop is being closed"
            self._spawn()

    def _answered(self, answer: Answer) -> None:
        if answer.allows:
            self._allowed()
        self.package.point.notify()

    def _allowed(self) -> None:
        """The run exists from this step on, or the one that it replaces is being stopped."""
        package = self.package
        if package.run is not None:
            self._replaced = package.run
            package.run.begin_undo(self.spared, "stopped")
        else:
            self._make_run()

    def _make_run(self) -> None:
        service, package = self.service, self.package
        service.counters.runs += 1
        run = self.run = Run(service, package, self.revision, f"run-{service.counters.runs}")
        package.run = run
        package.prints = run.prints
        package.last_error = None
        package.last_residue = None
        package.last_trial = None
        service.changed(package)

    def ask_end(self, reason: str, spared: set[Running]) -> None:
        """Ask for the end, once; after the outcome nothing happens."""
        self.spared |= spared
        if self.outcome is not None:
            return
        if not self.end_reason:
            self.end_reason = reason
        if self.run is not None and self.run.phase != "settled":
            self.run.begin_undo(self.spared, self._resting_if_ended)
        elif self._replaced is not None:
            self._replaced.begin_undo(self.spared, "stopped")
        self.package.point.notify()

    @property
    def _resting_if_ended(self) -> Resting:
        """What the state was before; but *stopped* if another run was replaced."""
        return "stopped" if self._replaced is not None else self._resting_before

    # -- the task ------------------------------------------------------------------------------------------

    async def _drive(self) -> None:
        package = self.package
        resolved: ResolvedAs = "approved"
        outcome: dict[str, Any] | Refusal
        try:
            outcome = await self._steps()
            package.last_outcome = "ok"
            package.last_good = self.revision.number
        except (_Ended, asyncio.CancelledError):
            # Only a loop that is closed around the runtime cancels this task: then, too, who waits gets an answer.
            await self._undone(self._resting_if_ended)
            outcome, resolved = self._cancelled(), "cancelled"
            package.last_outcome = "cancelled"
        except Refusal as refusal:
            outcome = refusal
            if refusal.reason == "rejected":
                resolved = "rejected"
                package.last_outcome = "rejected"
            else:
                resolved = "failed"
                await self._undone("failed")
                package.last_outcome = (
                    "client-half-failed" if refusal.reason == "client-half-failed" else "host-half-failed"
                )
                outcome = self._with_way_back(refusal)
        except Exception as error:
            log.exception("the start of %s failed in the runner itself", package.id)
            await self._undone("failed")
            outcome, resolved = Refusal("host-half-failed", f"the runner itself failed: {error!r}"), "failed"
            package.last_outcome = "host-half-failed"
        package.start = None
        self.outcome = outcome
        if self.request is not None:
            self.service.requests.resolve(self.request, resolved)
        self.service.changed(package)

    async def _steps(self) -> dict[str, Any]:
        package = self.package
        request = self.request
        if request is not None:
            await package.point.until(lambda: bool(self.end_reason) or not request.is_pending)
            answer = request.answer
            if answer is None:
                raise _Ended
            if not answer.allows:
                why = f": {answer.reason}" if answer.reason else ""
                raise Refusal(
                    "rejected",
                    f"a person declined to run {package.id} r{self.revision.number}{why}; nothing was evaluated; "
                    "do not ask again unless you are asked to",
                )
        replaced = self._replaced
        if replaced is not None:
            await package.point.until(lambda: package.run is not replaced)
            self._check_end()
            self._make_run()
        self._check_end()
        run = self.run
        assert run is not None
        await run.load()
        self._check_end()
        if self.revision.client is not None:
            await self._deliver(run)
        run.phase = "settled"
        return self.service.run_value(package, run, started=True)

    def _check_end(self) -> None:
        if self.end_reason:
            raise _Ended
        if self.run is not None and self.run.phase in ("stopping", "ended"):
            raise _Ended

    async def _deliver(self, run: Run) -> None:
        package, service, revision = self.package, self.service, self.revision
        announcement = Announcement(package.id, revision.number, run.id, revision.name, revision.purpose)
        delivery = run.delivery = Delivery(announcement, lambda: service.changed(package))
        run.phase = "delivering"
        service.changed(package)
        delivery.ask(*service.pages.all())
        # What was up before may go down while pages load: that ends the run, too.
        await package.point.until(
            lambda: (
                bool(self.end_reason)
                or run.phase != "delivering"
                or run.load_error is not None
                or delivery.judgement != "open"
            )
        )
        run.raise_load_error()
        self._check_end()
        if delivery.judgement == "failed":
            told = "; ".join(
                f"page {each.page}, stage {each.stage or 'evaluate'}: {each.message}"
                for each in delivery.failures()
            )
            package.last_error = Failure(
                "client-half-failed", delivery.failures()[0].stage, told, self.revision.number
            )
            raise Refusal("client-half-failed", f"no page could load {package.id} r{revision.number}: {told}")

    async def _undone(self, resting: Resting) -> None:
        """Wait until nothing of this attempt is left, and of what it has replaced."""
        package = self.package
        run = self.run
        if run is not None:
            run.begin_undo(self.spared, resting)
            await package.point.until(lambda: run.phase == "ended")
            package.resting = resting
        replaced = self._replaced
        if replaced is not None:
            await package.point.until(lambda: replaced.phase == "ended")

    def _cancelled(self) -> Refusal:
        reason = self.end_reason or "it was stopped"
        return Refusal(
            "cancelled",
            f"the run of {self.package.id} was cancelled: {reason}; nothing of it is left running",
        )

    def _with_way_back(self, refusal: Refusal) -> Refusal:
        good = self.package.last_good
        if self._replaced is None or good is None or good == self.revision.number:
            return refusal
        return Refusal(
            refusal.reason,
            f"{refusal.message}; r{good} ran before and was stopped: "
            f"cordis_run with revision {good} starts it again",
        )


async def to_its_end(start: Start, reason: str) -> dict[str, Any]:
    """Wait for the outcome. A cancellation asks for the end once, and is answered by the refusal.

    Raises `Refusal`.
    """
    while start.outcome is None:
        try:
            await start.package.point.until(lambda: start.outcome is not None)
        except asyncio.CancelledError:
            start.ask_end(reason, set())
    if isinstance(start.outcome, Refusal):
        raise start.outcome
    return start.outcome
