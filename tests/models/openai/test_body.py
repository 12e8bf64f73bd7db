"""Requests in the words of chat completions."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from workbench.models import CallConfig, ModelError, ModelRequest
from workbench.models.openai import OpenAISettings
from workbench.models.openai.body import body, encoded_body

URL = "http://endpoint.invalid/v1"


def request(*messages: Any, tools: Any = (), system: str | None = None, **config: Any) -> ModelRequest:
    return ModelRequest(CallConfig("p", "m", **config), system, tools, messages)


def sent(*messages: Any, **settings: Any) -> Any:
    return body(request(*messages), OpenAISettings(URL, **settings))["messages"]


def text(value: str) -> Any:
    return {"type": "text", "text": value}


def test_all_settings_of_a_call() -> None:
    value = request(
        system="s",
        tools=({"name": "b", "description": "d", "parameters": {"z": 1, "a": 2**70}},),
        reasoning_effort="high",
        temperature=0.5,
        max_tokens=7,
        stop=("x",),
        extra={"thinking": {"type": "disabled"}},
    )
    encoded = encoded_body(value, OpenAISettings(URL, max_tokens_key="max_completion_tokens"))
    assert encoded.decode() == (
        '{"model":"m","messages":[{"role":"system","content":"s"}],"tools":[{"type":"function","function":'
        '{"name":"b","description":"d","parameters":{"z":1,"a":1180591620717411303424}}}],'
        '"reasoning_effort":"high","temperature":0.5,"max_completion_tokens":7,"stop":["x"],'
        '"thinking":{"type":"disabled"},"stream":true,"stream_options":{"include_usage":true}}'
    )


def test_nothing_is_sent_for_what_is_not_set() -> None:
    assert orjson.loads(encoded_body(request(), OpenAISettings(URL, stream=False))) == {
        "model": "m",
        "messages": [],
    }


def test_a_step_with_tool_calls_and_their_results() -> None:
    messages = [
        {"role": "user", "content": [text("one"), text("two")], "id": "x", "source": {"kind": "user"}},
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "text": "r"},
                {"type": "tool-call", "id": "c1", "name": "a", "arguments": '{"te'},
                {"type": "tool-call", "id": "c2", "name": "b", "arguments": "{}"},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool-result", "toolCallId": "c1", "content": [text("x"), text("y")]}],
        },
        {
            "role": "user",
            "content": [
                text("behind"),
                {"type": "tool-result", "toolCallId": "c2", "content": [], "isError": True},
            ],
        },
        {"role": "assistant", "content": [text("a"), text("b")]},
        {"role": "assistant", "content": [{"type": "reasoning", "text": "only"}]},
    ]
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "a", "arguments": '{"te'}},
        {"id": "c2", "type": "function", "function": {"name": "b", "arguments": "{}"}},
    ]
    expected = [
        {"role": "user", "content": "one\n\ntwo"},
        {"role": "assistant", "content": None, "reasoning_content": "r", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "x\ny"},
        {"role": "tool", "tool_call_id": "c2", "content": ""},
        {"role": "user", "content": "behind"},
        {"role": "assistant", "content": "ab"},
        {"role": "assistant", "content": "", "reasoning_content": "only"},
    ]
    assert sent(*messages) == expected
    without = [{key: value for key, value in each.items() if key != "reasoning_content"} for each in expected]
    assert sent(*messages, send_reasoning=False) == without


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ({"role": "tool", "content": []}, "no role 'tool'"),
        ({"role": "user", "content": [{"type": "image"}]}, "block of type 'image'"),
        ({"role": "assistant", "content": [{"type": "image"}]}, "block of type 'image'"),
        (
            {
                "role": "user",
                "content": [{"type": "tool-result", "toolCallId": "c", "content": [{"type": "image"}]}],
            },
            "block of type 'image'",
        ),
    ],
)
def test_what_chat_completions_cannot_say(message: Any, says: str) -> None:
    with pytest.raises(ModelError, match=says) as caught:
        sent(message)
    assert caught.value.code == "INVALID_REQUEST"


def test_further_settings_do_not_replace_the_request() -> None:
    with pytest.raises(ModelError, match="messages, stream cannot be set"):
        body(request(extra={"stream": False, "messages": []}), OpenAISettings(URL))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"base_url": "endpoint/v1"}, "http:// or https://"),
        ({"base_url": "http://[x"}, "http:// or https://"),
        ({"base_url": "http://h:x/"}, "http:// or https://"),
        ({"stream_idle_timeout_s": 0}, "more than 0 seconds"),
        ({"defaults": {"model": "m"}}, "unknown model"),
        ({"headers": {"X-A": "one\ntwo"}}, "'X-A' or its value cannot be sent"),
        ({"headers": {"X A": "one"}}, "'X A' or its value cannot be sent"),
    ],
)
def test_settings_that_cannot_be_used(settings: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        OpenAISettings.from_data({"base_url": URL, **settings})
