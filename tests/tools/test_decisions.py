"""Listeners before and around the body: denials, questions, replaced values, non-answers (A31 to A34, A53)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.plugins import P
from tests.support.tool_calls import Caller, Echo, counter, error_of
from workbench.core import Context, Runtime, Scope
from workbench.tools import ToolsFacade
from workbench.tools.pipeline import (
    ALLOW,
    Accept,
    Ask,
    Deny,
    Failure,
    Invocation,
    OutputDeclaration,
    Success,
)

# A31 and A32: decisions before the body


@pytest.mark.parametrize("denial", [Deny("no"), {"kind": "deny", "reason": "no"}])
async def test_a31_a_denied_call_passes_post_execute(
    caller: Caller, echo: Echo, root: Context, denial: object
) -> None:
    async def deny(_call: Invocation, _next: Any) -> object:
        return denial

    root.on("tools/pre-execute", deny)
    post = counter(root, "tools/post-execute")
    result = await caller.one("echo", {"text": "a"})
    assert (error_of(result), "no" in result.text) == ("DENIED", True)
    assert (echo.runs, len(post)) == ([], 1)
    assert [kind for kind, _ in caller.sink.events] == ["call", "result"]


async def test_a32_a_short_circuit_cannot_skip_a_guard(caller: Caller, echo: Echo, root: Context) -> None:
    second: list[int] = []

    async def first(_call: Invocation, _next: Any) -> object:
        return ALLOW

    async def denies(_call: Invocation, _next: Any) -> object:
        second.append(1)
        return Deny("never asked")

    root.on("tools/pre-execute", first)
    root.on("tools/pre-execute", denies)
    lift = root.tools.guard(lambda call: f"guarded {call.name}")
    result = await caller.one("echo", {"text": "a"})
    assert (error_of(result), "guarded echo" in result.text, second, echo.runs) == ("DENIED", True, [], [])
    lift()
    assert error_of(await caller.one("echo", {"text": "a"}, "c2")) is None
    assert (second, len(echo.runs)) == ([], 1)


async def test_guards_belong_to_layers_and_fail_closed(
    root: Context, echo: Echo, outer: Scope, inner: Scope
) -> None:
    async def broken(_call: Invocation) -> None:
        raise RuntimeError("guard is broken")

    undo = outer.ctx.tools.guard(broken)
    assert error_of(await Caller(root).one("echo", {"text": "a"})) is None
    for scope in (outer, inner):
        result = await Caller(root, scope.key).one("echo", {"text": "a"})
        assert (error_of(result), "guard is broken" in result.text) == ("GUARD_FAILED", True)
    undo()
    outer.ctx.tools.guard(lambda _call: True)
    assert error_of(await Caller(root, outer.key).one("echo", {"text": "a"})) == "GUARD_FAILED"


@pytest.mark.parametrize(("answer", "code"), [("allowed-once", None), ("denied", "DENIED")])
async def test_a_call_that_is_asked_about_waits_for_an_answer(
    caller: Caller, echo: Echo, root: Context, answer: Any, code: str | None
) -> None:
    async def ask(_call: Invocation, _next: Any) -> object:
        return Ask("is it safe?")

    root.on("tools/pre-execute", ask)
    states: list[str] = []
    asked = asyncio.Event()

    def heard(_request: object, state: str) -> None:
        states.append(state)
        asked.set()

    root.on("tools/approval", heard)
    running = asyncio.create_task(caller.one("echo", {"text": "a"}))
    await asked.wait()
    (request,) = root.tools.approvals.pending
    assert (request.reason, request.call.name) == ("is it safe?", "echo")
    assert not running.done()
    assert root.tools.approvals.answer(request.id, answer)
    assert error_of(await running) == code
    assert not root.tools.approvals.answer(request.id, answer)
    assert states == ["pending", answer]


async def test_where_nobody_can_answer_a_question_is_a_no(caller: Caller, echo: Echo, root: Context) -> None:
    root.tools.approvals.mode = "deny"

    async def ask(_call: Invocation, _next: Any) -> object:
        return {"kind": "ask", "reason": "sure?"}

    root.on("tools/pre-execute", ask)
    assert error_of(await caller.one("echo", {"text": "a"})) == "DENIED"
    assert echo.runs == []


# A33 and A34: around the body


async def test_a33_a_value_without_the_body(caller: Caller, root: Context, tools: ToolsFacade) -> None:
    echo = Echo(tools, output=OutputDeclaration({"type": "string"}, lambda _args, value: f"<{value}>"))
    given: list[object] = [Success("made up")]

    async def instead(_call: Invocation, _next: Any) -> object:
        return given[0]

    root.on("tools/execute", instead)
    post = counter(root, "tools/post-execute")
    result = await caller.one("echo", {"text": "a"})
    assert (result.text, result.value, echo.runs) == ("<made up>", "made up", [])
    assert post[0].result.value == "made up"
    given[0] = {"kind": "success", "value": 3}
    result = await caller.one("echo", {"text": "a"}, "c2")
    assert (error_of(result), echo.runs) == ("INVALID_TOOL_OUTPUT", [])
    given[0] = Failure("told so", "MY_CODE")
    result = await caller.one("echo", {"text": "a"}, "c3")
    assert (error_of(result), len(post)) == ("MY_CODE", 3)


@pytest.mark.parametrize("event", ["tools/pre-execute", "tools/execute", "tools/post-execute"])
@pytest.mark.parametrize("calls_next", [False, True])
@pytest.mark.parametrize("is_inner", [False, True])
async def test_a34_a_listener_that_returns_nothing(
    caller: Caller, echo: Echo, root: Context, event: str, calls_next: bool, is_inner: bool
) -> None:
    post = counter(root, "tools/post-execute") if event != "tools/post-execute" else []

    async def forgiving(_payload: Any, next: Callable[[], Any]) -> object:
        try:
            return await next()
        except Exception:
            return ALLOW if event == "tools/pre-execute" else Success("x") if event == "tools/execute" else Accept()

    async def nothing(_payload: Any, next: Callable[[], Any]) -> None:
        if calls_next:
            await next()

    if is_inner:
        root.on(event, forgiving)
    root.on(event, nothing)
    result = await caller.one("echo", {"text": "a"})
    assert error_of(result) == "LISTENER_NO_RESULT"
    assert "nothing" in result.text
    assert "'root'" in result.text
    assert post == []
    assert len(echo.runs) == (
        1 if event == "tools/post-execute" or (calls_next and event == "tools/execute") else 0
    )


@pytest.mark.parametrize("event", ["tools/pre-execute", "tools/execute", "tools/post-execute"])
@pytest.mark.parametrize("answer", [7, "perhaps", {"kind": "deny", "why": 1}, {"kind": "block"}])
async def test_an_answer_that_is_none_is_an_error(
    caller: Caller, echo: Echo, root: Context, event: str, answer: object
) -> None:
    root.on(event, lambda _payload, _next: answer)
    assert error_of(await caller.one("echo", {"text": "a"})) == "LISTENER_FAILED"


@pytest.mark.parametrize("event", ["tools/pre-execute", "tools/execute", "tools/post-execute"])
async def test_a_listener_that_raises_is_final(caller: Caller, echo: Echo, rt: Runtime, event: str) -> None:
    def plugin(ctx: Context) -> None:
        async def raising(_payload: Any, _next: Any) -> None:
            raise ValueError("out of order")

        ctx.on(event, raising)

    await rt.root.plugin(P("culprit", plugin, inject=["tools"]))
    post = counter(rt.root, "tools/post-execute")
    result = await caller.one("echo", {"text": "a"})
    assert error_of(result) == "LISTENER_FAILED"
    assert "culprit" in result.text
    assert "out of order" in result.text
    assert post == []


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ("tools/pre-execute", "ABORTED_BEFORE_DISPATCH"),
        ("tools/execute", "ABORTED"),
        ("tools/post-execute", "ABORTED"),
    ],
)
async def test_a53_a_listener_that_never_ends(
    caller: Caller, echo: Echo, root: Context, event: str, code: str
) -> None:
    begun = asyncio.Event()
    cancelled: list[str] = []

    async def endless(_payload: Any, _next: Any) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(event)
            raise

    root.on(event, endless)
    running = asyncio.create_task(caller.one("echo", {"text": "a"}))
    await begun.wait()
    assert not running.done()
    caller.cancel.set()
    assert error_of(await running) == code
    assert cancelled == [event]
    assert not asyncio.current_task().cancelling()  # type: ignore[union-attr]
