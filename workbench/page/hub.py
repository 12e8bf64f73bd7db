"""All connected pages, and what they are told when something changes.

Source: docs/page.md 4.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from workbench.dynamic.events import PackageCall
from workbench.dynamic.pages import LivePackage
from workbench.dynamic.service import DynamicPackages
from workbench.page import limits, messages
from workbench.page.browsers import browser_of
from workbench.page.connection import FULL, GOING_AWAY, PageConnection
from workbench.page.events import ConnectedPage
from workbench.page.frames import Frames
from workbench.page.wire import PageWire, text_frame
from workbench.page.writer import Writer


class Hub:
    """The pages of one server. They are known to the runner from `enter` to `leave`."""

    def __init__(self, dynamic: DynamicPackages, frame_path: str, next_id: Callable[[], str]) -> None:
        self.dynamic = dynamic
        self.frames = Frames(dynamic)
        self.pages: dict[str, ConnectedPage] = {}
        self.changed: Callable[[], None] = lambda: None
        """Called when a page has come or gone."""
        self._frame_path = frame_path
        self._next_id = next_id
        self._connections: dict[str, PageConnection] = {}
        self._is_listing = False
        """Whether the list of packages may have changed."""
        self._listed: list[tuple[LivePackage, frozenset[str]]] | None = None
        """As it was when the pages were told last; None when one has come since."""
        self._is_flushing = False
        self._is_open = True
        self._writer = Writer()

    def enter(self, wire: PageWire, user_agent: str) -> PageConnection:
        """A page has connected. It is greeted, or closed again at once."""
        page = PageConnection(self, self._next_id(), wire)
        if not self._is_open or len(self._connections) >= limits.PAGES:
            page.close(FULL if self._is_open else GOING_AWAY)
            return page
        self._connections[page.id] = page
        self._listed = None
        self.pages[page.id] = ConnectedPage(page.id, time.time(), browser_of(user_agent))
        requests = [self.frames.request_fields(each.notice) for each in self.dynamic.requests.pending()]
        live = self.dynamic.pages.live(page.id)
        page.send(messages.welcome(page.id, self._frame_path, live, requests))
        self.dynamic.pages.open(page)
        self.changed()
        return page

    async def leave(self, page: PageConnection) -> None:
        """A page has gone, whoever wanted it: nothing of it is left when this returns."""
        self.forget(page)
        await page.ended()

    def forget(self, page: PageConnection) -> None:
        """The runner does not know it any more."""
        if self._connections.pop(page.id, None) is not None:
            del self.pages[page.id]
            self.dynamic.pages.close(page.id)
            self.changed()

    def package_changed(self, _package_id: str) -> None:
        """Some fact of a package has changed: the pages are told, once per turn of the loop."""
        self._is_listing = True
        self.flush_soon()

    def flush_soon(self) -> None:
        """All that pages are told in one turn of the loop goes out together: a write costs more than a message."""
        if not self._is_flushing and self._connections:
            self._is_flushing = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        try:
            if self._is_listing:
                self._list()
        finally:
            self._is_flushing = False
        parts = []
        for page in list(self._connections.values()):
            if told := page.news():
                parts.append((page.outlet, told))
        self._writer.write(parts)
        for page in list(self._connections.values()):
            page.has_to_read()

    def package_called(self, call: PackageCall) -> None:
        """A tool of a package, called by the session that owns it: for the pages that run its browser half."""
        package = self.dynamic.package(call.id)
        if package is None or package.owner != call.session or package.run is None:
            return
        run = package.run
        if run.id != call.run or run.delivery is None or not self._connections:
            return
        held_by = [self._connections[page] for page in run.delivery.held_by if page in self._connections]
        if held_by:
            frame = self.frames.tool(call)
            for page in held_by:
                page.write(frame)

    def _list(self) -> None:
        self._is_listing = False
        holders = self.dynamic.pages.holders()
        if holders == self._listed:
            return
        self._listed = holders
        shown = [messages.package(live) for live, _ in holders]
        frames: dict[tuple[bool, ...], bytes] = {}
        for page in list(self._connections.values()):
            seen = tuple(page.id in held_by for _, held_by in holders)
            if seen not in frames:
                packages = [{**each, "loadedHere": is_here} for each, is_here in zip(shown, seen, strict=True)]
                frames[seen] = text_frame(messages.encoded({"type": "packages", "packages": packages}))
            page.list_packages(frames[seen])

    def close(self) -> None:
        """Nobody enters any more, and all are told that it is over."""
        self._is_open = False
        for page in list(self._connections.values()):
            page.close(GOING_AWAY)

    async def ended(self) -> None:
        """The last connection is over: nothing of the hub is left when this returns."""
        await self._writer.stop()
