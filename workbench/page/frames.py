"""Messages that many pages get: each is encoded once, and is the same bytes for all of them.

Source: docs/page.md 4.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from datetime import UTC, datetime
from typing import Any, cast

from workbench.dynamic.delivery import Announcement
from workbench.dynamic.events import PackageCall, RequestNotice
from workbench.dynamic.service import DynamicPackages
from workbench.page import limits, messages
from workbench.page.wire import text_frame


class Frames:
    """The last of them is kept: the runner tells one thing to all pages, and then the next."""

    def __init__(self, dynamic: DynamicPackages) -> None:
        self._dynamic = dynamic
        self._key: Hashable = None
        self._frame = b""

    def announce(self, announcement: Announcement) -> bytes:
        if self._key is not announcement:
            self._key, self._frame = announcement, text_frame(messages.encoded(messages.announce(announcement)))
        return self._frame

    def request(self, notice: object) -> bytes:
        if self._key is not notice:
            self._key = notice
            self._frame = text_frame(
                messages.encoded({"type": "request", **self.request_fields(cast(RequestNotice, notice))})
            )
        return self._frame

    def resolved(self, request: str, outcome: str) -> bytes:
        return self._same({"type": "resolved", "request": request, "outcome": outcome})

    def retract(self, package_id: str, run: str) -> bytes:
        return self._same({"type": "retract", "id": package_id, "run": run})

    def tool(self, call: PackageCall) -> bytes:
        """Without arguments and result where those are too long."""
        try:
            told = messages.encoded(messages.tool(call))
        except (
            TypeError,
            ValueError,
        ):  # arguments of a call may hold what only the tool's own schema has let through
            told = b""
        if not told or len(told) > limits.MESSAGE_BYTES:
            told = messages.encoded(messages.tool_cut(call))
        return text_frame(told)

    def request_fields(self, notice: RequestNotice) -> dict[str, Any]:
        known = self._dynamic.requests.find(notice.request)
        asked_at = datetime.now(UTC) if known is None else datetime.fromtimestamp(known.asked_at, UTC)
        return messages.request(notice, asked_at.isoformat(timespec="seconds"))

    def _same(self, message: Mapping[str, str]) -> bytes:
        key = tuple(message.values())
        if self._key != key:
            self._key, self._frame = key, text_frame(messages.encoded(message))
        return self._frame
