"""Compositions whose page is open in a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.support.browser import PATIENCE_MS, WebPage, opened_page
from tests.support.page_server import until
from workbench.config.live import LiveChoices, open_live
from workbench.config.samples import locate

if TYPE_CHECKING:
    from playwright.async_api import Browser


@dataclass
class Shown:
    """A sample whose page is open."""

    agent: Any
    root: Any
    page: WebPage

    async def allow(self, request: str) -> None:
        await self.page.request(request).get_by_role("button", name="Allow this run").click()

    async def say(self, words: str) -> None:
        """One more message, until the agent has answered."""
        self.agent.followup(words)
        await until(lambda: self.agent.status == "idle")


@asynccontextmanager
async def shown(browser: Browser, sample: str) -> AsyncIterator[Shown]:
    async with open_live(locate(sample), LiveChoices()) as live:
        context = await browser.new_context()
        context.set_default_timeout(PATIENCE_MS)
        root: Any = live.opened.runtime.root
        try:
            yield Shown(live.agent, root, await opened_page(context, root.page.url))
        finally:
            await context.close()
