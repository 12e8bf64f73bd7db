"""Bounds of defaults: what a scope gives to calls that leave an argument out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.tool_calls import Caller, call
from workbench.core import Context, Runtime, Scope
from workbench.prompt import AssembleContext, ToolSchema
from workbench.tools import ToolError, ToolsFacade


def schema(default: object = None, name: str = "run") -> ToolSchema:
    seconds: dict[str, Any] = {"type": "integer"} if default is None else {"type": "integer", "default": default}
    return ToolSchema(name, "", {"type": "object", "properties": {"seconds": seconds}})


def told(arguments: Any, run: object) -> str:
    return f"{arguments.get('seconds')}"


async def ran(ctx: Context, scope: object, **arguments: int) -> str:
    """What the body was given."""
    caller = Caller(ctx, scope)
    await caller.batch(call("run", json.dumps(arguments), id="c1"))
    return str(caller.sink.results["c1"].text)


async def shown(rt: Runtime, scope: object) -> object:
    """The default that the model reads."""
    [tool] = (await rt.root.system_prompt.assemble(AssembleContext(scope=scope))).tools
    return tool.parameters["properties"]["seconds"].get("default")


@pytest.mark.parametrize(
    ("stated", "inside"), [(None, 30), (120, 30), (30, 30), (10, 10), (10.5, 10.5), (True, 30)]
)
async def test_an_inherited_tool(rt: Runtime, tools: ToolsFacade, outer: Scope, stated: Any, inside: Any) -> None:
    tools.register(schema(stated), told)
    undo = outer.ctx.tools.bound_defaults(["run", "another"], {"seconds": 30, "absent": 1})
    assert (await shown(rt, None), await shown(rt, outer.key)) == (stated, inside)
    assert await ran(rt.root, None) == "None"
    assert await ran(rt.root, outer.key) == ("30" if inside == 30 != stated else "None"), "the body knows its own"
    assert await ran(rt.root, outer.key, seconds=99) == "99", "an argument is an argument"
    undo()
    assert (await shown(rt, outer.key), await ran(rt.root, outer.key)) == (stated, "None")


@pytest.mark.parametrize(
    ("stated", "shipped", "inside"),
    [(120, (), 120), (120, ("seconds",), 30), (None, (), 30), (10, ("seconds",), 10)],
)
async def test_a_tool_of_the_scope_itself_keeps_what_was_configured(
    rt: Runtime, outer: Scope, stated: Any, shipped: tuple[str, ...], inside: int
) -> None:
    outer.ctx.tools.bound_defaults(["run"], {"seconds": 30})
    outer.ctx.tools.register(schema(stated), told, shipped_defaults=shipped)
    assert await shown(rt, outer.key) == inside


async def test_scopes_inside_and_the_smallest_bound(
    rt: Runtime, tools: ToolsFacade, outer: Scope, inner: Scope
) -> None:
    tools.register(schema(120), told)
    outer.ctx.tools.bound_defaults(["run"], {"seconds": 30})
    assert await ran(rt.root, inner.key) == "30"
    inner.ctx.tools.bound_defaults(["run"], {"seconds": 60})
    assert await shown(rt, inner.key) == 30
    inner.ctx.tools.bound_defaults(["run"], {"seconds": 5})
    assert (await shown(rt, inner.key), await ran(rt.root, inner.key)) == (5, "5")
    assert await shown(rt, outer.key) == 30


async def test_an_edited_schema_and_one_that_stays(rt: Runtime, tools: ToolsFacade, outer: Scope) -> None:
    tool = schema(120)
    tools.register(tool, told)
    outer.ctx.tools.bound_defaults(["run"], {"seconds": 30})
    assert tools.get("run", outer.key) is tools.get("run", outer.key)
    tool.parameters["properties"]["seconds"]["default"] = 7
    assert await shown(rt, outer.key) == 7


def test_a_bound_needs_a_scope(tools: ToolsFacade) -> None:
    with pytest.raises(ToolError, match="scope"):
        tools.bound_defaults(["run"], {"seconds": 30})


def test_it_is_described(rt: Runtime, outer: Scope) -> None:
    outer.ctx.tools.bound_defaults(["run"], {"seconds": 30})
    assert '"default_bounds"' in rt.snapshot().decode()
