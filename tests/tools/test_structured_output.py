"""Structured output: A38 at the level of the executor, and programs that hand their result over."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.plugins import Key
from tests.support.tool_calls import Caller, call, error_of
from workbench.core import Context, Scope, create_scope
from workbench.plugins import first_party
from workbench.prompt import AssembleContext, ToolSchema
from workbench.tools import ToolError
from workbench.tools.pipeline import Accept, Block
from workbench.tools.structured_output import register_structured_output

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
def child(root: Context) -> Scope:
    return create_scope(root, Key("child"))


@pytest.fixture
def ran(root: Context) -> list[str]:
    """Ids of the calls of `echo` whose body ran."""
    ran: list[str] = []
    root.tools.register(ToolSchema("echo"), lambda _arguments, run: ran.append(run.id) or "")
    return ran


async def test_a38_a_valid_call_is_captured_and_ends_the_work(root: Context, child: Scope, ran: list[str]) -> None:
    captured: list[Any] = []
    output = register_structured_output(child.ctx, SCHEMA, captured.append)
    caller = Caller(root, child.key)
    outcome = await caller.batch(call("structured_output", {"n": "x"}, "c1"))
    assert error_of(caller.sink.results["c1"]) == "INVALID_ARGS"
    assert (outcome.concludes, captured) == (False, [])
    outcome = await caller.batch(call("structured_output", {"n": 3}, "c2"), call("echo", id="c3"))
    assert (captured, output.value, outcome.concludes) == ([{"n": 3}], {"n": 3}, True)
    assert error_of(caller.sink.results["c3"]) == "DENIED"
    assert ran == []
    await caller.batch(call("structured_output", {"n": 4}, "c4"))
    assert captured == [{"n": 3}]
    assert error_of(await Caller(root).one("echo")) is None


async def test_its_section_and_schema_stand_in_the_childs_scope(root: Context, child: Scope) -> None:
    register_structured_output(child.ctx, SCHEMA)
    assembly = await root.system_prompt.assemble(AssembleContext(scope=child.key))
    assert [(tool.name, tool.parameters) for tool in assembly.tools] == [("structured_output", SCHEMA)]
    section = assembly.sections[-1]
    assert (section.name, section.order) == ("tool:structured_output", 9900)
    assert "structured_output" not in {tool.name for tool in (await root.system_prompt.assemble()).tools}


async def test_a_result_that_does_not_stand_captures_nothing(root: Context, child: Scope) -> None:
    captured: list[Any] = []
    register_structured_output(child.ctx, SCHEMA, captured.append)
    decisions = [Block("not yet"), Accept()]
    root.on("tools/post-execute", lambda _settled, _next: decisions.pop(0))
    caller = Caller(root, child.key)
    outcome = await caller.batch(call("structured_output", {"n": 1}, "c1"))
    assert (captured, outcome.concludes) == ([], False)
    await caller.batch(call("structured_output", {"n": 2}, "c2"))
    assert captured == [{"n": 2}]


async def test_inside_a_program_it_counts_when_the_program_succeeds(
    root: Context, child: Scope, ran: list[str]
) -> None:
    captured: list[Any] = []
    register_structured_output(child.ctx, SCHEMA, captured.append)
    await child.ctx.plugin(first_party("code_mode"))
    caller = Caller(root, child.key)
    hand_over = (
        "tools.structured_output(n=1)\ntry:\n    tools.echo()\nexcept ToolCallError as error:\n    print(error)"
    )
    failing = {"code": f"{hand_over}\nraise ValueError('too early')", "description": ""}
    outcome = await caller.batch(call("run_code", failing, "c1"))
    assert (captured, outcome.concludes, ran) == ([], False, [])
    assert "handed over already" in caller.sink.results["c1"].text
    outcome = await caller.batch(call("run_code", {"code": hand_over, "description": ""}, "c2"))
    assert (captured, outcome.concludes, ran) == ([{"n": 1}], True, [])


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {},
        {"type": "object", "properties": {"a": {"type": "text"}}},
        {"type": "object", "properties": {"a": {"minLength": "x"}}},
    ],
)
async def test_a_schema_that_cannot_judge_is_refused_at_the_start(
    root: Context, child: Scope, schema: dict[str, Any]
) -> None:
    before = root.runtime.snapshot()
    with pytest.raises(ToolError):
        register_structured_output(child.ctx, schema)
    assert root.runtime.snapshot() == before
