"""The samples with a browser half, as somebody sees them who opens the page and allows what is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.page.sample_pages import shown
from tests.support.page_server import until

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(240), pytest.mark.slow]


async def test_a_live_panel_of_tokens_per_step(browser: Browser) -> None:
    async with shown(browser, "packages-live") as s:
        s.agent.followup("Show me what each step costs.")
        await s.allow("req-1")
        frame = s.page.frame("dyn-1")
        await until(lambda: s.agent.status == "idle")
        rows = frame.locator("tr")
        await expect(rows).to_have_count(5)
        await s.say("Go on.")
        await expect(rows).to_have_count(6)
        cells = [await row.locator("td").all_inner_texts() for row in await rows.all()][1:]
        assert [row[:2] for row in cells] == [["1", "3"], ["1", "4"], ["1", "5"], ["1", "6"], ["2", "1"]]
        numbers = [[int(each.replace(",", "")) for each in row[2:5]] for row in cells]
        assert all(prompt + tools == both for prompt, tools, both in numbers)
        costs = [both for _, _, both in numbers]
        assert costs[2] > costs[1] == costs[0]  # with the tide note
        assert costs[3] == costs[4] == costs[0]
        assert cells[2][5].startswith("+ ")
        await expect(s.page.tab.get_by_role("contentinfo", name="Status")).to_contain_text(f"≈ {costs[-1]:,} tok")


async def test_halves_that_fail(browser: Browser) -> None:
    async with shown(browser, "packages-failing") as s:
        s.agent.followup("Show me the harbour.")
        await s.allow("req-1")
        problems = s.page.tab.locator("#problems li")
        await expect(problems.first).to_contain_text("fetch is not available to a browser half")
        await s.allow("req-2")
        await expect(problems.nth(1)).to_contain_text("panel Wind was withdrawn")
        await expect(s.page.frame("dyn-2").locator("body")).to_contain_text("High water at 14:02.")
        await until(lambda: s.agent.status == "idle")
        assert s.root.dynamic.package("dyn-1").state == "failed"
        assert s.root.dynamic.package("dyn-2").state == "running"


async def test_a_half_that_waits_for_another(browser: Browser) -> None:
    async with shown(browser, "packages-waiting") as s:
        s.agent.followup("Show me the next high water.")
        await s.allow("req-1")
        await expect(s.page.row("dyn-1")).to_contain_text("waits here for tideclock")
        await s.allow("req-2")
        await expect(s.page.frame("dyn-1").locator("body")).to_contain_text("at 14:01")
        await until(lambda: s.agent.status == "idle")
        await s.say("Good.")
        await expect(s.page.row("dyn-1")).to_contain_text("waits here for tideclock")


async def test_the_package_that_asks(browser: Browser) -> None:
    async with shown(browser, "packages-page") as s:
        s.agent.followup("Show the tide in my browser.")
        await s.allow("req-1")
        await expect(s.page.frame("dyn-1").locator("body")).to_contain_text("High water at 14:02")
        await until(lambda: s.agent.status == "idle")
