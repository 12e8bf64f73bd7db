"""The way out of one connection: the loop's own, and for moments lent to the thread that writes.

Source: docs/page.md 5.
"""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.page.writer import Job


class Outlet:
    """Stands where the protocol of a socket has its transport. What comes while it is lent waits for its return."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._lent: Job | None = None
        self._held: list[bytes] = []
        """Written while it was lent."""
        self._is_ending = False
        """To be closed when it is back."""
        self._is_gone = False
        self._socket: socket.socket | None = None
        """One of our own for the thread: a number that the loop has closed may soon be another connection's."""

    # -- for the loop --------------------------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        """At once, or into a buffer."""
        if self._is_home():
            self._transport.write(data)
        else:
            self._held.append(data)

    @property
    def unread(self) -> int:
        """Bytes that the peer has not taken yet."""
        return self._transport.get_write_buffer_size() + sum(map(len, self._held))

    @property
    def is_free(self) -> bool:
        """Whether it can be lent: nothing is under way, and nothing is over."""
        return (
            self._is_home()
            and not self.is_closing()
            and not self._transport.get_write_buffer_size()
            and (self._socket is not None or self._has_made_a_socket())
        )

    def is_closing(self) -> bool:
        return self._is_ending or self._is_gone or self._transport.is_closing()

    def close(self) -> None:
        """When all is written."""
        if self._is_home():
            self._transport.close()
        else:
            self._is_ending = True

    def abort(self) -> None:
        """Now; nothing more is written."""
        self._held.clear()
        if not self._is_gone:
            self._transport.abort()

    def lost(self) -> None:
        """The connection is gone."""
        self._is_gone = True
        self._held.clear()
        if self._is_home():
            self._forget_socket()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()

    # -- lending -------------------------------------------------------------------------------------------

    def lend(self, job: Job) -> None:
        """Only while it is free."""
        self._lent = job

    def send_now(self, data: bytes) -> int:
        """Of the thread that it is lent to: how many bytes the socket has taken at once."""
        assert self._socket is not None
        try:
            return self._socket.send(data)
        except OSError:
            return 0  # full, or broken: the loop goes on with it, and hears why

    def give_back(self, job: Job, unsent: bytes) -> None:
        if self._lent is not job:
            return  # nothing was unsent, and it has been home before
        self._lent = None
        if self._is_gone:
            self._forget_socket()
            return
        data = b"".join((unsent, *self._held))
        self._held.clear()
        if data:
            self._transport.write(data)
        if self._is_ending:
            self._transport.close()

    def _is_home(self) -> bool:
        if self._lent is not None and self._lent.is_over():
            self._lent = None
            if self._held:  # it is over, but has not been told yet
                self._transport.write(b"".join(self._held))
                self._held.clear()
            if self._is_ending:
                self._transport.close()
        return self._lent is None

    def _has_made_a_socket(self) -> bool:
        known = self._transport.get_extra_info("socket")
        try:
            self._socket = socket.fromfd(known.fileno(), known.family, known.type)
        except OSError:  # no more of them can be had
            return False
        self._socket.setblocking(False)
        return True

    def _forget_socket(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
