"""One run: an attempt to start one revision, and what is live of it afterwards.

A run is undone by a task of the runtime, whoever asked for it; everybody else waits.

Source: docs/dynamic-packages.md 6 and 8.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Literal

from workbench.core import Context, Fiber, FiberState
from workbench.core.calls import Running
from workbench.dynamic.delivery import Delivery
from workbench.dynamic.holders import holder_named_in
from workbench.dynamic.host.errors import told
from workbench.dynamic.host.evaluation import Evaluated, evaluate
from workbench.dynamic.host.facade import make_facade
from workbench.dynamic.host.harness import make_harness
from workbench.dynamic.host.tool_boundary import ToolTable
from workbench.dynamic.package import Failure, Package, Resting, Revision
from workbench.dynamic.refusals import Refusal
from workbench.dynamic.residue import Residue, residue_of
from workbench.dynamic.sandbox.budget import Budget
from workbench.dynamic.sandbox.prints import Prints
from workbench.dynamic.sandbox.probe import Probe

if TYPE_CHECKING:
    from workbench.dynamic.service import DynamicPackages

Phase = Literal["starting", "delivering", "settled", "stopping", "ended"]


class HostPlugin:
    """A host half as the runtime loads it."""

    owner_kind = "package"

    def __init__(self, run: Run, evaluated: Evaluated) -> None:
        self.name = f"{run.package.id}:{evaluated.name}"
        self.inject = {"required": evaluated.required, "optional": evaluated.optional}
        self.provides = evaluated.provides
        self._run = run
        self._evaluated = evaluated

    async def apply(self, ctx: Context) -> None:
        """Call the package with its façade. What it gives is no effect: a package has its own ways to add."""
        run, evaluated = self._run, self._evaluated
        run.context = ctx
        result = evaluated.apply(make_facade(ctx, evaluated.declared, frozenset(evaluated.optional), run))
        if isawaitable(result):
            await result


class Run:
    """From `starting` until nothing of it is left. `id` is empty for a trial."""

    def __init__(self, service: DynamicPackages, package: Package, revision: Revision, run_id: str) -> None:
        self.service = service
        self.package = package
        self.revision = revision
        self.id = run_id
        self.phase: Phase = "starting"
        self.fiber: Fiber | None = None
        self.context: Context | None = None
        """That of the present activation."""
        self.delivery: Delivery | None = None
        self.handlers: dict[str, Callable[..., Any]] = {}
        self.slips: dict[str, int] = {}
        """How often a listener has cut a waterfall short, by event and manner."""
        self.load_error: BaseException | None = None
        self.started_at = time.time()
        self.file = service.file_of(package.id, revision.number)
        self.budget = Budget(service.turns, service.budget_seconds, self.label)
        self.budget.on_spent = lambda: service.changed(package)
        self.prints = Prints(f"[cordis:{package.id}]", lambda line: service.printed(self, line))
        self.tools = ToolTable(self.label, self.file, lambda *given: service.called(self, *given))
        self.residue: Residue | None = None
        self._probe: Probe | None = None
        self._is_evaluating = False
        self._resting: Resting = "stopped"
        self._noted: set[str] = set()
        self._spared: set[Running] = set()

    @property
    def label(self) -> str:
        return f"{self.package.id} ({self.id})" if self.id else f"{self.package.id} (what-if)"

    @property
    def is_active(self) -> bool:
        """Its host half is active, or there is none; and some page runs its browser half, where it has one."""
        if self.fiber is not None and self.fiber.state != FiberState.ACTIVE:
            return False
        return self.delivery is None or not self.delivery.only_waits

    @property
    def host_is_active(self) -> bool:
        """Its handlers can be called: already while pages load its browser half, which may need them for that."""
        if self.phase not in ("delivering", "settled"):
            return False
        return self.fiber is None or self.fiber.state == FiberState.ACTIVE

    @property
    def missing(self) -> list[str]:
        return [] if self.fiber is None else list(self.fiber.missing)

    @property
    def provides(self) -> list[str]:
        if self.fiber is None:
            return []
        return self.service.runtime.services_table.names_of(self.fiber.activation)

    # -- start -------------------------------------------------------------------------------------------

    async def load(self) -> None:
        """Probe, evaluate, mount and settle. Raises `Refusal` (`host-half-failed`).

        When the run was asked to end meanwhile, it returns early, and `phase` says so.
        """
        if self.revision.half is None:
            return
        await self.probe(self.service.budget_seconds)
        if self.phase != "starting":
            return
        evaluated = self.evaluate()
        fiber = self.mount(evaluated)
        await fiber.point.until(lambda: fiber.is_settled)
        self.raise_load_error()

    async def probe(self, budget_seconds: float) -> None:
        """The first evaluation of a revision, elsewhere. Raises `Refusal`."""
        half = self.revision.half
        if half is None or self.revision.is_probed:
            return
        self._probe = Probe(half, budget_seconds)
        verdict = await self._probe.run()
        self._probe = None
        if verdict == "timed out":
            raise self.failed(
                "evaluate",
                f"timed out: the top level took more than {budget_seconds * 1000:.0f} ms "
                "(dynamic.sync_budget_ms); do the work in `apply` or in a tool, and await what takes long",
            )
        if verdict == "out of memory":
            raise self.failed("evaluate", "the top level needed more than 512 MiB of memory")
        if verdict == "did not start":
            raise self.failed("evaluate", "the process that probes it could not be started; try again")
        if verdict == "passed":
            self.revision.is_probed = True

    def evaluate(self) -> Evaluated:
        """Raises `Refusal`."""
        half = self.revision.half
        assert half is not None
        self._is_evaluating = True
        harness = make_harness(self.tools, self._handle)
        try:
            return evaluate(half, self.revision.name, harness, self.prints.print, self.budget)
        except BaseException as error:
            raise self.failed("evaluate", told(error, self.file)) from None
        finally:
            self._is_evaluating = False
            self.prints.flush()

    def mount(self, evaluated: Evaluated) -> Fiber:
        """Load it as a child of the group. Raises `Refusal`."""
        try:
            fiber = self.fiber = self.service.group.plugin(HostPlugin(self, evaluated))
        except Exception as error:
            raise self.failed("apply", told(error, self.file)) from None
        self.service.runs_by_fiber[fiber] = self
        return fiber

    def raise_load_error(self) -> None:
        """Raise `Refusal` when the load has failed."""
        if self.load_error is not None:
            raise self.failed("apply", self.load_message())

    def load_message(self) -> str:
        assert self.load_error is not None
        self.prints.flush()
        message = told(self.load_error, self.file)
        holder = holder_named_in(message, self.package, self.service)
        if holder is not None:
            message += (
                f"; {holder.id} has that name: stop it first (cordis_stop with id {holder.id}), then run this again"
            )
        return message

    def failed(self, stage: str, message: str) -> Refusal:
        """The refusal, noted as the last error of the package."""
        failure = Failure("host-half-failed", stage, message, self.revision.number)
        if self.id:
            self.package.last_error = failure
        return Refusal("host-half-failed", f"{self.package.id} r{self.revision.number}, stage {stage}: {message}")

    # -- what its code asks for --------------------------------------------------------------------------

    def _handle(self, method: str, function: Callable[..., Any]) -> None:
        if method in self.handlers:
            raise ValueError(f"handler {method!r} of this package is registered already; choose another name")
        if self._is_evaluating:
            self.handlers[method] = function
            return
        ctx = self.context
        if ctx is None:
            raise RuntimeError("handle() belongs at top level, or into `apply`")

        def body() -> Callable[[], None]:
            self.handlers[method] = function
            return lambda: self.handlers.pop(method, None) and None

        ctx.effect(body, f"handler {method}")

    def note_refusal(self, message: str) -> None:
        """Tell the owner of a refusal of the façade; while loading it is the error of the run anyhow."""
        if self.phase == "settled" and message not in self._noted:
            self._noted.add(message)
            self.service.note(
                self.package, f"package {self.package.id} ({self.id}) was refused something: {message}"
            )

    def note_listener(self, event: str) -> Callable[[str], None]:
        """What a listener on a waterfall calls when it did not pass the call on."""

        def slipped(how: str) -> None:
            key = f"{event} {how}"
            self.slips[key] = self.slips.get(key, 0) + 1
            self.service.changed(self.package)

        return slipped

    # -- undo --------------------------------------------------------------------------------------------

    def begin_undo(self, spared: set[Running], resting: Resting) -> None:
        """Ask for the end, once. `spared` are calls that wait for it themselves: they are left alone."""
        self._spared |= spared
        is_first = self.phase not in ("stopping", "ended")
        if is_first:
            self.phase = "stopping"
            self._resting = resting
            if self._probe is not None:
                self._probe.cancel()
        if self.fiber is not None and self.fiber.state != FiberState.DISPOSED:
            self.fiber.dispose()
            self.fiber.point.spare(spared)
        if is_first:
            self.service.changed(self.package)
            self.service.runtime.tasks.spawn(self._undo(), f"undo of {self.label}")

    async def _undo(self) -> None:
        package = self.package
        if self.fiber is not None:
            fiber = self.fiber
            fiber.dispose()
            fiber.point.spare(self._spared)
            await fiber.point.until(lambda: fiber.state == FiberState.DISPOSED)
            self.service.runs_by_fiber.pop(fiber, None)
        self.handlers.clear()
        if self.delivery is not None:
            self.delivery.retract()
        self.residue = residue_of(self, self._spared)
        if self.id:
            package.last_residue = self.residue
        self.prints.flush()
        self.phase = "ended"
        self.context = None
        if package.run is self:
            package.run = None
            package.resting = self._resting
        self.service.changed(package)
