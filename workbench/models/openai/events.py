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
    source = EventSource(cast("httpx.Response", text)).aiter_sse()
    try:
        async for event in source:
            text.since_event = 0
            if event.data:
                yield event.data
    finally:
        await source.aclose()


class _BoundedText:
    """The part of a response that the event source reads. Endpoints send events under many content types."""

    headers: dict[str, str]

    def __init__(self, response: httpx.Response) -> None:
        self.headers = {"content-type": "text/event-stream"}
        self.since_event = 0
        self._response = response
        self._is_first = True

    async def aiter_text(self) -> AsyncIterator[str]:
        async for text in self._response.aiter_text():
            self.since_event += len(text)
            if self.since_event > LONGEST_EVENT:
                message = f"an event of the stream has more than {LONGEST_EVENT:,} characters"
                raise ModelError(MALFORMED_RESPONSE, message)
            yield text.removeprefix("\ufeff") if self._is_first else text
            self._is_first = False
