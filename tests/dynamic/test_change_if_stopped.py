"""What is said of a stop before it, against what the stop then does."""

from __future__ import annotations

import pytest

from tests.dynamic.world import H_GREET, H_REV, H_SEC, World, world
from workbench.dynamic.change_if_stopped import change_if_stopped
from workbench.dynamic.change_of_request import change_of_request
from workbench.prompt import AssembleContext, Preview
from workbench.prompt.preview import preview

H_BOTH = """inject = ["system_prompt", "tools"]
def apply(ctx):
    ctx.system_prompt.section("x:first", -5000, "FIRST of all")
    ctx.system_prompt.section("x:empty", 10, "")
    ctx.system_prompt.section("x:last", 9000, "LAST of all")
    ctx.tools.register(harness.define_tool(
        name="aaa", description="A tool.", parameters={},
        output={"schema": {}, "render": lambda args, value: []}, execute=lambda args, call: 1))
"""
H_VALUE = """inject = ["system_prompt"]
def apply(ctx):
    ctx.system_prompt.variable("tide", lambda context: "high")
"""
H_ECHO = """inject = ["system_prompt"]
def apply(ctx):
    ctx.system_prompt.section("x:echo", 9100, "The tide is {{tide}}.")
"""


async def seen(made: World) -> Preview:
    return await preview(made.root.system_prompt, AssembleContext())


@pytest.mark.parametrize("code", [H_SEC, H_BOTH, H_REV])
async def test_it_is_what_the_stop_does(code: str) -> None:
    async with world() as made:
        package_id = await made.started(code)
        before = await seen(made)
        said = change_if_stopped(before, package_id, "gpt-4o")
        await made.people.stop(package_id)
        done = change_of_request(before, await seen(made), "gpt-4o")
        assert said is not None
        assert done is not None
        assert said.cost.first_token == done.first_token
        assert (said.cost.kept, said.cost.read_anew, said.cost.lost) == (done.kept, done.read_anew, done.lost)
        assert said.cost.first_token is not None
        assert not said.touches_others


async def test_what_has_nothing_in_the_request_costs_nothing() -> None:
    async with world() as made:
        package_id = await made.started(H_GREET)
        assert change_if_stopped(await seen(made), package_id, None) is None


async def test_what_others_hold_of_it_is_said() -> None:
    async with world() as made:
        value = await made.started(H_VALUE)
        await made.started(H_ECHO)
        said = change_if_stopped(await seen(made), value, None)
        assert said is not None
        assert said.touches_others
