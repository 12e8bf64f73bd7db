"""One attempt: always one end, nothing behind it, and only one's own cancel comes through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest

from tests.support.model_calls import REQUEST
from workbench.models import CallConfig, FrozenDict, ModelCall, ModelError, ModelProvider, ModelRequest, attempt
from workbench.models import chunks as made
from workbench.models.attempt import FAIR_CHUNKS

CALL = ModelCall("s", 1, 1)


class Provider:
    """Answers with what a function yields."""

    name = "p"

    def __init__(self, body: Callable[[], AsyncIterator[Any]]) -> None:
        self._body = body
        self.closed = 0

    async def stream(self, request: ModelRequest, call: ModelCall) -> AsyncIterator[Any]:
        try:
            async for chunk in self._body():
                yield chunk
        finally:
            self.closed += 1

    def context_window(self, model: str) -> int | None:
        return None

    def defaults(self, config: CallConfig) -> Mapping[str, Any]:
        return {}


async def chunks_of(body: Callable[[], AsyncIterator[Any]]) -> list[Any]:
    provider = Provider(body)
    assert isinstance(provider, ModelProvider)
    chunks = [chunk async for chunk in attempt(provider, REQUEST, CALL)]
    assert provider.closed == 1
    assert all(type(chunk) is FrozenDict for chunk in chunks)
    assert [chunk["type"] for chunk in chunks].count("finish") == 1
    assert chunks[-1]["type"] == "finish"
    return chunks


def failure(chunks: list[Any]) -> Any:
    return chunks[-1]["reason"]["failure"]


async def test_nothing_comes_behind_the_finish() -> None:
    async def body() -> AsyncIterator[Any]:
        yield made.text_delta(0, "a")
        yield made.finish("stop")
        yield made.text_delta(0, "b")

    assert await chunks_of(body) == [made.text_delta(0, "a"), made.finish("stop")]


async def test_a_stream_that_just_ends() -> None:
    async def body() -> AsyncIterator[Any]:
        yield made.text_delta(0, "a")

    assert failure(await chunks_of(body))["code"] == "STREAM_CLOSED"


@pytest.mark.parametrize(
    ("error", "record"),
    [
        (ModelError("AUTH", "no", 401), {"message": "no", "code": "AUTH", "status": 401}),
        (ValueError("oops"), {"message": "ValueError: oops", "code": "UNKNOWN"}),
        (asyncio.CancelledError(), {"message": "provider 'p' cancelled its own call", "code": "ABORTED"}),
    ],
)
async def test_what_is_raised_becomes_the_finish(error: BaseException, record: Any) -> None:
    async def body() -> AsyncIterator[Any]:
        yield made.text_delta(0, "a")
        raise error

    chunks = await chunks_of(body)
    assert chunks == [made.text_delta(0, "a"), made.finish_error(record)]


@pytest.mark.parametrize("chunk", [{"type": "usage", "n": float("nan")}, {"type": "x", "a": {1, 2}}, 5, None])
async def test_a_chunk_that_no_log_could_keep_fails_the_attempt(chunk: Any) -> None:
    async def body() -> AsyncIterator[Any]:
        yield chunk

    assert failure(await chunks_of(body))["code"] == "UNKNOWN"


async def test_half_surrogate_pairs_are_replaced() -> None:
    async def body() -> AsyncIterator[Any]:
        yield {"type": "text-delta", "index": 0, "text": "a\ud83d", "\udc00": ["\udc00"]}
        yield made.finish("stop")

    assert (await chunks_of(body))[0] == {"type": "text-delta", "index": 0, "text": "a\ufffd", "\ufffd": ["\ufffd"]}


async def test_ones_own_cancel_comes_through_and_closes_the_stream() -> None:
    began = asyncio.Event()

    async def body() -> AsyncIterator[Any]:
        began.set()
        await asyncio.get_running_loop().create_future()
        yield None

    provider = Provider(body)

    async def listen() -> None:
        async for _ in attempt(provider, REQUEST, CALL):
            pass

    task = asyncio.create_task(listen())
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert provider.closed == 1


async def test_a_provider_that_refuses_at_once() -> None:
    class Refusing(Provider):
        def stream(self, request: ModelRequest, call: ModelCall) -> AsyncIterator[Any]:
            raise ModelError("SCRIPT_EXHAUSTED", "no more")

    async def body() -> AsyncIterator[Any]:
        yield None

    chunks = [chunk async for chunk in attempt(Refusing(body), REQUEST, CALL)]
    assert failure(chunks) == {"message": "no more", "code": "SCRIPT_EXHAUSTED"}


async def test_the_loop_has_turns_between_chunks_that_came_together() -> None:
    async def body() -> AsyncIterator[Any]:
        for _ in range(10 * FAIR_CHUNKS):
            yield made.text_delta(0, "a")
        yield made.finish("stop")

    turns = 0

    async def neighbour() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(neighbour())
    await chunks_of(body)
    assert turns >= 10
    task.cancel()
