"""A runtime with packages whose page is served at a port that was free, and a client that is a page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from tests.dynamic.world import PATIENCE, World, world
from workbench.core import Fiber
from workbench.page.service import PageService
from workbench.page.start import PackagePage, PageConfig

BUDGET_MS = 30_000


@dataclass
class Served:
    """A world with its page."""

    world: World
    fiber: Fiber
    """Of the plugin that serves it."""

    @property
    def page(self) -> PageService:
        found: PageService = self.world.root.page
        return found

    @property
    def url(self) -> str:
        return self.page.url

    @property
    def connections(self) -> int:
        """How many the server has open, whatever they are for."""
        return self.page.connections

    @property
    def socket_url(self) -> str:
        return socket_of(self.url)


def socket_of(url: str) -> str:
    return f"ws{url.removeprefix('http')}socket"


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"http://{parts.netloc}"


@asynccontextmanager
async def served(budget_ms: int = BUDGET_MS, port: int = 0) -> AsyncIterator[Served]:
    """A fresh process, as far as ids go, whose page can be opened at `url`."""
    async with world(budget_ms) as made:
        fiber = await made.root.plugin(PackagePage, PageConfig(port))
        made.baseline = await made.facts()
        yield Served(made, fiber)


class PageClient:
    """A page without a browser: it speaks the protocol, and loads what it is told to unless `waits`."""

    def __init__(self, url: str, *, waits: bool = False, fails: bool = False, user_agent: str = "test") -> None:
        self.url = url
        self.user_agent = user_agent
        self.waits = waits
        self.fails = fails
        self.id = ""
        self.welcome: dict[str, Any] = {}
        self.packages: list[dict[str, Any]] = []
        self.requests: dict[str, dict[str, Any]] = {}
        self.resolved: list[tuple[str, str]] = []
        self.announced: list[dict[str, Any]] = []
        self.fetched: list[str] = []
        self.tools: list[dict[str, Any]] = []
        self.loaded: dict[str, str] = {}
        """Run by package."""
        self.heard: list[dict[str, Any]] = []
        self._replies: dict[int, asyncio.Future[Any]] = {}
        self._call = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        from websockets.asyncio.client import connect

        self.socket = await connect(
            socket_of(self.url),
            origin=origin_of(self.url),
            user_agent_header=self.user_agent,
            compression=None,
            max_size=None,
            ping_interval=None,
        )
        self._reader = asyncio.create_task(self._read())
        await until(lambda: bool(self.id) or self._reader.done())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.socket.close()
        await self._reader
        for task in [*self._tasks]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def close_code(self) -> int | None:
        code: int | None = self.socket.close_code
        return code

    @property
    def close_reason(self) -> str:
        return self.socket.close_reason or ""

    async def closed(self) -> None:
        """Wait until the server has closed it."""
        async with asyncio.timeout(PATIENCE):
            await self._reader

    async def ask(self, kind: str, **fields: Any) -> Any:
        """The value of the reply. Raises `AskError`."""
        reply = await self.raw_ask(kind, **fields)
        if "error" in reply:
            raise AskError(reply["error"]["kind"], reply["error"]["message"])
        return reply["value"]

    async def raw_ask(self, kind: str, **fields: Any) -> Any:
        self._call += 1
        call = self._call
        future = self._replies[call] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"type": kind, "call": call, **fields}))
        async with asyncio.timeout(PATIENCE):
            return await future

    async def call(self, package_id: str, method: str, args: Any = None, run: str = "") -> Any:
        named = run or self.loaded.get(package_id, "run-1")
        return await self.ask("call", id=package_id, run=named, method=method, args=args)

    async def answer(self, request: str, allow: bool, reason: str = "") -> bool:
        accepted: bool = (await self.ask("answer", request=request, allow=allow, reason=reason))["accepted"]
        return accepted

    async def acknowledge(self, package_id: str, run: str, state: str = "loaded", **more: Any) -> bool:
        accepted: bool = (await self.ask("acknowledge", id=package_id, run=run, state=state, **more))["accepted"]
        return accepted

    async def load(self, announced: dict[str, Any]) -> None:
        """What a page does with an announcement."""
        package_id, run = announced["id"], announced["run"]
        if self.loaded.get(package_id) != run:
            source = (await self.ask("fetch", id=package_id, run=run))["source"]
            self.fetched.append(source)
            if self.fails or "throw" in source:
                more = {"stage": "evaluate", "message": "no seat"}
                await self.acknowledge(package_id, run, "failed", **more)
                return
            self.loaded[package_id] = run
        await self.acknowledge(package_id, run)

    async def _read(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while True:
                self._hear(json.loads(await self.socket.recv()))
        except ConnectionClosed:
            pass
        for future in self._replies.values():
            if not future.done():
                future.set_exception(ConnectionError("closed"))
                future.exception()  # nobody may be waiting for it

    def _hear(self, message: dict[str, Any]) -> None:
        self.heard.append(message)
        match message["type"]:
            case "welcome":
                self.welcome, self.id, self.packages = message, message["page"], message["packages"]
                self.requests = {each["request"]: each for each in message["requests"]}
            case "packages":
                self.packages = message["packages"]
            case "request":
                self.requests[message["request"]] = message
            case "resolved":
                self.requests.pop(message["request"], None)
                self.resolved.append((message["request"], message["outcome"]))
            case "announce":
                self.announced.append(message)
                if not self.waits:
                    task = asyncio.create_task(self._loading(message))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
            case "retract":
                if self.loaded.get(message["id"]) == message["run"]:
                    del self.loaded[message["id"]]
            case "tool":
                self.tools.append(message)
            case "reply":
                future = self._replies.pop(message["call"], None)
                if future is not None and not future.done():
                    future.set_result(message)

    async def _loading(self, announced: dict[str, Any]) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            await self.load(announced)
        except (AskError, ConnectionError, ConnectionClosed, TimeoutError):
            return  # the run is over, or the page


class AskError(Exception):
    """A reply that is an error."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message


async def until(fact: Any) -> None:
    """Wait for a fact, with patience."""
    async with asyncio.timeout(PATIENCE):
        while not fact():
            await asyncio.sleep(0.001)
