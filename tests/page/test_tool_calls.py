"""Calls of a package's own tools reach the pages that run its browser half, and nobody else's do."""

from __future__ import annotations

from typing import Any

from tests.dynamic.world import B_OK, tool_source
from tests.support.page_server import PageClient, Served, served, until
from tests.support.tool_calls import Signal

PARAMETERS = {"n": {"type": "number"}, "fails": {"type": "boolean"}, "t": {"type": "string"}}
HOST = tool_source(
    'if args.get("fails"):\n    raise ValueError("no wind")\nreturn {"knots": args.get("n", 1)}',
    name="wind",
    schema='{"type": "object"}',
).replace("parameters={}", f"parameters={PARAMETERS}")
HOST = HOST.replace('{"type": "object"}', '{"type": "json"}')


async def loaded(s: Served, page: PageClient, session: str = "S1") -> str:
    package_id = await s.world.define(HOST, session, client=B_OK)
    await s.world.people.start(package_id)
    await until(lambda: package_id in page.loaded)
    return package_id


def calls(page: PageClient) -> list[tuple[str, str, Any, str, Any]]:
    told = [(each["run"], each["call"]) for each in page.tools]
    return [(run, call["tool"], call["arguments"], call["state"], call.get("result")) for run, call in told]


async def test_the_owners_calls_and_no_others() -> None:
    async with served() as s, PageClient(s.url) as page, PageClient(s.url, fails=True) as other:
        await loaded(s, page)
        w = s.world
        await w.ok("S1", "wind", n=3)
        assert (await w.call("S2", "wind", n=4)).error is None  # another session's is nobody's business here
        assert (await w.call("S1", "wind", fails=True)).error is not None
        assert (await w.call("S1", "wind", n="x")).error is not None  # it never began
        await w.ok("S1", "cordis_inspect", what="tools")
        await until(lambda: len(page.tools) == 4)
        assert await page.answer("req-9", True) is False
        failed = calls(page)[-1]
        assert calls(page)[:3] == [
            ("run-1", "wind", {"n": 3}, "running", None),
            ("run-1", "wind", {"n": 3}, "done", {"knots": 3}),
            ("run-1", "wind", {"fails": True}, "running", None),
        ]
        assert (failed[3], "no wind" in failed[4]) == ("failed", True)
        assert page.tools[0]["call"]["callId"] == page.tools[1]["call"]["callId"]
        assert other.tools == []


async def test_what_is_too_long_is_left_out() -> None:
    async with served() as s, PageClient(s.url) as page:
        await loaded(s, page)
        await s.world.ok("S1", "wind", t="x" * 1_100_000)
        await until(lambda: len(page.tools) == 2)
        assert [each["call"]["cut"] for each in page.tools[:1]] == [True]
        assert page.tools[0]["call"]["arguments"] is None


async def test_a_call_that_is_cancelled_has_ended() -> None:
    async with served() as s, PageClient(s.url) as page:
        code = tool_source("await ctx.timeout(99)", inject='"tools", "timer"')
        package_id = await s.world.define(code, client=B_OK)
        await s.world.people.start(package_id)
        await until(lambda: bool(page.loaded))
        cancel = Signal()
        task = s.world.running("S1", "t", cancel)
        await until(lambda: len(page.tools) == 1)
        cancel.set()
        assert (await task).error is not None
        await until(lambda: len(page.tools) == 2)
        assert calls(page)[-1] == ("run-1", "t", {}, "failed", "it was cancelled")
