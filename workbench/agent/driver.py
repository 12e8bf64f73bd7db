"""The loop of one agent: it sleeps until it is woken, and then runs turns until nothing waits.

Source: docs/agents.md 3.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Literal

from workbench.agent.cancel import CancelCause, CancelSignal
from workbench.agent.events import ERROR, STATUS, StatusChange, TurnFailure
from workbench.agent.failures import failure_of
from workbench.agent.turn import Turn

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.loop_services import LoopServices

log = logging.getLogger("workbench.agent")


class Driver:
    """Runs in a task of its own from `run` to `stop`."""

    def __init__(self, agent: Agent, services: LoopServices) -> None:
        self._agent = agent
        self._services = services
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._turn: Turn | None = None
        self.is_stopping = False

    @property
    def status(self) -> Literal["idle", "running"]:
        return "idle" if self._idle.is_set() else "running"

    @property
    def signal(self) -> CancelSignal | None:
        """The signal of the turn that runs."""
        return None if self._turn is None else self._turn.signal

    def wake(self) -> None:
        """Look at the inbox; from here on the agent is running."""
        if self.is_stopping:
            return
        self._wake.set()
        if self._idle.is_set():
            self._idle.clear()
            self._tell_status()

    def cancel(self, cause: CancelCause) -> bool:
        """Cancel the turn that runs; False when there is none, or when it is cancelled already."""
        return self._turn is not None and self._turn.signal.set(cause)

    async def when_idle(self) -> None:
        """Return when nothing runs, and nothing waits that would."""
        await self._idle.wait()

    def stop(self, cause: CancelCause) -> None:
        """Take no further turn, and end the one that runs. `run` returns when it has ended."""
        self.is_stopping = True
        self.cancel(cause)
        self._wake.set()

    async def run(self) -> None:
        """The loop."""
        try:
            while not self.is_stopping:
                await self._wake.wait()
                self._wake.clear()
                while self._agent.inbox.opens_turn and not self.is_stopping and await self._run_turn():
                    pass
                self._become_idle()
        finally:
            self.is_stopping = True
            self._become_idle()

    async def _run_turn(self) -> bool:
        """False when the log cannot be written: another try would fail the same way."""
        agent = self._agent
        self._turn = Turn(agent, self._services, agent.facts.turn + 1)
        number = self._turn.number
        try:
            await self._turn.run()
            return True
        except Exception as error:  # the log cannot be written: there is no other place to say so
            log.exception("turn %d of agent %s could not be recorded", number, agent.label)
            self._services.tell(ERROR, TurnFailure(agent, number, failure_of(error), error), agent)
            return False
        finally:
            self._turn = None

    def _become_idle(self) -> None:
        if (not self._wake.is_set() or self.is_stopping) and not self._idle.is_set():
            self._idle.set()
            self._tell_status()

    def _tell_status(self) -> None:
        self._services.tell(STATUS, StatusChange(self._agent, self.status), self._agent)
