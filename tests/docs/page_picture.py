"""Makes the picture of the page: a live panel, a half that waits, and a request. Needs Chromium.

uv run python tests/docs/page_picture.py
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.page.sample_pages import Shown, shown
from tests.support.browser import chromium, why_not
from tests.support.page_server import until
from tests.support.tool_calls import Caller, FakeAgent
from workbench.tools.pipeline import ToolResult

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "workbench" / "docs" / "images" / "page.png"
SESSION = "4ab6e036-5c1d-4c53-9b7a-7b1f9d4c2e10"
BOARD = ("harbour board", "Shows ships, tide and pilots, as soon as there is a tide clock.")
ROSE = ("wind rose", "Draws the wind of the last hour, and asks for a new one when you press it.")


async def run(s: Shown, name: str, purpose: str, client: str) -> asyncio.Task[ToolResult]:
    """Defined and asked for, as an agent does it; the call that waits for the answer."""
    caller = Caller(s.root, agent=FakeAgent(SESSION))
    arguments = {"name": name, "purpose": purpose, "client": client}
    defined = await caller.one("cordis_define", arguments, id=f"define {name}")
    asked = caller.one("cordis_run", {"id": defined.value["id"]}, id=f"run {name}")
    task = asyncio.create_task(asked)
    await until(lambda: s.root.dynamic.requests.pending())
    return task


async def main() -> None:
    reason = why_not()
    if reason:
        raise SystemExit(f"no picture: {reason}")
    os.chdir(ROOT)
    async with chromium() as browser, shown(browser, "packages-live") as s:
        tab = s.page.tab
        await tab.set_viewport_size({"width": 1200, "height": 700})
        await tab.emulate_media(color_scheme="dark")
        s.agent.followup("Show me what each step costs.")
        await s.allow("req-1")
        await until(lambda: s.agent.status == "idle")
        board = await run(s, *BOARD, "return { inject: ['tideclock'], apply() {} }")
        await s.allow("req-2")
        await board
        rose = await run(s, *ROSE, "return () => {}")
        await s.page.frame("dyn-1").locator("tr").nth(4).wait_for()
        await asyncio.sleep(2)  # buttons take a press, and the pointer is elsewhere
        await tab.mouse.move(0, 0)
        await tab.screenshot(path=TARGET)
        await s.page.request("req-3").get_by_role("button", name="Deny").click()
        await rose
    print(TARGET.relative_to(ROOT))


if __name__ == "__main__":
    asyncio.run(main())
