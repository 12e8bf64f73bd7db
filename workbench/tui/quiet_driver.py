"""The terminal's input, without a wake-up while nobody touches it.

Textual's own driver looks ten times a second whether it has to end, and whether an escape was a key by itself.
Ours is woken for the one, and waits for the other only behind input. Bytes that are no UTF-8 end nothing.

Source: docs/tui.md 7.
"""

from __future__ import annotations

import os
import selectors
import threading
import time
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from textual import constants
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

FAREWELL_SECONDS = 0.1
"""What the terminal has sent before it knew that the mouse is nobody's any more is read so long, and dropped."""
LOOKS = 2
"""Behind input: how often it is asked whether a key is over, after the time that an escape has."""


class QuietDriver(LinuxDriver):
    """As Textual's, but for how it waits."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.exit_event = self._end = _WakingEvent()

    def run_input_thread(self) -> None:
        """Until `exit_event` is set, or the terminal has gone."""
        parser = XTermParser(self._debug)
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            with self._end.file() as woken:
                selector.register(woken, selectors.EVENT_READ)
                for text in self._received(selector):
                    for message in (*(parser.feed(text) if text else ()), *parser.tick()):
                        self.process_message(message)
                selector.unregister(woken)
            self._drop_the_rest(selector)

    def _received(self, selector: selectors.BaseSelector) -> Iterator[str]:
        """What has come, and behind it nothing, a few times, when a lone escape is known to be one."""
        decode = getincrementaldecoder("utf-8")("replace").decode
        looks = 0
        while not self._end.is_set():
            ready = selector.select(constants.ESCAPE_DELAY if looks else None)
            if any(key.fileobj == self.fileno for key, _ in ready):
                received = os.read(self.fileno, 4096)
                if not received:
                    return  # the terminal is gone, and there is nobody to wait for
                looks = LOOKS
                yield decode(received)
            elif not ready:
                looks -= 1
                yield ""

    def _drop_the_rest(self, selector: selectors.BaseSelector) -> None:
        end = time.monotonic() + FAREWELL_SECONDS
        with suppress(OSError):  # the terminal is gone
            while (left := end - time.monotonic()) > 0:
                if selector.select(left) and not os.read(self.fileno, 4096):
                    return


class _WakingEvent(threading.Event):
    """One that a selector can wait for, too."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._writer: int | None = None

    @contextmanager
    def file(self) -> Iterator[int]:
        """A file that can be read from when the event is set from now on; only one at a time."""
        reader, writer = os.pipe()
        with self._lock:
            self._writer = writer
        try:
            yield reader
        finally:
            with self._lock:
                self._writer = None
            os.close(reader)
            os.close(writer)

    def set(self) -> None:
        super().set()
        with self._lock:
            if self._writer is not None:
                os.write(self._writer, b"\0")
