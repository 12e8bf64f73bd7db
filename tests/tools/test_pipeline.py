"""The pipeline of one call: what is logged, seen and known of it, and the one view of tools (A28 to A30)."""

from __future__ import annotations

import pytest

from tests.support.tool_calls import Caller, Echo, counter, error_of
from workbench.core import Context, Scope
from workbench.prompt import AssembleContext, ToolSchema
from workbench.tools import ToolError, ToolsFacade
from workbench.tools.pipeline import (
    Invocation,
    Settled,
)

# The plain way


async def test_a_call_is_logged_flushed_run_and_recorded(caller: Caller, echo: Echo) -> None:
    result = await caller.one("echo", {"text": "ping"})
    assert (result.text, result.error, result.value) == ("echo: ping", None, "echo: ping")
    assert caller.sink.events == [("call", "c1"), ("flush", ""), ("result", "c1")]
    run = echo.runs[0]
    assert (run.id, run.name, run.turn, run.step, run.session_id) == ("c1", "echo", 1, 1, "session-1")
    assert result.block("c1") == {
        "type": "tool-result",
        "toolCallId": "c1",
        "content": [{"type": "text", "text": "echo: ping"}],
        "isError": False,
    }


async def test_the_payloads_name_the_agent_and_cannot_be_changed(caller: Caller, echo: Echo, root: Context) -> None:
    calls = counter(root, "tools/pre-execute")
    settled: list[Settled] = counter(root, "tools/post-execute")
    final: list[Settled] = []
    root.on("tools/result", final.append)
    await caller.one("echo", {"text": "a"})
    invocation: Invocation = calls[0]
    assert (invocation.agent, invocation.owner, invocation.root_id) == (caller.agent, "root", "c1")
    assert settled[0].agent is final[0].agent is caller.agent
    assert final[0].result.text == "echo: a"
    with pytest.raises(TypeError):
        invocation.arguments["text"] = "b"  # type: ignore[index]
    with pytest.raises(AttributeError):
        invocation.arguments = {}
    with pytest.raises(AttributeError):
        final[0].result.error = None  # type: ignore[misc]


async def test_an_observer_of_the_result_that_raises_stops_nobody(
    caller: Caller, echo: Echo, root: Context, caplog: pytest.LogCaptureFixture
) -> None:
    def raising(_settled: Settled) -> None:
        raise RuntimeError("observer")

    root.on("tools/result", raising)
    assert error_of(await caller.one("echo", {"text": "a"})) is None
    assert "observer" in caplog.text


# A28: one view


async def test_a28_a_hidden_tool_is_unknown(root: Context, tools: ToolsFacade, outer: Scope) -> None:
    ran: list[str] = []
    for name in ("a", "b"):
        tools.register(ToolSchema(name), lambda _arguments, run: ran.append(run.name) or "")
    outer.ctx.tools.restrict(deny=["b"])
    assembly = await root.system_prompt.assemble(AssembleContext(scope=outer.key))
    assert [tool.name for tool in assembly.tools] == ["a"]
    assert tools.get("b", outer.key) is None
    assert tools.get("b") is not None
    post = counter(root, "tools/post-execute")
    pre = counter(root, "tools/pre-execute")
    result = await Caller(root, outer.key).one("b")
    assert error_of(result) == "UNKNOWN_TOOL"
    assert "available: a" in result.text
    assert (ran, len(pre), len(post)) == ([], 0, 1)


async def test_a_name_that_is_nearly_right_is_suggested(caller: Caller, echo: Echo) -> None:
    assert "did you mean 'echo'?" in (await caller.one("ecko")).text


async def test_a29_restrictions_that_are_refused(tools: ToolsFacade, outer: Scope) -> None:
    tools.register(ToolSchema("a"))
    scoped: ToolsFacade = outer.ctx.tools
    with pytest.raises(ToolError, match="empty"):
        scoped.restrict()
    with pytest.raises(ToolError, match="nope"):
        scoped.restrict(allow=["nope"])
    with pytest.raises(ToolError, match="run_code"):
        scoped.restrict(deny=["run_code"])
    with pytest.raises(ToolError, match="scope"):
        tools.restrict(deny=["a"])
    assert [schema.name for schema in tools.visible(outer.key)] == ["a"]


async def test_a30_filters_are_live_and_spare_own_tools(tools: ToolsFacade, outer: Scope, root: Context) -> None:
    from tests.support.plugins import Key
    from workbench.core import create_scope

    second = create_scope(root, Key("second"))
    for name in ("a", "b"):
        tools.register(ToolSchema(name))
    outer.ctx.tools.restrict(deny=["b"])
    second.ctx.tools.restrict(allow=["a"])
    for scope in (outer, second):
        scope.ctx.tools.register(ToolSchema("mine"))
    tools.register(ToolSchema("c"))
    assert sorted(schema.name for schema in tools.visible(outer.key)) == ["a", "c", "mine"]
    assert sorted(schema.name for schema in tools.visible(second.key)) == ["a", "mine"]


async def test_the_reserved_name_cannot_be_registered(tools: ToolsFacade) -> None:
    with pytest.raises(ToolError, match="reserved"):
        tools.register(ToolSchema("run_code"))
