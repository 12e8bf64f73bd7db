"""One call on its way through the pipeline.

Source: docs/tools.md 9.2.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from workbench.core.calls import CURRENT, Call
from workbench.prompt.errors import in_words
from workbench.tools.calls import AddedContext, ContentBlock, ToolFailure, ToolResult, bounded, failed
from workbench.tools.decisions import (
    ACCEPT,
    ALLOW,
    UNSET,
    Accept,
    Ask,
    Block,
    Deny,
    Failure,
    InvalidDecision,
    Outcome,
    Success,
    read_guard,
    read_outcome,
    read_post,
    read_pre,
)
from workbench.tools.events import EXECUTE, POST_EXECUTE, PRE_EXECUTE, RESULT, Invocation, Settled
from workbench.tools.refusals import refusal_of
from workbench.tools.runs import ToolRun, as_blocks
from workbench.tools.stages import Aborted, CancelWatch, ListenerFault, judged
from workbench.tools.validation import SchemaUnusable, problems_beside
from workbench.tools.waiting import CancelOnce, until_done
from workbench.values import freeze_foreign

if TYPE_CHECKING:
    from workbench.tools.layer import Guard
    from workbench.tools.registration import ToolRegistration
    from workbench.tools.registry import ToolRegistry
    from workbench.tools.runs import RunServices


class CallRun:
    """The stages of one call, driven from outside: refuse, admit, start, settle."""

    def __init__(
        self,
        registry: ToolRegistry,
        watch: CancelWatch,
        call: Invocation,
        tool: ToolRegistration | None,
        services: RunServices,
    ) -> None:
        self._registry = registry
        self._runtime = registry.runtime
        self._watch = watch
        self._tool = tool
        self.call = call
        self.run = ToolRun(call, services)
        self.result: ToolResult | None = None
        """Set as soon as the call has one."""
        self._is_reviewed = False
        """Whether the result still has to pass post-execute."""
        self._executing: asyncio.Task[Outcome] | None = None
        self._cancel: CancelOnce | None = None
        self.is_started = False
        """Whether its body, or a listener around it, has begun."""
        self._take_back: Callable[[], None] = lambda: None

    @property
    def is_concurrency_safe(self) -> bool:
        """Whether it may overlap with its neighbours. A function that raises means no."""
        return self._tool is not None and self._tool.may_overlap(self.call.arguments)

    # -- before the body ---------------------------------------------------------------------------------

    def refuse(self) -> bool:
        """Whether the call ends before any decision is asked for: unknown tool, arguments that do not fit."""
        refusal = refusal_of(self._registry, self.call, self._tool)
        if refusal is not None:
            self.result, self._is_reviewed = refusal
        return refusal is not None

    async def admit(self) -> bool:
        """Ask listeners and guards. False when the call is denied, or cancelled meanwhile."""
        try:
            reason = await self._watch.run(self._denial())
        except Aborted:
            self.abort_before()
        except ListenerFault as fault:
            self.result = failed(fault.code, str(fault))
        else:
            if self._watch.signal.is_set:
                self.abort_before()
            elif reason is not None:
                self.result = failed("DENIED", reason or "this call was denied")
                self._is_reviewed = True
        return self.result is None

    def abort_before(self) -> None:
        """The turn was cancelled before the body could begin."""
        self.result = failed(
            "ABORTED_BEFORE_DISPATCH", f"cancelled before this call began ({self._watch.signal.cause})"
        )

    async def _denial(self) -> str | None:
        """Why the call must not run; None when it may."""
        await self._runtime.hold.pass_by()
        answer, _ = await judged(self._runtime, PRE_EXECUTE, self.call, lambda _call: ALLOW, self.call.scope)
        decision = _read(PRE_EXECUTE.name, read_pre, answer)
        if isinstance(decision, Deny):
            return decision.reason or "a listener denied this call"
        if isinstance(decision, Ask):
            answered = await self._registry.approvals.ask(self.call, decision.reason)
            if answered != "allowed-once":
                return f"nobody allowed this call{': ' + decision.reason if decision.reason else ''}"
        # Last of all, and whatever listeners and people say: guards cannot be skipped.
        return await self._guarded()

    async def _guarded(self) -> str | None:
        for guard in self._registry.guards(self.call.scope):
            denial = await self._asked(guard)
            if denial is not None:
                return denial.reason or f"denied by plugin {guard.ledger.fiber.name!r}"
        return None

    async def _asked(self, guard: Guard) -> Deny | None:
        who = f"guard {guard.label!r} of plugin {guard.ledger.fiber.name!r}"
        try:
            answer = guard.function(self.call)
            if isawaitable(answer):
                owned = Call(guard.ledger, "listener", f"guard {guard.label}", CURRENT.get())
                answer = await self._runtime.tasks.own(owned, answer)
            return read_guard(answer)
        except asyncio.CancelledError:
            this_task = asyncio.current_task()
            if this_task is not None and this_task.cancelling():
                raise
            raise ListenerFault("GUARD_FAILED", f"{who} was stopped while it judged the call") from None
        except InvalidDecision as error:
            raise ListenerFault("GUARD_FAILED", f"{who}: {error}") from error
        except Exception as error:
            raise ListenerFault("GUARD_FAILED", f"{who} raised: {in_words(error)}") from error

    # -- the body ----------------------------------------------------------------------------------------

    def start_unless_cancelled(self) -> None:
        """Start the listeners around the body, and the body."""
        if self._watch.signal.is_set:
            self.abort_before()
            return
        self.is_started = True
        self._executing = asyncio.get_running_loop().create_task(self._execute(), name=f"tool {self.call.name}")
        self._cancel = CancelOnce(self._executing)
        self._take_back = self._watch.when_set(self._cancel)

    def cancel(self) -> None:
        """Ask a started call to end, once."""
        if self._cancel is not None:
            self._cancel()

    async def _execute(self) -> Outcome:
        hold = self._runtime.hold
        await hold.pass_by()
        hold.inside[self.call] = None
        try:
            answer, _ = await judged(self._runtime, EXECUTE, self.call, self._body, self.call.scope)
        finally:
            hold.leave(self.call)
        outcome: Outcome = _read(EXECUTE.name, read_outcome, answer)
        return outcome

    async def _body(self, call: Invocation) -> Outcome:
        """The innermost of `tools/execute`: the body, as a running call of the plugin that owns the tool."""
        tool = self._tool
        assert tool is not None, "a call without a tool is refused before"
        self.run.begin()
        if tool.execute is None:
            return Failure(f"tool {tool.name!r} is a schema alone: nothing here runs it", "NO_BODY")
        if tool.ledger.closed:
            return _owner_gone(tool)
        owned = Call(tool.ledger, "listener", f"tool {tool.name}", CURRENT.get())
        task = self._runtime.tasks.own(owned, self._entered(tool, call))
        limit = _Limit(task, tool.timeout_ms, call, self._watch)
        try:
            outcome: Outcome = await task
            return outcome
        except asyncio.CancelledError:
            this_task = asyncio.current_task()
            if this_task is not None and this_task.cancelling():
                raise
            if limit.is_over:
                return limit.failure(tool)
            return _owner_gone(tool)
        except ToolFailure as error:
            return Failure(str(error), error.code)
        except Exception as error:
            return Failure(in_words(error))
        finally:
            await limit.end()

    async def _entered(self, tool: ToolRegistration, call: Invocation) -> Outcome:
        assert tool.execute is not None
        given = tool.execute(call.arguments, self.run)
        if isawaitable(given):
            given = await given
        return given if isinstance(given, Success | Failure) else Success(given)

    # -- behind the body ---------------------------------------------------------------------------------

    async def settle(self) -> ToolResult:
        """Wait for the body, and take its outcome through the stages behind it."""
        if self._executing is not None:
            await self._outcome(self._executing)
            self._executing = None
        result = self.result
        assert result is not None, "a call without a result was never started"
        if self._is_reviewed:
            self._is_reviewed = False
            result = await self._stage(self._reviewed(result))
        result = bounded(result)
        if result.error is None and self.run.contexts:
            result = _with_contexts(result, tuple(self.run.contexts))
        self.result = result
        return result

    async def _outcome(self, task: asyncio.Task[Outcome]) -> None:
        try:
            assert self._cancel is not None, "a call that runs can be cancelled"
            await until_done(task, self._cancel)
        finally:
            self._take_back()
        if task.cancelled():
            self.result = self._aborted()
            return
        try:
            outcome = task.result()
        except ListenerFault as fault:
            self.result = failed(fault.code, str(fault))
            return
        self.result = await self._judged_outcome(outcome)
        self._is_reviewed = True

    def _aborted(self) -> ToolResult:
        return failed("ABORTED", f"cancelled while this call ran ({self._watch.signal.cause})")

    async def _stage(self, work: Coroutine[Any, Any, ToolResult]) -> ToolResult:
        try:
            return await self._watch.run(work)
        except Aborted:
            return self._aborted()
        except ListenerFault as fault:
            return failed(fault.code, str(fault))

    async def _judged_outcome(self, outcome: Outcome) -> ToolResult:
        """The result that an outcome gives: the value checked against the output schema, then rendered."""
        if isinstance(outcome, Failure):
            return failed(str(outcome.code), str(outcome.message))
        try:
            value = freeze_foreign(outcome.value)
            meta = None if outcome.meta is None else freeze_foreign(dict(outcome.meta))
        except (ValueError, TypeError, RecursionError) as error:
            return failed("INVALID_TOOL_OUTPUT", f"the value of tool {self.call.name!r} is not JSON: {error}")
        tool = self._tool
        validator = None if tool is None else tool.output_validator
        try:
            problems = () if validator is None else await problems_beside(validator, value)
        except SchemaUnusable as error:
            return failed("INVALID_SCHEMA", f"the output schema of tool {self.call.name!r} is unusable: {error}")
        if problems:
            return failed(
                "INVALID_TOOL_OUTPUT",
                f"the value of tool {self.call.name!r} breaks its output schema: {'; '.join(problems)}",
            )
        try:
            content = as_blocks(outcome.content if outcome.content is not None else self._rendered(value))
        except Exception as error:
            return failed("INVALID_TOOL_OUTPUT", f"the content of tool {self.call.name!r}: {in_words(error)}")
        return ToolResult(content, None, meta, value)

    def _rendered(self, value: Any) -> Any:
        tool = self._tool
        if tool is not None and tool.output is not None and tool.output.render is not None:
            return tool.output.render(self.call.arguments, value)
        if value is None:
            return ""
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)

    async def _reviewed(self, result: ToolResult) -> ToolResult:
        """`tools/post-execute`, then the tool's own last change."""
        await self._runtime.hold.pass_by()
        settled = Settled(self.call, result)
        answer, speaker = await judged(self._runtime, POST_EXECUTE, settled, lambda _: ACCEPT, self.call.scope)
        decision = _read(POST_EXECUTE.name, read_post, answer)
        try:
            contexts = tuple(AddedContext(as_blocks(each), speaker, self.call.id) for each in decision.contexts)
            reviewed = await self._decided(result, decision)
        except (InvalidDecision, TypeError, ValueError) as error:
            message = f"plugin {speaker!r} answered {POST_EXECUTE.name} with what cannot be used: {error}"
            raise ListenerFault("LISTENER_FAILED", message) from error
        reviewed = await self._finalized(reviewed)
        return _with_contexts(reviewed, contexts) if contexts else reviewed

    async def _decided(self, result: ToolResult, decision: Accept | Block) -> ToolResult:
        if isinstance(decision, Block):
            return failed("BLOCKED", decision.feedback)
        if decision.value is not UNSET:
            if result.error is not None:
                raise InvalidDecision("a value cannot replace an error")
            return await self._judged_outcome(Success(decision.value, decision.content, result.meta))
        if decision.content is not None:
            return ToolResult(as_blocks(decision.content), result.error, result.meta)
        return result

    async def _finalized(self, result: ToolResult) -> ToolResult:
        tool = self._tool
        if tool is None or tool.finalize_content is None:
            return result
        try:
            content: Any = tool.finalize_content(self.call.arguments, result.content)
            if isawaitable(content):
                content = await content
            blocks: tuple[ContentBlock, ...] = as_blocks(content)
        except Exception as error:
            return failed("TOOL_FAILED", f"finalize_content of tool {tool.name!r}: {in_words(error)}")
        return ToolResult(blocks, result.error, result.meta, result.value, result.contexts)

    def tell(self) -> None:
        """`tools/result`: the outcome is final. What an observer raises is only logged."""
        assert self.result is not None
        if self._runtime.has_listeners(RESULT.name):
            settled = Settled(self.call, self.result)
            self._runtime.events.emit(RESULT.name, (settled,), self.call.scope, contain=True)


