"""One connected page: what the runner tells it, and what it asks for.

All rules of delivery are the runner's; a connection carries. It never waits for a page: what a page does not
read is bounded, and so is what it may ask.

Source: docs/page.md 4 and 5.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from workbench.dynamic.delivery import Announcement
from workbench.dynamic.pages import FetchRefused, PageCallError
from workbench.page import limits, messages
from workbench.page.messages import Asked, Garbage
from workbench.page.outlet import Outlet
from workbench.page.rate import Bucket
from workbench.page.wire import PageWire, text_frame

if TYPE_CHECKING:
    from workbench.page.hub import Hub

log = logging.getLogger("workbench.page")

STAGES = ("fetch", "evaluate", "activate")
STATES = ("loaded", "waiting", "failed")


@dataclass(frozen=True, slots=True)
class Closed:
    """Why the server closes a connection: a code of RFC 6455, and words for the page."""

    code: int
    reason: str


GOING_AWAY = Closed(1001, "the workbench has stopped serving pages")
FLOOD = Closed(1008, "too many messages")
NO_PROTOCOL = Closed(1008, "too many messages that are none")
NOT_TEXT = Closed(1003, "messages are JSON texts")
FULL = Closed(1013, "too many pages are open")


class PageConnection:
    """A page, as the runner sees it (`workbench.dynamic.delivery.Page`)."""

    def __init__(self, hub: Hub, page_id: str, wire: PageWire) -> None:
        self.id = page_id
        self.closed: Closed | None = None
        """Why the server has closed it; None while it is open, and where the page itself went."""
        self._hub = hub
        self._wire = wire
        self._bucket = Bucket(limits.MESSAGES_PER_SECOND, limits.MESSAGES_AT_ONCE)
        self._mistakes = 0
        self._calls: set[asyncio.Task[None]] = set()
        self._outbox: list[bytes] = []
        """What it is told in this turn of the loop."""
        self._listed = b""
        """The last list of packages that it was sent."""

    # -- what the runner tells (`Page`) --------------------------------------------------------------------

    def request_made(self, notice: object) -> None:
        self.write(self._hub.frames.request(notice))

    def request_resolved(self, request: str, outcome: str) -> None:
        self.write(self._hub.frames.resolved(request, outcome))

    def announce(self, announcement: Announcement) -> None:
        self.write(self._hub.frames.announce(announcement))

    def retract(self, package_id: str, run: str) -> None:
        self.write(self._hub.frames.retract(package_id, run))

    def list_packages(self, frame: bytes) -> None:
        """The live packages as seen from here, unless it was sent the same list last."""
        if frame != self._listed:
            self._listed = frame
            self.write(frame)

    # -- writing -------------------------------------------------------------------------------------------

    def write(self, frame: bytes) -> None:
        """One frame, with all others of this turn of the loop."""
        self._outbox.append(frame)
        self._hub.flush_soon()

    def news(self) -> bytes:
        """What is to be written to `outlet` now; nothing where it is closed."""
        if not self._outbox:
            return b""
        told = b"".join(self._outbox)
        self._outbox.clear()
        return told if self._wire.is_open else b""

    @property
    def outlet(self) -> Outlet:
        return self._wire.outlet

    def has_to_read(self) -> None:
        """A page that leaves too much unread is cut off."""
        if self.outlet.unread > limits.UNREAD_BYTES:
            log.warning("page %s does not read what it is sent: it is cut off", self.id)
            self._wire.abort()
            self._hub.forget(self)

    def send(self, message: Mapping[str, Any]) -> None:
        self.write(text_frame(messages.encoded(message)))

    def close(self, why: Closed) -> None:
        """Once. It is no page any more, and is cut off a little later if it takes no note of it."""
        if self.closed is None:
            self.closed = why
            self.outlet.write(self.news())
            self._hub.forget(self)
            self._wire.say_goodbye(why.code, why.reason)

    # -- what a page says ----------------------------------------------------------------------------------

    def said(self, text: str) -> None:
        """One message of the page, whatever it is."""
        if self.closed is not None:
            return
        if not self._bucket.take(1 + len(text) // limits.CHARACTERS_OF_A_MESSAGE):
            self.close(FLOOD)
            return
        asked: Asked | None = None
        try:
            asked = messages.read(text)
            act = _ACTS.get(asked.type)
            if act is None:
                raise Garbage(f"there is no message of type {messages.cut(asked.type, 40)!r}")
            act(self, asked)
        except Garbage as error:
            self._mistakes += 1
            if self._mistakes > limits.MISTAKES:
                self.close(NO_PROTOCOL)
            elif asked is not None:
                self._refuse(asked, "bad-message", str(error))

    async def ended(self) -> None:
        """The page has gone, and nobody waits for its calls: they are cancelled, once.

        A handler that goes on all the same is its package's affair; whoever stops that waits for it.
        """
        for call in self._calls:
            call.cancel()
        if self._calls:
            await asyncio.wait(self._calls, timeout=limits.FAREWELL_SECONDS)

    def _reply(self, asked: Asked, value: Any) -> None:
        try:
            reply = messages.encoded({"type": "reply", "call": asked.call, "value": value})
        except (TypeError, ValueError) as error:
            self._refuse(asked, "handler-error", f"the result cannot be sent: {error}")
            return
        if len(reply) > limits.MESSAGE_BYTES:
            self._refuse(asked, "handler-error", f"the result has more than {limits.MESSAGE_BYTES} bytes")
            return
        self.write(text_frame(reply))

    def _refuse(self, asked: Asked, kind: str, message: str) -> None:
        error = {"kind": kind, "message": messages.cut(message, limits.MESSAGE)}
        self.send({"type": "reply", "call": asked.call, "error": error})

    def _accept(self, asked: Asked, is_accepted: bool) -> None:
        self._reply(asked, {"accepted": is_accepted})

    def _answer(self, asked: Asked) -> None:
        reason = asked.text("reason", limits.REASON, default="")
        pages = self._hub.dynamic.pages
        self._accept(asked, pages.answer(self.id, asked.text("request"), asked.flag("allow"), reason))

    def _fetch(self, asked: Asked) -> None:
        try:
            source = self._hub.dynamic.pages.fetch(self.id, asked.text("id"), asked.text("run"))
        except FetchRefused as refused:
            self._refuse(asked, "fetch-refused", str(refused))
        else:
            self.send({"type": "reply", "call": asked.call, "value": {"source": source}})

    def _acknowledge(self, asked: Asked) -> None:
        state = asked.text("state")
        if state not in STATES:
            raise Garbage(f"'state' is one of {', '.join(STATES)}")
        stage = asked.text("stage", limits.STAGE, default="")
        is_accepted = self._hub.dynamic.pages.acknowledge(
            self.id,
            asked.text("id"),
            asked.text("run"),
            cast(Literal["loaded", "waiting", "failed"], state),
            stage=stage if stage in STAGES else "evaluate" if state == "failed" else "",
            message=asked.text("message", limits.MESSAGE, default=""),
            waiting_for=asked.names("waitingFor"),
        )
        self._accept(asked, is_accepted)

    def _load(self, asked: Asked) -> None:
        self._accept(asked, self._hub.dynamic.pages.load_here(self.id, asked.text("id")))

    def _render_failed(self, asked: Asked) -> None:
        is_accepted = self._hub.dynamic.pages.render_failed(
            self.id,
            asked.text("id"),
            asked.text("run"),
            asked.text("slot", limits.SLOT),
            asked.text("message", limits.MESSAGE),
            withdrawn=asked.flag("withdrawn", True),
        )
        self._accept(asked, is_accepted)

    def _call(self, asked: Asked) -> None:
        given = asked.text("id"), asked.text("run"), asked.text("method", limits.METHOD)
        if len(self._calls) >= limits.CALLS_IN_FLIGHT:
            message = f"{limits.CALLS_IN_FLIGHT} calls of this page are under way; wait for one of them"
            self._refuse(asked, "handler-error", message)
            return
        work = self._called(asked, *given)
        task = asyncio.get_running_loop().create_task(work, name=f"call of {self.id}")
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    async def _called(self, asked: Asked, package_id: str, run: str, method: str) -> None:
        pages = self._hub.dynamic.pages
        try:
            value = await pages.call(self.id, package_id, run, method, asked.fields.get("args"))
        except PageCallError as error:
            self._refuse(asked, error.kind, str(error))
        except Exception:
            log.exception("a call of page %s failed in the runner itself", self.id)
            self._refuse(asked, "handler-error", "the runner itself failed")
        else:
            self._reply(asked, value)


_ACTS: Mapping[str, Callable[[PageConnection, Asked], None]] = {
    "answer": PageConnection._answer,
    "fetch": PageConnection._fetch,
    "acknowledge": PageConnection._acknowledge,
    "load": PageConnection._load,
    "render-failed": PageConnection._render_failed,
    "call": PageConnection._call,
}
