"""Frames have names of their own below `localhost`; the page and its socket have not."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from tests.page.raw import get, socket_status
from tests.support.page_server import PageClient, Served, origin_of, served


async def frame_path(s: Served) -> str:
    async with PageClient(s.url) as page:
        return str(page.welcome["frame"])


async def test_a_frame_is_served_under_any_label() -> None:
    async with served() as s:
        path = await frame_path(s)
        for label in ("h1-abc", "x", "127-0-0-1"):
            host = f"{label}.localhost:{s.page.port}"
            answer = await get(s.url, path, host=host)
            assert answer.status == 200
            policy = answer.headers["content-security-policy"]
            assert f"script-src http://{host}{path} 'unsafe-eval'" in policy
            assert f"frame-ancestors http://127.0.0.1:{s.page.port} http://localhost:{s.page.port}" in policy
            assert policy.startswith("sandbox allow-scripts; default-src 'none'")
            assert answer.headers["connection-allowlist"] == "(response-origin)"
        page = await get(s.url)
        assert f"http://*.localhost:{s.page.port}{path}" in page.headers["content-security-policy"]


@pytest.mark.parametrize(
    "host",
    ["a.b.localhost:{port}", ".localhost:{port}", "a.localhost:1", "a.localhost", "a.localhost.evil.example:{port}",
     "evil.example:{port}", "A_.localhost:{port}", "a.localhost:{port}x"],
)  # fmt: skip
async def test_no_other_name_has_a_frame(host: str) -> None:
    async with served() as s:
        path = await frame_path(s)
        assert (await get(s.url, path, host=host.format(port=s.page.port))).status == 403


async def test_the_page_and_its_socket_are_not_below_a_label() -> None:
    async with served() as s:
        host = f"h1-abc.localhost:{s.page.port}"
        assert (await get(s.url, host=host)).status == 403
        path = urlsplit(s.url).path + "socket"
        for origin in (f"http://{host}", origin_of(s.url), "null"):
            assert await socket_status(s.url, path, host, origin) == 403
        for origin in (f"http://{host}", "null"):
            assert await socket_status(s.url, path, urlsplit(s.url).netloc, origin) == 403
