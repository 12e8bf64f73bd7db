"""Browser halves in real pages: asked for, allowed, delivered, loaded again, called, stopped."""

from __future__ import annotations

import pytest

from tests.dynamic.world import H_PING
from tests.support.browser import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")

PANEL = """
return (client) => client.panel({
  title: "Tide",
  render(root) {
    const button = document.createElement("button");
    button.textContent = "Ask";
    const answer = document.createElement("p");
    button.addEventListener("click", async () => {
      answer.textContent = "the host half says " + await host.call("ping");
    });
    root.append("High water at 14:02", button, answer);
  },
});
"""


async def test_from_a_request_to_two_pages_and_back(opened: Web) -> None:
    w = opened.world
    first, second = await opened.open(), await opened.open()
    package_id = await w.define(H_PING, client=PANEL, name="tide", purpose="Shows the tide.")
    task = await w.asked(package_id)
    for page in (first, second):
        await page.reads(page.request(), "Shows the tide.")
    assert w.people.allow("req-1")
    result = await task
    assert result.error is None, result.error
    for page in (first, second):
        await page.reads(page.frame(package_id).locator("body"), "High water at 14:02")
        await page.frame(package_id).get_by_role("button", name="Ask").click()
        await page.reads(page.frame(package_id).locator("body"), "the host half says pong")
        await page.gone(page.request())
