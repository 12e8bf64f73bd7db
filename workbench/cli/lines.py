"""Lines that a person types, without a thread that keeps the process alive."""

from __future__ import annotations

import asyncio
import sys
import threading


class TypedLines:
    """Standard input, line by line, beside the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        threading.Thread(target=self._read, name="typed lines", daemon=True).start()

    async def next(self) -> str | None:
        """The next line without its end; None behind the last one."""
        return await self._queue.get()

    def _read(self) -> None:
        try:
            for line in sys.stdin:
                self._put(line.rstrip("\r\n"))
        except (OSError, ValueError):
            pass  # closed under us, or no text at all
        self._put(None)

    def _put(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
        except RuntimeError:
            pass  # the loop is over, and nobody reads any more
