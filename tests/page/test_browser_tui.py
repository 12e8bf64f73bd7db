"""The screen and real pages on one runner: allowed in the workbench, shown in two pages, stopped, denied."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from tests.dynamic.world import H_PING
from tests.page.test_browser_delivery import PANEL
from tests.support.browser import Web
from tests.tui.test_place_packages import running

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(240)]


async def test_allowed_in_the_workbench_it_appears_in_two_pages(opened: Web) -> None:
    w = opened.world
    async with running(w) as screen:
        await screen.press("5")
        pages = [await opened.open(), await opened.open()]
        await screen.comes("2 pages open")
        tide = await w.define(H_PING, client=PANEL, name="Tide", purpose="Shows the tide.")
        task = await w.asked(tide)
        for page in pages:
            await page.reads(page.request(), "Shows the tide.")
        await screen.press("exclamation_mark")
        assert "2 pages open: Chromium" in screen.text()
        await screen.pilot.press("a")
        assert (await task).error is None
        for page in pages:
            await page.reads(page.frame(tide).locator("body"), "High water at 14:02")
            await page.gone(page.request())
        await screen.comes("2 of 2 loaded")
        assert "◆" not in screen.text()

        await pages[1].tab.reload()
        await screen.comes("not loaded here")
        await pages[1].reads(pages[1].row(tide), "running, not loaded here")
        await screen.pilot.press("b")
        await pages[1].reads(pages[1].frame(tide).locator("body"), "High water at 14:02")
        await screen.comes("2 of 2 loaded")

        await screen.pilot.press("x")
        await screen.until(lambda: "dyn-1 stopped, nothing left." in screen.text())
        for page in pages:
            await page.gone(page.row(tide))


@pytest.mark.slow
async def test_denied_in_the_workbench_no_page_asks_any_more(opened: Web) -> None:
    w = opened.world
    async with running(w) as screen:
        page = await opened.open()
        task = await w.asked(await w.define(H_PING, client=PANEL))
        await page.reads(page.request(), "dyn-1")
        await screen.comes("◆1")
        await screen.press("exclamation_mark")
        await screen.until(lambda: "dyn-1 wants to run" in screen.text())
        await screen.press("d")
        await screen.until(lambda: isinstance(screen.pilot.app.focused, Input))
        await screen.press(*"not", "enter")
        error = (await task).error
        assert (error.code, "not" in error.message) == ("rejected", True)
        await page.gone(page.request())
        assert "High water" not in await page.tab.content()


@pytest.mark.slow
async def test_allowed_on_a_page_the_workbench_asks_no_more(opened: Web) -> None:
    w = opened.world
    async with running(w) as screen:
        page = await opened.open()
        task = await w.asked(await w.define(H_PING, client=PANEL))
        await screen.press("exclamation_mark")
        await page.request().get_by_role("button", name="Allow").click()
        assert (await task).error is None
        await screen.comes("It does not wait any more: allowed by page-1.")
        await screen.press("a", "escape", "5")
        await screen.comes("1 of 1 loaded")
