"""A real HTTP server on loopback that answers chat completions as a test says.

    async with ModelServer([text_answer("hello"), error_answer(429, "slow down", retry_after="1")]) as server:
        ...                               # server.base_url is what an endpoint's settings take
    assert server.requests[0].body["model"] == "m1"

    with server_in_thread([text_answer("hi")]) as server:      # for tests that block, such as those of commands

Each request gets the next answer of the script; one too many gets HTTP 418, which nobody retries. An answer is
an `Answer`: status, headers, and parts that are sent one after another:

    bytes            are sent at once
    asyncio.Event    is waited for: a test decides when the answer goes on (not with `server_in_thread`)
    HANG             nothing more comes; the connection stays open until the client closes it
    CUT              the connection is reset here, in the middle of the body

`text_answer`, `tool_answer`, `error_answer` and `whole_answer` make the usual ones; `stream_answer` takes the
objects of the `data:` lines. `in_pieces` splits a body: `answer.in_pieces(7)` sends seven bytes at a time.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from types import TracebackType
from typing import Any


class End(Enum):
    """How a body can stop before its end."""

    HANG = "hang"
    CUT = "cut"


HANG, CUT = End.HANG, End.CUT
Part = bytes | asyncio.Event | End


@dataclass(frozen=True)
class Answer:
    """What the server does with one request."""

    parts: Sequence[Part]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    framing: str = "chunked"
    """`chunked`; `close`: the body ends where the connection does; `none`: not even a head is sent."""

    def in_pieces(self, size: int) -> Answer:
        """The same body, sent so many bytes at a time."""
        parts: list[Part] = []
        for part in self.parts:
            if isinstance(part, bytes):
                parts += [part[start : start + size] for start in range(0, len(part), size)]
            else:
                parts.append(part)
        return replace(self, parts=parts)

    def then(self, *parts: Part) -> Answer:
        """The same with further parts."""
        return replace(self, parts=(*self.parts, *parts))


@dataclass
class Received:
    """One request as the server got it."""

    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: Any
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client has closed the connection before the answer was complete."""


