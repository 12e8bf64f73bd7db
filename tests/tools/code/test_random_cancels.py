"""Programs cancelled at random moments: every call has one result, and nothing is left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.tool_calls import Caller, call
from workbench.core import Runtime
from workbench.plugins import first_party
from workbench.prompt import PromptConfig, SystemPrompt, ToolSchema
from workbench.tools import ToolRegistry
from workbench.tools.pipeline import ToolRun

PROGRAM = """
from concurrent.futures import ThreadPoolExecutor
def use(name):
    try:
        return tools[name]()
    except ToolCallError as error:
        return error.code
with ThreadPoolExecutor() as pool:
    return list(pool.map(use, {names!r}))
"""
NAMES = st.lists(st.sampled_from(["safe", "alone", "fails"]), max_size=5)


@given(names=NAMES, moment=st.integers(0, 120))
@settings(deadline=None, database=None, derandomize=True, max_examples=12, suppress_health_check=list(HealthCheck))
def test_random_cancels(names: list[str], moment: int) -> None:
    asyncio.run(asyncio.wait_for(_is_balanced(names, moment), 60))


@pytest.mark.slow
@pytest.mark.timeout(900)
@given(names=NAMES, moment=st.integers(0, 400))
@settings(deadline=None, database=None, max_examples=500, suppress_health_check=list(HealthCheck))
def test_many_random_cancels(names: list[str], moment: int) -> None:
    asyncio.run(asyncio.wait_for(_is_balanced(names, moment), 60))


async def _is_balanced(names: list[str], moment: int) -> None:
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig())
        await rt.root.plugin(ToolRegistry)
        await rt.root.plugin(first_party("code_mode"))
        inside: set[str] = set()

        async def body(_arguments: Any, run: ToolRun) -> str:
            inside.add(run.id)
            try:
                for _ in range(5):
                    await asyncio.sleep(0)
                if run.name == "fails":
                    raise ValueError("asked to fail")
                return run.id
            finally:
                inside.discard(run.id)

        for name in ("safe", "alone", "fails"):
            rt.root.tools.register(ToolSchema(name), body, is_concurrency_safe=name == "safe")
        caller = Caller(rt.root)
        program = {"code": PROGRAM.format(names=names), "description": ""}
        running = asyncio.create_task(caller.batch(call("run_code", program), call("run_code", program, "c2")))
        heard = 0
        while heard < moment and not running.done():  # a moment is a turn of the loop in which something happened
            await asyncio.sleep(0.0005)
            heard += 1
        caller.cancel.set()
        await running
        assert not inside
        assert caller.sink.order("call") == caller.sink.order("result") == ["c1", "c2"]
        assert sorted(caller.sink.order("code-start")) == sorted(caller.sink.order("code"))
        for call_id in ("c1", "c2"):
            own = [at for at, event in enumerate(caller.sink.events) if event[1].startswith(f"{call_id}:")]
            assert all(at < caller.sink.events.index(("result", call_id)) for at in own)
        left = [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        assert not [name for name in left if name.startswith(("tool", "program", "reply", "c1", "c2"))]
