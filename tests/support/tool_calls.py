"""What running tool calls needs in tests: an agent, a log that remembers, and a cancel."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workbench.core import Context
from workbench.prompt import ToolSchema
from workbench.tools import ToolsFacade
from workbench.tools.pipeline import BatchOutcome, CodeDispatch, ToolCall, ToolResult, ToolRun


@dataclass
class FakeAgent:
    """An agent as bodies see it."""

    id: str = "session-1"
    cwd: str | None = None


class Signal:
    """The cancel of a turn."""

    def __init__(self) -> None:
        self.cause: str | None = None
        self._event = asyncio.Event()

    @property
    def is_set(self) -> bool:
        return self.cause is not None

    def set(self, cause: str = "user") -> None:
        self.cause = self.cause or cause
        self._event.set()

    async def wait(self) -> None:
        await self._event.wait()


@dataclass
class Sink:
    """A session log that keeps everything in memory."""

    events: list[tuple[str, str]] = field(default_factory=list)
    """Kind (`call`, `flush`, `result`, `code-start`, `code`) and call id, in order."""
    results: dict[str, ToolResult] = field(default_factory=dict)
    dispatches: list[CodeDispatch] = field(default_factory=list)
    flush_fails: bool = False

    def called(self, call: ToolCall) -> None:
        self.events.append(("call", call.id))

    async def flush(self) -> None:
        await asyncio.sleep(0)
        if self.flush_fails:
            raise OSError("disk full")
        self.events.append(("flush", ""))

    def result(self, call: ToolCall, result: ToolResult) -> None:
        self.events.append(("result", call.id))
        self.results[call.id] = result

    def code_dispatch_start(self, dispatch: CodeDispatch) -> None:
        self.events.append(("code-start", dispatch.sub_call_id))
        self.dispatches.append(dispatch)

    def code_dispatch(self, dispatch: CodeDispatch, result: ToolResult) -> None:
        self.events.append(("code", dispatch.sub_call_id))
        self.results[dispatch.sub_call_id] = result

    def order(self, kind: str) -> list[str]:
        return [call_id for each, call_id in self.events if each == kind]


def call(name: str, arguments: Any = None, id: str = "c1") -> ToolCall:
    """A call of the model; arguments that are no text become JSON."""
    raw = arguments if isinstance(arguments, str) else json.dumps({} if arguments is None else arguments)
    return ToolCall(id, name, raw)


@dataclass
class Caller:
    """Runs batches for one scope."""

    root: Context
    scope: object = None
    agent: FakeAgent = field(default_factory=FakeAgent)
    sink: Sink = field(default_factory=Sink)
    cancel: Signal = field(default_factory=Signal)
    step: int = 0

    async def batch(self, *calls: ToolCall) -> BatchOutcome:
        self.step += 1
        outcome: BatchOutcome = await self.root.tools.executor.run_batch(
            calls,
            agent=self.agent,
            scope=self.scope,
            turn=1,
            step=self.step,
            sink=self.sink,
            cancel=self.cancel,
        )
        return outcome

    async def one(self, name: str, arguments: Any = None, id: str = "c1") -> ToolResult:
        """Run a single call and give its result."""
        await self.batch(call(name, arguments, id))
        return self.sink.results[id]


def error_of(result: ToolResult) -> str | None:
    """The code of an error result; None for a success."""
    return None if result.error is None else result.error.code


TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


class Echo:
    """A tool `echo` that counts how often its body ran."""

    def __init__(self, tools: ToolsFacade, **options: Any) -> None:
        self.runs: list[ToolRun] = []
        tools.register(ToolSchema("echo", "Says it again.", TEXT), self.body, **options)

    async def body(self, arguments: Any, run: ToolRun) -> str:
        self.runs.append(run)
        await asyncio.sleep(0)
        return f"echo: {arguments['text']}"


def counter(ctx: Context, event: str) -> list[Any]:
    """The payloads that a listener which passes everything on has seen."""
    seen: list[Any] = []

    async def count(payload: Any, next: Callable[[], Any]) -> Any:
        seen.append(payload)
        return await next()

    ctx.on(event, count)
    return seen
