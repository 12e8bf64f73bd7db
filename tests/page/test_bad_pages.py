"""Pages that send garbage, flood, stall, lie or go away; with real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import socket
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from websockets.exceptions import ConnectionClosed

from tests.dynamic.world import B_OK, H_NOP, H_PING, World
from tests.page.raw import connection, handshake, host_of
from tests.support.page_server import AskError, PageClient, Served, origin_of, served, until
from workbench.dynamic.arguments import Caller
from workbench.page import limits
from workbench.page.connection import PageConnection
from workbench.page.events import PAGE_CHANGE
from workbench.page.wire import PageWire

H_BIG = """
inject = ["timer"]
harness.handle("big", lambda args: "x" * args)
def apply(ctx):
    async def wait(args):
        print("waits")
        await ctx.timeout(99)
    harness.handle("wait", wait)
"""


@pytest.fixture
async def s() -> AsyncIterator[Served]:
    async with served() as made:
        yield made


async def delivered(s: Served, *pages: PageClient, host: str = H_PING, client: str = B_OK) -> Any:
    """A package that was allowed by the first page; the result of the run."""
    package_id = await s.world.define(host, client=client)
    task = await s.world.asked(package_id)
    request = s.world.dynamic.requests.pending()[-1].id
    await until(lambda: all(request in page.requests for page in pages))
    assert await pages[0].answer(request, True)
    return await task


async def check_well(s: Served) -> None:
    """Another page is served as ever."""
    async with PageClient(s.url) as page:
        assert await page.answer("req-99", True) is False


async def test_garbage_is_answered_and_then_closed(s: Served) -> None:
    garbage = ["", "{", "[]", "null", "7", '"x"', '{"type":"load"}', '{"type":"load","call":-1}']
    garbage += ['{"call":1.5}', '{"call":true,"type":"load"}', "\ufeff{}", "[" * 2000, '{"call":' + "9" * 400 + "}"]
    for text in garbage:
        async with PageClient(s.url) as page:
            await page.socket.send(text)
            for _ in range(limits.MISTAKES):
                await page.socket.send(text)
            await page.closed()
            assert (page.close_code, page.close_reason) == (1008, "too many messages that are none")
    await check_well(s)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("nothing", {}),
        ("", {}),
        ("welcome", {}),
        (7, {}),
        ("answer", {}),
        ("answer", {"request": "req-1", "allow": 1}),
        ("answer", {"request": ["req-1"], "allow": True}),
        ("answer", {"request": "req-1", "allow": True, "reason": None}),
        ("acknowledge", {"id": "dyn-1", "run": "run-1", "state": "asked"}),
        ("acknowledge", {"id": "dyn-1", "run": "run-1", "state": "waiting", "waitingFor": "x"}),
        ("acknowledge", {"id": "dyn-1", "run": "run-1", "state": "waiting", "waitingFor": [1]}),
        ("render-failed", {"id": "dyn-1", "run": "run-1", "slot": "panel", "message": {}}),
        ("call", {"id": "dyn-1", "run": "run-1"}),
        ("fetch", {"id": 1, "run": "run-1"}),
        ("load", {"id": None}),
    ],
)
async def test_a_message_that_is_none_is_told_so(s: Served, kind: Any, fields: dict[str, Any]) -> None:
    async with PageClient(s.url) as page:
        with pytest.raises(AskError) as caught:
            await page.ask(kind, **fields)
        assert caught.value.kind == "bad-message"
        assert await page.answer("req-9", True) is False  # one mistake closes nothing


async def test_an_oversized_message_closes_the_page(s: Served) -> None:
    async with PageClient(s.url) as page, PageClient(s.url) as other:
        whole = {"type": "load", "call": 1, "id": "x"}
        whole["id"] = "x" * (limits.MESSAGE_BYTES - len(json.dumps(whole)))
        await page.socket.send(json.dumps(whole))
        await until(lambda: page.heard[-1]["type"] == "reply")
        whole["id"] += "xx"
        with contextlib.suppress(ConnectionClosed):
            await page.socket.send(json.dumps(whole))
        await page.closed()
        assert page.close_code == 1009
        await until(lambda: [each.id for each in s.page.pages] == [other.id])


async def test_an_oversized_message_in_pieces(s: Served) -> None:
    async with PageClient(s.url) as page:

        async def pieces() -> AsyncIterator[str]:
            for _ in range(5):
                yield "x" * (limits.MESSAGE_BYTES // 4)

        with contextlib.suppress(ConnectionClosed):
            await page.socket.send(pieces())
        await page.closed()
        assert page.close_code == 1009


async def test_bytes_are_no_text(s: Served) -> None:
    async with PageClient(s.url) as page:
        await page.socket.send(b'{"type":"load","call":1,"id":"dyn-1"}')
        await page.closed()
        assert (page.close_code, page.close_reason) == (1003, "messages are JSON texts")


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"\xff" * 64, 1002),
        (b"\x81\x05hello", 1002),  # not masked
        (b"\x81\x82\x00\x00\x00\x00\xff\xfe", 1007),  # not UTF-8
        (b"\x83\x80\x00\x00\x00\x00", 1002),  # no such kind
    ],
)
async def test_frames_that_are_none(s: Served, frame: bytes, code: int) -> None:
    reader, writer = await connection(s.url)
    writer.write(handshake(f"/{s.url.rstrip('/').rpartition('/')[2]}/socket", host_of(s.url), origin_of(s.url)))
    await reader.readuntil(b"\r\n\r\n")
    await until(lambda: bool(s.page.pages))
    writer.write(frame)
    told = await reader.read()
    assert code.to_bytes(2, "big") in told
    writer.close()
    await until(lambda: not s.page.pages)
    await check_well(s)


async def test_a_flood_closes_the_page_that_makes_it(s: Served) -> None:
    async with PageClient(s.url) as page, PageClient(s.url) as other:
        text = json.dumps({"type": "load", "call": 1, "id": "dyn-9"})
        with contextlib.suppress(ConnectionClosed):
            for _ in range(20 * limits.MESSAGES_AT_ONCE):
                await page.socket.send(text)
        await page.closed()
        assert (page.close_code, page.close_reason) == (1008, "too many messages")
        assert await other.answer("req-9", True) is False
        await until(lambda: [each.id for each in s.page.pages] == [other.id])


@pytest.mark.parametrize("frame", [b"\x89\x80", b"\x8a\x80", b"\x00\x80"], ids=["pings", "pongs", "pieces"])
async def test_frames_that_are_no_messages_are_bounded_too(s: Served, frame: bytes) -> None:
    reader, writer = await _stalled(s)
    await until(lambda: len(s.page.pages) == 1)
    if frame[0] == 0:
        writer.write(b"\x01\x80\0\0\0\0")  # a message begins, and never ends
    writer.write((frame + b"\0\0\0\0") * (5 * limits.MESSAGES_AT_ONCE))
    await until(lambda: not s.page.pages)
    with contextlib.suppress(ConnectionError):
        assert b"too many frames" in await reader.read()
    writer.close()
    await until(lambda: s.connections == 0)


async def test_who_says_goodbye_and_reads_no_more_keeps_no_connection(
    s: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FAREWELL_SECONDS", 0.05)
    async with PageClient(s.url) as good:
        await delivered(s, good, host=H_BIG)
        _, writer = await _stalled(s)
        await until(lambda: len(s.page.pages) == 2)
        ask = {"type": "call", "id": "dyn-1", "run": "run-1", "method": "big", "args": 1_000_000}
        for number in range(6):  # less than what cuts it off, more than a socket holds
            writer.write(_masked(json.dumps({**ask, "call": number})))
        await until(lambda: max(each.outlet.unread for each in _connections(s)) > 1_000_000)
        writer.write(b"\x88\x82\0\0\0\0\x03\xe8")
        await until(lambda: s.connections == 1)
        writer.transport.abort()


def _connections(s: Served) -> list[PageConnection]:
    return list(s.page._hub._connections.values())


async def test_a_page_that_does_not_read_is_cut_off_and_holds_up_nobody(s: Served) -> None:
    w = s.world
    async with PageClient(s.url) as good:
        await delivered(s, good, host=H_BIG)
        stalled = await _stalled(s)
        await until(lambda: len(s.page.pages) == 2)
        ask = {"type": "call", "id": "dyn-1", "run": "run-1", "method": "big", "args": 1_000_000}
        for number in range(limits.CALLS_IN_FLIGHT):
            stalled[1].write(_masked(json.dumps({**ask, "call": number})))
        await until(lambda: len(s.page.pages) == 1)
        assert s.page.pages[0].id == good.id
        assert await good.call("dyn-1", "big", 3) == "xxx"
        assert w.state("dyn-1") == "running"
        await until(lambda: s.connections == 1)
        stalled[1].close()


async def _stalled(s: Served) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A page whose browser has stopped reading."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.setblocking(False)
    await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", s.page.port))
    reader, writer = await asyncio.open_connection(sock=made, limit=1024)
    path = f"/{s.url.rstrip('/').rpartition('/')[2]}/socket"
    writer.write(handshake(path, host_of(s.url), origin_of(s.url)))
    return reader, writer


def _masked(text: str) -> bytes:
    data = text.encode()
    assert len(data) <= 125
    return bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data


async def test_a_page_that_answers_no_ping_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PING_SECONDS", 0.05)
    monkeypatch.setattr(limits, "FAREWELL_SECONDS", 0.05)
    async with served() as s:
        seen: list[int] = []
        s.world.root.on(PAGE_CHANGE, lambda: seen.append(len(s.page.pages)))
        _, writer = await _stalled(s)
        await until(lambda: seen == [1, 0])
        await until(lambda: s.connections == 0)
        writer.close()


async def test_lies_change_nothing(s: Served) -> None:
    w = s.world
    async with PageClient(s.url) as page, PageClient(s.url, waits=True) as liar:
        await w.define(H_PING, client=B_OK)
        task = await w.asked("dyn-1")
        await until(lambda: bool(liar.requests))
        assert not await liar.acknowledge("dyn-1", "run-1")  # nobody has asked it
        assert not await liar.acknowledge("dyn-9", "run-1")
        assert not await liar.answer("req-9", True)
        assert w.state("dyn-1") == "awaiting-approval"
        assert await page.answer("req-1", True)
        assert not await liar.answer("req-1", False, "too late")
        assert (await task).error is None
        assert not await liar.acknowledge("dyn-1", "run-2")
        assert not await liar.acknowledge("dyn-1", "run-0", "failed", stage="evaluate", message="a lie")
        for lie in ({"id": "dyn-1", "run": "run-2"}, {"id": "dyn-2", "run": "run-1"}):
            with pytest.raises(AskError) as caught:
                await liar.ask("fetch", **lie)
            assert caught.value.kind == "fetch-refused"
            told = await liar.ask("render-failed", slot="x", message="a lie", withdrawn=True, **lie)
            assert told == {"accepted": False}
        assert w.state("dyn-1") == "running"
        assert w.card("dyn-1").render_failure is None
        # What it says of itself is recorded as its own, whatever name it gives.
        told = await liar.ask("acknowledge", id="dyn-1", run="run-1", state="failed", page=page.id, stage="none",
                              message="m" * 5000)  # fmt: skip
        assert told == {"accepted": True}
        states = {each.page: each for each in w.card("dyn-1").pages}
        assert (states[page.id].state, states[liar.id].state) == ("loaded", "failed")
        assert (states[liar.id].stage, len(states[liar.id].message)) == ("evaluate", limits.MESSAGE)
        assert w.state("dyn-1") == "running"


async def test_a_page_opened_later_was_asked_nothing(s: Served) -> None:
    async with PageClient(s.url) as page:
        await delivered(s, page)
        async with PageClient(s.url) as late:
            assert not await late.acknowledge("dyn-1", "run-1")
            assert await late.ask(
                "render-failed", id="dyn-1", run="run-1", slot="x", message="a lie", withdrawn=False
            ) == {"accepted": False}
            with pytest.raises(AskError) as caught:
                await late.ask("fetch", id="dyn-1", run="run-1")
            assert caught.value.kind == "fetch-refused"


async def test_two_pages_answer_at_once(s: Served) -> None:
    async with PageClient(s.url) as one, PageClient(s.url) as two:
        for number in range(1, 6):
            await s.world.define(H_PING, client=B_OK)
            task = await s.world.asked(f"dyn-{number}")
            request = f"req-{number}"
            await until(lambda request=request: request in one.requests and request in two.requests)
            said = await asyncio.gather(one.answer(request, False), two.answer(request, True))
            assert sorted(said) == [False, True]
            error = (await task).error
            assert (error is None) == said[1]
            await until(lambda: not one.requests and not two.requests)
            assert one.resolved == two.resolved


async def test_calls_in_flight_are_bounded_and_end_with_the_page(s: Served) -> None:
    w: World = s.world
    async with PageClient(s.url) as keeper:
        await delivered(s, keeper, host=H_BIG)
        async with PageClient(s.url) as page:
            for number in range(limits.CALLS_IN_FLIGHT):
                ask = {"type": "call", "id": "dyn-1", "run": "run-1", "method": "wait", "args": None}
                await page.socket.send(json.dumps({**ask, "call": 1000 + number}))
            with pytest.raises(AskError) as caught:
                await page.call("dyn-1", "wait")
            assert caught.value.kind == "handler-error"
            assert "64 calls" in caught.value.message
            await until(lambda: len(w.printed("dyn-1")) == limits.CALLS_IN_FLIGHT)
        await until(lambda: not [task for task in asyncio.all_tasks() if "handler wait" in task.get_name()])
        assert w.state("dyn-1") == "running"


async def test_results_that_cannot_be_sent(s: Served) -> None:
    async with PageClient(s.url) as page:
        await delivered(s, page, host=H_BIG)
        with pytest.raises(AskError) as caught:
            await page.call("dyn-1", "big", limits.MESSAGE_BYTES)
        assert (caught.value.kind, "1048576" in caught.value.message) == ("handler-error", True)
        with pytest.raises(AskError) as caught:
            await page.call("dyn-1", "big", "a text")
        assert caught.value.kind == "handler-error"


async def test_half_a_character_is_text_like_any_other(s: Served) -> None:
    """An embedder may define with one, and a handler say one; a page gets it as it is."""
    host = 'def half(args):\n    raise ValueError(chr(0xd800))\nharness.handle("half", half)\n' + H_NOP
    w = s.world
    async with PageClient(s.url) as page:
        source = B_OK + "// \ud800"
        given = {"name": "p\ud800", "purpose": "\udfff", "code": host, "client": source}
        w.dynamic.define(Caller("S1"), given)
        task = await w.asked("dyn-1")
        await until(lambda: "req-1" in page.requests)
        assert (page.requests["req-1"]["name"], page.requests["req-1"]["purpose"]) == ("p\ud800", "\udfff")
        assert await page.answer("req-1", True)
        assert (await task).error is None
        assert page.fetched == [source]
        await until(lambda: [each["name"] for each in page.packages] == ["p\ud800"])
        with pytest.raises(AskError) as caught:
            await page.call("dyn-1", "half")
        assert (caught.value.kind, "\ud800" in caught.value.message) == ("handler-error", True)


async def test_a_handler_that_does_not_end_keeps_no_page(s: Served) -> None:
    """Its cancellation was swallowed: the package waits for it, the server does not."""
    release = asyncio.Event()

    class Stubborn:
        async def wait(self) -> None:
            while not release.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await release.wait()

    w = s.world
    w.root.provide("stubborn", Stubborn())
    host = 'inject = ["stubborn"]\ndef apply(ctx):\n    async def wait(args):\n        print("waits")\n'
    host += '        await ctx.stubborn.wait()\n    harness.handle("wait", wait)\n'
    async with PageClient(s.url) as page:
        await delivered(s, page, host=host)
        await page.socket.send(
            json.dumps({"type": "call", "call": 9, "id": "dyn-1", "run": "run-1", "method": "wait"})
        )
        await until(lambda: bool(w.printed("dyn-1")))
    await s.fiber.dispose()
    assert w.dynamic.pages.all() == ()
    stopping = w.running("S1", "cordis_stop", id="dyn-1")
    await until(lambda: w.state("dyn-1") == "stopping")
    release.set()
    assert (await stopping).error is None


async def test_pages_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PAGES", 2)
    async with served() as s, PageClient(s.url) as one, PageClient(s.url):
        async with PageClient(s.url) as third:
            await third.closed()
            assert (third.id, third.close_code, third.close_reason) == ("", 1013, "too many pages are open")
        await one.close()
        await until(lambda: len(s.page.pages) == 1)
        await check_well(s)


async def test_a_page_that_goes_without_a_word(s: Served) -> None:
    w = s.world
    async with PageClient(s.url) as page, PageClient(s.url, waits=True) as gone:
        await w.define(H_PING, client=B_OK)
        task = await w.asked("dyn-1")
        await until(lambda: bool(gone.requests))
        assert await gone.answer("req-1", True)
        gone.socket.transport.abort()
        assert (await task).error is None
        await until(lambda: [each.id for each in s.page.pages] == [page.id])
        assert [each.page for each in w.card("dyn-1").pages] == [page.id]


async def test_a_page_that_calls_and_goes_in_the_same_moment(s: Served) -> None:
    """Its call has not even begun when it is cancelled; one that was never awaited would warn."""

    class Wire:
        unread = 0

        def write(self, frame: bytes) -> None:
            raise AssertionError(frame)

    hub = s.page._hub
    page = PageConnection(hub, "page-0", cast(PageWire, Wire()))
    page.said(json.dumps({"type": "call", "call": 1, "id": "dyn-1", "run": "run-1", "method": "wait"}))
    await page.ended()
    gc.collect()
