"""Fixture F of the agent scenarios: a real agent on a scripted model, and what is asked about its log.

Every scenario ends with `World.check`: each request that reached the provider is rebuilt from the log alone,
with equal bytes and an equal call configuration.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.plugins import P
from workbench.agent.agent import Agent
from workbench.agent.agents import Agents, AgentsConfig
from workbench.agent.log import LoggedEvent, Session, canonical_bytes, digest, rebuild_all
from workbench.agent.options import AgentOptions
from workbench.agent.sessions import Sessions, SessionsConfig
from workbench.core import Context, Fiber, Runtime
from workbench.models import ModelCall, ModelRequest, Models
from workbench.models.scripted import ScriptedProvider
from workbench.prompt import PromptConfig, SystemPrompt, ToolSchema
from workbench.tools import ToolRegistry

Call = dict[str, Any]
PERSONA = "You run on {{model}}."
PATIENCE = 60
"""Seconds until a test gives up: other suites may share the cores."""


def text(said: str, **more: Any) -> Call:
    return {"text": said, **more}


def calls(*each: tuple[str, Any, str], **more: Any) -> Call:
    """Tool calls: name, arguments (a mapping, or the raw text), id."""
    return {"tool_calls": [{"name": n, "arguments": a, "id": i} for n, a, i in each], **more}


def error(code: str, **more: Any) -> Call:
    return {"error": {"code": code, **more}}


@dataclass
class World:
    """One runtime with everything that an agent needs."""

    root: Context
    provider: ScriptedProvider
    captured: list[tuple[ModelRequest, ModelCall]]
    slept: list[float] = field(default_factory=list)
    """Seconds that were waited before retries."""

    async def agent(self, options: AgentOptions | None = None, **more: Any) -> Agent:
        """The agent of F. `more` goes to `create`; `cwd=None` leaves the directory out."""
        options = AgentOptions(provider="scripted", model="m1") if options is None else options
        more.setdefault("cwd", "/w")
        agent: Agent = await self.root.agents.create(options, **more)
        return agent

    async def plugin(self, apply: Callable[[Context], Any], inject: Sequence[str] = ()) -> Fiber:
        """A plugin that this function is; undo it to take back what it registered."""
        return await self.root.plugin(P("helper", apply, inject=list(inject)))

    def tool(self, name: str, body: Any = None, ctx: Context | None = None, **more: Any) -> Any:
        """Register a tool whose argument is `text`; without a body it answers `NAME: <text>`."""
        schema = ToolSchema(name, name.capitalize(), {"type": "object", "properties": {"text": {"type": "string"}}})
        return (ctx or self.root).tools.register(schema, body or _echo(name), **more)

    def serve(self, provider: Any) -> None:
        """Register another provider; what reaches it is captured, too."""
        self.root.models.register(_Captured(provider, self.captured))

    def requests(self, agent: Agent) -> list[ModelRequest]:
        """What reached the provider from this agent's steps."""
        return [
            request for request, call in self.captured if call.session_id == agent.id and call.purpose == "step"
        ]

    def check(self, *sessions: Session) -> None:
        """The log is whole, and every request of these sessions is rebuilt from it."""
        for session in sessions:
            check_whole(session)
            rebuilt = list(rebuild_all(session.events))
            assert [each.mismatch for each in rebuilt] == [None] * len(rebuilt)
            made = {(each.sent.turn, each.sent.step, each.sent.attempt): each.request for each in rebuilt}
            sent = {(each.sent.turn, each.sent.step, each.sent.attempt): each.sent.digest for each in rebuilt}
            for request, call in self.captured:
                if (call.session_id, call.purpose) == (session.id, "step"):
                    again = made[call.turn, call.step, call.attempt]
                    assert canonical_bytes(again) == canonical_bytes(request)
                    assert sent[call.turn, call.step, call.attempt] == digest(request)
                    assert again.config == request.config


class _Captured:
    """A provider, and what was asked of it."""

    def __init__(self, provider: Any, captured: list[tuple[ModelRequest, ModelCall]]) -> None:
        self.name = provider.name
        self.context_window = provider.context_window
        self.defaults = provider.defaults
        self._provider = provider
        self._captured = captured

    def stream(self, request: ModelRequest, call: ModelCall) -> Any:
        self._captured.append((request, call))
        return self._provider.stream(request, call)


