"""A real Chromium for tests: found where the machine has it, started once, and never downloaded."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.dynamic.world import World
from tests.support.page_server import Served, served

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Error, FrameLocator, Locator, Page

PATIENCE_MS = 60_000
"""Until a wait gives up: other suites may share the cores."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def chromium_path() -> str | None:
    """The executable: `WORKBENCH_CHROMIUM`, or a well-known name on the path."""
    named = os.environ.get("WORKBENCH_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


def why_not() -> str:
    """Why there can be no test with a browser here; empty if there can."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "needs the package playwright"
    return "" if chromium_path() else "needs Chromium (Debian's package `chromium`, or WORKBENCH_CHROMIUM)"


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    from playwright.async_api import async_playwright, expect

    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium_path(),
            # Chromium's own sandbox cannot be had as root, as which CI runs.
            args=["--no-sandbox"] if os.geteuid() == 0 else [],
            timeout=PATIENCE_MS * 2,
        )
        try:
            yield browser
        finally:
            await browser.close()


@dataclass
class Web:
    """A world whose page is open in a browser."""

    served: Served
    context: BrowserContext
    pages: list[WebPage] = field(default_factory=list)

    @property
    def world(self) -> World:
        return self.served.world

    async def open(self) -> WebPage:
        """One more page."""
        page = await opened_page(self.context, self.served.url)
        self.pages.append(page)
        return page

    async def run(self, package_id: str, *, allow: bool = True) -> Any:
        """Ask for a run, and answer as the terminal does; the result of the suspended call."""
        task = await self.world.asked(package_id)
        (request,) = (each for each in self.world.dynamic.requests.pending() if each.package_id == package_id)
        answered = self.world.people.allow(request.id) if allow else self.world.people.deny(request.id, "")
        assert answered
        return await task

    async def started(self, client: str, code: str | None = None, **more: Any) -> str:
        """Define and run; the id of a package whose browser half is loaded."""
        package_id = await self.world.define(code, client=client, **more)
        result = await self.run(package_id)
        assert result.error is None, result.error
        return package_id


class WebPage:
    """One page in one tab."""

    def __init__(self, url: str, tab: Page) -> None:
        self.url = url
        self.tab = tab
        self.errors: list[str] = []
        """What its own script has raised."""

    def failed(self, error: Error) -> None:
        """An error that nobody has caught; those of browser halves have another address in their stack."""
        if self.url in (error.stack or ""):
            self.errors.append(str(error.stack))

    async def connected(self) -> None:
        await self.tab.wait_for_selector('body[data-connection="open"]', timeout=PATIENCE_MS)

    @property
    async def id(self) -> str:
        return (await self.tab.locator("#page-name").text_content()) or ""

    def row(self, package_id: str) -> Locator:
        return self.tab.locator(f'.package[data-key="{package_id}"]')

    def frame(self, package_id: str) -> FrameLocator:
        """The frame of a package that shows something."""
        return self.tab.frame_locator(f'.half:not(.spare) iframe[title^="{package_id} "]')

    def request(self, request: str = "req-1") -> Locator:
        return self.tab.locator(f'.request[data-key="{request}"]')

    async def press(self, button: Locator) -> None:
        """With the pointer, as a person does: on what is on the screen, with the pointer on it.

        A frame that has just come is in the document before the browser has drawn it; until then the pointer is
        still on the page behind it.
        """
        async with asyncio.timeout(PATIENCE_MS / 1000):
            await button.hover()
            while not await button.evaluate("(each) => each.matches(':hover')"):
                await asyncio.sleep(0.02)
                await button.hover()
        await button.click()

    async def reads(self, locator: Locator, text: str) -> None:
        """Wait until it says that."""
        from playwright.async_api import expect

        await expect(locator).to_contain_text(text)

    async def gone(self, locator: Locator) -> None:
        from playwright.async_api import expect

        await expect(locator).to_have_count(0)


async def opened_page(context: BrowserContext, url: str) -> WebPage:
    """A page that is connected."""
    tab = await context.new_page()
    page = WebPage(url, tab)
    tab.on("pageerror", page.failed)
    await tab.goto(url)
    await page.connected()
    return page


@asynccontextmanager
async def web(browser: Browser, **how: Any) -> AsyncIterator[Web]:
    """A fresh process, as far as ids go, and a browser without a past."""
    async with served() as made:
        context = await browser.new_context(**how)
        context.set_default_timeout(PATIENCE_MS)
        opened = Web(made, context)
        try:
            yield opened
        finally:
            await asyncio.wait_for(context.close(), PATIENCE_MS / 1000)
    assert [page.errors for page in opened.pages] == [[] for _ in opened.pages]
