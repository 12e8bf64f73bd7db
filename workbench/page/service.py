"""The service `page`: where the page is, and which pages are connected.

Source: docs/page.md 1 and 6.
"""

from __future__ import annotations

import errno
import itertools
import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from workbench.core import Runtime
from workbench.dynamic.events import CALL, CHANGE
from workbench.dynamic.service import DynamicPackages
from workbench.page.access import Tickets, Tokens
from workbench.page.application import application
from workbench.page.events import PAGE_CHANGE, ConnectedPage
from workbench.page.hub import Hub
from workbench.page.server import PageServer, bound_socket
from workbench.page.start import PageError

if TYPE_CHECKING:
    from workbench.core import Context


class _Remembered:
    """What a runtime keeps when its server starts again: pages that are open find it again."""

    def __init__(self) -> None:
        self.tokens = Tokens()
        self.port = 0
        self._numbers = itertools.count(1)

    def next_id(self) -> str:
        return f"page-{next(self._numbers)}"


_REMEMBERED: WeakKeyDictionary[Runtime, _Remembered] = WeakKeyDictionary()


class PageService:
    """The web page for browser halves: where it is, and which pages are connected. Provided as `page`."""

    def __init__(self, hub: Hub, server: PageServer, tokens: Tokens, tickets: Tickets, port: int) -> None:
        self._hub = hub
        self._tickets = tickets
        self._server = server
        self.port = port
        self.address = f"http://127.0.0.1:{port}"
        """Where the server is: fit to be shown to everybody."""
        self.url = f"{self.address}/{tokens.page}/"
        """What opens the page. Whoever has it may allow packages to run."""

    def url_for_browser(self) -> str:
        """What to start a browser with: it opens the page once, within two minutes, and is no secret afterwards.

        Every user of the machine can see what a program was started with.
        """
        return f"{self.address}/open/{self._tickets.new()}"

    @property
    def pages(self) -> tuple[ConnectedPage, ...]:
        """Those that are connected, oldest first."""
        return tuple(self._hub.pages.values())

    @property
    def connections(self) -> int:
        """How many the server has open, whatever they are for."""
        return self._server.connections

    def page(self, page_id: str) -> ConnectedPage | None:
        return self._hub.pages.get(page_id)


async def serve(ctx: Context, port: int) -> PageService:
    """Serve, and provide `page`; the fiber's end closes everything. Raises `PageError`."""
    dynamic: DynamicPackages = ctx.dynamic
    remembered = _REMEMBERED.setdefault(ctx.runtime, _Remembered())
    try:
        listening = _listening(port, remembered.port)
    except OSError as error:
        raise PageError(_why_not(port, error)) from None
    actual: int = listening.getsockname()[1]
    remembered.port = actual
    tokens = remembered.tokens
    hub = Hub(dynamic, f"/frame/{tokens.frame}/", remembered.next_id)
    tickets = Tickets()
    server = PageServer(application(hub, tokens, tickets, actual), listening)
    ctx.declare(PAGE_CHANGE)

    async def serving() -> Callable[[], Awaitable[None]]:
        try:
            await server.start()
        except BaseException:
            listening.close()
            raise

        async def stop() -> None:
            hub.close()
            try:
                await server.stop()
            finally:
                await hub.ended()

        return stop

    await ctx.effect(serving, "page server")
    service = PageService(hub, server, tokens, tickets, actual)
    ctx.provide("page", service)
    ctx.on(CHANGE, hub.package_changed)
    ctx.on(CALL, hub.package_called)
    hub.changed = lambda: _tell(ctx.runtime)
    return service


def _tell(runtime: Runtime) -> None:
    if runtime.has_listeners(PAGE_CHANGE.name):
        runtime.events.emit(PAGE_CHANGE.name, (), None, contain=True)


def _listening(port: int, last: int) -> socket.socket:
    """At `port`; where any will do, at the one that pages know from before, if it is still free."""
    if not port and last:
        try:
            return bound_socket(last)
        except OSError:
            pass  # somebody else has it now
    return bound_socket(port)


def _why_not(port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use; name another one under `port`, or none: one that is free is taken then"
    return f"no page can be served at port {port}: {error.strerror or error}"
