"""The same bytes give the same chunks, wherever the network splits them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.model_calls import assembled, chunks_of
from tests.support.model_server import USAGE, data_lines, piece
from workbench.models import ModelError
from workbench.models.openai import OpenAIProvider, OpenAISettings

BODY = (
    b"\xef\xbb\xbf"
    + data_lines([piece({"reasoning_content": "ä"})], done=False)
    + b": a comment\n\nevent: message\nid: 1\n"
    + data_lines(
        [
            piece({"reasoning_content": "\u2028日\x85"}),
            piece({"content": "👩‍👧"}),
            piece({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "n", "arguments": '{"é'}}]}),
            piece({"tool_calls": [{"index": 0, "function": {"arguments": '": "\\n"}'}}]}),
            piece({}, "tool_calls"),
            {"choices": [], "usage": USAGE},
        ],
        done=False,
    )
    + b'data: {"choices":\ndata: []}\n\nretry: 5\ndata:[DONE]\n\n'
)
CONTENT = [
    {"type": "reasoning", "text": "ä\u2028日\x85"},
    {"type": "text", "text": "👩‍👧"},
    {"type": "tool-call", "id": "c", "name": "n", "arguments": '{"é": "\\n"}'},
]


class Pieces(httpx.AsyncByteStream):
    """A body that arrives in these pieces."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for each in self._pieces:
            yield each


class Network:
    """A provider whose answers arrive in the pieces that a test gives."""

    def __init__(self) -> None:
        self._pieces: Sequence[bytes] = ()
        options = {"transport": httpx.MockTransport(self._respond)}
        self.provider = OpenAIProvider(OpenAISettings("http://endpoint.invalid/v1"), options)

    def _respond(self, _request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=Pieces(self._pieces))

    async def chunks_of(self, *pieces: bytes) -> list[Any]:
        """The chunks of a body that arrives in these pieces."""
        self._pieces = pieces
        return await chunks_of(self.provider)


async def answer(*pieces: bytes) -> list[Any]:
    """The same for one body alone."""
    network = Network()
    try:
        return await network.chunks_of(*pieces)
    finally:
        await network.provider.aclose()


async def test_a_split_at_every_byte() -> None:
    network = Network()
    whole = await network.chunks_of(BODY)
    assert assembled(whole).content() == CONTENT
    for at in range(len(BODY)):
        assert await network.chunks_of(BODY[:at], BODY[at:]) == whole
    assert await network.chunks_of(*[BODY[at : at + 1] for at in range(len(BODY))]) == whole
    await network.provider.aclose()


@settings(max_examples=50)
@given(st.lists(st.integers(0, len(BODY)), max_size=12).map(sorted), st.sampled_from([b"\n", b"\r\n", b"\r"]))
async def test_splits_anywhere(cuts: list[int], line_end: bytes) -> None:
    body = BODY.replace(b"\n", line_end)
    edges = [0, *cuts, len(body)]
    pieces = [body[start:end] for start, end in pairwise(edges)]
    assert assembled(await answer(*pieces)).content() == CONTENT


@given(st.integers(0, len(BODY) - len(b"data:[DONE]\n\n") + 10))
async def test_a_stream_cut_anywhere_is_closed_too_early(at: int) -> None:
    with pytest.raises(ModelError) as caught:
        await answer(BODY[:at])
    assert caught.value.code == "STREAM_CLOSED"


@given(st.binary(max_size=60))
async def test_any_bytes_end_in_a_known_error(noise: bytes) -> None:
    with pytest.raises(ModelError) as caught:
        await answer(b"data: ", noise, b"\n\n")
    assert caught.value.code in ("STREAM_CLOSED", "MALFORMED_RESPONSE")


async def test_what_is_no_text_becomes_the_replacement_character() -> None:
    halves = b'data: {"choices": [{"delta": {"content": "\\ud83d and \\udc69"}}]}\n\n'
    latin = b'data: {"choices": [{"delta": {"content": "\xe4"}}]}\n\n'
    done = b"data: [DONE]\n\n"
    assert assembled(await answer(halves, latin, done)).content() == [
        {"type": "text", "text": "\ufffd and \ufffd\ufffd"}
    ]
