"""Approvals: calls that wait until somebody allows them.

An approval has an id and an owner and no timer: it ends by a person's answer, or by the cancel of the turn
that asked. Where nobody can answer, the mode `deny` denies at once.

Source: docs/tools.md 9.4.
"""

from __future__ import annotations

import asyncio
import time
from typing import Literal

from workbench.core import Runtime
from workbench.tools.events import APPROVAL, ApprovalRequest, Invocation

Answer = Literal["allowed-once", "denied"]
ApprovalMode = Literal["wait", "deny"]


class Approvals:
    """What waits for an answer, in the order in which it was asked."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.mode: ApprovalMode = "wait"
        """`deny` where nobody is there to answer."""
        self._count = 0
        self._pending: dict[str, tuple[ApprovalRequest, asyncio.Future[Answer]]] = {}

    @property
    def pending(self) -> tuple[ApprovalRequest, ...]:
        """The requests that nobody has answered yet."""
        return tuple(request for request, _ in self._pending.values())

    def answer(self, request_id: str, answer: Answer) -> bool:
        """Answer a request; False for one that is not pending (any more)."""
        if answer not in ("allowed-once", "denied"):
            raise ValueError(f"an approval is answered by allowed-once or denied, not by {answer!r}")
        entry = self._pending.get(request_id)
        if entry is None or entry[1].done():
            return False
        entry[1].set_result(answer)
        return True

    async def ask(self, call: Invocation, reason: str) -> Answer:
        """Wait for somebody's answer about a call. Cancelling this withdraws the request."""
        if self.mode == "deny":
            return "denied"
        self._count += 1
        request = ApprovalRequest(f"ask-{self._count}", call, reason, time.time())
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._pending[request.id] = (request, answered)
        ended = "cancelled"
        try:
            self._tell(request, "pending")
            ended = await answered
            return ended
        finally:
            del self._pending[request.id]
            self._tell(request, ended)

    def _tell(self, request: ApprovalRequest, state: str) -> None:
        if self._runtime.has_listeners(APPROVAL.name):
            self._runtime.events.emit(APPROVAL.name, (request, state), request.call.scope, contain=True)
