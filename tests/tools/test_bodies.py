"""Bodies of tools: what they raise, give and flood with, and how one ends whose time or plugin is over."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.plugins import P
from tests.support.tool_calls import Caller, counter, error_of
from workbench.core import Context, Runtime
from workbench.prompt import ToolSchema
from workbench.tools import ToolsFacade
from workbench.tools.pipeline import (
    Invocation,
    OutputDeclaration,
    ToolFailure,
    ToolRun,
)


async def test_what_a_body_raises_is_an_error_result(caller: Caller, root: Context, tools: ToolsFacade) -> None:
    def fails(_arguments: Any, _run: ToolRun) -> None:
        raise ToolFailure("no such thing", "MISSING")

    def breaks(_arguments: Any, _run: ToolRun) -> None:
        raise KeyError("x")

    def exits(_arguments: Any, _run: ToolRun) -> None:
        raise SystemExit(3)

    for name, body in (("fails", fails), ("breaks", breaks), ("exits", exits)):
        tools.register(ToolSchema(name), body)
    tools.register(ToolSchema("schema_alone"))
    post = counter(root, "tools/post-execute")
    codes = [error_of(await caller.one(name, id=name)) for name in ("fails", "breaks", "exits", "schema_alone")]
    assert codes == ["MISSING", "TOOL_FAILED", "TOOL_FAILED", "NO_BODY"]
    assert len(post) == 4
    assert "KeyError: 'x'" in caller.sink.results["breaks"].text


@pytest.mark.parametrize(
    "value", [{1, 2}, (1, 2), float("nan"), float("inf"), -0.0, {1: 2}, object(), b"x", [[]] * 1 + [(1,)]]
)
async def test_a_value_that_is_not_json_is_refused(caller: Caller, tools: ToolsFacade, value: object) -> None:
    tools.register(ToolSchema("t"), lambda _arguments, _run: value)
    assert error_of(await caller.one("t")) == "INVALID_TOOL_OUTPUT"


async def test_a_large_value_is_judged_all_the_same(caller: Caller, tools: ToolsFacade) -> None:
    output = OutputDeclaration({"type": "array", "items": {"type": "integer"}})
    tools.register(ToolSchema("good"), lambda _arguments, _run: list(range(1000)), output=output)
    tools.register(ToolSchema("bad"), lambda _arguments, _run: [*range(1000), "x"], output=output)
    assert error_of(await caller.one("good")) is None
    bad = await caller.one("bad", id="c2")
    assert (error_of(bad), "[1000]" in bad.text) == ("INVALID_TOOL_OUTPUT", True)


async def test_half_characters_of_a_tool_do_not_reach_the_log(caller: Caller, tools: ToolsFacade) -> None:
    tools.register(ToolSchema("t"), lambda _arguments, _run: {"a\ud800": "b\udfff"})
    result = await caller.one("t")
    assert result.value == {"a\ufffd": "b\ufffd"}
    json.dumps(result.block("c1")).encode()


async def test_a_tool_that_floods_is_cut_in_the_middle(caller: Caller, tools: ToolsFacade) -> None:
    tools.register(ToolSchema("t"), lambda _arguments, _run: "a" + "x" * 20_000_000 + "z")
    result = await caller.one("t")
    assert len(result.text) < 1_000_100
    assert (result.text[0], result.text[-1], "19000002 characters left out" in result.text) == ("a", "z", True)

    def fails(_arguments: Any, _run: ToolRun) -> None:
        raise ToolFailure("y" * 20_000_000)

    tools.register(ToolSchema("fails"), fails)
    failed = await caller.one("fails", id="c2")
    assert failed.error is not None
    assert (len(failed.text) < 1_000_100, len(failed.error.message) < 21_000) == (True, True)


async def test_a_body_that_takes_too_long(caller: Caller, tools: ToolsFacade) -> None:
    ended: list[str] = []

    async def slow(_arguments: Any, _run: ToolRun) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cleaned up")

    tools.register(ToolSchema("slow"), slow, timeout_ms=20)
    result = await caller.one("slow")
    assert (error_of(result), ended) == ("TOOL_TIMEOUT", ["cleaned up"])


async def test_a_listener_may_replace_the_signal(caller: Caller, tools: ToolsFacade, root: Context) -> None:
    from tests.support.tool_calls import Signal

    other = Signal()

    async def waits(_arguments: Any, run: ToolRun) -> None:
        assert run.signal is other
        other.set("metrics")
        await asyncio.Event().wait()

    tools.register(ToolSchema("t"), waits)

    async def replace(call: Invocation, next: Callable[[], Any]) -> object:
        call.signal = other
        return await next()

    root.on("tools/execute", replace)
    assert error_of(await caller.one("t")) == "ABORTED"
    assert not caller.cancel.is_set


async def test_a_tool_whose_plugin_is_stopped_ends_as_an_error_that_names_it(caller: Caller, rt: Runtime) -> None:
    begun = asyncio.Event()

    def plugin(ctx: Context) -> None:
        async def waits(_arguments: Any, _run: ToolRun) -> None:
            begun.set()
            await asyncio.Event().wait()

        ctx.tools.register(ToolSchema("t"), waits)

    fiber = await rt.root.plugin(P("owner", plugin, inject=["tools"]))
    running = asyncio.create_task(caller.one("t"))
    await begun.wait()
    await fiber.dispose()
    result = await running
    assert (error_of(result), "owner" in result.text) == ("INACTIVE_CONTEXT", True)


async def test_a_tool_may_stop_its_own_plugin(caller: Caller, rt: Runtime) -> None:
    """The call is exempt from the undo that it waits for itself."""

    def plugin(ctx: Context) -> None:
        async def stops(_arguments: Any, _run: ToolRun) -> str:
            await ctx.fiber.dispose()
            return "stopped"

        ctx.tools.register(ToolSchema("t"), stops)

    await rt.root.plugin(P("owner", plugin, inject=["tools"]))
    assert (await caller.one("t")).text == "stopped"
