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
from workbench.page.rate import Bucket

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

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > limits.CONNECTIONS + limits.PAGES:
            transport.abort()  # the files of the process are not for idlers to use up

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._wait()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait()

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._wait_no_more()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """For the rest of a request, for a reader of the answer, for the next request: so long, and no longer."""
        if self._patience is not None:
            self._patience.cancel()
        if not self._is_elsewhere:
            self._patience = self.loop.call_later(limits.REQUEST_SECONDS, self.transport.abort)

    def _wait_no_more(self) -> None:
        """The connection is gone, or another protocol's."""
        self._is_elsewhere = True
        if self._patience is not None:
            self._patience.cancel()


class PageWire(WebSocketsSansIOProtocol):
    """The socket of one page."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.logger = _quiet
        self.conn.logger = _quiet
        self.conn.debug = False
        self._frames = Bucket(limits.MESSAGES_PER_SECOND, limits.MESSAGES_AT_ONCE)

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

    def handle_cont(self, event: Any) -> None:
        if self._counts():
            super().handle_cont(event)

    def handle_ping(self) -> None:
        if self._counts():
            super().handle_ping()

    def handle_pong(self, event: Any) -> None:
        if self._counts():
            super().handle_pong(event)

    def _counts(self) -> bool:
        """Frames that are no message on their own are bounded, too. No browser lets a page send them at will."""
        if self.close_sent:
            return False
        is_bearable = self._frames.take()
        if not is_bearable:
            self.say_goodbye(1008, "too many frames")
        return is_bearable

    def handle_close(self, event: Any) -> None:
        super().handle_close(event)
        self._end_soon()

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
