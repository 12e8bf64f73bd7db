"""The protocols of one connection, as uvicorn runs them: with our log, and with a way to write without waiting.

Everything that knows the inside of uvicorn stands here. A message to all pages is one frame that is made once;
each connection only writes it. What a peer does not read stays in the buffer of its transport, whose size is
watched by whoever writes.
"""

from __future__ import annotations

import logging
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode

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


class PageWire(WebSocketsSansIOProtocol):
    """The socket of one page."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.logger = _quiet
        self.conn.logger = _quiet
        self.conn.debug = False

    def handle_connect(self, event: Any) -> None:
        super().handle_connect(event)
        if self.response.status_code == 101:
            self.scope[SCOPE_KEY] = self  # type: ignore[literal-required, unused-ignore]

    @property
    def is_open(self) -> bool:
        return self.handshake_complete and not (self.close_sent or self.disconnected or self.transport.is_closing())

    @property
    def unread(self) -> int:
        """Bytes that the peer has not taken yet."""
        return self.transport.get_write_buffer_size()

    def write(self, frame: bytes) -> None:
        """Into the connection at once, or into its buffer; nothing where it is closed."""
        if self.is_open:
            self.transport.write(frame)

    def say_goodbye(self, code: int, reason: str, seconds: float) -> None:
        """Send a close frame. The peer has some time to answer it, then it is cut off; what it says is dropped."""
        if self.is_open:
            self.stop_keepalive()
            self.conn.send_close(code, reason)
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
            self.close_timer = self.loop.call_later(seconds, self.transport.abort)

    def abort(self) -> None:
        """Cut the connection; nothing is waited for."""
        self.transport.abort()
