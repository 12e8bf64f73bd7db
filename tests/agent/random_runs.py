"""Random runs of one agent: what may happen to it, in any order, at any await.

A run is a list of operations and a list of answers. Everything that reaches the provider is captured, and in the
end each request is rebuilt from the log alone. Source of the invariants: docs/agents.md 5 and 17.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.agent.scenario import PERSONA, World, check_whole, world
from workbench.agent.agent import Agent
from workbench.agent.compaction import Compaction, CompactionConfig
from workbench.agent.log import Replace, Session, canonical_bytes, digest, fork_seed, rebuild_all
from workbench.agent.messages import user_message
from workbench.agent.options import AgentOptions
from workbench.agent.sessions import SessionsConfig
from workbench.models import ModelCall, ModelError, ModelRequest
from workbench.models.chunks import (
    block_end,
    block_start,
    finish,
    reasoning_delta,
    text_delta,
    tool_call_delta,
    usage_chunk,
)

Op = tuple[Any, ...]
TOOLS = ("ok", "fails", "slow", "adds", "ends")
OPTIONS = AgentOptions(provider="drawn", model="m1")
PATIENCE = 400
"""Turns of the loop that a run may take before it is cancelled."""

answers = st.one_of(
    st.tuples(st.just("text"), st.sampled_from(["a", "b c", "{{x}}", "é", ""])),
    st.tuples(st.just("text"), st.sampled_from(["a", "bb"])),
    st.tuples(st.just("calls"), st.lists(st.sampled_from([*TOOLS, "gone"]), min_size=1, max_size=3).map(tuple)),
    st.tuples(st.just("error"), st.sampled_from(["RATE_LIMIT", "SERVER", "AUTH", "CONTEXT_WINDOW_EXCEEDED"])),
    st.tuples(st.just("breaks"), st.sampled_from(["TIMEOUT", "STREAM_CLOSED"])),
    st.tuples(st.just("cut"), st.sampled_from(["", "half"])),
    st.tuples(st.just("hang"), st.booleans()),
    st.tuples(st.just("raises"), st.just("")),
)
texts = st.sampled_from(["", "one", "two {{v}}", "three"])
ops = st.one_of(
    st.tuples(st.just("say"), st.integers(0, 9)),
    st.tuples(st.just("say"), st.integers(0, 9)),
    st.tuples(st.just("wait")),
    st.tuples(st.just("turns"), st.integers(1, 40)),
    st.tuples(st.just("steer"), st.integers(0, 9)),
    st.tuples(st.just("inject"), st.integers(0, 9)),
    st.tuples(st.just("section"), st.booleans(), texts),
    st.tuples(st.just("context"), st.booleans(), texts),
    st.tuples(st.just("variable"), st.sampled_from(["x", "yy"])),
    st.tuples(st.just("tool"), st.sampled_from(TOOLS)),
    st.tuples(st.just("restrict"), st.sampled_from(TOOLS)),
    st.tuples(st.just("persona"), texts),
    st.tuples(st.just("revision"), st.integers(1, 3)),
    st.tuples(st.just("model"), st.sampled_from(["m1", "m2"])),
    st.tuples(st.just("shadow"), st.integers(1, 4)),
    st.tuples(st.just("cancel"), st.integers(0, 30), st.sampled_from(["user", "parent", "hook"]), st.booleans()),
    st.tuples(st.just("kill"), st.integers(0, 400)),
    st.tuples(st.just("fork")),
)


class DrawnProvider:
    """Answers what was drawn, one chunk a turn of the loop; afterwards a text."""

    name = "drawn"

    def __init__(self, drawn: Sequence[tuple[str, Any]]) -> None:
        self._drawn = iter(drawn)
        self._ids = itertools.count(1)

    def context_window(self, model: str) -> int | None:
        return 150 if model == "m1" else None

    def defaults(self, config: Any) -> Any:
        return {"temperature": 0.5} if config.model == "m2" else {}

    async def stream(self, request: ModelRequest, call: ModelCall) -> AsyncIterator[Any]:
        kind, value = next(self._drawn, ("text", "end"))
        for each in self._chunks(kind, value):
            await asyncio.sleep(0)
            yield each
        if kind in ("error", "breaks"):
            raise ModelError(value, f"drawn {value}")
        if kind == "raises":
            raise RuntimeError("a provider with a mistake")
        if kind == "hang":
            await asyncio.get_running_loop().create_future()

    def _chunks(self, kind: str, value: Any) -> Any:
        if kind in ("error", "raises") or (kind == "hang" and not value):
            return
        if kind == "calls":
            for index, name in enumerate(value):
                block = {
                    "type": "tool-call",
                    "id": f"c{next(self._ids)}",
                    "name": name,
                    "arguments": '{"text":"t"}',
                }
                yield block_start(index, "tool-call")
                yield tool_call_delta(index, block["id"], name, block["arguments"])
                yield block_end(index, block)  # type: ignore[arg-type]
            yield finish("tool-calls")
            return
        yield block_start(0, "reasoning")
        yield reasoning_delta(0, "thinking")
        yield block_end(0, {"type": "reasoning", "text": "thinking"})
        yield block_start(1, "text")
        yield text_delta(1, str(value))
        if kind in ("breaks", "hang"):
            return
        yield block_end(1, {"type": "text", "text": str(value)})
        yield usage_chunk({"inputTokens": 3, "outputTokens": 1})
        yield finish("max-tokens" if kind == "cut" else "stop")


class RandomRun:
    """One run while it goes on."""

    def __init__(self, w: World, folder: Path) -> None:
        self.w = w
        self._folder = folder
        self._copies = itertools.count(1)
        self._registered: dict[Any, Any] = {}
        self._revision: list[int | None] = [None]
        self._model = ["m1"]
        self.agent: Agent
        self.checked = 0

    async def begin(self) -> None:
        """Tools, listeners and the agent."""
        w = self.w
        for name in TOOLS:
            self._toggle(
                ("tool", name), lambda name=name: w.tool(name, _BODIES[name], is_concurrency_safe=name == "ok")
            )
        w.root.system_prompt.section(
            "v", 50, lambda context: "v is {{v}}" if ("variable", 0) in self._registered else ""
        )
        w.root.on("agent/assemble-context", self._tell_revision)
        w.root.on("agent/request", lambda proposal, next: proposal.config.with_(model=self._model[0]))
        await w.root.plugin(Compaction, CompactionConfig())
        self.agent = await w.agent(OPTIONS)

    def _tell_revision(self, context: Any) -> None:
        if self._revision[0] is not None:
            context.extras["prompts/revision"] = self._revision[0]

    def _toggle(self, key: Any, register: Callable[[], Any]) -> None:
        undo = self._registered.pop(key, None)
        if undo is None:
            self._registered[key] = register()
        else:
            undo()

    async def do(self, op: Op) -> None:
        agent, w = self.agent, self.w
        match op:
            case ("say", n):
                agent.followup(f"say {n}")
            case ("steer", n):
                agent.steer(f"steer {n}")
            case ("inject", n):
                agent.inject(f"inject {n}")
            case ("turns", n):
                await turns(n)
            case ("wait",):
                await self.settle()
            case ("section", is_own, text):
                ctx = agent.ctx if is_own else w.root
                self._toggle(op[:2], lambda: ctx.system_prompt.section(f"s{is_own}", 10, text))
            case ("context", is_own, text):
                ctx = agent.ctx if is_own else w.root
                self._toggle(op[:2], lambda: ctx.system_prompt.context(f"c{is_own}", 110, text))
            case ("variable", value):
                self._toggle(("variable", 0), lambda: w.root.system_prompt.variable("v", lambda context: value))
            case ("tool", name):
                self._toggle(("tool", name), lambda: w.tool(name, _BODIES[name]))
            case ("restrict", name):
                if ("restrict", name) in self._registered or ("tool", name) in self._registered:
                    self._toggle(("restrict", name), lambda: agent.ctx.tools.restrict(deny=[name]))
            case ("persona", text):
                self._toggle(("persona",), lambda: agent.ctx.system_prompt.section("deployment:persona", 0, text))
            case ("revision", n):
                self._revision[0] = n
            case ("model", name):
                self._model[0] = name
            case ("cancel", after, cause, keeps):
                self._later(after, lambda: agent.cancel(cause, keep_inbox=keeps))
            case ("shadow", n):
                await self.settle()
                self._shadow(n * 2)
            case ("kill", cut):
                await self._kill(cut)
            case ("fork",):
                await self._fork()

    def _shadow(self, count: int) -> None:
        """Replace the beginning of the conversation, unless that would part calls from their results."""
        session = self.agent.session
        nodes = session.surface.nodes
        following = session.events[nodes[count]].type if len(nodes) > count else ""
        if nodes and following != "tool/result":
            shadowed = nodes[:count]
            op = Replace(shadowed[0], shadowed[-1])
            session.append("user/message", user_message("SUM"), surface_op=op, source_event_seqs=shadowed)

    def _later(self, after: int, act: Callable[[], Any]) -> None:
        loop = asyncio.get_running_loop()
        if after:
            loop.call_soon(self._later, after - 1, act)
        else:
            loop.call_soon(act)

    async def settle(self) -> None:
        """Until it is idle; what hangs is cancelled."""
        await settled(self.agent)

    async def _kill(self, cut: int) -> None:
        """What is on disk now, cut somewhere near its end, is all that is left."""
        old = self.agent
        assert old.session.path is not None
        await old.session.flush()
        content = old.session.path.read_bytes()
        header_end = content.index(b"\n") + 1
        left = content[: max(header_end, len(content) - cut)]
        await old.dispose()
        self.check()
        self._forget_own()
        path = self._folder / f"killed-{next(self._copies)}.jsonl"
        path.write_bytes(left)
        self.w.captured.clear()
        self.agent = await self.w.root.agents.resume(path, OPTIONS)

    def _forget_own(self) -> None:
        """What was registered through the old agent's scope has gone with it."""
        for key in [key for key in self._registered if key in (("section", True), ("context", True), ("persona",))]:
            del self._registered[key]
        for key in [key for key in self._registered if key[0] == "restrict"]:
            del self._registered[key]

    async def _fork(self) -> None:
        seed = fork_seed(self.agent.session.events)
        child: Agent = await self.w.root.agents.create(OPTIONS, cwd="/w", seed=seed)
        child.followup("in the fork")
        await settled(child)
        await child.dispose()
        check_run(self.w, child.session)

    def check(self) -> None:
        self.checked += check_run(self.w, self.agent.session)

    async def end(self) -> None:
        """Whatever happened, the agent can still be used."""
        await self.settle()
        if ("variable", 0) not in self._registered:
            await self.do(("variable", "x"))
        before = len(self.agent.session.events)
        for _ in range(60):  # what was drawn and not used may fail a few turns more
            self.agent.followup("the end")
            await self.settle()
            last = self.agent.session.events[-1]
            if last.type == "turn/end" and last.data["reason"]["kind"] in ("completed", "max-tokens"):
                break
        else:
            raise AssertionError("the agent does not work any more")
        assert len(self.agent.session.events) > before
        self.check()


