"""Properties of the loop over random runs (docs/agents.md 17)."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.agent.random_runs import DrawnProvider, Op, answers, ops, run
from tests.agent.scenario import calls, code, events, results, say, text, world
from workbench.agent.log import canonical_bytes
from workbench.agent.options import AgentOptions
from workbench.agent.snapshots import due_text, snapshot_message
from workbench.models.recording import Recording
from workbench.models.replay import ReplayProvider
from workbench.prompt import RUNTIME_CONTEXT_CLEARED

pytestmark = pytest.mark.timeout(180)
FAST = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
DEEP = settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))

programs = st.lists(ops, min_size=10, max_size=40)
scripts = st.lists(answers, min_size=6, max_size=30)


def _run(drawn: list[Any], program: list[Op]) -> int:
    with TemporaryDirectory() as folder:
        return asyncio.run(run(drawn, program, Path(folder)))


@FAST
@given(scripts, programs)
@example(
    [("calls", ("ok", "fails", "slow"))], [("say", 1), ("turns", 20), ("cancel", 3, "user", False), ("say", 2)]
)
@example([("text", "a"), ("error", "CONTEXT_WINDOW_EXCEEDED")], [("say", 1), ("wait",), ("say", 2), ("wait",)])
@example([("text", "a"), ("text", "b")], [("say", 1), ("wait",), ("fork",), ("kill", 50), ("say", 2), ("fork",)])
def test_every_request_is_rebuilt_from_the_log(drawn: list[Any], program: list[Op]) -> None:
    assert _run(drawn, program) > 0


@pytest.mark.deep
@pytest.mark.timeout(1800)
@DEEP
@given(scripts, programs)
def test_every_request_is_rebuilt_from_the_log_deep(drawn: list[Any], program: list[Op]) -> None:
    assert _run(drawn, program) > 0


NAMES = ("a", "B", "c", "zulu")
registrations = st.permutations([*itertools.product(("section", "context", "variable", "tool"), NAMES)])


async def _bytes_of(order: list[tuple[str, str]]) -> bytes:
    async with world(text("ok"), persona="On {{model}} with {{va}}.") as w:
        agent = await w.agent()
        prompt = w.root.system_prompt
        for kind, name in order:
            if kind == "tool":
                w.tool(name)
            elif kind == "variable":
                prompt.variable(f"v{name.lower()}", lambda context, name=name: f"value {name}")
            else:
                register = prompt.section if kind == "section" else prompt.context
                register(name, 10, f"{kind} {name}")
        await say(agent, "hi")
        return canonical_bytes(w.requests(agent)[0])


@settings(max_examples=10, deadline=None)
@given(registrations)
def test_the_order_of_registrations_changes_no_byte(order: list[tuple[str, str]]) -> None:
    assert asyncio.run(_bytes_of(order)) == asyncio.run(_bytes_of(sorted(order)))


@given(st.lists(st.tuples(st.sampled_from(["", "a", "b"]), st.booleans()), max_size=12))
def test_the_snapshot_table(states: list[tuple[str, bool]]) -> None:
    """After each request the newest snapshot that the model reads is what is in force; nothing is said twice."""
    last: Any = None
    is_on_surface = False
    for now, is_compacted_before in states:
        is_on_surface = is_on_surface and not is_compacted_before
        due = due_text(now, last, is_on_surface)
        if due is not None:
            last, is_on_surface = snapshot_message(due, ()), True
        seen = last["content"][0]["text"] if is_on_surface else None
        if now:
            assert seen == now
        else:
            assert seen == RUNTIME_CONTEXT_CLEARED if last is not None else seen is None
        assert due_text(now, last, is_on_surface) is None


async def _called(hidden: list[tuple[str, list[str]]], own: list[str]) -> None:
    called = [(name, {}, f"c{index}") for index, name in enumerate((*NAMES, "never"))]
    async with world(calls(*called), text("ok")) as w:
        for name in NAMES:
            w.tool(name)

        def setup(ctx: Any, agent: Any) -> None:
            for how, names in hidden:
                ctx.tools.restrict(**{how: names})
            for name in own:
                w.tool(name, ctx=ctx)

        agent = await w.agent(setup=setup)
        await say(agent, "go")
        offered = {tool["name"] for tool in w.requests(agent)[0].tools}
        assert offered == {name for name in (*NAMES, "never") if w.root.tools.get(name, agent) is not None}
        ran = {name for (name, _, _), result in zip(called, results(agent), strict=True) if code(result) is None}
        assert ran == offered
        w.check(agent.session)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["allow", "deny"]), st.lists(st.sampled_from(NAMES), min_size=1, max_size=3)),
        max_size=3,
    ),
    st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
)
def test_what_is_offered_is_what_can_be_called(hidden: list[tuple[str, list[str]]], own: list[str]) -> None:
    asyncio.run(_called(hidden, own))


async def _replayed(drawn: list[Any], folder: Path) -> None:
    log = folder / "session.jsonl"
    finite = [each for each in drawn if each[0] != "hang"]
    recorded = await _played(log, DrawnProvider(finite), "drawn", persona="You run on {{model}}.")
    provider = ReplayProvider([Recording.from_file(log)])
    replayed = await _played(folder / "again.jsonl", provider, "replay", persona="Somebody else.")
    assert replayed == recorded
    provider.assert_consumed()


async def _played(log: Path, provider: Any, name: str, persona: str) -> list[Any]:
    """The chunks of three turns, with the tools and the persona of this run."""
    async with world(persona=persona) as w:
        w.serve(provider)
        for tool in ("ok", "fails", "slow", "adds"):
            w.tool(tool, lambda arguments, run: f"{name} {run.name}")
        agent = await w.agent(AgentOptions(provider=name, model="m3"), path=log)
        await say(agent, "1", "2", "3")
        w.check(agent.session)
        return [
            (event.data["turn"], event.data["step"], event.data["chunk"])
            for event in events(agent, "assistant/chunk")
        ]


@settings(max_examples=10, deadline=None)
@given(scripts)
def test_a_replay_gives_the_recorded_chunks_whatever_it_is_asked(drawn: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(_replayed(drawn, Path(folder)))