@asynccontextmanager
async def world(
    *script: Call,
    persona: str = PERSONA,
    sessions: Sequence[Sequence[Call]] | None = None,
    windows: dict[str, int] | None = None,
    prompt: dict[str, Any] | None = None,
    logs: SessionsConfig | None = None,
    sleep: Callable[[float], Awaitable[Any]] | None = None,
) -> AsyncIterator[World]:
    """F with these scripted calls, of one session or of several."""
    captured: list[tuple[ModelRequest, ModelCall]] = []
    slept: list[float] = []

    async def no_wait(seconds: float) -> None:
        slept.append(seconds)
        await (sleep or asyncio.sleep)(0)

    script_of = {"sessions": [{"calls": list(each)} for each in (sessions or [script])]}
    provider = ScriptedProvider(script_of, "scripted", lambda *given: captured.append(given), windows)
    async with Runtime() as runtime:
        root = runtime.root
        config = PromptConfig(persona=persona, include_harness_identity=False, **(prompt or {}))
        await root.plugin(SystemPrompt, config)
        await root.plugin(ToolRegistry)
        await root.plugin(Models)
        await root.plugin(Sessions, logs)
        await root.plugin(Agents, AgentsConfig(sleep=no_wait, draw=lambda: 0.5))
        root.models.register(provider)
        yield World(root, provider, captured, slept)


async def say(agent: Agent, *messages: str) -> None:
    """Follow up with each, one turn after the other."""
    for message in messages:
        agent.followup(message)
        await agent.when_idle()


def types(agent: Agent, *, start: int = 0) -> list[str]:
    return [event.type for event in list(agent.session.events)[start:]]


def events(agent: Agent, kind: str) -> list[LoggedEvent]:
    return [event for event in agent.session.events if event.type == kind]


def ends(agent: Agent) -> list[Any]:
    """The reason of each turn's end."""
    return [event.data["reason"] for event in events(agent, "turn/end")]


def kinds(agent: Agent) -> list[str]:
    return [reason["kind"] for reason in ends(agent)]


def headers(agent: Agent) -> list[str]:
    """The reason of each header record."""
    return [event.data["reason"] for event in events(agent, "request/header")]


def results(agent: Agent) -> list[LoggedEvent]:
    return events(agent, "tool/result")


def result_text(event: LoggedEvent) -> str:
    block = event.data["message"]["content"][0]
    return "".join(each.get("text", "") for each in block["content"])


def code(event: LoggedEvent) -> str | None:
    """The error code of a tool result."""
    return event.data.get("error", {}).get("code")


def said(request: ModelRequest) -> list[str]:
    """The text of each message of a request."""
    return [_text(message["content"]) for message in request.messages]


def roles(messages: Sequence[Any]) -> list[str]:
    return [message["role"] for message in messages]


def snapshots(agent: Agent) -> list[str]:
    """The text of each own snapshot in the log."""
    return [
        _text(event.data["content"])
        for event in events(agent, "user/message")
        if event.data["source"].get("form") == "snapshot"
    ]


def check_whole(session: Session) -> None:
    """Seqs count up, turns and steps are balanced, every call has one result, messages cite their chunks."""
    step: tuple[int, int] | None = None
    turn: int | None = None
    last_turn = 0
    open_calls: list[str] = []
    for index, event in enumerate(session.events):
        assert event.seq == index
        data = event.data
        if event.type == "turn/start":
            assert turn is None
            assert data["turn"] == last_turn + 1
            turn = last_turn = data["turn"]
        elif event.type == "turn/end":
            assert (turn, step) == (data["turn"], None)
            assert not open_calls, open_calls
            turn = None
        elif event.type == "step/start":
            assert step is None
            assert data["turn"] == turn
            step = (data["turn"], data["step"])
        elif event.type == "step/end":
            assert step == (data["turn"], data["step"])
            step = None
        elif event.type == "assistant/message":
            assert all(session.events[seq].type == "assistant/chunk" for seq in event.source_event_seqs)
            blocks = data["message"]["content"]
            if data.get("interrupted"):
                assert blocks
                assert all(block["type"] != "tool-call" and block["text"].strip() for block in blocks)
            open_calls += [block["id"] for block in blocks if block["type"] == "tool-call"]
        elif event.type == "tool/result":
            open_calls.remove(data["message"]["content"][0]["toolCallId"])
            [cited] = event.source_event_seqs
            assert session.events[cited].type in ("tool/call", "assistant/message")
    assert (turn, step) == (None, None)


async def until(fact: Callable[[], bool]) -> None:
    """Let the loop run until the fact holds. What takes real time, as a disk does, has as much as it needs."""
    end = time.monotonic() + PATIENCE
    for turn in itertools.count():
        if fact():
            return
        await asyncio.sleep(0 if turn < 2000 else 0.002)
        assert turn < 2000 or time.monotonic() < end, "it never became true"


def _echo(name: str) -> Callable[[Any, Any], str]:
    return lambda arguments, run: f"{name}: {arguments.get('text', '')}"


def _text(content: Any) -> str:
    """Texts of blocks, those inside tool results included."""
    parts = [
        block["text"]
        if "text" in block
        else _text(block["content"])
        if "content" in block
        else f"<{block['type']}>"
        for block in content
    ]
    return "\n".join(parts)
