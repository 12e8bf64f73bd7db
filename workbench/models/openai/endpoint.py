"""The provider `openai`: one POST for each attempt. Source: docs/models.md 8."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.models.chunks import Chunk
from workbench.models.errors import (
    ABORTED,
    MALFORMED_RESPONSE,
    STREAM_CLOSED,
    TIMEOUT,
    TRANSPORT,
    UNKNOWN,
    ModelError,
    failure_of,
)
from workbench.models.openai.answer import ChatAnswer
from workbench.models.openai.body import encoded_body
from workbench.models.openai.client import Client
from workbench.models.openai.credentials import Key
from workbench.models.openai.events import event_data
from workbench.models.openai.http_errors import error_in_stream, error_of_status
from workbench.models.openai.settings import OpenAISettings
from workbench.models.provider import ModelCall
from workbench.models.request import CallConfig, ModelRequest
from workbench.values.foreign_text import foreign_json

if TYPE_CHECKING:
    import httpx

Part = TypeVar("Part")

LONGEST_ERROR = 64 * 1024
"""Bytes of an error answer that are read."""
LONGEST_ANSWER = 64 * 1024 * 1024
"""Bytes of an answer that comes whole."""
MANY_MESSAGES = 200
"""From here on a request is encoded beside the loop."""
REST_S = 0.2
"""Seconds for what a server may still send behind the end, so that the connection can be used again."""


class OpenAIProvider:
    """Asks one endpoint. Each `stream` is one POST; nothing is tried again here."""

    def __init__(self, settings: OpenAISettings, client_options: dict[str, Any] | None = None) -> None:
        """`client_options` go to `httpx.AsyncClient`, such as `transport` or `verify`."""
        self.settings = settings
        self.name = settings.name
        self._client = Client(settings, client_options)

    def __repr__(self) -> str:
        return f"<OpenAIProvider {self.name!r} at {self.settings.host}>"

    def context_window(self, model: str) -> int | None:
        """What the settings say."""
        windows = self.settings.context_windows
        return windows.get(model, windows.get("*"))

    @property
    def key_variables(self) -> frozenset[str]:
        """The environment variable that holds the key, if it is one."""
        name = self.settings.api_key_env
        return frozenset() if name is None else frozenset({name})

    def defaults(self, config: CallConfig) -> Mapping[str, Any]:
        """The defaults of the settings that the configuration does not set."""
        return {key: value for key, value in self.settings.defaults.items() if getattr(config, key) is None}

    async def stream(self, request: ModelRequest, call: ModelCall) -> AsyncIterator[Chunk]:
        """The answer as chunks. Raises `ModelError`; a cancel closes the connection."""
        key = await self._client.key()
        client = await self._client.get()
        body = await self._encoded(request)
        exchange = _Exchange(self.settings, key)
        try:
            async with client.stream(
                "POST", self.settings.endpoint, content=body, headers=exchange.headers()
            ) as response:
                exchange.has_begun = True
                async with aclosing(exchange.chunks(response)) as chunks:
                    async for chunk in chunks:
                        yield chunk
            return
        except ModelError as error:
            failed = self._told(error, key)
        except Exception as error:
            failed = self._told(_as_model_error(error, exchange), key)
        # Behind the handlers, so that it has no context: that holds the request, and so the key.
        raise failed

    async def aclose(self) -> None:
        """Close the connections; running calls end with `ABORTED`."""
        await self._client.aclose()

    async def _encoded(self, request: ModelRequest) -> bytes:
        if len(request.messages) < MANY_MESSAGES:
            return encoded_body(request, self.settings)
        return await asyncio.to_thread(encoded_body, request, self.settings)

    def _told(self, error: ModelError, key: Key | None) -> ModelError:
        if self._client.is_closed:
            return ModelError(ABORTED, f"provider {self.name!r} was stopped")
        message = error.message if key is None else key.hidden_in(error.message)
        return ModelError(error.code, message, error.status, error.retry_after_ms)


class _Exchange:
    """One request and its answer."""

    def __init__(self, settings: OpenAISettings, key: Key | None) -> None:
        self.settings = settings
        self._key = key
        self.has_begun = False
        """Whether the head of the answer is there."""

    @property
    def host(self) -> str:
        return self.settings.host

    def headers(self) -> dict[str, str]:
        headers = {
            "Accept": "text/event-stream" if self.settings.stream else "application/json",
            "Content-Type": "application/json",
            **self.settings.headers,
        }
        if self._key is not None:
            headers["Authorization"] = self._key.header
        return headers

    async def chunks(self, response: httpx.Response) -> AsyncGenerator[Chunk, None]:
        """The chunks of the answer. Raises `ModelError`, and what the HTTP library raises."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not 200 <= response.status_code <= 299:
            content = await _read_error(response)
            raise error_of_status(response.status_code, content, response.headers)
        if "html" in kind:
            raise ModelError(MALFORMED_RESPONSE, f"{self.host} answered with a web page; is base_url right?")
        if "json" in kind and "stream" not in kind and "lines" not in kind:
            for chunk in await _read_whole(response):
                yield chunk
            return
        async with (
            _unwound(response, event_data(response)) as events,
            aclosing(self._streamed(events)) as chunks,
        ):
            async for chunk in chunks:
                yield chunk

    async def _streamed(self, events: AsyncIterator[str]) -> AsyncGenerator[Chunk, None]:
        answer = ChatAnswer()
        async for data in events:
            if data.strip() == "[DONE]":
                break
            for chunk in answer.feed(_object(data)):
                yield chunk
        else:
            raise ModelError(STREAM_CLOSED, f"{self.host} ended the stream without [DONE]")
        last = list(answer.end())
        await _read_rest(events)
        for chunk in last:
            yield chunk


