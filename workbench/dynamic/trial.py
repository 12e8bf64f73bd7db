"""What-if: the host half is started, the owner's next request assembled, and all of it undone, with proof.

It executes code. While it lasts nobody else assembles, calls tools, or starts or stops a package.

Source: docs/dynamic-packages.md 16.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workbench.core import Fiber, FiberState
from workbench.core.effects import EffectNode
from workbench.dynamic.change_of_request import RequestChange, change_of_request, conversation_tokens
from workbench.dynamic.package import Package, Revision
from workbench.dynamic.refusals import Refusal
from workbench.dynamic.residue import Residue
from workbench.dynamic.run import Run
from workbench.prompt import AssembleContext, Preview
from workbench.prompt.preview import preview

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.dynamic.service import DynamicPackages

TrialOutcome = Literal["active", "waiting", "did not settle", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What a what-if has shown. Its code was executed; effects outside of the runtime are not undone."""

    id: str
    revision: int
    outcome: TrialOutcome
    message: str
    """Why it failed; empty otherwise."""
    at: float
    """`time.time()`."""
    seconds: float
    registrations: tuple[EffectNode, ...]
    """What it registered, in order."""
    provides: tuple[str, ...]
    waiting_for: tuple[str, ...]
    before: Preview | None
    """The owner's next request without it."""
    after: Preview | None
    """The same with it; None where it did not come so far."""
    change: RequestChange | None
    """The difference; None where one of the two cannot be sent."""
    conversation: int
    """Tokens of the messages of the owner's session, an estimate: they are read anew with what breaks."""
    residue: Residue | None
    """The proof; None when nothing was started."""


