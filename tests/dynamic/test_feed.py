"""A feed: a handler that waits for news, instead of a page that asks again and again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.dynamic.world import World
from workbench.dynamic.host.feed import make_feed
from workbench.dynamic.pages import PageCallError


async def waiting(feed: Any, after: Any = 0) -> asyncio.Task[Any]:
    task = asyncio.ensure_future(feed.next(after))
    await asyncio.sleep(0)
    assert not task.done()
    return task


async def test_it_waits_for_a_younger_value() -> None:
    feed = make_feed()
    first, second = await waiting(feed), await waiting(feed, None)
    feed.put("a")
    assert await first == await second == {"number": 1, "value": "a"}
    third = await waiting(feed, 1)
    feed.put("b")
    feed.put("c")
    assert await third == await feed.next(1) == {"number": 3, "value": "c"}
    assert await feed.next(99) == {"number": 3, "value": "c"}  # the number of an earlier feed


async def test_who_waits_can_be_cancelled_and_a_wrong_number_is_said() -> None:
    feed = make_feed()
    gone, stays = await waiting(feed), await waiting(feed)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    feed.put(None)
    assert await stays == {"number": 1, "value": None}
    with pytest.raises(TypeError, match="not str"):
        await feed.next("1")


async def test_a_page_waits_at_a_feed_until_the_package_stops(w: World) -> None:
    code = """news = harness.feed()
harness.handle("news", lambda args: news.next(args["after"]))
harness.handle("tell", lambda args: news.put(args))
def apply(ctx):
    pass
"""
    page = w.page("P1")
    package_id = await w.define(code, client="return () => {}")
    task = await w.asked(package_id)
    assert w.people.allow("req-1")
    await task
    asked = asyncio.ensure_future(page.call(package_id, "news", {"after": 0}))
    await page.call(package_id, "tell", "high water")
    assert await asked == {"number": 1, "value": "high water"}
    asked = asyncio.ensure_future(page.call(package_id, "news", {"after": 1}))
    await asyncio.sleep(0)
    await w.ok("S1", "cordis_stop", id=package_id)
    with pytest.raises(PageCallError) as failed:
        await asked
    assert failed.value.kind == "not-running"
    await w.check_clean()
