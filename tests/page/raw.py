"""HTTP and WebSocket by hand, for what no client would send."""

from __future__ import annotations

import asyncio
import base64
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.dynamic.world import PATIENCE


@dataclass
class Answer:
    """Status, headers in small letters, body."""

    status: int
    headers: dict[str, str]
    body: bytes


def host_of(url: str) -> str:
    return urlsplit(url).netloc


async def connection(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(url)
    return await asyncio.open_connection(parts.hostname, parts.port)


async def get(
    url: str, path: str | None = None, *, host: str | None = None, method: str = "GET", **headers: str
) -> Answer:
    """One request; `path` is sent as it stands."""
    parts = urlsplit(url)
    lines = [f"{method} {parts.path if path is None else path} HTTP/1.1", "Connection: close"]
    lines += [f"Host: {parts.netloc if host is None else host}"] if host != "" else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return await sent(url, "\r\n".join([*lines, "", ""]).encode("latin-1"))


async def sent(url: str, data: bytes) -> Answer:
    """What the server says to these bytes until it closes the connection."""
    reader, writer = await connection(url)
    try:
        writer.write(data)
        async with asyncio.timeout(PATIENCE):
            return parsed(await reader.read())
    finally:
        writer.close()


def parsed(data: bytes) -> Answer:
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.split(": ", 1) for line in lines)
    return Answer(int(first.split()[1]), {name.lower(): value for name, value in pairs}, body)


def handshake(path: str, host: str, origin: str | None) -> bytes:
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade"]
    lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
    lines += [] if origin is None else [f"Origin: {origin}"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def socket_status(url: str, path: str, host: str, origin: str | None) -> int:
    """101 where the socket opens."""
    reader, writer = await connection(url)
    try:
        writer.write(handshake(path, host, origin))
        async with asyncio.timeout(PATIENCE):
            return int((await reader.readline()).split()[1])
    finally:
        writer.close()