class Trial:
    """One what-if. A task of the runtime: whoever asked waits, and can ask for its end once."""

    def __init__(self, service: DynamicPackages, package: Package, revision: Revision) -> None:
        self.service = service
        self.package = package
        self.revision = revision
        self.result: TrialResult | None = None
        self.disturbed: set[Run] = set()
        """Runs that were activated by it and failed: they are put back."""
        self.has_begun = False
        self._ends = False
        self._run: Run | None = None
        self._steps_task: asyncio.Task[None] | None = None
        self._before: Preview | None = None
        self._after: Preview | None = None
        self._message = ""
        self._outcome: TrialOutcome = "active"
        self._facts: tuple[tuple[EffectNode, ...], tuple[str, ...], tuple[str, ...]] = ((), (), ())
        package.trying = self
        service.changed(package)
        self._spawn()

    def _spawn(self) -> None:
        task = self.service.runtime.tasks.spawn(self._drive(), f"what-if of {self.package.id}")
        task.add_done_callback(self._driven)

    def _driven(self, task: asyncio.Task[None]) -> None:
        """Cancelled before its first step, by a loop that is closed around the runtime: the end is left to do."""
        if task.cancelled() and self.result is None:
            self._ends = True
            self._spawn()

    def ask_end(self) -> None:
        """Undo what there is of it."""
        if not self._ends:
            self._ends = True
            if self._steps_task is not None:
                self._steps_task.cancel()
            self.service.runtime.hold.point.notify()

    async def ended(self) -> None:
        """Return when nothing of it is left."""
        await self.package.point.until(lambda: self.result is not None)

    @property
    def waits_for(self) -> tuple[str, ...]:
        """What is under way and keeps it from beginning, in words."""
        return () if self.has_begun else tuple(self._under_way())

    @property
    def fiber(self) -> Fiber | None:
        """Of what is tried, until it is undone."""
        return None if self._run is None else self._run.fiber

    def _under_way(self) -> list[str]:
        service = self.service
        suspended = {call for request in service.requests.pending() for call in request.call_ids}
        found = []
        for each in service.runtime.hold.inside:
            call_id = getattr(each, "id", None)
            if call_id is None:
                found.append("an assembly")
            elif call_id not in suspended:
                found.append(f"tool call {getattr(each, 'name', '')}")
        for package in service.packages():
            is_moving = package.start is not None and not package.start.is_asking
            if is_moving or (package.run is not None and package.run.phase != "settled"):
                found.append(f"{package.id} is {package.state}")
        return found

    async def _drive(self) -> None:
        service, package = self.service, self.package
        hold = service.runtime.hold
        started = time.monotonic()
        try:
            await hold.until_quiet(lambda: self._ends or not self._under_way())
            if self._ends or package.is_gone or package.run is not None or not service.is_open:
                self._outcome = "cancelled"
            else:
                service.trial = self
                self.has_begun = True
                steps = self._steps_task = asyncio.get_running_loop().create_task(self._steps())
                with hold.held_by(steps):
                    try:
                        await asyncio.wait({steps}, timeout=service.budget_seconds)
                    except asyncio.CancelledError:
                        self._ends = True
                    await self._undo(steps)
        except asyncio.CancelledError:  # only by a loop that is closed around the runtime: who waits gets an answer
            self._outcome = "cancelled"
        except Exception as error:  # a defect of the runner: the hold is lifted, and it is said
            self._outcome, self._message = "failed", f"the runner itself failed: {error!r}"
        service.trial = None
        await self._put_back()
        change, conversation = None, 0
        if self._before is not None and self._after is not None:
            agent, model = self._agent(), self._model()
            change = await asyncio.to_thread(change_of_request, self._before, self._after, model)
            if agent is not None and change is not None and change.first_token is not None:
                messages = tuple(agent.messages)
                conversation = await asyncio.to_thread(conversation_tokens, messages, model)
        registrations, provides, waiting_for = self._facts
        self.result = TrialResult(
            package.id,
            self.revision.number,
            self._outcome,
            self._message,
            time.time(),
            time.monotonic() - started,
            registrations,
            provides,
            waiting_for,
            self._before,
            self._after,
            change,
            conversation,
            None if self._run is None else self._run.residue,
        )
        if not package.is_gone:
            package.last_trial = self.result
        if package.start is not None and package.start.request is not None:
            package.start.request.trial = self.result
        package.trying = None
        service.changed(package)

    async def _steps(self) -> None:
        """Everything that the budget is for."""
        service = self.service
        runtime = service.runtime
        self._before = await preview(service.prompt, await self._context())
        run = self._run = Run(service, self.package, self.revision, "")
        try:
            await run.probe(service.budget_seconds)
            if run.phase != "starting":
                return  # the time was over while it was probed
            fiber = run.mount(run.evaluate())
            await fiber.point.until(lambda: fiber.is_settled)
            run.raise_load_error()
        except Refusal as refusal:
            self._outcome, self._message = "failed", refusal.message
            return
        await runtime.quiesce()  # what waited for its services is active now
        self._outcome = "active" if fiber.state == FiberState.ACTIVE else "waiting"
        self._facts = fiber.effects(), tuple(run.provides), tuple(run.missing)
        self._after = await preview(service.prompt, await self._context())

    def _agent(self) -> Agent | None:
        agents = self.service.optional("agents")
        agent: Agent | None = None if agents is None else agents.service.get(self.package.owner)
        return agent

    async def _context(self) -> AssembleContext:
        agent = self._agent()
        if agent is None:
            return AssembleContext()
        context: AssembleContext = await self.service.prompt_facade.assemble_context_for(agent)
        return context

    def _model(self) -> str | None:
        agent = self._agent()
        return None if agent is None else agent.model

    async def _undo(self, steps: asyncio.Task[None]) -> None:
        run = self._run
        if not steps.done():
            self._outcome = "cancelled" if self._ends else "did not settle"
            self._after = None
        elif not steps.cancelled() and (error := steps.exception()) is not None:
            self._outcome, self._message, self._after = "failed", str(error), None
        elif steps.cancelled():
            self._outcome = "cancelled"
        if run is not None:
            run.begin_undo(set(), self.package.resting)
            await self.package.point.until(lambda: run.phase == "ended")
        if not steps.done():
            steps.cancel()
            await asyncio.wait({steps})

    async def _put_back(self) -> None:
        """What failed because of it waits again, as before."""
        for run in self.disturbed:
            if run.fiber is not None and run.fiber.state == FiberState.FAILED:
                await run.fiber.restart()
