"""The scripted provider: what each kind of call sends, bindings, and how a script ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.model_calls import REQUEST, assembled, chunks_of
from workbench.models import ModelCall, ModelError, attempt
from workbench.models.script import ScriptError, read_script
from workbench.models.scripted import ScriptedProvider


def provider(*calls: Any) -> ScriptedProvider:
    return ScriptedProvider({"sessions": [{"calls": list(calls)}]})


async def test_a_text_is_four_chunks() -> None:
    assert await chunks_of(provider({"text": "hello there"})) == [
        {"type": "block-start", "index": 0, "blockType": "text"},
        {"type": "text-delta", "index": 0, "text": "hello there"},
        {"type": "block-end", "index": 0, "block": {"type": "text", "text": "hello there"}},
        {"type": "finish", "reason": {"kind": "stop"}},
    ]


async def test_content_keeps_its_order_whatever_the_script_says_first() -> None:
    usage = {"input_tokens": 5, "outputTokens": 2, "cache_read_tokens": 1}
    call = {
        "usage": usage,
        "tool_calls": [
            {"name": "bash", "arguments": {"cmd": "ls", "é": [1, None]}},
            {"name": "read", "arguments": '{"te', "id": "c9"},
            {"name": "now"},
        ],
        "text": "t",
        "reasoning": "r",
    }
    chunks = await chunks_of(provider(call))
    answer = assembled(chunks)
    assert answer.content() == [
        {"type": "reasoning", "text": "r"},
        {"type": "text", "text": "t"},
        {"type": "tool-call", "id": "call_1_1", "name": "bash", "arguments": '{"cmd":"ls","é":[1,null]}'},
        {"type": "tool-call", "id": "c9", "name": "read", "arguments": '{"te'},
        {"type": "tool-call", "id": "call_1_3", "name": "now", "arguments": ""},
    ]
    assert answer.finish_reason == {"kind": "tool-calls"}
    assert answer.usage == {"inputTokens": 5, "outputTokens": 2, "cacheReadTokens": 1}
    assert [chunk["type"] for chunk in chunks[-2:]] == ["usage", "finish"]
    assert [chunk["type"] for chunk in chunks[:3]] == ["block-start", "reasoning-delta", "block-end"]


async def test_a_finish_of_its_own() -> None:
    chunks = await chunks_of(provider({"text": "", "finish": "max-tokens"}))
    assert chunks[-1] == {"type": "finish", "reason": {"kind": "max-tokens"}}
    assert len(chunks) == 4


async def test_chunks_are_sent_as_they_stand() -> None:
    given = [{"type": "text-delta", "index": 3, "text": "x"}, {"type": "of another version", "deep": {"a": [1]}}]
    assert await chunks_of(provider({"chunks": given})) == given


async def test_an_error_is_raised_as_the_script_says() -> None:
    script = provider(
        {"error": {"code": "RATE_LIMIT", "message": "slow down", "status": 429, "retry_after_ms": 1000}},
        {"error": {"code": "SERVER"}},
    )
    with pytest.raises(ModelError) as caught:
        await chunks_of(script)
    assert caught.value.failure == {
        "message": "slow down",
        "code": "RATE_LIMIT",
        "status": 429,
        "retryAfterMs": 1000,
    }
    with pytest.raises(ModelError, match="scripted SERVER") as caught:
        await chunks_of(script)
    assert caught.value.is_retryable


async def test_an_error_may_come_after_some_content() -> None:
    call = ModelCall("s", 1, 1)
    script = provider({"reasoning": "r", "text": "par", "error": {"code": "STREAM_CLOSED", "message": "cut"}})
    chunks = [chunk async for chunk in attempt(script, REQUEST, call)]
    assert [chunk["type"] for chunk in chunks] == [
        *("block-start", "reasoning-delta", "block-end"),
        *("block-start", "text-delta", "finish"),
    ]
    assert chunks[-1]["reason"] == {"kind": "error", "failure": {"message": "cut", "code": "STREAM_CLOSED"}}


@pytest.mark.parametrize(
    ("call", "delivered"),
    [
        ({"hang": True}, []),
        ({"text": "partial", "hang": True}, ["block-start", "text-delta"]),
        ({"chunks": [{"type": "usage", "usage": {}}], "hang": True}, ["usage"]),
    ],
)
async def test_a_call_that_hangs_ends_with_its_cancel(call: Any, delivered: list[str]) -> None:
    seen: list[str] = []
    waits = asyncio.Event()

    async def listen() -> None:
        stream = attempt(provider(call), REQUEST, ModelCall("s", 1, 1))
        while len(seen) < len(delivered):
            seen.append((await anext(stream))["type"])
        waits.set()
        await anext(stream)

    task = asyncio.create_task(listen())
    await waits.wait()
    await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert seen == delivered


async def test_sessions_bind_in_the_order_of_their_first_calls() -> None:
    script = ScriptedProvider({
        "sessions": [{"calls": [{"text": "a1"}, {"text": "a2"}]}, {"calls": [{"text": "b1"}, {"text": "b2"}]}]
    })  # fmt: skip

    async def answer(session: str) -> Any:
        return assembled(await chunks_of(script, call=ModelCall(session, 1, 1))).content()[0].get("text")

    assert script.remaining() == (2, 2)
    assert [await answer(session) for session in ("y", "x", "x", "y")] == ["a1", "b1", "b2", "a2"]
    assert script.remaining() == (0, 0)


async def test_a_script_that_has_no_more_calls_says_so() -> None:
    script = provider({"text": "one"})
    await chunks_of(script)
    with pytest.raises(ModelError, match=r"sessions\[0\] of script has 1 call, .*turn 4, step 2") as caught:
        await chunks_of(script, call=ModelCall("s", 4, 2))
    assert caught.value.code == "SCRIPT_EXHAUSTED"
    assert not caught.value.is_retryable
    with pytest.raises(ModelError, match="script has 1 session,"):
        await chunks_of(script, call=ModelCall("other", 1, 1))


async def test_requests_are_shown_to_who_asked_for_them() -> None:
    seen: list[Any] = []
    script = ScriptedProvider(
        {"sessions": [{"calls": [{"text": "a"}]}]},
        "mine",
        lambda request, call: seen.append((request, call)),
        {"m1": 100, "*": 7},
    )
    await chunks_of(script)
    assert seen == [(REQUEST, ModelCall("s", 1, 1))]
    assert (script.name, script.context_window("m1"), script.context_window("m2")) == ("mine", 100, 7)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "a mapping with sessions was expected, and this is nothing"),
        ({}, "sessions is missing"),
        ({"sessions": {}}, "sessions: a list was expected, and this is a mapping"),
        ({"sessions": [{"cals": []}]}, 'sessions[0].cals: unknown key "cals"; did you mean "calls"?'),
        ({"sessions": [{}]}, "sessions[0]: calls is missing"),
    ],
)
def test_scripts_that_cannot_be_used(data: Any, says: str) -> None:
    with pytest.raises(ScriptError) as caught:
        read_script(data)
    assert says in str(caught.value).split("\n")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({}, ': a call that does nothing; give it a text, which may be ""'),
        ({"txt": "a"}, '.txt: unknown key "txt"; did you mean "text"?'),
        ({"text": 5}, '.text: a text was expected, and this is the number 5; quote it: "5"'),
        ({"text": "\ud800"}, ".text: half of a surrogate pair at character 0"),
        ({"tool_calls": [{"id": "a"}]}, ".tool_calls[0]: name is missing"),
        ({"tool_calls": [{"name": "a", "arguments": 5}]}, ".tool_calls[0].arguments: arguments are a mapping,"),
        ({"tool_calls": [{"name": "a", "arguments": {"x": [float("nan")]}}]}, ".tool_calls[0].arguments.x[0]: nan"),
        ({"text": "a", "finish": "stopp"}, '.finish: there is no finish "stopp"; did you mean "stop"?'),
        ({"text": "a", "finish": "error"}, '.finish: there is no finish "error"; give `error` instead'),
        ({"text": "a", "usage": {"input_tokens": -1}}, ".usage.input_tokens: a whole number from 0 was expected"),
        ({"text": "a", "hang": "yes"}, ".hang: true or false was expected, and this is a text"),
        ({"chunks": [], "text": "a"}, ".text: `chunks` are sent as they stand, and text stands beside them"),
        ({"chunks": [{"index": 0}]}, ".chunks[0]: a chunk is a mapping with a `type`"),
        ({"chunks": [{"type": "x", "a": {1: 2}}]}, ".chunks[0].a: the key 1 is not a string"),
        ({"error": {"message": "m"}}, ".error: code is missing"),
        ({"error": {"code": "X"}, "hang": True}, ".hang: a call cannot fail and wait for ever; keep one"),
    ],
)  # fmt: skip
def test_calls_that_cannot_be_used(call: Any, says: str) -> None:
    with pytest.raises(ScriptError) as caught:
        read_script({"sessions": [{"calls": [{"text": "good"}, call]}]})
    assert any(line.startswith(f"sessions[0].calls[1]{says}") for line in str(caught.value).split("\n")), (
        caught.value
    )


def test_every_mistake_is_found_in_one_pass() -> None:
    with pytest.raises(ScriptError) as caught:
        read_script({"sessions": [{"calls": [{"text": 1}, {"hang": 2}]}, {"calls": 3}]})
    assert [mistake.path for mistake in caught.value.mistakes] == [
        ("sessions", 0, "calls", 0, "text"),
        ("sessions", 0, "calls", 1, "hang"),
        ("sessions", 1, "calls"),
    ]
