"""Listeners behind the body: what they may change, who has the last word, and trying again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.tool_calls import Caller, Echo, call, error_of
from workbench.core import Context
from workbench.prompt import ToolSchema
from workbench.tools import ToolsFacade
from workbench.tools.pipeline import (
    Accept,
    Block,
    Failure,
    Invocation,
    OutputDeclaration,
    ToolFailure,
    ToolRun,
)


async def test_post_execute_may_change_content_value_and_add_contexts(
    caller: Caller, root: Context, tools: ToolsFacade
) -> None:
    Echo(tools, output=OutputDeclaration({"type": "string"}, lambda _args, value: f"<{value}>"))
    answers: list[object] = [
        Accept(content="hidden", contexts=["mind this"]),
        Accept(value="other"),
        Accept(value=5),
        Block("not for you", contexts=["think again"]),
        {"kind": "accept", "content": [{"type": "text", "text": "plain"}]},
    ]
    root.on("tools/post-execute", lambda _settled, _next: answers.pop(0))
    outcomes = [await caller.batch(call("echo", {"text": "a"}, f"c{index}")) for index in range(5)]
    results = [caller.sink.results[f"c{index}"] for index in range(5)]
    assert [error_of(result) for result in results] == [None, None, "INVALID_TOOL_OUTPUT", "BLOCKED", None]
    assert [result.text for result in (results[0], results[1], results[4])] == ["hidden", "<other>", "plain"]
    assert [result.value for result in (results[0], results[1])] == [None, "other"]
    assert "not for you" in results[3].text
    texts = [[added.content[0]["text"] for added in outcome.contexts] for outcome in outcomes]
    assert texts == [["mind this"], [], [], ["think again"], []]


async def test_the_tool_has_the_last_word_about_its_content(
    caller: Caller, root: Context, tools: ToolsFacade
) -> None:
    async def shorten(_arguments: Any, content: Any) -> Any:
        return [{"type": "text", "text": content[0]["text"][:4]}]

    Echo(tools, finalize_content=shorten)
    root.on("tools/post-execute", lambda _settled, _next: Accept(content="abcdefgh"))
    assert (await caller.one("echo", {"text": "a"})).text == "abcd"


async def test_a_conclusion_counts_only_with_a_success(caller: Caller, tools: ToolsFacade) -> None:
    recorded: list[str] = []

    def concludes(arguments: Any, run: ToolRun) -> str:
        run.conclude_turn()
        run.add_context("beside")
        run.when_recorded(lambda: recorded.append(run.id))
        if arguments.get("fail"):
            raise ToolFailure("no")
        return "yes"

    tools.register(ToolSchema("end"), concludes)
    outcome = await caller.batch(call("end", {"fail": True}))
    assert (outcome.concludes, outcome.contexts, recorded) == (False, (), [])
    outcome = await caller.batch(call("end", id="c2"))
    assert (outcome.concludes, len(outcome.contexts), recorded) == (True, 1, ["c2"])


async def test_a_listener_may_try_again_and_only_the_last_attempt_counts(
    caller: Caller, root: Context, tools: ToolsFacade
) -> None:
    attempts: list[str] = []
    recorded: list[int] = []

    def flaky(_arguments: Any, run: ToolRun) -> str:
        attempts.append(run.id)
        number = len(attempts)
        run.add_context(f"attempt {number}")
        run.when_recorded(lambda: recorded.append(number))
        if number < 3:
            raise ToolFailure("try again")
        return "at last"

    tools.register(ToolSchema("flaky"), flaky)

    async def retry(_call: Invocation, next: Callable[[], Any]) -> object:
        outcome = await next()
        while isinstance(outcome, Failure):
            outcome = await next()
        return outcome

    root.on("tools/execute", retry)
    outcome = await caller.batch(call("flaky"))
    assert caller.sink.results["c1"].text == "at last"
    assert [each.content[0]["text"] for each in outcome.contexts] == ["attempt 3"]
    assert recorded == [3]