async def _slow(arguments: Any, run: Any) -> str:
    for _ in range(5):
        await asyncio.sleep(0)
    return "slow"


def _fails(arguments: Any, run: Any) -> str:
    raise ValueError("it fails")


def _adds(arguments: Any, run: Any) -> str:
    run.add_context("beside")
    return "added"


def _ends(arguments: Any, run: Any) -> str:
    run.conclude_turn()
    return "ended"


_BODIES: dict[str, Any] = {
    "ok": lambda arguments, run: "ok",
    "fails": _fails,
    "slow": _slow,
    "adds": _adds,
    "ends": _ends,
}


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def settled(agent: Agent) -> None:
    """Wait until it is idle. Files take real time: only what makes no progress is cancelled."""
    while agent.status == "running":
        before = len(agent.session.events)
        for _ in range(PATIENCE):
            await asyncio.sleep(0)
            if agent.status == "idle":
                return
        await agent.session.flush()
        if len(agent.session.events) == before:
            agent.cancel()


def check_run(w: World, session: Session) -> int:
    """All invariants of one log; the number of its requests."""
    check_whole(session)
    rebuilt = list(rebuild_all(session.events))
    assert [each.mismatch for each in rebuilt] == [None] * len(rebuilt)
    made = {(each.sent.turn, each.sent.step, each.sent.attempt): each for each in rebuilt}
    for request, call in w.captured:
        if (call.session_id, call.purpose) == (session.id, "step"):
            rebuilt_again = made[call.turn, call.step, call.attempt]
            again = rebuilt_again.request
            assert canonical_bytes(again) == canonical_bytes(request)
            assert rebuilt_again.sent.digest == digest(request)
            assert again.config == request.config
            _check_pairs(request)
    for before, after in itertools.pairwise(rebuilt):
        between = list(session.events[before.sent.seq : after.sent.seq])
        is_replaced = any(event.surface_op not in (None, "append") for event in between)
        if before.header == after.header and not is_replaced:
            assert canonical_bytes(after.request).startswith(canonical_bytes(before.request))
    return len(rebuilt)


def _check_pairs(request: ModelRequest) -> None:
    """Every call has its result in the message behind its own, and no result is without a call."""
    waiting: list[str] = []
    for message in request.messages:
        ids = [block["toolCallId"] for block in message["content"] if block["type"] == "tool-result"]
        if not ids:
            assert not waiting, "a call without a result"
        for id in ids:
            waiting.remove(id)
        waiting += [block["id"] for block in message["content"] if block["type"] == "tool-call"]
    assert not waiting


async def run(drawn: Sequence[tuple[str, Any]], program: Sequence[Op], folder: Path) -> int:
    """One whole run; the number of requests that were checked."""
    async with world(persona=PERSONA, logs=SessionsConfig(folder)) as w:
        w.serve(DrawnProvider(drawn))
        random_run = RandomRun(w, folder)
        await random_run.begin()
        for op in program:
            await random_run.do(op)
        await random_run.end()
        return random_run.checked
