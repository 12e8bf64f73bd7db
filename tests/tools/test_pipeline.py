"""The pipeline of one call: A28 and A31 to A34 and A53 at the level of the executor, and the schema boundary."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.plugins import P
from tests.support.tool_calls import Caller, call, error_of
from workbench.core import Context, Runtime, Scope
from workbench.prompt import AssembleContext, ToolSchema
from workbench.tools import ToolError, ToolsFacade
from workbench.tools.pipeline import (
    ALLOW,
    Accept,
    Ask,
    Block,
    Deny,
    Failure,
    Invocation,
    OutputDeclaration,
    Settled,
    Success,
    ToolFailure,
    ToolRun,
)

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


class Echo:
    """A tool `echo` that counts how often its body ran."""

    def __init__(self, tools: ToolsFacade, **options: Any) -> None:
        self.runs: list[ToolRun] = []
        tools.register(ToolSchema("echo", "Says it again.", TEXT), self.body, **options)

    async def body(self, arguments: Any, run: ToolRun) -> str:
        self.runs.append(run)
        await asyncio.sleep(0)
        return f"echo: {arguments['text']}"


@pytest.fixture
def caller(root: Context) -> Caller:
    return Caller(root)


@pytest.fixture
def echo(tools: ToolsFacade) -> Echo:
    return Echo(tools)


def counter(ctx: Context, event: str) -> list[Any]:
    """The payloads that a listener which passes everything on has seen."""
    seen: list[Any] = []

    async def count(payload: Any, next: Callable[[], Any]) -> Any:
        seen.append(payload)
        return await next()

    ctx.on(event, count)
    return seen


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


# Bodies


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


# Behind the body


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


# The schema boundary


@pytest.mark.parametrize(
    ("raw", "path", "rule"),
    [
        ('{"text": 3}', "text", "type"),
        ("{}", "'text' is a required property", "required"),
        ("", "'text' is a required property", "required"),
        ("[1]", "the whole", "type"),
        ('"text"', "no JSON object", "type"),
        ('{"text": ', "no JSON object", "type"),
        ('{"text": NaN}', "no JSON object", "type"),
        ('{"text": 1e999}', "no JSON object", "type"),
        ('{"text": ' + "[" * 5000, "no JSON object", "type"),
    ],
)
async def test_arguments_that_do_not_fit_reach_nobody(
    caller: Caller, echo: Echo, root: Context, raw: str, path: str, rule: str
) -> None:
    seen = [counter(root, f"tools/{stage}") for stage in ("pre-execute", "execute", "post-execute")]
    result = await caller.one("echo", raw)
    assert error_of(result) == "INVALID_ARGS"
    assert path in result.text
    assert f"`{rule}`" in result.text
    assert (seen, echo.runs) == ([[], [], []], [])
    assert caller.sink.events == [("call", "c1"), ("result", "c1")]


async def test_a_problem_deep_inside_has_its_path(caller: Caller, tools: ToolsFacade) -> None:
    item = {"type": "object", "properties": {"state": {"enum": ["open", "done"]}}, "additionalProperties": False}
    schema = {"type": "object", "properties": {"items": {"type": "array", "items": item}}}
    tools.register(ToolSchema("todo", "", schema), lambda _arguments, _run: "")
    result = await caller.one("todo", {"items": [{"state": "open"}, {"state": "shut", "extra": "x" * 9000}]})
    assert "items[1].state" in result.text
    assert "`enum`" in result.text
    assert "`additionalProperties`" in result.text
    assert len(result.text) < 2000


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "object", "properties": {"a": {"type": "text"}}},
        {"type": "object", "required": "a"},
        {"type": "object", "properties": {"a": {"items": {"enum": 3}}}},
        {"type": "object", "properties": []},
        {"type": "object", "properties": {"a": {"anyOf": {}}}},
    ],
)
async def test_a_body_needs_a_schema_that_is_one(tools: ToolsFacade, broken: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="no JSON Schema"):
        tools.register(ToolSchema("t", "", broken), lambda _arguments, _run: "")
    assert tools.get("t") is None


@pytest.mark.parametrize(
    "unusable",
    [
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}},
        {"type": "object", "properties": {"a": {"$ref": "https://example.invalid/schema.json"}}},
        {"type": "object", "properties": {"a": {"minLength": "three"}}},
    ],
)
async def test_a_schema_that_cannot_judge_is_an_error_and_fetches_nothing(
    caller: Caller, tools: ToolsFacade, unusable: dict[str, Any]
) -> None:
    tools.register(ToolSchema("t", "", unusable), lambda _arguments, _run: "")
    assert error_of(await caller.one("t", {"a": "b"})) == "INVALID_SCHEMA"


async def test_a_schema_that_its_owner_edits_is_compiled_again(caller: Caller, tools: ToolsFacade) -> None:
    schema = ToolSchema("t", "", {"type": "object", "properties": {"a": {"type": "string"}}})
    tools.register(schema, lambda _arguments, _run: "ran")
    registration = tools.get("t")
    assert registration is not None
    assert (await caller.one("t", {"a": "b"})).text == "ran"
    validator = registration.arguments_validator
    assert registration.arguments_validator is validator
    schema.parameters["properties"]["a"]["type"] = "integer"
    assert error_of(await caller.one("t", {"a": "b"}, "c2")) == "INVALID_ARGS"
    assert registration.arguments_validator is not validator


# A53: listeners that never end


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
