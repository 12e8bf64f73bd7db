"""The page server as a plugin: it starts, serves, and leaves nothing."""

from __future__ import annotations

from tests.dynamic.world import B_OK, H_PING
from tests.support.page_server import PageClient, served, until


async def test_a_page_connects_and_calls() -> None:
    async with served() as s:
        w = s.world
        async with PageClient(s.url) as page:
            assert [each.id for each in s.page.pages] == [page.id] == ["page-1"]
            package_id = await w.define(H_PING, client=B_OK)
            task = await w.asked(package_id)
            await until(lambda: page.requests)
            assert await page.answer("req-1", True)
            result = await task
            assert result.error is None, result.error
            assert result.value["client"] == "loaded"
            assert await page.call(package_id, "ping") == "pong"
        await until(lambda: not s.page.pages)
