"""Server-sent events of an answer, bounded. Source: docs/models.md 8."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING, cast

from workbench.models.errors import MALFORMED_RESPONSE, ModelError

if TYPE_CHECKING:
    import httpx

LONGEST_EVENT = 16 * 1024 * 1024
"""Characters of one event. A stream without an end of line must not fill the memory."""


async def event_data(response: httpx.Response) -> AsyncGenerator[str, None]:
    """The data of each event, in order. Raises `MALFORMED_RESPONSE` for an event without end."""
    from httpx_sse import EventSource

    response.encoding = "utf-8"  # events have no other, whatever the header says
    text = _BoundedText(response)
    try:
        async for event in EventSource(cast("httpx.Response", text)).aiter_sse():
            text.since_event = 0
            if event.data:
                yield event.data
    except Exception:
        if not text.is_too_long:
            raise
    if text.is_too_long:
        raise ModelError(MALFORMED_RESPONSE, f"an event of the stream has more than {LONGEST_EVENT:,} characters")


class _BoundedText:
    """The part of a response that the event source reads. Endpoints send events under many content types."""

    def __init__(self, response: httpx.Response) -> None:
        self.headers = {"content-type": "text/event-stream"}
        self.since_event = 0
        """Characters since the last event."""
        self.is_too_long = False
        self._response = response

    async def aiter_text(self) -> AsyncIterator[str]:
        is_first = True
        async for text in self._response.aiter_text():
            self.since_event += len(text)
            if self.since_event > LONGEST_EVENT:
                # Not raised here: what reads from the closed connection ends, with all that it reads through.
                self.is_too_long = True
                await self._response.aclose()
                continue
            yield text.removeprefix("\ufeff") if is_first else text
            is_first = False