def _object(encoded: str | bytes) -> Mapping[str, Any]:
    """A piece of an answer. Raises `MALFORMED_RESPONSE`, and the error that it may report."""
    try:
        value = foreign_json(encoded)
    except ValueError:
        raise ModelError(MALFORMED_RESPONSE, "the answer of the endpoint is not JSON") from None
    if not isinstance(value, Mapping):
        raise ModelError(MALFORMED_RESPONSE, "the answer of the endpoint is no JSON object")
    if value.get("error"):
        raise error_in_stream(value["error"])
    return value


async def _read_whole(response: httpx.Response) -> list[Chunk]:
    content = bytearray()
    async with _unwound(response, response.aiter_bytes()) as parts:
        async for part in parts:
            content += part
            if len(content) > LONGEST_ANSWER:
                raise ModelError(MALFORMED_RESPONSE, f"the answer has more than {LONGEST_ANSWER:,} bytes")
    return list(ChatAnswer().whole(_object(bytes(content))))


async def _read_error(response: httpx.Response) -> bytes:
    """What can be read of an error: its status says more than that its text broke off."""
    content = bytearray()
    with suppress(Exception):
        async with _unwound(response, response.aiter_bytes()) as parts:
            async for part in parts:
                content += part
                if len(content) > LONGEST_ERROR:
                    break
    return bytes(content[:LONGEST_ERROR])


@asynccontextmanager
async def _unwound(response: httpx.Response, parts: AsyncIterator[Part]) -> AsyncIterator[AsyncIterator[Part]]:
    """`parts` of a response, which end with the block.

    The HTTP library reads through a chain of generators, and closing one leaves those below it to the garbage
    collector and to tasks of the loop. Read on from a closed connection, all of them end here.
    """
    try:
        yield parts
    finally:
        await response.aclose()
        with suppress(Exception):
            async for _ in parts:
                pass


async def _read_rest(events: AsyncIterator[str]) -> None:
    """Read what follows the end, which is nothing but the end of the body, unless it takes long."""
    try:
        async with asyncio.timeout(REST_S):
            async for _ in events:
                pass
    except Exception:
        pass  # the answer is complete; the connection will not be used again


def _as_model_error(error: Exception, exchange: _Exchange) -> ModelError:
    import httpx

    host = exchange.host
    if isinstance(error, httpx.ReadTimeout):
        return ModelError(TIMEOUT, f"{host} sent nothing for {exchange.settings.stream_idle_timeout_s:g} s")
    if isinstance(error, httpx.DecodingError):
        return ModelError(MALFORMED_RESPONSE, f"the answer of {host} cannot be unpacked")
    if not isinstance(error, httpx.HTTPError | httpx.StreamError | OSError):
        return ModelError(UNKNOWN, failure_of(error)["message"])
    reason = str(error) or type(error).__name__
    if exchange.has_begun:
        return ModelError(STREAM_CLOSED, f"the stream of {host} broke off: {reason}")
    return ModelError(TRANSPORT, f"{host} cannot be reached: {reason}")
