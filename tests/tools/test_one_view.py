"""One view per scope: schema list, `get`, execution and programs agree for random registries."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.plugins import Key
from tests.support.tool_calls import Caller, call, error_of
from workbench.core import Runtime, create_scope
from workbench.plugins import first_party
from workbench.prompt import AssembleContext, PromptConfig, SystemPrompt, ToolSchema
from workbench.tools import ToolError, ToolRegistry

NAMES = ("a", "b", "c", "run_code")
LAYERS = ("global", "outer", "inner")
STEP = st.one_of(
    st.tuples(st.just("register"), st.sampled_from(LAYERS), st.sampled_from(NAMES)),
    st.tuples(
        st.just("restrict"), st.sampled_from(LAYERS), st.sets(st.sampled_from(NAMES), max_size=2), st.booleans()
    ),
    st.tuples(st.just("present"), st.sampled_from(LAYERS), st.sampled_from(["native", "code", "both"])),
    st.tuples(st.just("exclude"), st.sampled_from(LAYERS), st.sets(st.sampled_from(NAMES), max_size=2)),
    st.tuples(st.just("undo"), st.integers(0, 9)),
)
PROGRAMS = st.lists(STEP, max_size=12)


@given(steps=PROGRAMS)
@settings(deadline=None, database=None, derandomize=True, max_examples=40, suppress_health_check=list(HealthCheck))
def test_random_registries_have_one_view(steps: list[tuple[Any, ...]]) -> None:
    asyncio.run(_agree(steps))


@pytest.mark.slow
@pytest.mark.timeout(600)
@given(steps=PROGRAMS)
@settings(deadline=None, database=None, max_examples=2_000, suppress_health_check=list(HealthCheck))
def test_many_random_registries_have_one_view(steps: list[tuple[Any, ...]]) -> None:
    asyncio.run(_agree(steps))


async def _agree(steps: list[tuple[Any, ...]]) -> None:
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        await rt.root.plugin(ToolRegistry)
        await rt.root.plugin(first_party("code_mode"), {"presentation": "native"})
        outer = create_scope(rt.root, Key("outer"))
        inner = create_scope(rt.root, Key("inner"), parent=outer.key)
        contexts = {"global": rt.root, "outer": outer.ctx, "inner": inner.ctx}
        undo: list[Any] = []
        for step in steps:
            if step[0] == "undo":
                if undo:
                    undo.pop(step[1] % len(undo))()
                continue
            tools = contexts[step[1]].tools
            try:
                if step[0] == "register":
                    undo.append(tools.register(ToolSchema(step[2]), lambda _arguments, run: f"ran {run.name}"))
                elif step[0] == "restrict":
                    undo.append(tools.restrict(**{"allow" if step[3] else "deny": sorted(step[2])}))
                elif step[0] == "exclude":
                    undo.append(tools.exclude(step[2]))
                else:
                    undo.append(tools.present(step[2]))
            except ToolError:
                continue
        for scope in (None, outer.key, inner.key):
            await _one_view(rt, scope)


async def _one_view(rt: Runtime, scope: object) -> None:
    tools = rt.root.tools
    assembly = await rt.root.system_prompt.assemble(AssembleContext(scope=scope))
    sent = {tool.name for tool in assembly.tools}
    texts = {section.name: section.text for section in assembly.sections}
    visible = {schema.name for schema in tools.visible(scope)}
    presentation = tools.presentation(scope)
    assert "run_code" not in visible
    assert ("run_code" in sent) == (presentation != "native")
    assert sent - {"run_code"} == (set() if presentation == "code" else visible)
    assert bool(texts["tools:ptc-only"]) == (presentation == "code")
    assert bool(texts["tools:sdk"]) == (presentation != "native")
    caller = Caller(rt.root, scope)
    await caller.batch(*(call(name, id=name) for name in NAMES))
    for name in NAMES:
        code = error_of(caller.sink.results[name])
        assert (code != "UNKNOWN_TOOL") == (name in sent)
        if name == "run_code":
            assert (tools.get(name, scope) is not None) == (name in sent)
            continue
        assert (tools.get(name, scope) is not None) == (name in visible)
        assert (f"def {name}(" in texts["tools:sdk"]) == (presentation != "native" and name in visible)
        assert code == (None if name in sent else "UNKNOWN_TOOL")
