"""The policy of calls, and what the model is told of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.tool_calls import Caller, call, error_of
from workbench.core import Context, Runtime
from workbench.plugins import first_party
from workbench.prompt import PromptConfig, SystemPrompt, ToolSchema, render_context_snapshot
from workbench.tools import ToolRegistry
from workbench.tools.pipeline import ALLOW, Deny


@pytest.fixture
async def root() -> AsyncIterator[Context]:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        await runtime.root.plugin(ToolRegistry)
        for name in ("bash", "read", "write_all", "write_one"):
            runtime.root.tools.register(ToolSchema(name), lambda _arguments, run: f"ran {run.name}")
        yield runtime.root


async def test_a_refusal_cannot_be_overruled(root: Context) -> None:
    await root.plugin(first_party("tool_policy"), {"deny": ["bash"]})
    root.on("tools/pre-execute", lambda _call, _next: ALLOW)
    caller = Caller(root)
    await caller.batch(call("bash"), call("read", id="c2"))
    assert [error_of(caller.sink.results[each]) for each in ("c1", "c2")] == ["DENIED", None]


async def test_calls_that_are_asked_about_wait(root: Context) -> None:
    await root.plugin(first_party("tool_policy"), {"ask": ["write_*"], "allow": ["write_one"]})
    caller = Caller(root)
    running = asyncio.create_task(
        caller.batch(call("write_one"), call("write_all", id="c2"), call("read", id="c3"))
    )
    while not root.tools.approvals.pending:
        await asyncio.sleep(0)
    (request,) = root.tools.approvals.pending
    assert request.call.name == "write_all"
    assert caller.sink.order("result") == ["c1"]
    root.tools.approvals.answer(request.id, "allowed-once")
    await running
    assert [error_of(each) for each in caller.sink.results.values()] == [None, None, None]


async def test_nobody_is_asked_about_what_somebody_denies(root: Context) -> None:
    await root.plugin(first_party("tool_policy"), {"ask": ["*"]})
    root.on("tools/pre-execute", lambda _call, _next: Deny("no"))
    assert error_of(await Caller(root).one("bash")) == "DENIED"


async def test_cancel_withdraws_the_question(root: Context) -> None:
    await root.plugin(first_party("tool_policy"), {"ask": ["bash"]})
    caller = Caller(root)
    running = asyncio.create_task(caller.one("bash"))
    while not root.tools.approvals.pending:
        await asyncio.sleep(0)
    caller.cancel.set()
    assert error_of(await running) == "ABORTED_BEFORE_DISPATCH"
    assert root.tools.approvals.pending == ()


@pytest.mark.parametrize(
    ("config", "mode", "told"),
    [
        ({}, "wait", []),
        ({"ask": ["bash"]}, "wait", ["`bash` wait until a person allows"]),
        ({"ask": ["write_*"], "allow": ["write_one"]}, "wait", ["not of `write_one`"]),
        ({"ask": ["bash"]}, "deny", ["nobody is here to give it"]),
        ({"deny": ["bash"]}, "wait", ["`bash` are refused", "final"]),
        ({"deny": ["bash"], "context": False}, "wait", []),
    ],
)
async def test_the_policy_is_stated(root: Context, config: dict[str, Any], mode: Any, told: list[str]) -> None:
    await root.plugin(first_party("tool_policy"), config)
    root.tools.approvals.mode = mode
    snapshot = render_context_snapshot(await root.system_prompt.assemble())
    assert bool(snapshot) == bool(told)
    assert all(each in snapshot for each in told)


async def test_an_unknown_tool_is_not_asked_about(root: Context) -> None:
    await root.plugin(first_party("tool_policy"), {"ask": ["*"]})
    assert error_of(await Caller(root).one("nothing")) == "UNKNOWN_TOOL"
