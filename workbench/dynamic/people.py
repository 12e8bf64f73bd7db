"""What people do with packages: start, stop, answer, try. They act for every session, and need no permission.

Outcomes reach the owning session as one note at its next step. Source: docs/dynamic-packages.md 6.3 and 14.
"""

from __future__ import annotations

import asyncio
from typing import Any

from workbench.dynamic.package import Package
from workbench.dynamic.refusals import Refusal, missing
from workbench.dynamic.service import TAKEN_BACK, DynamicPackages
from workbench.dynamic.start import to_its_end
from workbench.dynamic.trial import Trial, TrialResult


class People:
    """The controls of a surface. `by` is how it calls itself: `tui`, or the id of a page."""

    def __init__(self, service: DynamicPackages, by: str = "tui") -> None:
        self._service = service
        self._by = by

    def allow(self, request_id: str) -> bool:
        """False for an answer that comes too late; it changes nothing."""
        return self._service.requests.answer(request_id, True, "", self._by)

    def deny(self, request_id: str, reason: str = "") -> bool:
        return self._service.requests.answer(request_id, False, reason, self._by)

    async def start(self, package_id: str, revision: int | None = None) -> dict[str, Any]:
        """The gesture is the permission. A pending request of the same package is answered with *allow* instead.

        Gives the value of `cordis_run`. Raises `Refusal`.
        """
        service, package = self._service, self._package(package_id)
        await service.trial_over(package)
        start = package.start
        is_asked_for = start is not None and revision in (None, start.revision.number)
        if start is not None and start.is_asking and start.request is not None and is_asked_for:
            self.allow(start.request.id)
            return await to_its_end(start, TAKEN_BACK)
        try:
            value = await service.start(package, revision, by=None)
        except Refusal as refusal:
            if refusal.reason in ("host-half-failed", "client-half-failed"):
                service.note(package, f"a person started {package_id}, and it failed: {refusal.message}")
            raise
        if value["started"]:
            service.note(
                package,
                f"a person started {package_id} r{value['revision']} ({value['run']}); it is {value['status']}",
                happened="started",
            )
        return value

    async def stop(self, package_id: str) -> dict[str, Any]:
        """Gives the value of `cordis_stop`; the proof is in the card's `residue`. Raises `Refusal`."""
        package = self._package(package_id)
        await self._service.trial_over(package)
        value = await self._service.stop_package(package)
        words = f"a person stopped {package_id}; its definition remains"
        self._service.note(package, words, happened="stopped")
        return value

    async def undefine(self, package_id: str) -> dict[str, Any]:
        """Gives the value of `cordis_undefine`. Raises `Refusal`."""
        package = self._package(package_id)
        await self._service.trial_over(package)
        value = await self._service.undefine_package(package)
        words = f"a person undefined {package_id}: the id is invalid from now on"
        self._service.note(package, words, happened="undefined")
        return value

    def deliver_again(self, package_id: str) -> bool:
        """Announce the browser half to every page that does not hold it."""
        return self._service.pages.deliver_again(package_id)

    async def what_if(self, package_id: str, revision: int | None = None) -> TrialResult:
        """Execute the host half, show what the owner's next request becomes, and undo it. Decides nothing.

        Waits until nothing else is under way; cancelling this asks for its end once, and waits for it. Raises
        `Refusal` while something of the package is live, for an unknown revision, and without a host half.
        """
        service, package = self._service, self._package(package_id)
        asked = package.start.revision if package.start is not None else package.newest
        tried = asked if revision is None else package.revision(revision)
        if tried is None:
            raise Refusal("revision-missing", f"{package_id} has no revision r{revision}")
        if package.run is not None or (package.start is not None and not package.start.is_asking):
            raise Refusal(
                "transition-in-flight", f"{package_id} is {package.state}: two of its revisions would clash"
            )
        if tried.half is None:
            raise Refusal(
                "invalid-arguments", f"{package_id} r{tried.number} has no host half: there is nothing to try"
            )
        if package.is_trying:
            raise Refusal("transition-in-flight", f"a what-if of {package_id} is under way")
        trial = Trial(service, package, tried)
        was_cancelled = False
        while trial.result is None:
            try:
                await trial.ended()
            except asyncio.CancelledError:
                was_cancelled = True
                trial.ask_end()
        if was_cancelled:
            raise asyncio.CancelledError
        return trial.result

    def _package(self, package_id: str) -> Package:
        package = self._service.package(package_id)
        if package is None:
            raise missing(package_id)
        return package
