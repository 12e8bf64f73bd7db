"""Who may read what: tokens, hosts, origins, paths, headers; with real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.page.raw import Answer, connection, get, handshake, host_of, sent, socket_status
from tests.support.page_server import PageClient, Served, origin_of, served, until
from workbench.page import access, files, limits

SECRET = b"nobody may read this"


@pytest.fixture
def static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of the tests' own, with one beside them that is not served."""
    folder = tmp_path / "static"
    (folder / "frame").mkdir(parents=True)
    (folder / "index.html").write_text("<p>page")
    (folder / "page.js").write_text("'page'")
    (folder / "long.js").write_text("// long\n" * 20_000)
    (folder / "notes.txt").write_bytes(SECRET)
    (folder / "frame" / "index.html").write_text("<p>frame")
    (tmp_path / "secret.js").write_bytes(SECRET)
    monkeypatch.setattr(files, "STATIC", folder)
    return folder


@pytest.fixture
async def s(static: Path) -> AsyncIterator[Served]:
    async with served() as made:
        yield made


def token_of(s: Served) -> str:
    return s.url.rstrip("/").rpartition("/")[2]


def check_silent(answer: Answer, status: int) -> None:
    """Nothing in it tells why."""
    assert (answer.status, answer.body) == (status, b"")
    assert answer.headers["cache-control"] == "no-store"
    assert "location" not in answer.headers
    assert "server" not in answer.headers


async def frame_url(s: Served) -> str:
    async with PageClient(s.url) as page:
        return f"{s.page.address}{page.welcome['frame']}"


async def test_the_page_and_its_files(s: Served) -> None:
    answer = await get(s.url)
    assert (answer.status, answer.body) == (200, b"<p>page")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    host = host_of(s.url)
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["connect-src"] == f"ws://{host}"
    assert policy["frame-src"].startswith(f"http://{host}/frame/")
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in answer.headers
    script = await get(f"{s.url}page.js")
    assert (script.body, script.headers["content-type"]) == (b"'page'", "text/javascript; charset=utf-8")
    assert (await get(s.url, method="HEAD")).body == b""


async def test_by_the_other_name_of_this_machine_it_is_a_page_of_that_name(s: Served) -> None:
    host = host_of(s.url).replace("127.0.0.1", "localhost")
    answer = await get(s.url, host=host)
    assert f"connect-src ws://{host}" in answer.headers["content-security-policy"]
    path = f"/{token_of(s)}/socket"
    assert await socket_status(s.url, path, host, f"http://{host}") == 101
    assert await socket_status(s.url, path, host, origin_of(s.url)) == 403


async def test_the_document_of_a_frame(s: Served) -> None:
    url = await frame_url(s)
    answer = await get(url)
    assert (answer.status, answer.body) == (200, b"<p>frame")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none'; ")
    assert "connect-src" not in policy
    assert "'self'" not in policy
    assert token_of(s) not in repr(answer)
    assert url.rstrip("/").rpartition("/")[2] not in s.url


async def test_a_frame_leaves_no_connection_behind(s: Served) -> None:
    """Each has a host of its own, and nobody takes up what it leaves."""
    url = await frame_url(s)
    path = url.removeprefix(s.page.address)
    answer = await sent(url, f"GET {path} HTTP/1.1\r\nHost: {host_of(url)}\r\n\r\n".encode())
    assert (answer.status, answer.headers.get("connection")) == (200, "close")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
async def test_nothing_but_reading(s: Served, method: str) -> None:
    check_silent(await get(s.url, method=method), 404)


async def test_without_the_right_token_nothing_is_there(s: Served) -> None:
    token = token_of(s)
    frame = (await frame_url(s)).rstrip("/").rpartition("/")[2]
    longer, other_case = f"{token}A", token.swapcase()
    wrong = ["", "x", longer, token[:-1], other_case, "%00", "%ff", "%c3%a9", frame, "frame"]
    for each in wrong:
        for name in ("", "/", "/index.html", "/page.js"):
            check_silent(await get(s.url, f"/{each}{name}"), 404)
        if each not in ("", "frame"):
            assert await socket_status(s.url, f"/{each}/socket", host_of(s.url), origin_of(s.url)) == 403
    check_silent(await get(s.url, f"/frame/{token}/"), 404)
    check_silent(await get(s.url, f"/frame/{frame}"), 404)
    check_silent(await get(s.url, "/favicon.ico"), 404)
    assert s.page.pages == ()


async def test_the_address_without_its_slash_leads_to_the_page(s: Served) -> None:
    answer = await get(s.url, f"/{token_of(s)}")
    assert (answer.status, answer.headers["location"]) == (308, f"/{token_of(s)}/")
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.2:{port}", "[::1]:{port}",
     "localhost.evil.example:{port}", "LOCALHOST:{port}x", "127.0.0.1:{port}@evil.example"],
)  # fmt: skip
async def test_another_name_for_this_machine_is_refused(s: Served, host: str) -> None:
    """A site that has bound its name to 127.0.0.1 sends that name, whatever else it knows."""
    host = host.format(port=s.page.port)
    answer = await get(s.url, host=host)
    if host:
        check_silent(answer, 403)
        check_silent(await get(s.url, "/nothing/of/it", host=host), 403)
        path = f"/{token_of(s)}/socket"
        assert await socket_status(s.url, path, host, f"http://{host}") == 403
        assert await socket_status(s.url, path, host, origin_of(s.url)) == 403
    else:
        assert answer.status == 400  # HTTP/1.1 without a host is no request