class _Limit:
    """What may end a body before its turn is cancelled: its own time limit, or a signal of a listener."""

    def __init__(
        self, task: asyncio.Task[Any], timeout_ms: int | None, call: Invocation, watch: CancelWatch
    ) -> None:
        self._task = task
        self._timeout_ms = timeout_ms
        self.is_over = False
        self._by_signal = False
        self._timer: asyncio.TimerHandle | None = None
        self._watching: asyncio.Task[None] | None = None
        loop = asyncio.get_running_loop()
        if timeout_ms is not None:
            self._timer = loop.call_later(timeout_ms / 1000, self._stop)
        if call.signal is not watch.signal:
            self._watching = loop.create_task(self._watch(call.signal))

    async def _watch(self, signal: Any) -> None:
        await signal.wait()
        self._by_signal = True
        self._stop()

    def _stop(self) -> None:
        if not self.is_over:
            self.is_over = True
            self._task.cancel()

    def failure(self, tool: ToolRegistration) -> Failure:
        if self._by_signal:
            return Failure(f"a listener ended the call of tool {tool.name!r}", "ABORTED")
        return Failure(f"tool {tool.name!r} took longer than {self._timeout_ms} ms", "TOOL_TIMEOUT")

    async def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})


def _read(event: str, read: Callable[[object], Any], answer: object) -> Any:
    try:
        return read(answer)
    except InvalidDecision as error:
        raise ListenerFault("LISTENER_FAILED", f"the answer of {event}: {error}") from error


def _owner_gone(tool: ToolRegistration) -> Failure:
    return Failure(
        f"plugin {tool.owner_name!r}, which owns tool {tool.name!r}, was stopped while the call ran",
        "INACTIVE_CONTEXT",
    )


def _with_contexts(result: ToolResult, contexts: tuple[AddedContext, ...]) -> ToolResult:
    return ToolResult(result.content, result.error, result.meta, result.value, (*result.contexts, *contexts))
