"""Requests: packages that wait until a person allows them.

A request has an id and an owner and no timer: it ends by an answer, by the cancel of the turn that asked, or by
a stop of its package.

Source: docs/dynamic-packages.md 6.2 and 16.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workbench.dynamic.events import RequestNotice

if TYPE_CHECKING:
    from workbench.dynamic.package import Package, Revision
    from workbench.dynamic.trial import TrialResult

ResolvedAs = Literal["approved", "rejected", "failed", "cancelled"]
KEPT = 100
"""Resolved requests that are remembered, for reports."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person said."""

    allows: bool
    reason: str
    by: str
    """Where it was said: `tui`, the id of a page, `--approvals deny`."""
    at: float
    """`time.time()`."""


class Request:
    """One pending decision, and what became of it."""

    def __init__(
        self, request_id: str, package: Package, revision: Revision, call_ids: tuple[str, ...], asked_by: str
    ) -> None:
        self.id = request_id
        self.package_id = package.id
        self.session = package.owner
        self.asked_by = asked_by
        self.revision = revision.number
        self.name = revision.name
        self.purpose = revision.purpose
        self.digests = revision.digests()
        """SHA-256 of host half and browser half."""
        self.call_ids = call_ids
        """The suspended tool call, and that of the model which it belongs to."""
        self.asked_at = time.time()
        self.answer: Answer | None = None
        self.outcome: ResolvedAs | None = None
        """None while it is pending or being carried out."""
        self.trial: TrialResult | None = None
        """What the last what-if for it has shown."""

    @property
    def is_pending(self) -> bool:
        return self.answer is None and self.outcome is None

    @property
    def notice(self) -> RequestNotice:
        return RequestNotice(self.id, self.session, self.package_id, self.revision, self.name, self.purpose)


class Requests:
    """The queue of the whole process, oldest first."""

    def __init__(self, made: Callable[[Request], None], resolved: Callable[[Request, ResolvedAs], None]) -> None:
        self._made = made
        self._resolved = resolved
        self._open: dict[str, tuple[Request, Callable[[Answer], None]]] = {}
        self._past: deque[Request] = deque(maxlen=KEPT)

    def pending(self) -> tuple[Request, ...]:
        """Those that nobody has answered, oldest first."""
        return tuple(request for request, _ in self._open.values() if request.is_pending)

    def past(self) -> tuple[Request, ...]:
        """Those that have been resolved, newest last."""
        return tuple(self._past)

    def find(self, request_id: str) -> Request | None:
        entry = self._open.get(request_id)
        if entry is not None:
            return entry[0]
        return next((each for each in self._past if each.id == request_id), None)

    def add(self, request: Request, answered: Callable[[Answer], None]) -> None:
        """`answered` is called in the very step in which an answer is accepted."""
        self._open[request.id] = request, answered
        self._made(request)

    def answer(self, request_id: str, allows: bool, reason: str, by: str) -> bool:
        """The first answer wins; False for a later, unknown or stale one, which changes nothing."""
        entry = self._open.get(request_id)
        if entry is None or not entry[0].is_pending:
            return False
        request, answered = entry
        request.answer = Answer(allows, reason, by, time.time())
        answered(request.answer)
        return True

    def resolve(self, request: Request, outcome: ResolvedAs) -> None:
        """It is over: every surface drops its buttons."""
        if self._open.pop(request.id, None) is None:
            return
        request.outcome = outcome
        self._past.append(request)
        self._resolved(request, outcome)
