"""Scenarios D46 to D61: browser halves, with pages in memory."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dynamic.world import B_BAD, B_OK, H_PING, PageDouble, World
from tests.support.tool_calls import Signal
from workbench.dynamic.cards import queue
from workbench.dynamic.pages import FetchRefused, PageCallError
from workbench.dynamic.report import request_report
from workbench.dynamic.source.browser import is_available

pytestmark = pytest.mark.skipif(not is_available(), reason="needs the extra `page`")

H_PING_SAYS = H_PING.replace("    pass", '    print("applied")')


class Asked:
    """D46: one package with two pages that are asked."""

    def __init__(self, w: World, task: Any, pages: list[PageDouble], cancel: Signal) -> None:
        self.w, self.task, self.pages, self.cancel = w, task, pages, cancel

    @property
    def applied(self) -> int:
        return len([line for line in self.w.printed("dyn-1") if "applied" in line])


async def asked(w: World, *pages: PageDouble, host: str | None = H_PING_SAYS, client: str = B_OK) -> Asked:
    await w.define(host, client=client, purpose="pings")
    cancel = Signal()
    return Asked(w, await w.asked("dyn-1", cancel=cancel), list(pages), cancel)


async def allowed(w: World, *pages: PageDouble, **more: Any) -> Asked:
    """D47: the same, allowed by the first page."""
    made = await asked(w, *pages, **more)
    assert w.dynamic.pages.answer("P1", "req-1", True)
    result = await made.task
    assert result.error is None, result.error
    return made


async def test_d46_a_request(w: World) -> None:
    pages = [w.page("P1"), w.page("P2")]
    made = await asked(w, *pages)
    for seen in (*(page.requests for page in pages), w.requested):
        assert [(each.request, each.id, each.name, each.purpose) for each in seen] == [
            ("req-1", "dyn-1", "p", "pings")
        ]
    assert not [page for page in pages if page.announced or page.fetched]
    assert B_OK not in repr(w.requested)
    with pytest.raises(FetchRefused):
        w.dynamic.pages.fetch("P1", "dyn-1", "run-1")
    assert not made.task.done()
    assert made.applied == 0
    assert w.state("dyn-1") == "awaiting-approval"
    assert w.card("dyn-1").controls == ("allow", "deny", "what-if")
    (entry,) = queue(w.dynamic)
    assert (entry.id, entry.session, entry.client) == ("req-1", "S1", B_OK)
    made.cancel.set()
    await made.task


async def test_d47_allow(w: World) -> None:
    pages = [w.page("P1"), w.page("P2")]
    made = await allowed(w, *pages)
    value = (await made.task).value
    assert (value["status"], value["client"], value["run"]) == ("running", "loaded", "run-1")
    await w.until(lambda: all(page.loaded for page in pages))
    assert [page.fetched for page in pages] == [[B_OK], [B_OK]]
    assert w.resolved == [("req-1", "approved")]
    assert [page.resolved for page in pages] == [[("req-1", "approved")]] * 2
    assert queue(w.dynamic) == ()
    assert await pages[1].call("dyn-1", "ping") == "pong"
    assert w.states[-4:] == [
        ("dyn-1", "defined", "awaiting-approval"),
        ("dyn-1", "awaiting-approval", "starting"),
        ("dyn-1", "starting", "delivering"),
        ("dyn-1", "delivering", "running"),
    ]
    request = w.dynamic.requests.past()[-1]
    report = request_report(request)
    assert all(part in report for part in ("req-1", "pings", "session S1", "sha256", "allowed by P1", "approved"))


async def test_d48_deny(w: World) -> None:
    page = w.page("P1")
    made = await asked(w, page)
    assert w.people.deny("req-1", "not now")
    error = (await made.task).error
    assert error.code == "rejected"
    assert "not now" in error.message
    assert made.applied == 0
    assert page.fetched == []
    card = w.card("dyn-1")
    assert (card.state, card.last_outcome, card.remarks) == ("defined", "rejected", ("rejected",))
    await w.check_clean()


async def test_d49_the_first_answer_wins(w: World) -> None:
    made = await asked(w, w.page("P1"), w.page("P2"))
    assert w.dynamic.pages.answer("P1", "req-1", False) is True
    assert w.dynamic.pages.answer("P2", "req-1", True) is False
    w.dynamic.pages.close("P1")
    assert (await made.task).error.code == "rejected"
    assert w.dynamic.pages.answer("P2", "req-1", True) is False


async def test_d50_without_anybody_it_stays_pending(w: World) -> None:
    made = await asked(w)
    before = len(w.rt.loop._scheduled)  # type: ignore[attr-defined]
    await w.rt.quiesce()
    assert not made.task.done()
    assert len(w.rt.loop._scheduled) <= before  # type: ignore[attr-defined] # no timer will end it
    made.cancel.set()
    assert (await made.task).error.code == "cancelled"
    await w.check_clean()


async def test_d51_stop_and_undefine_of_a_request(w: World) -> None:
    made = await asked(w)
    assert await w.ok("S1", "cordis_stop", id="dyn-1") == {"id": "dyn-1", "run": None, "stopped": True}
    error = (await made.task).error
    assert (error.code, "stopped" in error.message) == ("cancelled", True)
    again = await w.asked("dyn-1")
    await w.ok("S1", "cordis_undefine", id="dyn-1")
    error = (await again).error
    assert (error.code, "undefined" in error.message) == ("cancelled", True)
    assert (await w.refused("S1", "cordis_stop", id="dyn-1"))[0] == "definition-missing"
    await w.check_clean(definitions=True)


async def test_d52_a_second_run(w: World) -> None:
    made = await asked(w)
    reason, message = await w.refused("S1", "cordis_run", id="dyn-1")
    assert (reason, "answer" in message) == ("transition-in-flight", True)
    made.cancel.set()
    await made.task


async def test_d53_a_host_half_that_fails(w: World) -> None:
    page = w.page("P1")
    made = await asked(w, page, host=H_PING.replace("    pass", "    raise ValueError('no')"))
    w.people.allow("req-1")
    assert (await made.task).error.code == "host-half-failed"
    assert (page.announced, page.fetched) == ([], [])
    assert w.resolved == [("req-1", "failed")]
    await w.check_clean()


async def test_d54_a_browser_half_that_fails_everywhere(w: World) -> None:
    made = await asked(w, w.page("P1"), w.page("P2"), client=B_BAD)
    w.people.allow("req-1")
    error = (await made.task).error
    assert error.code == "client-half-failed"
    assert all(part in error.message for part in ("stage evaluate", "no seat", "P1", "P2"))
    assert w.card("dyn-1").last_outcome == "client-half-failed"
    await w.check_clean()


async def test_d55_one_page_is_enough(w: World) -> None:
    await allowed(w, w.page("P1"), w.page("P2", fails=True))
    await w.until(lambda: [page.state for page in w.card("dyn-1").pages] == ["loaded", "failed"])
    assert w.state("dyn-1") == "running"
    assert w.card("dyn-1").not_loaded_on == ("P2",)


async def test_d56_a_page_that_comes_while_delivering(w: World) -> None:
    made = await asked(w, w.page("P1", waits=True))
    w.people.allow("req-1")
    await w.until(lambda: w.state("dyn-1") == "delivering")
    w.dynamic.pages.close("P1")
    await w.rt.quiesce()
    assert w.state("dyn-1") == "delivering"
    second = w.page("P2")
    assert (await made.task).error is None
    assert second.loaded == {"dyn-1": "run-1"}
    assert w.state("dyn-1") == "running"


async def test_d57_d58_reload_and_deliver_again(w: World) -> None:
    second = w.page("P2")
    await allowed(w, w.page("P1"), second)
    await w.until(lambda: bool(second.loaded))
    w.dynamic.pages.close("P1")
    reloaded = w.page("P3")
    await w.rt.quiesce()
    assert (reloaded.loaded, reloaded.announced) == ({}, [])
    assert reloaded.greeting is not None
    assert [(each.id, each.state, each.loaded_here) for each in reloaded.greeting.packages] == [
        ("dyn-1", "running", False)
    ]
    other = w.page("P4")
    assert w.dynamic.pages.load_here("P3", "dyn-1")
    await w.until(lambda: bool(reloaded.loaded))
    assert w.resolved == [("req-1", "approved")]

    value = await w.run("dyn-1")
    assert (value["started"], value["run"]) == (False, "run-1")
    await w.until(lambda: bool(other.loaded))
    assert (len(second.fetched), len(reloaded.fetched)) == (1, 1)
    assert len(w.requested) == 1


async def test_d59_after_the_settlement(w: World) -> None:
    pages = [w.page("P1"), w.page("P2")]
    made = await allowed(w, *pages)
    made.cancel.set()
    await w.rt.quiesce()
    assert w.state("dyn-1") == "running"
    await w.until(lambda: all(page.loaded for page in pages))
    announcement = pages[0].announced[0]
    await w.ok("S1", "cordis_stop", id="dyn-1")
    assert [page.loaded for page in pages] == [{}, {}]
    with pytest.raises(PageCallError) as caught:
        await pages[0].call("dyn-1", "ping", run="run-1")
    assert caught.value.kind == "not-running"
    assert w.dynamic.pages.acknowledge("P1", announcement.id, announcement.run, "loaded") is False


async def test_d60_cancel_while_delivering(w: World) -> None:
    page = w.page("P1", waits=True)
    made = await asked(w, page)
    w.people.allow("req-1")
    await w.until(lambda: w.state("dyn-1") == "delivering")
    page.loaded["dyn-1"] = "run-1"
    made.cancel.set()
    assert (await made.task).error.code == "cancelled"
    assert page.loaded == {}
    assert w.state("dyn-1") == "defined"
    await w.check_clean()


async def test_d61_a_render_failure_is_only_shown(w: World) -> None:
    await allowed(w, w.page("P1"), w.page("P2"))
    assert w.dynamic.pages.render_failed("P2", "dyn-1", "run-1", "panel", "x is not a function")
    report = await w.ok("S1", "cordis_inspect", what="temporary")
    assert "panel" in report
    assert "x is not a function" in report
    assert w.state("dyn-1") == "running"
    assert w.card("dyn-1").render_failure is not None
    await w.ok("S1", "cordis_stop", id="dyn-1")
    assert "panel" not in await w.ok("S1", "cordis_inspect", what="temporary")


async def test_another_revision_waits_beside_the_one_that_runs(w: World) -> None:
    await allowed(w, w.page("P1"))
    await w.ok("S1", "cordis_define", id="dyn-1", name="p", purpose="more", code=H_PING, client=B_OK)
    task = await w.asked("dyn-1")
    assert w.state("dyn-1") == "running"
    assert {"allow", "deny"} <= set(w.card("dyn-1").controls)
    w.people.deny("req-2")
    assert (await task).error.code == "rejected"
    assert (w.state("dyn-1"), w.card("dyn-1").run) == ("running", "run-1")
    task = await w.asked("dyn-1")
    value = await w.people.start("dyn-1")  # the gesture answers the request
    assert (value["revision"], value["run"]) == (2, "run-2")
    assert (await task).value["run"] == "run-2"


async def test_a_page_that_raises_stops_nothing(w: World) -> None:
    page = w.page("P1")
    await allowed(w, page)
    page.retract = lambda *_: 1 / 0  # type: ignore[method-assign,assignment,return-value]
    await w.ok("S1", "cordis_stop", id="dyn-1")
    await w.check_clean()


async def test_deny_where_nobody_is_there(w: World) -> None:
    w.dynamic.approvals_mode = "deny"
    await w.define(H_PING, client=B_OK)
    reason, message = await w.refused("S1", "cordis_run", id="dyn-1")
    assert (reason, "nobody is there" in message) == ("rejected", True)
    assert w.dynamic.denied == 1
    assert w.requested == []


async def test_a_persons_own_start_needs_no_request(w: World) -> None:
    page = w.page("P1")
    await w.define(H_PING, client=B_OK)
    value = await w.people.start("dyn-1")
    assert (value["status"], value["client"]) == ("running", "loaded")
    assert (page.requests, w.requested) == ([], [])
    assert [session for session, _ in w.notes] == ["S1"]
    await w.people.undefine("dyn-1")
    await w.check_clean(definitions=True)
