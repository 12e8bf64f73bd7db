"""Error answers, retry hints, and what a record keeps of them."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.models.openai.conftest import Ask
from tests.support.model_calls import REQUEST, chunks_of
from tests.support.model_server import CUT, HANG, Answer, error_answer
from workbench.models import ModelCall, ModelError, attempt, failure_of
from workbench.models.openai.http_errors import LONGEST_MESSAGE, error_in_stream, retry_after_ms

CONTEXT = "This model's maximum context length is 65536 tokens, and 70000 were sent."


@pytest.mark.parametrize(
    ("answer", "code", "retried"),
    [
        (error_answer(400, "messages: too short"), "INVALID_REQUEST", False),
        (error_answer(413, "too large"), "INVALID_REQUEST", False),
        (error_answer(400, CONTEXT), "CONTEXT_WINDOW_EXCEEDED", False),
        (error_answer(400, "no", code="context_length_exceeded"), "CONTEXT_WINDOW_EXCEEDED", False),
        (error_answer(401, "no"), "AUTH", False),
        (error_answer(403, "no"), "AUTH", False),
        (error_answer(402, "Insufficient Balance"), "QUOTA", False),
        (error_answer(429, "no", code="insufficient_quota"), "QUOTA", False),
        (error_answer(429, "slow down"), "RATE_LIMIT", True),
        (error_answer(500, "oops"), "SERVER", True),
        (error_answer(503, "busy"), "SERVER", True),
        (error_answer(404, "no such model"), "HTTP_404", False),
        (error_answer(422, "no"), "HTTP_422", False),
        (Answer([], 302, {"Location": "http://127.0.0.1:1/"}), "HTTP_302", False),
        (Answer([b"<h1>Bad  Gateway</h1>\n"], 502), "SERVER", True),
        (Answer([b"\xff\xfe"], 500), "SERVER", True),
    ],
)
async def test_the_code_of_a_status(endpoint: Ask, answer: Answer, code: str, retried: bool) -> None:
    ask = await endpoint(answer)
    with pytest.raises(ModelError) as caught:
        await chunks_of(ask.provider)
    error = caught.value
    assert (error.code, error.status, error.is_retryable) == (code, answer.status, retried)
    assert error.message.startswith(f"HTTP {answer.status}")
    assert len(ask.server.requests) == 1


async def test_a45_an_error_is_one_chunk(endpoint: Ask) -> None:
    ask = await endpoint(error_answer(429, "slow down", retry_after="1"))
    assert [chunk async for chunk in attempt(ask.provider, REQUEST, ModelCall("s", 1, 1))] == [
        {
            "type": "finish",
            "reason": {
                "kind": "error",
                "failure": {
                    "message": "HTTP 429: slow down",
                    "code": "RATE_LIMIT",
                    "status": 429,
                    "retryAfterMs": 1000,
                },
            },
        }
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"error": "plain"}', "HTTP 500: plain"),
        (b'{"detail": "of a framework"}', "HTTP 500: of a framework"),
        (b'{"error": {"message": 5}}', "HTTP 500"),
        (b"[]", "HTTP 500"),
        (b"", "HTTP 500"),
        (b"two\n lines", "HTTP 500: two lines"),
        (b'{"error": {"message": "half \\ud800"}}', "HTTP 500: half \ufffd"),
        (b"x" * 200_000, "HTTP 500: " + "x" * LONGEST_MESSAGE + "…"),
    ],
)
async def test_the_message_of_an_error(endpoint: Ask, content: bytes, message: str) -> None:
    ask = await endpoint(Answer([content], 500))
    with pytest.raises(ModelError) as caught:
        await chunks_of(ask.provider)
    assert caught.value.message == message


@pytest.mark.parametrize("end", [HANG, CUT])
async def test_the_status_counts_where_the_message_breaks_off(endpoint: Ask, end: Any) -> None:
    ask = await endpoint(Answer([b"I am ov", end], 503), stream_idle_timeout_s=1)
    with pytest.raises(ModelError, match=r"^HTTP 503") as caught:
        await chunks_of(ask.provider)
    assert caught.value.code == "SERVER"


NOW = datetime(2031, 2, 3, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1", 1000),
        (" 20 ", 20_000),
        ("0", 0),
        ("0.25", 250),
        ("Mon, 03 Feb 2031 12:00:07 GMT", 7000),
        ("Mon, 03 Feb 2031 11:00:00 GMT", 0),
        *[(bad, None) for bad in ("", "-1", "1e3", "soon", "1 s", "9" * 20, "nan", "Mon, 99 Feb 2031")],
    ],
)
def test_retry_after(value: str, expected: int | None) -> None:
    assert retry_after_ms({"retry-after": value}, NOW) == expected
    assert retry_after_ms({}, NOW) is None


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"code": 429, "message": "m"}, "RATE_LIMIT"),
        ({"status": 401, "message": "m"}, "AUTH"),
        ({"message": "m", "type": "invalid_request_error"}, "INVALID_REQUEST"),
        ({"message": "m", "code": "insufficient_quota"}, "QUOTA"),
        ({"message": "m", "code": True}, "SERVER"),
        ({}, "SERVER"),
        ("text", "SERVER"),
    ],
)
def test_an_error_inside_a_stream(error: Any, code: str) -> None:
    assert error_in_stream(error).code == code


def test_a_record_gives_the_error_back() -> None:
    error = ModelError("RATE_LIMIT", "m", 429, 1000)
    for copy in (ModelError.from_failure(error.failure), pickle.loads(pickle.dumps(error))):
        assert copy.failure == error.failure
    foreign = ModelError.from_failure({"message": 5, "code": "", "status": True, "more": 1})
    assert foreign.failure == {"message": "", "code": "UNKNOWN"}


def test_the_record_of_any_error_has_the_whole_chain() -> None:
    outer = RuntimeError("outer")
    outer.__cause__ = ValueError("inner \ud800")
    outer.__cause__.__context__ = KeyError()
    assert failure_of(outer) == {
        "message": "RuntimeError: outer: ValueError: inner \ufffd: KeyError",
        "code": "UNKNOWN",
    }
    loop = RuntimeError("a")
    loop.__cause__ = loop
    assert failure_of(loop)["message"] == "RuntimeError: a"
