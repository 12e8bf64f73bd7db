"""Pages from a real server on loopback: text, limits, redirections, and addresses that are refused."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.plugins.machine.conftest import Use
from tests.support.tool_calls import error_of
from workbench.plugins.machine import web
from workbench.plugins.machine.places import Refused
from workbench.plugins.machine.web import WebClient

PAGE = (
    "<html><head><title>Tides &amp; [moons]</title><script>alert(1)</script></head><body><nav>Menu</nav>"
    "<main><h1>High water</h1><p>It <b>rises</b>.</p><ul><li>one</li></ul></main>"
    "<footer>Foot</footer></body></html>"
)


class Server:
    """Answers each path with what the test wants."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[str, str, bytes]] = {}
        self.asked: list[str] = []
        self.port = 0

    def says(self, path: str, body: str | bytes, kind: str = "text/plain", status: str = "200 OK") -> str:
        """Sets an answer; gives its address."""
        self.answers[path] = (status, kind, body if isinstance(body, bytes) else body.encode())
        return f"http://127.0.0.1:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head)
        status, kind, body = self.answers.get(head.split()[1], ("404 Not Found", "text/plain", b""))
        if status.startswith("30"):
            writer.write(f"HTTP/1.1 {status}\r\nLocation: {kind}\r\nContent-Length: 0\r\n\r\n".encode())
        else:
            writer.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode() + body)
        try:
            await writer.drain()
        except ConnectionError:
            pass
        writer.close()


@pytest.fixture
def machine() -> dict[str, Any]:
    return {"private_addresses": True}


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = Server()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    async with listening:
        yield server


async def test_a_page_becomes_markdown(use: Use, server: Server) -> None:
    address = server.says("/tides?x=1", PAGE, "text/html; charset=utf-8")
    result = await use("web_fetch", url=address)
    assert result.text == f"Tides & [moons]\n{address}\n\n# High water\n\nIt **rises**.\n\n* one"
    assert f"Host: 127.0.0.1:{server.port}" in server.asked[0]
    assert "ookie" not in server.asked[0]


async def test_a_long_text_comes_in_parts(use: Use, server: Server) -> None:
    address = server.says("/long", "x" * 1200)
    first = await use("web_fetch", url=address, limit=500)
    assert first.value["next_character"] == 500
    last = await use("web_fetch", url=address, limit=500, first_character=1000)
    assert (last.value["text"], last.value["next_character"]) == ("x" * 200, None)
    assert error_of(await use("web_fetch", url=address, first_character=5000)) == "NO_SUCH_PART"


async def test_a_page_is_read_in_part_when_it_is_too_long(
    use: Use, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "MAX_BYTES", 1000)
    result = await use("web_fetch", url=server.says("/flood", b"y" * 5_000_000), limit=100000)
    assert len(result.value["text"]) == 1000
    assert "longer than what is read" in result.text


async def test_where_a_redirection_led_is_told(use: Use, server: Server) -> None:
    server.says("/new", "moved here")
    assert (
        (await use("web_fetch", url=server.says("/old", "", "/new", "302 Found"))).value["address"].endswith("/new")
    )
    ring = server.says("/ring", "", "/ring", "302 Found")
    assert error_of(await use("web_fetch", url=ring)) == "TOO_MANY_REDIRECTS"
    away = server.says("/file", "", "file:///etc/passwd", "302 Found")
    assert error_of(await use("web_fetch", url=away)) == "INVALID_ADDRESS"


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [("image/png", "200 OK", "NOT_TEXT"), ("text/plain", "500 Broken", "HTTP_ERROR")],
)
async def test_what_cannot_be_read_says_why(use: Use, server: Server, kind: str, status: str, code: str) -> None:
    assert error_of(await use("web_fetch", url=server.says("/x", "x", kind, status))) == code


async def test_a_server_that_is_gone(use: Use) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert error_of(await use("web_fetch", url=f"http://127.0.0.1:{port}/")) == "UNREACHABLE"


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("http://127.0.0.1/", "PRIVATE_ADDRESS"),
        ("http://localhost:8000/", "PRIVATE_ADDRESS"),
        ("http://[::1]/", "PRIVATE_ADDRESS"),
        ("http://169.254.169.254/latest/meta-data", "PRIVATE_ADDRESS"),
        ("http://10.0.0.1/", "PRIVATE_ADDRESS"),
        ("http://0.0.0.0/", "PRIVATE_ADDRESS"),
        ("http://[::ffff:127.0.0.1]/", "PRIVATE_ADDRESS"),
        ("file:///etc/passwd", "INVALID_ADDRESS"),
        ("http://user:word@127.0.0.1/", "INVALID_ADDRESS"),
        ("http://", "INVALID_ADDRESS"),
        ("http://127.0.0.1:99999/", "UNREACHABLE"),
    ],
)
async def test_addresses_that_are_refused(address: str, code: str) -> None:
    with pytest.raises(Refused) as caught:
        await WebClient().fetch(address)
    assert caught.value.code == code


async def test_nothing_here_searches_the_web(use: Use) -> None:
    assert error_of(await use("web_search", query="tides")) == "NO_SEARCH"