@pytest.mark.parametrize(
    "origin", [None, "null", "", "http://evil.example", "https://{host}", "http://{host}/", "http://127.0.0.1"]
)
async def test_another_site_gets_no_socket(s: Served, origin: str | None) -> None:
    given = None if origin is None else origin.format(host=host_of(s.url))
    assert await socket_status(s.url, f"/{token_of(s)}/socket", host_of(s.url), given) == 403
    assert s.page.pages == ()


async def test_names_are_no_paths(s: Served) -> None:
    token = token_of(s)
    for name in (
        "../secret.js", "..%2fsecret.js", "%2e%2e/secret.js", "..\\secret.js", "../../../../../../etc/passwd",
        "//etc/passwd", "%2fetc%2fpasswd", "frame/index.html", "notes.txt", "page.js/", "page.js%00.html", ".",
        "index.html?../secret.js", "./page.js",
    ):  # fmt: skip
        answer = await get(s.url, f"/{token}/{name}")
        assert SECRET not in answer.body
        assert answer.status == (200 if name.startswith("index.html?") else 404), name


@pytest.mark.parametrize(
    "data",
    [
        b"\r\n\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100 + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\nConnection: close\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20_000 + b"\r\n",
        b"GET /" + b"a" * 100_000,
        b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
async def test_what_is_no_request_is_answered_and_closed(s: Served, data: bytes) -> None:
    try:
        answer = await sent(s.url, data)
    except (ConnectionResetError, BrokenPipeError):
        pass  # closed before all of it was sent
    else:
        assert answer.status in (400, 403, 404)
        assert token_of(s).encode() not in answer.body
    assert (await get(s.url)).status == 200


async def test_half_a_request_is_not_waited_for(s: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.05)
    for data in (b"", b"GET / HTTP/1.1\r\nHost: "):
        reader, writer = await connection(s.url)
        writer.write(data)
        try:
            assert await reader.read() == b""
        except ConnectionResetError:
            pass
        writer.close()
    async with PageClient(s.url) as page:
        await asyncio.sleep(0.2)  # a page says nothing for longer than that, and stays
        assert page.close_code is None
        assert await page.answer("req-9", True) is False


async def test_answers_that_nobody_reads_and_bodies_that_do_not_end(
    s: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.05)
    ask = f"GET /{token_of(s)}/long.js HTTP/1.1\r\nHost: {host_of(s.url)}\r\n\r\n".encode()
    small = socket.socket()
    small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    small.connect(("127.0.0.1", s.page.port))
    small.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        small.send(ask * 100)
    _, trickles = await connection(s.url)
    trickles.write(ask.replace(b"GET", b"POST").replace(b"\r\n\r\n", b"\r\nContent-Length: 999999999\r\n\r\n"))
    await until(lambda: s.connections == 2)

    async def trickle() -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                trickles.write(b"x")
                await trickles.drain()
                await asyncio.sleep(0.01)

    task = asyncio.create_task(trickle())
    await until(lambda: s.connections == 0)
    task.cancel()
    small.close()
    trickles.transport.abort()
    assert (await get(s.url)).status == 200


async def test_connections_are_bounded(static: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CONNECTIONS", 4)
    monkeypatch.setattr(limits, "PAGES", 3)
    async with served() as s:
        idle = [await connection(s.url) for _ in range(4)]
        assert (await get(s.url)).status == 503
        async with PageClient(s.url) as page:  # the socket of a page is none of them
            assert page.id
        idle += [await connection(s.url) for _ in range(3)]
        await until(lambda: s.connections == 7)
        reader, writer = await connection(s.url)
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()
        for _, writer in idle:
            writer.close()
        await until(lambda: s.connections == 0)
        assert (await get(s.url)).status == 200


async def test_no_log_holds_the_address(s: Served, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "websockets", "websockets.server"):
        caplog.set_level(logging.DEBUG, name)
    await get(s.url)
    await get(s.url, host="evil.example")
    await sent(s.url, b"GET /" + token_of(s).encode() + b" nonsense\r\n\r\n")
    async with PageClient(s.url):
        pass
    await until(lambda: not s.page.pages)
    ours = [record for record in caplog.records if not record.name.startswith(("websockets.client", "asyncio"))]
    assert not [record for record in ours if token_of(s) in record.getMessage()]


def test_tokens_are_long_and_new() -> None:
    first, second = access.Tokens(), access.Tokens()
    assert len({first.page, first.frame, second.page, second.frame}) == 4
    assert all(len(token) >= 43 for token in (first.page, first.frame))
    assert access.is_token(first.page, first.page)
    for wrong in ("", first.frame, first.page + "x", "\ud800", "é"):
        assert not access.is_token(wrong, first.page)


async def test_a_browser_is_started_with_an_address_that_is_good_for_once(
    s: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = s.page.url_for_browser(), s.page.url_for_browser()
    assert token_of(s) not in first
    assert (await get(first, host="evil.example")).status == 403
    for method in ("HEAD", "POST"):
        assert (await get(first, method=method)).status == 404
    answer = await get(first)
    assert (answer.status, answer.headers["location"]) == (303, f"/{token_of(s)}/")
    assert (await get(first)).status == 404
    assert (await get(second + "x")).status == 404
    assert (await get(second)).status == 303
    monkeypatch.setattr(limits, "TICKET_SECONDS", 0.0)
    assert (await get(s.page.url_for_browser())).status == 404


async def test_a_handshake_that_is_none(s: Served) -> None:
    path = f"/{token_of(s)}/socket"
    good = handshake(path, host_of(s.url), origin_of(s.url))
    for data in (
        good.replace(b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Version: 7"),
        good.replace(b"Sec-WebSocket-Key: ", b"X-Key: "),
        good.replace(b"GET", b"POST"),
    ):
        assert (await sent(s.url, data)).status in (400, 404, 405, 426)
    assert (await get(s.url, path)).status == 404  # the socket's address is no document
