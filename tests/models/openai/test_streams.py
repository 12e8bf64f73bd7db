"""Answers of a real HTTP server on loopback: streamed, whole, slow, cut and malformed."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from tests.models.openai.conftest import Ask
from tests.support.model_calls import REQUEST, assembled, chunks_of
from tests.support.model_server import (
    CUT,
    HANG,
    Answer,
    data_lines,
    error_answer,
    piece,
    stream_answer,
    text_answer,
    tool_answer,
    whole_answer,
)
from workbench.models import CallConfig, ModelCall, ModelError, ModelRequest, attempt
from workbench.models import chunks as made
from workbench.models.openai import OpenAIProvider, OpenAISettings, events

CALL = ModelCall("s", 1, 1)
SSE = {"Content-Type": "text/event-stream"}


async def code_of(ask: Ask, answer: Answer, **settings: Any) -> str:
    """The code with which the answer fails."""
    endpoint = await ask(answer, **settings)
    with pytest.raises(ModelError) as caught:
        await chunks_of(endpoint.provider)
    assert caught.value.__context__ is None
    if "Content-Encoding" not in answer.headers:  # unpacking ends inside the library
        await nothing_is_left_to_close()
    return caught.value.code


async def nothing_is_left_to_close() -> None:
    """No generator is left to the loop to be closed."""
    for _ in range(4):
        assert not [task for task in asyncio.all_tasks() if "async_generator_athrow" in repr(task)]
        await asyncio.sleep(0)


# Whole streams


async def test_text_and_reasoning(endpoint: Ask) -> None:
    ask = await endpoint(text_answer("hello there", reasoning="hm so"))
    assert await chunks_of(ask.provider) == [
        made.block_start(0, "reasoning"),
        made.reasoning_delta(0, "hm "),
        made.reasoning_delta(0, "so"),
        made.block_start(1, "text"),
        made.text_delta(1, "hello "),
        made.text_delta(1, "there"),
        made.block_end(0, {"type": "reasoning", "text": "hm so"}),
        made.block_end(1, {"type": "text", "text": "hello there"}),
        made.usage_chunk({"inputTokens": 4, "outputTokens": 5, "cacheReadTokens": 16, "reasoningTokens": 2}),
        made.finish("stop"),
    ]
    [request] = ask.server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "m1",
        "messages": [{"role": "system", "content": "You run on m1."}, {"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert "authorization" not in request.headers


async def test_a46_arguments_come_in_pieces(endpoint: Ask) -> None:
    ask = await endpoint(tool_answer(("c1", "echo", '{"text":"a"}')))
    chunks = await chunks_of(ask.provider)
    assert assembled(chunks).tool_calls() == [
        {"type": "tool-call", "id": "c1", "name": "echo", "arguments": '{"text":"a"}'}
    ]
    pieces = [chunk["argumentsDelta"] for chunk in chunks if chunk["type"] == "tool-call-delta"]
    assert pieces == ["", '{"t', "ext", '":"', 'a"}']
    assert chunks[-1] == made.finish("tool-calls")


async def test_an_empty_piece_is_no_chunk(endpoint: Ask) -> None:
    begin = {"index": 0, "id": "c", "function": {"name": "n", "arguments": ""}}
    rest = {"index": 0, "function": {"arguments": ""}}
    ask = await endpoint(
        stream_answer([piece({"tool_calls": [each], "content": ""}) for each in (begin, rest, rest)])
    )
    kinds = [chunk["type"] for chunk in await chunks_of(ask.provider)]
    assert kinds == ["block-start", "tool-call-delta", "block-end", "finish"]


async def test_events_are_utf8_whatever_the_header_says(endpoint: Ask) -> None:
    answer = Answer(
        [data_lines([piece({"content": "ä"})])], headers={"Content-Type": "text/event-stream; charset=latin-1"}
    )
    ask = await endpoint(answer)
    assert assembled(await chunks_of(ask.provider)).content() == [{"type": "text", "text": "ä"}]


async def test_one_byte_at_a_time(endpoint: Ask) -> None:
    answer = tool_answer(("c1", "echo", {"t": "日👩‍👧"}), ("c2", "echo", "{"), text="ä 日", usage=None)
    whole, byte_by_byte = await endpoint(answer), await endpoint(answer.in_pieces(1))
    assert await chunks_of(byte_by_byte.provider) == await chunks_of(whole.provider)


@pytest.mark.parametrize("stream", [True, False])
async def test_an_answer_that_does_not_stream(endpoint: Ask, stream: bool) -> None:
    ask = await endpoint(
        whole_answer("t", ("c1", "a", "{}"), ("c2", "b", ""), reasoning="r", finish="tool_calls"), stream=stream
    )
    answer = assembled(await chunks_of(ask.provider))
    assert answer.content() == [
        {"type": "reasoning", "text": "r"},
        {"type": "text", "text": "t"},
        {"type": "tool-call", "id": "c1", "name": "a", "arguments": "{}"},
        {"type": "tool-call", "id": "c2", "name": "b", "arguments": ""},
    ]
    assert answer.finish_reason == {"kind": "tool-calls"}
    assert answer.usage is not None
    assert ("stream" in ask.server.requests[0].body) == stream


async def test_a_connection_serves_many_calls(endpoint: Ask) -> None:
    ask = await endpoint(*[text_answer("x")] * 3, error_answer(500, "no"), text_answer("y"))
    for _ in range(3):
        await chunks_of(ask.provider)
    with pytest.raises(ModelError):
        await chunks_of(ask.provider)
    await chunks_of(ask.provider)
    assert ask.server.connections == 1


async def test_a_server_that_keeps_the_connection_open_behind_the_end(endpoint: Ask) -> None:
    ask = await endpoint(text_answer("x").then(HANG), text_answer("y"))
    assert assembled(await chunks_of(ask.provider)).content() == [{"type": "text", "text": "x"}]
    assert assembled(await chunks_of(ask.provider)).content() == [{"type": "text", "text": "y"}]


async def test_calls_at_the_same_time(endpoint: Ask) -> None:
    ask = await endpoint(*[text_answer("x")] * 20)
    answers = await asyncio.gather(*(chunks_of(ask.provider) for _ in range(20)))
    assert all(answer == answers[0] for answer in answers)


# Slow streams


async def test_a_slow_stream(endpoint: Ask) -> None:
    gate = asyncio.Event()
    body = data_lines([piece({"content": "a"}), piece({"content": "b"}, "stop")])
    ask = await endpoint(Answer([body[:30], gate, body[30:]], headers=SSE))
    task = asyncio.create_task(chunks_of(ask.provider))
    while not ask.server.requests:
        await asyncio.sleep(0.001)
    gate.set()
    assert assembled(await task).content() == [{"type": "text", "text": "ab"}]


@pytest.mark.parametrize(
    "answer",
    [
        Answer([HANG], framing="none"),
        Answer([HANG], headers=SSE),
        Answer([data_lines([piece({"content": "a"})], done=False), HANG], headers=SSE),
        Answer([b'{"choices": [', HANG], headers={"Content-Type": "application/json"}),
    ],
    ids=["no head", "no body", "in the stream", "in a whole answer"],
)
async def test_silence_is_a_timeout(endpoint: Ask, answer: Answer) -> None:
    assert await code_of(endpoint, answer, stream_idle_timeout_s=0.05) == "TIMEOUT"


@pytest.mark.slow
async def test_a_slow_reader_is_no_silence(endpoint: Ask) -> None:
    ask = await endpoint(text_answer("a b c"), stream_idle_timeout_s=2)
    stream = ask.provider.stream(REQUEST, CALL)
    chunks = [await anext(stream)]
    await asyncio.sleep(2.5)
    chunks += [chunk async for chunk in stream]
    assert chunks[-1] == made.finish("stop")


# Streams that break


async def test_a46_a_stream_without_its_end(endpoint: Ask) -> None:
    ask = await endpoint(text_answer("par tial", done=False))
    seen = [chunk async for chunk in attempt(ask.provider, REQUEST, CALL)]
    assert assembled(seen).content() == [{"type": "text", "text": "par tial"}]
    assert seen[-1]["reason"]["failure"]["code"] == "STREAM_CLOSED"


UMLAUT = data_lines([piece({"reasoning_content": "ä"}), piece({"content": "ä日"})], done=False)
CALLING = data_lines(
    [piece({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "n", "arguments": '{"te'}}]})], done=False
)


@pytest.mark.parametrize("framing", ["chunked", "close"])
@pytest.mark.parametrize("end", [[], [CUT]], ids=["ends", "is reset"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        UMLAUT[: UMLAUT.index("ä".encode()) + 1],
        UMLAUT[: UMLAUT.index("日".encode()) + 2],
        CALLING,
        CALLING[:-20],
    ],
    ids=["at once", "in the first character", "in a later character", "in a tool call", "in its line"],
)
async def test_a_stream_that_stops(endpoint: Ask, body: bytes, end: list[Any], framing: str) -> None:
    assert await code_of(endpoint, Answer([body, *end], headers=SSE, framing=framing)) == "STREAM_CLOSED"


@pytest.mark.parametrize(
    "data",
    [
        b"data: {\n\n",
        b"data: nonsense\n\n",
        b"data: [1]\n\n",
        b'data: {"choices": [{"delta": {"content": NaN}}]}\n\n',
        b'data: {"choices": {}}\n\n',
        b'data: {"choices": [5]}\n\n',
        b'data: {"choices": [{"delta": []}]}\n\n',
        b'data: {"choices": [{"delta": {"content": 5}}]}\n\n',
        b'data: {"choices": [{"delta": {"tool_calls": {}}}]}\n\n',
        b'data: {"choices": [{"delta": {"tool_calls": [{"index": 0}]}}]}\n\n',
        b'data: {"choices": [{"delta": {"tool_calls": [{"function": {"name": "n"}}]}}]}\n\n',
        data_lines([piece({"tool_calls": [{"index": 0, "function": {"name": "n", "arguments": 5}}]})]),
        b'data: {"usage": 5}\n\n',
        b"data: " + b"[" * 100_000 + b"\n\n",
    ],
)
async def test_malformed_events(endpoint: Ask, data: bytes) -> None:
    answer = Answer([data_lines([piece({"content": "a"})], done=False) + data + b"data: [DONE]\n\n"], headers=SSE)
    assert await code_of(endpoint, answer) == "MALFORMED_RESPONSE"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"<html>hello</html>", "text/html; charset=utf-8"),
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b"{}", "application/json"),
        (b'{"choices": [{"message": 5}]}', "application/json"),
    ],
)
async def test_malformed_answers(endpoint: Ask, content: bytes, kind: str) -> None:
    assert await code_of(endpoint, Answer([content], headers={"Content-Type": kind})) == "MALFORMED_RESPONSE"


async def test_compressed_nonsense_is_malformed(endpoint: Ask) -> None:
    headers = {**SSE, "Content-Encoding": "gzip"}
    assert await code_of(endpoint, Answer([b"this is no gzip"], headers=headers)) == "MALFORMED_RESPONSE"


async def test_an_event_without_an_end_does_not_fill_the_memory(
    endpoint: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "LONGEST_EVENT", 200_000)
    long = Answer([b"data: ", *[b"x" * 10_000] * 100, HANG], headers=SSE)
    assert await code_of(endpoint, long) == "MALFORMED_RESPONSE"
    many = await endpoint(stream_answer([piece({"content": "x" * 10_000})] * 60))
    assert len(await chunks_of(many.provider)) == 63


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (stream_answer([]), "EMPTY_RESPONSE"),
        (stream_answer([piece({"content": ""}, "stop")]), "EMPTY_RESPONSE"),
        (whole_answer(None), "EMPTY_RESPONSE"),
        (stream_answer([piece({"content": "a"}, "insufficient_system_resource")]), "SERVER"),
        (stream_answer([piece({"content": "a"}), {"error": {"code": 502, "message": "upstream"}}]), "SERVER"),
        (stream_answer([{"error": {"message": "Rate", "type": "rate_limit_error"}}]), "RATE_LIMIT"),
        (stream_answer([{"error": "maximum context length is 5"}]), "CONTEXT_WINDOW_EXCEEDED"),
    ],
)
async def test_answers_that_are_none(endpoint: Ask, answer: Answer, code: str) -> None:
    assert await code_of(endpoint, answer) == code


async def test_nobody_listens() -> None:
    with socket.socket() as taken:  # bound, and so nobody else's, but not listening
        taken.bind(("127.0.0.1", 0))
        provider = OpenAIProvider(OpenAISettings(f"http://127.0.0.1:{taken.getsockname()[1]}/v1"))
        with pytest.raises(ModelError, match="cannot be reached") as caught:
            await chunks_of(provider)
        await provider.aclose()
    assert caught.value.code == "TRANSPORT"
    assert caught.value.is_retryable


@pytest.mark.parametrize("part", [b"", b"HTTP/1.1 200"])
async def test_no_whole_head_is_a_matter_of_transport(endpoint: Ask, part: bytes) -> None:
    assert await code_of(endpoint, Answer([part, CUT], framing="none")) == "TRANSPORT"


async def test_an_endpoint_without_tls() -> None:
    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        provider = OpenAIProvider(OpenAISettings(f"https://127.0.0.1:{port}/v1"))
        with pytest.raises(ModelError, match="cannot be reached") as caught:
            await chunks_of(provider)
        await provider.aclose()
    assert caught.value.code == "TRANSPORT"


async def test_a_long_request_arrives_whole(endpoint: Ask) -> None:
    ask = await endpoint(text_answer("x"))
    messages = [{"role": "user", "content": [{"type": "text", "text": f"{number} ä"}]} for number in range(500)]
    await chunks_of(ask.provider, ModelRequest(CallConfig("p", "m"), None, (), messages))  # type: ignore[arg-type]
    assert [each["content"] for each in ask.server.requests[0].body["messages"]] == [f"{n} ä" for n in range(500)]


# Cancel


@pytest.mark.parametrize("answer", [text_answer("par", done=False).then(HANG), Answer([HANG], framing="none")])
async def test_a_cancel_closes_the_connection(endpoint: Ask, answer: Answer) -> None:
    ask = await endpoint(answer)
    task = asyncio.create_task(chunks_of(ask.provider))
    while not ask.server.requests:
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await ask.server.requests[0].closed.wait()


async def test_closing_the_iterator_closes_the_connection(endpoint: Ask) -> None:
    ask = await endpoint(text_answer("par", done=False).then(HANG))
    stream = attempt(ask.provider, REQUEST, CALL)
    assert (await anext(stream))["type"] == "block-start"
    await stream.aclose()
    await nothing_is_left_to_close()
    await ask.server.requests[0].closed.wait()


async def test_a_stopped_provider_ends_its_calls(endpoint: Ask) -> None:
    ask = await endpoint(text_answer("par", done=False).then(HANG))
    stream = ask.provider.stream(REQUEST, CALL)
    seen = [await anext(stream), await anext(stream)]
    waiting = asyncio.ensure_future(anext(stream))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    await ask.provider.aclose()
    with pytest.raises(ModelError, match="was stopped") as caught:
        await waiting
    assert caught.value.code == "ABORTED"
    assert [chunk["type"] for chunk in seen] == ["block-start", "text-delta"]
    with pytest.raises(ModelError, match="was stopped"):
        await chunks_of(ask.provider)
