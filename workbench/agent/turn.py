"""One turn: steps, until the model has nothing more to do or something ends it.

Source: docs/agents.md 3 and 16.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.agent.answers import MAX_TOKENS, Answer, Attempt
from workbench.agent.cancel import DISPOSED, CancelSignal, TurnCancelled, race
from workbench.agent.decisions import read_entry
from workbench.agent.events import ERROR, PRE_STEP, TURN_STOPPING, Enter, PreStep, Reject, TurnFailure, TurnStopping
from workbench.agent.failures import failure_of
from workbench.agent.log.repair import missing_events
from workbench.agent.messages import Message, plugin_message
from workbench.agent.tool_sink import SessionSink
from workbench.models.errors import CONTEXT_WINDOW_EXCEEDED, ModelError
from workbench.models.provider import ModelCall
from workbench.models.retry import delay_ms

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.loop_services import LoopServices
    from workbench.agent.prepared import Prepared
    from workbench.agent.requests import Dispatchable
    from workbench.tools.calls import AddedContext

Reason = dict[str, Any]


class Turn:
    """A turn of one agent. `run` always ends it in the log, and raises only when the log cannot be written."""

    def __init__(self, agent: Agent, services: LoopServices, number: int) -> None:
        self.signal = CancelSignal()
        self.number = number
        self.step = 0
        self._agent = agent
        self._services = services
        self._session = agent.session
        self._is_in_step = False
        self._was_cut = False
        """One step has run out of tokens: the turn cannot end as completed any more."""

    async def run(self) -> None:
        """From `turn/start` to `turn/end`."""
        self._session.append("turn/start", {"turn": self.number})
        failed: Exception | None = None
        killed: asyncio.CancelledError | None = None
        try:
            reason = await self._steps()
        except TurnCancelled as cancelled:
            reason = {"kind": "aborted", "reason": cancelled.cause.to_json()}
        except asyncio.CancelledError as error:  # the loop itself is being taken down
            self.signal.set(DISPOSED)
            assert self.signal.cause is not None
            reason = {"kind": "aborted", "reason": self.signal.cause.to_json()}
            killed = error
        except Exception as error:
            failed = error
            reason = {"kind": "error", "error": failure_of(error)}
        self._close_calls()
        if self._is_in_step:
            self._append_step("step/end")
        self._session.append("turn/end", {"turn": self.number, "reason": reason})
        if killed is not None:
            raise killed
        if failed is not None:
            self._services.tell(ERROR, TurnFailure(self._agent, self.number, reason["error"], failed), self._agent)
        await self._session.flush()

    async def _steps(self) -> Reason:
        while True:
            self.step += 1
            claimed = self._agent.inbox.claim(at_turn_boundary=self.step == 1)
            prepared = await self._agent.preparer.prepare(self.signal)
            entry = await self._enter(claimed, prepared)
            if isinstance(entry, Reject):
                return {"kind": "blocked", "reason": entry.reason} if entry.reason else {"kind": "blocked"}
            if self.step == 1 and not entry.messages:
                return {"kind": "completed"}
            goes_on = await self._run_step(entry.messages, prepared)
            if goes_on or self._agent.inbox.has_steering:
                continue
            kind = MAX_TOKENS if self._was_cut else "completed"
            stopping = TurnStopping(self._agent, self.number, self.step, kind, self.signal)
            await race(self._services.ctx.serial(TURN_STOPPING, stopping, target=self._agent), self.signal)
            return {"kind": kind}

    async def _enter(self, claimed: list[Message], prepared: Prepared) -> Enter | Reject:
        """Let the listeners of `agent/pre-step` see the exact prompt, and decide."""
        payload = PreStep(
            self._agent,
            claimed,
            self.number,
            self.step,
            self.signal,
            prepared.system,
            prepared.tools,
            prepared.context,
            self._agent.requests.due_messages(prepared),
        )
        work = self._services.ctx.waterfall(PRE_STEP, payload, default=_as_claimed, target=self._agent)
        return read_entry(PRE_STEP, await race(work, self.signal))

    async def _run_step(self, messages: Sequence[Message], prepared: Prepared) -> bool:
        """Everything between `step/start` and `step/end`; True when the calls ask for another step."""
        self._append_step("step/start")
        self._is_in_step = True
        for message in messages:
            self._session.append("user/message", message, surface_op="append")
        answer = await self._answer(prepared)
        self._was_cut = self._was_cut or answer.is_cut
        concludes = await self._run_tools(answer) if answer.calls else True
        self._append_step("step/end")
        self._is_in_step = False
        return not concludes

    def _close_calls(self) -> None:
        """A result for each call that has none: the pipeline gives every call one, unless the log failed it."""
        for missing in list(missing_events(self._session.work)):
            if missing.type == "tool/result":
                self._session.append(missing.type, missing.data, source_event_seqs=missing.source_event_seqs)

    def _append_step(self, event: str) -> None:
        self._session.append(event, {"turn": self.number, "step": self.step})

    # -- the request -----------------------------------------------------------------------------------

    async def _answer(self, prepared: Prepared) -> Answer:
        """Attempts, until one succeeds. Raises what the last one failed with."""
        attempt, retries, has_compacted = 0, 0, False
        while True:
            attempt += 1
            if attempt > 1:
                prepared = await self._agent.preparer.prepare(self.signal)
            dispatchable = await self._dispatchable(prepared, attempt)
            call = ModelCall(self._session.id, self.number, self.step, attempt)
            try:
                return await Attempt(self._agent, dispatchable, call).run(self.signal)
            except ModelError as error:
                self.signal.check()
                if error.code == CONTEXT_WINDOW_EXCEEDED and not has_compacted:
                    has_compacted = True
                    if await self._compacted():
                        continue
                retries += 1
                await self._wait_before_retry(error, attempt, retries)

    async def _dispatchable(self, prepared: Prepared, attempt: int) -> Dispatchable:
        """Everything that stands before the call, with the log on disk."""
        requests = self._agent.requests
        requests.append_due(prepared)
        config = await requests.propose(self.number, self.step, attempt, self.signal)
        dispatchable = requests.record(prepared, config, self.number, self.step, attempt)
        await race(self._session.flush(), self.signal)
        return dispatchable

    async def _compacted(self) -> bool:
        """Whether a compaction has made room, so that the same step can be tried once more."""
        compactor = self._services.compactor
        if compactor is None:
            return False
        return await race(compactor.make_room(self._agent, self.number, self.step, self.signal), self.signal)

    async def _wait_before_retry(self, error: ModelError, attempt: int, retry: int) -> None:
        """Wait, or raise the error when there is to be no further attempt."""
        services = self._services
        delay = delay_ms(error, retry, services.random, services.retry)
        if delay is None:
            raise error
        self._session.append(
            "llm/retry",
            {
                "turn": self.number,
                "step": self.step,
                "attempt": attempt,
                "retry": retry,
                "maxRetries": services.retry.max_retries,
                "code": error.code,
                "delayMs": delay,
            },
        )
        await race(services.sleep(delay / 1000), self.signal)

    # -- tools -----------------------------------------------------------------------------------------

    async def _run_tools(self, answer: Answer) -> bool:
        """Run the calls of an answer; True when a result asks for the end of the turn.

        The pipeline itself ends each call when the turn is cancelled: what has begun is awaited and recorded.
        """
        sink = SessionSink(self._session, self.number, self.step, answer.seq)
        outcome = await self._services.executor.run_batch(
            answer.calls,
            agent=self._agent,
            scope=self._agent,
            turn=self.number,
            step=self.step,
            sink=sink,
            cancel=self.signal,
        )
        self.signal.check()
        if outcome.contexts:
            self._agent.inbox.add("next-step", [_context_message(each) for each in outcome.contexts])
        return bool(outcome.concludes)


def _as_claimed(payload: PreStep) -> Enter:
    return Enter(payload.messages)


def _context_message(added: AddedContext) -> Message:
    return plugin_message(added.content, added.plugin, form="tool-context", callId=added.call_id)