class ModelServer:
    """The server. Starts and stops as an asynchronous context manager."""

    def __init__(self, answers: Iterable[Answer]) -> None:
        self.answers = list(answers)
        self.requests: list[Received] = []
        self.connections = 0
        """How many were opened."""
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def base_url(self) -> str:
        """The address, to be given to an endpoint's settings."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> ModelServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            ahead: bytes | None = b""
            while ahead is not None:
                ahead = await self._exchange(reader, writer, ahead)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has gone, or the test is over
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, ahead: bytes
    ) -> bytes | None:
        """Serve one request that begins with `ahead`. What was read of the next one; None: there is none."""
        head = (ahead + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-2])}
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        received = Received(head[0].split()[1], headers, json.loads(content) if content else None)
        self.requests.append(received)
        number = len(self.requests)
        answer = self.answers[number - 1] if number <= len(self.answers) else _no_more(number)
        sending = asyncio.create_task(_send(answer, writer))
        watching = asyncio.create_task(reader.read(1))
        try:
            await asyncio.wait({sending, watching}, return_when=asyncio.FIRST_COMPLETED)
            if not sending.done() and not watching.result():
                received.closed.set()
                return None
            can_go_on = await sending
            return (await watching) or None if can_go_on else None
        except ConnectionError:
            received.closed.set()
            raise
        finally:
            for each in (sending, watching):
                each.cancel()
            await asyncio.gather(sending, watching, return_exceptions=True)


async def _send(answer: Answer, writer: asyncio.StreamWriter) -> bool:
    chunked = answer.framing == "chunked"
    if answer.framing != "none":
        framing = "Transfer-Encoding: chunked" if chunked else "Connection: close"
        lines = [f"HTTP/1.1 {answer.status} Scripted", framing, *(f"{k}: {v}" for k, v in answer.headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        await writer.drain()
    for part in answer.parts:
        if part is HANG:
            await asyncio.get_running_loop().create_future()
        elif part is CUT:
            return False
        elif isinstance(part, asyncio.Event):
            await part.wait()
        elif part:
            assert isinstance(part, bytes)
            writer.write(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
            await writer.drain()
            await asyncio.sleep(0)  # a part is a packet, as far as the system lets it be
    if chunked:
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True
    writer.close()
    await writer.wait_closed()
    return False


def _no_more(number: int) -> Answer:
    return error_answer(418, f"the script of the model server has no answer for request {number}")


# Answers


def data_lines(objects: Iterable[Any], done: bool = True) -> bytes:
    """Objects as server-sent events, with `[DONE]` at the end."""
    lines = [b"data: " + json.dumps(each, ensure_ascii=False).encode() + b"\n\n" for each in objects]
    return b"".join([*lines, b"data: [DONE]\n\n" if done else b""])


def piece(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    """One object of a stream."""
    return {"choices": [{"index": 0, "delta": dict(delta), "finish_reason": finish}]}


USAGE = {
    "prompt_tokens": 20,
    "completion_tokens": 5,
    "prompt_tokens_details": {"cached_tokens": 16},
    "completion_tokens_details": {"reasoning_tokens": 2},
}


def stream_answer(objects: Iterable[Any], done: bool = True) -> Answer:
    """A stream of these objects."""
    return Answer([data_lines(objects, done)], headers={"Content-Type": "text/event-stream"})


def text_answer(
    text: str, reasoning: str = "", usage: Mapping[str, Any] | None = USAGE, done: bool = True
) -> Answer:
    """A text, word by word, after its reasoning."""
    return stream_answer(_pieces({"reasoning_content": reasoning, "content": text}, [], usage), done)


def tool_answer(*calls: tuple[str, str, Any], text: str = "", usage: Mapping[str, Any] | None = USAGE) -> Answer:
    """Tool calls as (id, name, arguments), their arguments in pieces of three characters."""
    return stream_answer(_pieces({"content": text}, calls, usage))


def error_answer(status: int, message: str, retry_after: str | None = None, **error: Any) -> Answer:
    """An error with a status, a message, and further keys of its `error` object."""
    headers = {"Content-Type": "application/json"}
    if retry_after is not None:
        headers["Retry-After"] = retry_after
    return Answer([json.dumps({"error": {"message": message, **error}}).encode()], status, headers)


def whole_answer(
    text: str | None, *calls: tuple[str, str, str], reasoning: str | None = None, finish: str = "stop"
) -> Answer:
    """An answer that does not stream."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if reasoning is not None:
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id, name, arguments in calls
        ]
    body = {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": USAGE}
    return Answer([json.dumps(body).encode()], headers={"Content-Type": "application/json"})


def _pieces(
    texts: Mapping[str, str], calls: Sequence[tuple[str, str, Any]], usage: Mapping[str, Any] | None
) -> Iterator[dict[str, Any]]:
    yield piece({"role": "assistant", "content": ""})
    for key, text in texts.items():
        words = text.split(" ")
        for number, word in enumerate(words):
            if word or number < len(words) - 1:
                yield piece({key: word + (" " if number < len(words) - 1 else "")})
    for index, (id, name, given) in enumerate(calls):
        arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        begin = {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}
        yield piece({"tool_calls": [begin]})
        for start in range(0, len(arguments), 3):
            rest = {"index": index, "function": {"arguments": arguments[start : start + 3]}}
            yield piece({"tool_calls": [rest]})
    yield piece({}, "tool_calls" if calls else "stop")
    if usage is not None:
        yield {"choices": [], "usage": dict(usage)}


@contextmanager
def server_in_thread(answers: Iterable[Answer]) -> Iterator[ModelServer]:
    """The server on a loop of its own, for tests that block theirs."""
    server = ModelServer(answers)
    started = threading.Event()
    stop: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def serve() -> None:
        async with server:
            stop.append((asyncio.get_running_loop(), asyncio.Event()))
            started.set()
            await stop[0][1].wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="model server", daemon=True)
    thread.start()
    try:
        if not started.wait(timeout=15):
            raise RuntimeError("the model server did not start")
        yield server
    finally:
        if stop:
            loop, event = stop[0]
            loop.call_soon_threadsafe(event.set)
        thread.join(timeout=15)
