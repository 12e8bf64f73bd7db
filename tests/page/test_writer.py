"""What is written beside the event loop comes in order, whatever else happens to a connection."""

from __future__ import annotations

import asyncio
import random
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.dynamic.world import PATIENCE
from tests.support.page_server import until
from workbench.page import limits
from workbench.page.outlet import Outlet
from workbench.page.writer import Writer


class Near(asyncio.Protocol):
    """Our end."""

    def __init__(self) -> None:
        self.over = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.outlet = Outlet(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.outlet.lost()
        self.over.set()


class Far:
    """The end of a peer that reads when it is told to."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end

    async def all(self) -> bytes:
        loop = asyncio.get_running_loop()
        found = b""
        async with asyncio.timeout(PATIENCE):
            while data := await loop.sock_recv(self.end, 1 << 16):
                found += data
        return found


@asynccontextmanager
async def connections(number: int) -> AsyncIterator[tuple[list[Near], list[Far]]]:
    near, far = [], []
    loop = asyncio.get_running_loop()
    for _ in range(number):
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setblocking(False)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        _, made = await loop.create_connection(Near, sock=ours)
        near.append(made)
        far.append(Far(theirs))
    try:
        yield near, far
    finally:
        for each in near:
            each.outlet.abort()
        for each in near:
            await each.over.wait()
        for peer in far:
            peer.end.close()


async def test_all_comes_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WRITTEN_BESIDE", 2)
    chance = random.Random(8)
    writer = Writer()
    async with connections(5) as (near, far):
        reading = [asyncio.create_task(each.all()) for each in far[1:]]
        written = [b""] * len(near)
        for number in range(120):
            told = [(at, b"%d " % number * chance.choice((1, 10, 10_000))) for at in range(len(near))]
            for at, data in told:
                written[at] += data
            if chance.random() < 0.7:
                writer.write([(near[at].outlet, data) for at, data in told])
            else:
                for at, data in told:
                    near[at].outlet.write(data)
            for _ in range(chance.randrange(3)):
                await asyncio.sleep(0)
        for each in near:
            each.outlet.close()
            assert each.outlet.is_closing()
        assert near[0].outlet.unread > 1_000_000  # nobody reads there yet
        assert [await each for each in reading] == written[1:]
        assert await far[0].all() == written[0]
        for each in near:
            await each.over.wait()
    await writer.stop()


async def test_what_happens_while_an_outlet_is_lent(monkeypatch: pytest.MonkeyPatch) -> None:
    going = threading.Event()
    send_now = Outlet.send_now

    def slow(outlet: Outlet, data: bytes) -> int:
        assert going.wait(PATIENCE)
        return send_now(outlet, data)

    monkeypatch.setattr(Outlet, "send_now", slow)
    monkeypatch.setattr(limits, "WRITTEN_BESIDE", 1)
    writer = Writer()
    async with connections(4) as (near, far):
        stays, closes, aborts, gone = (each.outlet for each in near)
        writer.write([(each.outlet, b"one ") for each in near])
        assert not stays.is_free
        writer.write([(each.outlet, b"two ") for each in near])
        closes.write(b"last")
        assert (stays.unread, closes.unread) == (4, 8)
        closes.close()
        assert closes.is_closing()
        aborts.abort()
        far[3].end.close()
        await near[2].over.wait()
        await near[3].over.wait()
        assert not near[1].over.is_set()
        going.set()
        assert await far[1].all() == b"one two last"
        await near[1].over.wait()
        await until(lambda: stays.is_free)
        stays.write(b"three")
        stays.close()
        assert await far[0].all() == b"one two three"
        await writer.stop()
        assert gone.is_closing()
    assert not [each for each in threading.enumerate() if each.name == "page writer"]


async def test_without_a_socket_of_its_own_it_is_written_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object) -> socket.socket:
        raise OSError("too many open files")

    monkeypatch.setattr(socket, "fromfd", none_left)
    writer = Writer()
    async with connections(limits.WRITTEN_BESIDE) as (near, far):
        writer.write([(each.outlet, b"one") for each in near])
        for each in near:
            each.outlet.close()
        assert [await each.all() for each in far] == [b"one"] * len(far)
    await writer.stop()
