"""A server on the loopback device, inside the event loop that runs already.

uvicorn opens the socket's connections and speaks HTTP; its own loop, which looks at a clock ten times a second,
and its signal handlers are not used.

Source: docs/page.md 1.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable
from contextvars import Context

from starlette.types import ASGIApp
from uvicorn import Config, Server

from workbench.page import limits
from workbench.page.wire import PageHttp, PageWire


def bound_socket(port: int) -> socket.socket:
    """Listens at 127.0.0.1; `port` 0 takes one that is free. Raises `OSError`."""
    # With the protocol named, asyncio turns Nagle's algorithm off; without, small messages wait for 40 ms.
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it would let another program take the port over
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("127.0.0.1", port))
        made.listen()
    except BaseException:
        made.close()
        raise
    return made


class PageServer:
    """Serves one application at one socket, which it closes in the end."""

    def __init__(self, app: ASGIApp, listening: socket.socket) -> None:
        self._listening = listening
        self._server = Server(
            Config(
                app,
                http=PageHttp,
                ws=PageWire,
                lifespan="off",
                interface="asgi3",
                log_config=None,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                limit_concurrency=limits.CONNECTIONS,
                ws_max_size=limits.MESSAGE_BYTES,
                ws_ping_interval=limits.PING_SECONDS,
                ws_ping_timeout=limits.PING_SECONDS,
                ws_per_message_deflate=False,
                workers=1,
            )
        )

    async def start(self) -> None:
        """Serves when this returns. Connections are nobody's call: they begin with an empty context."""
        await _in_a_context_of_its_own(self._start())

    async def _start(self) -> None:
        config = self._server.config
        config.load()
        self._server.lifespan = config.lifespan_class(config)
        await self._server.startup([self._listening])

    @property
    def connections(self) -> int:
        """How many are open, whatever they are for."""
        return len(self._server.server_state.connections)

    async def stop(self) -> None:
        """No socket is open and no task runs when this returns. Pages have been told before."""
        state = self._server.server_state
        for server in self._server.servers:
            server.close()
        try:
            if state.tasks:
                await asyncio.wait(set(state.tasks), timeout=limits.FAREWELL_SECONDS)
        finally:
            for connection in list(state.connections):
                connection.transport.abort()
            await asyncio.gather(*state.tasks, return_exceptions=True)
            for server in self._server.servers:
                await server.wait_closed()


async def _in_a_context_of_its_own(work: Awaitable[None]) -> None:
    async def awaited() -> None:
        await work

    await asyncio.get_running_loop().create_task(awaited(), context=Context())
