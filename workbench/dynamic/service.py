"""The runner: `ctx.dynamic`. The verbs, by whom they are asked, and what others are told.

Source: docs/dynamic-packages.md.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from workbench.core import Context, Event, Fiber, FiberState
from workbench.core.calls import Running, running_chain
from workbench.dynamic.arguments import Caller, check_keys, check_session, optional_revision, required_text
from workbench.dynamic.counters import counters_of
from workbench.dynamic.defining import define, define_aside
from workbench.dynamic.durable import NOTE_FORM
from workbench.dynamic.events import CALL, CHANGE, NOTE, OUTPUT, REQUEST_RESOLVED, REQUEST_RUN, STATE, PackageCall
from workbench.dynamic.package import Failure, Package, Revision, UndefinedRecord
from workbench.dynamic.pages import Pages
from workbench.dynamic.refusals import Refusal, missing
from workbench.dynamic.requests import Request, Requests, ResolvedAs
from workbench.dynamic.run import Run
from workbench.dynamic.sandbox.budget import Turns
from workbench.dynamic.sandbox.prints import PrintedLine
from workbench.dynamic.start import Start, to_its_end

if TYPE_CHECKING:
    from workbench.dynamic.trial import Trial

KEPT_RECORDS = 100
"""Undefined packages that are remembered by name and purpose."""
TURN_CANCELLED = "the turn was cancelled"
STOPPED = "it was stopped"
UNDEFINED = "it was undefined"
TAKEN_BACK = "the person who started it took it back"


class DynamicPackages:
    """The runner of one runtime. Verbs raise `Refusal`; what people do goes through `workbench.dynamic.people`."""

    def __init__(self, ctx: Context, group: Context, sync_budget_ms: int) -> None:
        self.runtime = ctx.runtime
        self.group = group
        self.budget_seconds = sync_budget_ms / 1000
        self.turns = Turns(ctx.runtime.loop)
        self.prompt_facade = ctx.system_prompt
        self.prompt = ctx.system_prompt.service
        self.tools = ctx.tools.registry
        self.counters = counters_of(ctx.runtime)
        self.approvals_mode: Literal["wait", "deny"] = "wait"
        """`deny`: nobody is there to answer, and each request is a no."""
        self.is_open = True
        """False while everything is being stopped: nothing starts any more."""
        self.requests = Requests(self._request_made, self._request_resolved)
        self.pages = Pages(self)
        self.runs_by_fiber: dict[Fiber, Run] = {}
        self.trial: Trial | None = None
        """The what-if that runs now."""
        self.undefined: deque[UndefinedRecord] = deque(maxlen=KEPT_RECORDS)
        """Packages that were undefined, oldest first: what a card says of them."""
        self.denied = 0
        """Requests that were denied because nobody is there to answer."""
        self._ctx = ctx
        self._packages: dict[str, Package] = {}

    # -- looking -----------------------------------------------------------------------------------------

    def packages(self) -> tuple[Package, ...]:
        """All packages, whoever owns them, in the order of their ids."""
        return tuple(self._packages.values())

    def package(self, package_id: str) -> Package | None:
        return self._packages.get(package_id)

    def owned(self, caller: Caller, package_id: str) -> Package:
        """A foreign package reads as not existing. Raises `Refusal`; nothing is awaited before."""
        package = self._packages.get(package_id)
        if package is None or package.owner != caller.session:
            raise missing(package_id)
        return package

    def optional(self, name: str) -> Any:
        """A service that may be missing, as the runner sees it."""
        return self._ctx.get(name)

    def file_of(self, package_id: str, revision: int) -> str:
        """The file name of the compiled code; its form keeps it out of `linecache`."""
        return f"<cordis {package_id} r{revision}>"

    def waterfalls(self) -> frozenset[str]:
        declared = self.runtime.events.declared_modes()
        return frozenset(name for name, mode in declared.items() if mode == "waterfall")

    # -- the verbs ---------------------------------------------------------------------------------------

    def define(self, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Record one revision; run nothing. Raises `Refusal`, and then no id is used up.

        A long host half keeps the loop for up to a second; `define_aside` does not.
        """
        return define(self, caller, arguments)

    async def define_aside(self, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The same without keeping the loop. The id is minted at its end."""
        return await define_aside(self, caller, arguments)

    def add(self, package: Package) -> None:
        """A new one, of `define`."""
        self._packages[package.id] = package

    async def run(self, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Start the newest revision, or the one named. Raises `Refusal`."""
        check_keys(arguments, ("id", "revision"))
        check_session(caller, "cordis_run")
        package = self.owned(caller, required_text(arguments, "id"))
        wanted = optional_revision(arguments)
        await self.trial_over(package)
        return await self.start(package, wanted, by=caller)

    async def start(self, package: Package, wanted: int | None, by: Caller | None) -> dict[str, Any]:
        """The way of models (`by` their session) and of people (None), who need no request. Raises `Refusal`."""
        revision = self._startable(package, wanted)
        live = package.run
        if live is not None and live.revision is revision:
            if live.delivery is not None:
                self.pages.deliver_again(package.id)
            return self.run_value(package, live, started=False)
        start = Start(self, package, revision, set(running_chain()))
        request = None
        if revision.client is not None and by is not None:
            self.counters.requests += 1
            request = Request(f"req-{self.counters.requests}", package, revision, by.call_ids, by.session)
        start.begin(request)
        return await to_its_end(start, TURN_CANCELLED if by is not None else TAKEN_BACK)

    def _startable(self, package: Package, wanted: int | None) -> Revision:
        self.check_open()
        revision = package.newest if wanted is None else package.revision(wanted)
        if revision is None:
            there = ", ".join(f"r{each.number}" for each in package.revisions)
            raise Refusal("revision-missing", f"{package.id} has no revision r{wanted}; there are: {there}")
        if package.start is not None or (package.run is not None and package.run.phase == "stopping"):
            raise Refusal(
                "transition-in-flight",
                f"{package.id} is {package.state}: {self.waits_for(package)}; wait for its end, or stop it",
            )
        return revision

    def waits_for(self, package: Package) -> str:
        """Who or what a package waits for, in words."""
        if package.start is not None and package.start.is_asking:
            return "it waits for a person's answer"
        run = package.run
        if run is None:
            return "nothing"
        told = [waiting.label for waiting in self.runtime.waiting() if waiting.fiber is run.fiber]
        if told:
            return f"it waits for {', '.join(told)}"
        return "it waits for a page to confirm" if run.phase == "delivering" else "it is on its way"

    async def stop(self, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Undo a run, or take a request back; the definition remains. Raises `Refusal`."""
        check_keys(arguments, ("id",))
        check_session(caller, "cordis_stop")
        package = self.owned(caller, required_text(arguments, "id"))
        await self.trial_over(package)
        return await self.stop_package(package)

    async def stop_package(self, package: Package) -> dict[str, Any]:
        """Raises `Refusal` (`not-running`). Two that race share one undo and one answer."""
        run = package.run
        if not self._begin_stop(package, STOPPED):
            raise Refusal("not-running", f"{package.id} is not running; its definition remains")
        await package.point.until(lambda: package.start is None and package.run is None)
        return {"id": package.id, "run": None if run is None else run.id, "stopped": True}

    def _begin_stop(self, package: Package, reason: str) -> bool:
        """In one step: everything that is in progress or live is asked to end. False when nothing is."""
        chain = set(running_chain())
        start, run = package.start, package.run
        if start is not None:
            start.ask_end(reason, chain)
        if run is not None and (start is None or start.run is not run):
            run.begin_undo(chain, "stopped")
        return start is not None or run is not None

    async def undefine(self, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Stop if needed, and forget all revisions. Raises `Refusal`."""
        check_keys(arguments, ("id",))
        check_session(caller, "cordis_undefine")
        package = self.owned(caller, required_text(arguments, "id"))
        await self.trial_over(package)
        return await self.undefine_package(package)

    async def undefine_package(self, package: Package) -> dict[str, Any]:
        """The id is unknown to every verb from this step on."""
        package.is_gone = True
        self._packages.pop(package.id, None)
        newest = package.newest
        self.undefined.append(
            UndefinedRecord(package.id, package.owner, newest.name, newest.purpose, newest.number, time.time())
        )
        was_running = self._begin_stop(package, UNDEFINED)
        if was_running:
            await package.point.until(lambda: package.start is None and package.run is None)
        self._forget(package)
        return {"id": package.id, "was_running": was_running}

    def _forget(self, package: Package) -> None:
        package.revisions.clear()
        package.prints = None
        package.last_trial = None
        self.tell(CHANGE, package.id)

    async def close_all(self, spared: set[Running]) -> None:
        """Nothing starts any more: requests cancelled, all stopped in reverse order of start, all forgotten."""
        self.is_open = False
        if self.trial is not None:
            await self.trial.ended()
        live = [package for package in self.packages() if package.start is not None and package.run is None]
        runs = [package for package in self.packages() if package.run is not None]
        runs.sort(key=lambda package: package.run.started_at if package.run is not None else 0.0, reverse=True)
        for package in [*live, *runs]:
            if package.start is not None:
                package.start.ask_end(STOPPED, spared)
            if package.run is not None:
                package.run.begin_undo(spared, "stopped")
            await package.point.until(lambda package=package: package.start is None and package.run is None)  # type: ignore[misc]
        for package in self.packages():
            package.is_gone = True
            del self._packages[package.id]
            self._forget(package)

    def open(self) -> None:
        """A toolset is there again."""
        self.is_open = True

    def check_open(self) -> None:
        """Raises `Refusal` while everything is being stopped."""
        if not self.is_open:
            raise Refusal(
                "cancelled", "the toolset is being unloaded: nothing starts any more, nothing is left running"
            )

    async def trial_over(self, package: Package) -> None:
        """While a what-if lasts, no start or stop of a package begins. Raises `Refusal` for one that is gone."""
        if self.trial is not None:
            await self.trial.ended()
        if package.is_gone:
            raise missing(package.id)

    # -- values ------------------------------------------------------------------------------------------

    def run_value(self, package: Package, run: Run, *, started: bool) -> dict[str, Any]:
        """The value of a success."""
        delivery = run.delivery
        return {
            "id": package.id,
            "revision": run.revision.number,
            "run": run.id,
            "status": "running" if run.is_active else "waiting",
            "started": started,
            "provides": run.provides,
            "waiting_for": run.missing,
            "client": "none" if delivery is None else delivery.status,
            "client_waiting_for": [] if delivery is None else list(delivery.waiting_for),
            "pages": [] if delivery is None else [each.to_json() for each in delivery.outcomes()],
            "warnings": list(run.revision.warnings),
        }

    # -- what happens by itself --------------------------------------------------------------------------

    def fiber_changed(self, fiber: Fiber, _old: object) -> None:
        """Observer of `internal/status`. A failed load ends its run before the core tries again."""
        run = self.runs_by_fiber.get(fiber)
        if run is None:
            return
        if fiber.state == FiberState.FAILED and not self._is_disturbed_by_trial(run):
            run.load_error = fiber.error
            if run.phase == "settled":
                self._failed_late(run)
            else:
                fiber.dispose()
        self.changed(run.package)

    def _is_disturbed_by_trial(self, run: Run) -> bool:
        """A what-if provides something for a moment: what waits for it is put back, whatever it does with it."""
        if self.trial is None or not run.id:
            return False
        self.trial.disturbed.add(run)
        return True

    def _failed_late(self, run: Run) -> None:
        package = run.package
        message = run.load_message()
        package.last_error = Failure("host-half-failed", "apply", message, run.revision.number)
        package.last_outcome = "host-half-failed"
        run.begin_undo(set(), "failed")
        self.note(package, f"package {package.id} ({run.id}) failed when it was activated again: {message}")

    def changed(self, package: Package) -> None:
        """Some fact has changed: wake who waits, and tell."""
        package.point.notify()
        self.runtime.hold.point.notify()
        state = package.state
        if state != package.told:
            old, package.told = package.told, state
            package.since = time.monotonic()
            self.tell(STATE, package.id, old, state)
        self.tell(CHANGE, package.id)

    def tell(self, event: Event, *args: Any) -> None:
        if self.runtime.has_listeners(event.name):
            self.runtime.events.emit(event.name, args, None, contain=True)

    def printed(self, run: Run, line: PrintedLine) -> None:
        if run.id:  # a what-if has no prints
            self.tell(OUTPUT, run.package.id, line)

    def called(self, run: Run, call: Any, state: Literal["running", "done", "failed"], result: Any) -> None:
        """A tool of a package is being called, or has been."""
        if run.id and self.runtime.has_listeners(CALL.name):
            given = run.package.id, run.id, call.session_id, call.id, call.name, call.call.arguments
            self.tell(CALL, PackageCall(*given, state, result))

    def warned(self, file: str, text: str) -> bool:
        """Whether a warning came out of the code of a package; it goes to its prints."""
        if not file.startswith("<cordis "):
            return False
        package = self._packages.get(file[len("<cordis ") :].partition(" ")[0])
        if package is None or package.run is None:
            return package is not None
        package.run.prints.write(f"{text}\n")
        return True

    def note(self, package: Package, text: str, happened: str = "") -> None:
        """Tell the owner at its next step; it is not woken. `happened`: what a reader of its log has to know."""
        self.tell(NOTE, package.owner, text)
        agents = self.optional("agents")
        agent = None if agents is None else agents.service.get(package.owner)
        if agent is not None:
            from workbench.agent.messages import plugin_message
            from workbench.agent.options import AgentError

            try:
                more = {"happened": happened} if happened else {}
                agent.inject(plugin_message(text, "cordis-dynamic", form=NOTE_FORM, package=package.id, **more))
            except AgentError:
                return  # it is being disposed of

    def _request_made(self, request: Request) -> None:
        if self.approvals_mode == "deny":
            self.denied += 1
            self.requests.answer(request.id, False, "nobody is there to answer", "--approvals deny")
            return
        self.tell(REQUEST_RUN, request.notice)
        self.pages.tell_request(request.notice)

    def _request_resolved(self, request: Request, outcome: ResolvedAs) -> None:
        self.tell(REQUEST_RESOLVED, request.id, outcome)
        self.pages.tell_resolved(request.id, outcome)

    def describe(self) -> Any:
        """What is defined, live and pending, for snapshots of the runtime."""
        return {
            "definitions": [
                [package.id, [each.number for each in package.revisions]] for package in self.packages()
            ],
            "live": [[run.package.id, sorted(run.handlers)] for run in self.runs_by_fiber.values()],
            "requests": [request.package_id for request in self.requests.pending()],
            "pages": len(self.pages.all()),
        }
