"""Scenarios D46 to D60, D68 and D75 through the server: what a page hears, and what it may do, over its socket."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.dynamic.world import B_BAD, B_OK, H_GREET, H_PING, tool_source
from tests.support.page_server import AskError, PageClient, Served, served, until
from tests.support.tool_calls import Signal

H_RAISES = H_PING.replace("    pass", "    raise ValueError('no')")
SECRET = "return () => { /* nobody may read this before */ }"


@pytest.fixture
async def s() -> AsyncIterator[Served]:
    async with served() as made:
        yield made


async def asked(s: Served, *pages: PageClient, host: str = H_PING, client: str = B_OK) -> tuple[Any, Signal]:
    """D46: one package; all pages have heard of its request."""
    await s.world.define(host, client=client, purpose="pings")
    cancel = Signal()
    task = await s.world.asked("dyn-1", cancel=cancel)
    await until(lambda: all("req-1" in page.requests for page in pages))
    return task, cancel


async def allowed(s: Served, *pages: PageClient, **more: Any) -> Signal:
    """D47: allowed by the first page, and loaded by all."""
    task, cancel = await asked(s, *pages, **more)
    assert await pages[0].answer("req-1", True)
    result = await task
    assert (result.value["status"], result.value["client"]) == ("running", "loaded")
    await until(lambda: all(page.loaded == {"dyn-1": "run-1"} for page in pages))
    return cancel


async def kind_of(asking: Any) -> str:
    """Of the error of a message."""
    with pytest.raises(AskError) as caught:
        await asking
    return caught.value.kind


def row(page: PageClient) -> list[tuple[str, str, str, bool]]:
    return [(each["id"], each["run"], each["state"], each["loadedHere"]) for each in page.packages]


async def test_d46_d47_a_request_and_its_answer(s: Served) -> None:
    async with PageClient(s.url) as one, PageClient(s.url) as two:
        task, _ = await asked(s, one, two, client=SECRET)
        async with PageClient(s.url) as late:
            for page in (one, two, late):
                (request,) = page.requests.values()
                assert request.pop("asked_at").endswith("+00:00")
                assert request == {
                    **({} if page is late else {"type": "request"}), "request": "req-1", "session": "S1",
                    "id": "dyn-1", "revision": 1, "name": "p", "purpose": "pings",
                }  # fmt: skip
        assert not task.done()
        assert await kind_of(one.ask("fetch", id="dyn-1", run="run-1")) == "fetch-refused"
        assert SECRET not in repr((one.heard, two.heard))
        assert await one.answer("req-1", True)
        assert (await task).value["client"] == "loaded"
        await until(lambda: all(row(page) == [("dyn-1", "run-1", "running", True)] for page in (one, two)))
        assert (one.fetched, two.fetched) == ([SECRET], [SECRET])
        assert (one.resolved, two.resolved, one.requests) == ([("req-1", "approved")], [("req-1", "approved")], {})
        assert await two.call("dyn-1", "ping") == "pong"
        assert one.announced == [
            {"type": "announce", "id": "dyn-1", "revision": 1, "run": "run-1", "name": "p", "purpose": "pings"}
        ]


async def test_d48_deny_in_the_workbench(s: Served) -> None:
    async with PageClient(s.url) as page:
        task, _ = await asked(s, page)
        assert s.world.people.deny("req-1", "not now")
        assert (await task).error.code == "rejected"
        await until(lambda: page.resolved == [("req-1", "rejected")])
        assert (page.fetched, page.announced, page.packages) == ([], [], [])
    await s.world.check_clean()


async def test_a_page_denies_with_a_reason(s: Served) -> None:
    async with PageClient(s.url) as page:
        task, _ = await asked(s, page)
        assert await page.answer("req-1", False, "not on my screen" + "!" * 5000)
        error = (await task).error
        assert error.code == "rejected"
        assert "not on my screen" in error.message
        assert len(error.message) < 1000
        assert s.world.dynamic.requests.past()[-1].answer.by == page.id  # type: ignore[union-attr]


async def test_d49_the_answer_of_a_page_that_goes_at_once_counts(s: Served) -> None:
    async with PageClient(s.url) as one, PageClient(s.url) as two:
        task, _ = await asked(s, one, two)
        assert await one.answer("req-1", False)
        one.socket.transport.abort()
        assert await two.answer("req-1", True) is False
        assert (await task).error.code == "rejected"


async def test_d51_stop_and_undefine_take_the_request_from_every_page(s: Served) -> None:
    async with PageClient(s.url) as page:
        task, _ = await asked(s, page)
        await s.world.ok("S1", "cordis_stop", id="dyn-1")
        assert (await task).error.code == "cancelled"
        again = await s.world.asked("dyn-1")
        await s.world.ok("S1", "cordis_undefine", id="dyn-1")
        assert (await again).error.code == "cancelled"
        await until(lambda: page.resolved == [("req-1", "cancelled"), ("req-2", "cancelled")])
        assert page.requests == {}


async def test_d53_d54_halves_that_fail(s: Served) -> None:
    w = s.world
    async with PageClient(s.url) as one, PageClient(s.url) as two:
        task, _ = await asked(s, one, two, host=H_RAISES)
        assert await one.answer("req-1", True)
        assert (await task).error.code == "host-half-failed"
        assert (one.announced, one.fetched) == ([], [])
        await w.define(H_PING, client=B_BAD)
        task = await w.asked("dyn-2")
        await until(lambda: "req-2" in two.requests)
        assert await two.answer("req-2", True)
        error = (await task).error
        assert error.code == "client-half-failed"
        assert all(part in error.message for part in ("stage evaluate", "no seat", one.id, two.id))
        await until(lambda: one.resolved == [("req-1", "failed"), ("req-2", "failed")])
        await until(lambda: one.packages == [] == two.packages)
    await w.check_clean()


async def test_d55_one_page_is_enough(s: Served) -> None:
    async with PageClient(s.url) as one, PageClient(s.url, fails=True) as two:
        task, _ = await asked(s, one, two)
        assert await two.answer("req-1", True)
        assert (await task).error is None
        await until(lambda: {page.page: page.state for page in s.world.card("dyn-1").pages}
                    == {one.id: "loaded", two.id: "failed"})  # fmt: skip
        await until(lambda: row(two) == [("dyn-1", "run-1", "running", False)])


async def test_d56_a_page_that_comes_while_delivering(s: Served) -> None:
    async with PageClient(s.url, waits=True) as one:
        task, _ = await asked(s, one)
        assert await one.answer("req-1", True)
        await until(lambda: bool(one.announced))
    await until(lambda: not s.page.pages)
    assert s.world.state("dyn-1") == "delivering"
    async with PageClient(s.url) as two:
        assert (await task).error is None
        assert two.heard[0]["type"] == "welcome"
        assert two.loaded == {"dyn-1": "run-1"}


async def test_d57_d58_reload_and_deliver_again(s: Served) -> None:
    async with PageClient(s.url) as one, PageClient(s.url) as two:
        await allowed(s, one, two)
        await one.close()
        async with PageClient(s.url) as reloaded, PageClient(s.url) as other:
            assert row(reloaded) == [("dyn-1", "run-1", "running", False)]
            assert (reloaded.announced, reloaded.requests) == ([], {})
            assert await reloaded.ask("load", id="dyn-1") == {"accepted": True}
            assert await reloaded.ask("load", id="dyn-2") == {"accepted": False}
            await until(lambda: row(reloaded) == [("dyn-1", "run-1", "running", True)])
            assert row(other) == [("dyn-1", "run-1", "running", False)]
            value = await s.world.run("dyn-1")
            assert (value["started"], value["run"]) == (False, "run-1")
            await until(lambda: row(other) == [("dyn-1", "run-1", "running", True)])
            assert [len(page.fetched) for page in (two, reloaded, other)] == [1, 1, 1]
            assert two.resolved == [("req-1", "approved")]


async def test_d59_after_the_settlement(s: Served) -> None:
    async with PageClient(s.url) as one, PageClient(s.url) as two:
        cancel = await allowed(s, one, two)
        cancel.set()
        assert await one.call("dyn-1", "ping") == "pong"
        await s.world.ok("S1", "cordis_stop", id="dyn-1")
        await until(lambda: not one.loaded and not two.loaded)
        assert await kind_of(one.call("dyn-1", "ping", run="run-1")) == "not-running"
        assert await one.acknowledge("dyn-1", "run-1") is False
        await until(lambda: one.packages == [])
    await s.world.check_clean()


async def test_d60_cancel_while_delivering(s: Served) -> None:
    async with PageClient(s.url, waits=True) as page:
        task, cancel = await asked(s, page)
        assert await page.answer("req-1", True)
        await until(lambda: bool(page.announced))
        await until(lambda: row(page) == [("dyn-1", "run-1", "delivering", False)])
        cancel.set()
        assert (await task).error.code == "cancelled"
        await until(lambda: page.packages == [] and page.resolved == [("req-1", "cancelled")])
        assert {"type": "retract", "id": "dyn-1", "run": "run-1"} in page.heard
    await s.world.check_clean()


async def test_d68_handlers_live_as_long_as_what_registered_them(s: Served) -> None:
    w = s.world
    async with PageClient(s.url) as page:
        await w.define(
            'inject = ["greeter"]\nharness.handle("top", lambda args: "top")\ndef apply(ctx):\n'
            '    harness.handle("echo", lambda args: args)\n'
        )
        await w.define(H_GREET)
        await w.run("dyn-1")
        assert await kind_of(page.call("dyn-1", "top")) == "not-running"
        await w.run("dyn-2")
        await w.rt.quiesce()
        assert await page.call("dyn-1", "top") == "top"
        given: Any = {"a": [1, -2.5, None, True, "ä\u2028\u0000"], "": {}}
        assert await page.call("dyn-1", "echo", given) == given
        assert (await page.raw_ask("call", id="dyn-1", run="run-1", method="echo"))["value"] is None
        await w.ok("S1", "cordis_stop", id="dyn-2")
        assert await kind_of(page.call("dyn-1", "top")) == "not-running"
        await w.run("dyn-2")
        await w.rt.quiesce()
        assert await page.call("dyn-1", "echo", 1) == 1
        assert await kind_of(page.call("dyn-1", "nope")) == "method-not-found"
        assert await kind_of(page.call("dyn-1", "top", run="run-9")) == "stale-run"
        assert await kind_of(page.call("dyn-1", "echo", 2**60)) == "handler-error"


async def test_d75_a_call_in_progress_ends_with_the_package(s: Served) -> None:
    w = s.world
    async with PageClient(s.url) as page:
        code = tool_source("await ctx.timeout(99)", inject='"tools", "timer"')
        await w.started(
            code + '    harness.handle("wait", waiting(ctx))\ndef waiting(ctx):\n    async def wait(args):\n'
            '        print("waits")\n        await ctx.timeout(99)\n    return wait\n'
        )
        call = w.running("S2", "t")
        handler = asyncio.create_task(page.call("dyn-1", "wait"))
        await until(lambda: bool(w.printed("dyn-1")))
        await until(lambda: len(w.package("dyn-1").run.fiber.activation.calls) == 2)  # type: ignore[union-attr]
        await w.ok("S1", "cordis_stop", id="dyn-1")
        assert await kind_of(handler) == "not-running"
        assert "dyn-1" in (await call).error.message
    await w.check_clean()


async def test_a_browser_half_may_call_its_host_half_while_it_loads(s: Served) -> None:
    async with PageClient(s.url, waits=True) as page:
        task, _ = await asked(s, page)
        assert await kind_of(page.call("dyn-1", "ping")) == "not-running"
        assert await page.answer("req-1", True)
        await until(lambda: bool(page.announced))
        assert await page.call("dyn-1", "ping") == "pong"
        assert not task.done()
        assert await page.acknowledge("dyn-1", "run-1", "waiting", waitingFor=["chart"] * 50)
        value = (await task).value
        assert (value["client"], value["client_waiting_for"]) == ("waiting", ["chart"])
        assert await page.acknowledge("dyn-1", "run-1")
        await until(lambda: row(page) == [("dyn-1", "run-1", "running", True)])


async def test_a_newer_run_is_announced_after_the_older_is_retracted(s: Served) -> None:
    w = s.world
    async with PageClient(s.url) as page:
        await allowed(s, page)
        await w.ok("S1", "cordis_define", id="dyn-1", name="p2", purpose="more", code=H_PING, client=SECRET)
        await w.people.start("dyn-1")
        await until(lambda: page.loaded == {"dyn-1": "run-2"})
        told = [each["type"] for each in page.heard if each["type"] in ("announce", "retract")]
        assert told == ["announce", "retract", "announce"]
        assert page.announced[-1]["revision"] == 2
        assert page.fetched == [B_OK, SECRET]
        assert await kind_of(page.call("dyn-1", "ping", run="run-1")) == "stale-run"


async def test_a_crash_is_told_of_the_page_that_had_it(s: Served) -> None:
    w = s.world
    async with PageClient(s.url) as page:
        await allowed(s, page)
        told = {"slot": "s" * 500, "message": "x is not a function" + "!" * 5000, "withdrawn": True}
        assert await page.ask("render-failed", id="dyn-1", run="run-1", **told) == {"accepted": True}
        failure = w.card("dyn-1").render_failure
        assert failure is not None
        assert (failure.page, len(failure.slot), len(failure.message)) == (page.id, 100, 2000)
        assert w.state("dyn-1") == "running"


async def test_the_list_is_told_once_per_change(s: Served) -> None:
    async with PageClient(s.url) as page:
        await allowed(s, page)
        for _ in range(50):
            s.world.dynamic.changed(s.world.package("dyn-1"))
        assert await page.call("dyn-1", "ping") == "pong"
        lists = [each["packages"] for each in page.heard if each["type"] == "packages"]
        assert all(one != other for one, other in itertools.pairwise(lists))


async def test_a_page_that_comes_later_hears_of_what_changes_next(s: Served) -> None:
    """Also where it changes back to what pages were told that have gone since."""
    w = s.world
    host = H_PING.replace("harness", 'inject = ["greeter"]\nharness', 1)
    await w.define(host, client=B_OK)
    await w.define(H_GREET)
    await w.run("dyn-2")
    async with PageClient(s.url, fails=True) as failing:
        async with PageClient(s.url):
            await w.people.start("dyn-1")
        await until(lambda: len(s.page.pages) == 1)
        await until(lambda: row(failing) == [("dyn-1", "run-2", "running", False)])
    await until(lambda: not s.page.pages)
    await w.ok("S1", "cordis_stop", id="dyn-2")
    async with PageClient(s.url) as late:
        assert row(late) == [("dyn-1", "run-2", "waiting", False)]
        await w.run("dyn-2")
        await until(lambda: row(late) == [("dyn-1", "run-2", "running", False)])
