"""The protocols of one connection, as uvicorn runs them: with our log, and with a way to write without waiting.

Everything that knows the inside of uvicorn stands here. A message to all pages is one frame that is made once;
each connection only writes it. What a peer does not read stays in the buffer of its outlet, whose size is watched
by whoever writes.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode

from workbench.page import limits
from workbench.page.outlet import Outlet

SCOPE_KEY = "workbench.wire"
_quiet = logging.getLogger("workbench.page.wire")
_quiet.setLevel(logging.ERROR)  # addresses hold the token: they belong in no log


def text_frame(message: bytes) -> bytes:
    """A whole message of a server, ready to be written to any number of connections."""
    return Frame(Opcode.TEXT, message).serialize(mask=False)


class PageHttp(H11Protocol):
    """HTTP/1.1, and the way to the socket."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.logger = _quiet
        self.access_log = False
        self._patience: asyncio.TimerHandle | None = None
        self._is_elsewhere = False
        """The connection is gone, or another protocol's."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_a_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait_for_a_request()

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._is_elsewhere = True
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_elsewhere = True
        self._wait_for_a_request()
        super().connection_lost(exc)

    def _wait_for_a_request(self) -> None:
        """Somebody who says half of what it wants has so much time for the rest, and no more."""
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if self._is_elsewhere or is_answering:
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None
        elif self._patience is None:
            self._patience = self.loop.call_later(limits.REQUEST_SECONDS, self.transport.abort)


class PageWire(WebSocketsSansIOProtocol):
    """The socket of one page."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.logger = _quiet
        self.conn.logger = _quiet
        self.conn.debug = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.outlet = Outlet(transport)
        self.transport = self.outlet  # type: ignore[assignment]

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.outlet.lost()

    def handle_connect(self, event: Any) -> None:
        super().handle_connect(event)
        if self.response.status_code == 101:
            self.scope[SCOPE_KEY] = self  # type: ignore[literal-required, unused-ignore]

    @property
    def is_open(self) -> bool:
        return self.handshake_complete and not (self.close_sent or self.disconnected or self.transport.is_closing())

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self._end_soon()

    def handle_parser_exception(self) -> None:
        super().handle_parser_exception()
        self._end_soon()

    def say_goodbye(self, code: int, reason: str) -> None:
        """Send a close frame. The peer has a moment to answer it, then it is cut off; what it says is dropped."""
        if self.is_open:
            self.stop_keepalive()
            self.conn.send_close(code, reason)
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
            self._end_soon()

    def _end_soon(self) -> None:
        """A peer that does not read would keep a connection that is closing for ever."""
        if self.close_timer is None and not self.disconnected:
            self.close_timer = self.loop.call_later(limits.FAREWELL_SECONDS, self.transport.abort)

    def abort(self) -> None:
        """Cut the connection; nothing is waited for."""
        self.transport.abort()
