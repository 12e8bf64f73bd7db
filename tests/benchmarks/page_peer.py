"""Pages without a browser, in a process of their own, for the benchmarks.

page_peer.py PAGE_URL silent COUNT      pages that only read
page_peer.py PAGE_URL failing ECHO_URL  a page that fetches and then fails, beside a socket that echoes
page_peer.py PAGE_URL loading COUNT     pages that fetch and load
"""

from __future__ import annotations

import asyncio
import json
import sys

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed


async def silent(socket: ClientConnection) -> None:
    async for _ in socket:
        pass


async def page(socket: ClientConnection, state: str) -> None:
    """What a page does with an announcement, and nothing else."""
    announced = {}
    async for text in socket:
        message = json.loads(text)
        if message["type"] == "announce":
            announced = {"call": 1, "id": message["id"], "run": message["run"]}
            await socket.send(json.dumps({"type": "fetch", **announced}))
        elif message["type"] == "reply" and "source" in message.get("value", {}):
            told = {"state": state, "stage": "evaluate", "message": "no seat"}
            await socket.send(json.dumps({"type": "acknowledge", **announced, **told}))


async def echo(socket: ClientConnection) -> None:
    async for text in socket:
        await socket.send(text)


async def connected(url: str, work: object, *more: str) -> None:
    origin = url.replace("ws", "http", 1).partition("/")[0] + "//" + url.split("/")[2]
    async with connect(url, origin=origin, compression=None) as socket:
        try:
            await work(socket, *more)  # type: ignore[operator]
        except ConnectionClosed:
            pass


async def main() -> None:
    url, kind, more = sys.argv[1:]
    socket = f"ws{url.removeprefix('http')}socket"
    if kind == "silent":
        await asyncio.gather(*(connected(socket, silent) for _ in range(int(more))))
    elif kind == "loading":
        await asyncio.gather(*(connected(socket, page, "loaded") for _ in range(int(more))))
    else:
        await asyncio.gather(connected(socket, page, "failed"), connected(more, echo))


asyncio.run(main())
