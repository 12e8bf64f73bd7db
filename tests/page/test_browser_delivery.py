"""Browser halves in real pages: asked for, allowed, delivered, loaded again, called, stopped.

What is slow here has a faster sibling without a browser in `test_scenarios.py`.
"""

from __future__ import annotations

import pytest

from tests.dynamic.world import B_BAD, B_OK, H_PING
from tests.support.browser import Web
from tests.support.page_server import until
from tests.support.tool_calls import Signal

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(240)]

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
LATE = "await new Promise((go) => setTimeout(go, 1e8)); return () => {}"
"""A half that is never done with loading."""


async def test_from_a_request_to_two_pages_and_back(opened: Web) -> None:
    w = opened.world
    pages = [await opened.open(), await opened.open()]
    package_id = await w.define(H_PING, client=PANEL, name="tide", purpose="Shows the tide.")
    task = await w.asked(package_id)
    for page in pages:
        await page.reads(page.request(), "Shows the tide.")
        assert "High water" not in await page.tab.content()
    assert w.people.allow("req-1")
    result = await task
    assert result.error is None, result.error
    assert result.value["client"] == "loaded"
    for page in pages:
        await page.reads(page.frame(package_id).locator("body"), "High water at 14:02")
        await page.gone(page.request())
        await page.press(page.frame(package_id).get_by_role("button", name="Ask"))
        await page.reads(page.frame(package_id).locator("body"), "the host half says pong")
        await page.reads(page.row(package_id), "loaded here, 1 panel")
    await w.ok("S1", "cordis_stop", id=package_id)
    for page in pages:
        await page.gone(page.tab.locator(".half:not(.spare)"))
        await page.gone(page.row(package_id))
    await w.check_clean()


@pytest.mark.slow
async def test_a_page_that_is_loaded_anew_loads_only_when_it_is_told_to(opened: Web) -> None:
    w = opened.world
    stays, reloads = await opened.open(), await opened.open()
    package_id = await opened.started(PANEL, H_PING)
    await stays.reads(stays.frame(package_id).locator("body"), "High water")
    await stays.press(stays.frame(package_id).get_by_role("button", name="Ask"))
    await stays.reads(stays.frame(package_id).locator("body"), "pong")

    await reloads.tab.reload()
    await reloads.reads(reloads.row(package_id), "running, not loaded here")
    assert await reloads.tab.locator(".half:not(.spare)").count() == 0
    await reloads.row(package_id).get_by_role("button", name="Load here").click()
    await reloads.reads(reloads.frame(package_id).locator("body"), "High water")
    await reloads.reads(reloads.row(package_id), "loaded here")

    await reloads.tab.reload()
    await reloads.reads(reloads.row(package_id), "running, not loaded here")
    again = await w.run(package_id)
    assert (again["started"], again["run"]) == (False, "run-1")
    await reloads.reads(reloads.frame(package_id).locator("body"), "High water")
    assert "pong" in await stays.frame(package_id).locator("body").inner_text()  # it was not loaded a second time
    assert not w.requested[1:]


@pytest.mark.slow
async def test_a_newer_run_replaces_the_older_one(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    package_id = await opened.started(PANEL, H_PING)
    await page.reads(page.frame(package_id).locator("body"), "14:02")
    await w.define(H_PING, client=PANEL.replace("14:02", "14:31"), id=package_id)
    result = await opened.run(package_id)
    assert result.value["run"] == "run-2"
    await page.reads(page.frame(package_id).locator("body"), "14:31")
    assert await page.tab.locator(".half:not(.spare)").count() == 1


async def test_a_half_that_does_not_load_undoes_its_run(opened: Web) -> None:
    page = await opened.open()
    package_id = await opened.world.define(H_PING, client=f"\n{B_BAD}")
    result = await opened.run(package_id)
    assert result.error is not None
    assert result.error.code == "client-half-failed"
    assert "evaluate" in result.error.message
    assert "no seat (line 2)" in result.error.message
    await page.reads(page.tab.locator("#problems"), "no seat (line 2)")
    await page.gone(page.row(package_id))
    await opened.world.check_clean()
    await page.tab.get_by_role("button", name=f"Dismiss: {package_id} p").click()
    await page.gone(page.tab.locator("#problems li"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("client", "stage", "words"),
    [
        ("return 7", "evaluate", "returned number"),
        ("return { inject: 'clock', apply() {} }", "evaluate", "list of names"),
        ("return () => { throw new TypeError('no seat') }", "activate", "no seat"),
        ("throw { toString() { throw 1 } }", "evaluate", "cannot be read"),
    ],
)
async def test_what_a_half_must_be(opened: Web, client: str, stage: str, words: str) -> None:
    await opened.open()
    package_id = await opened.world.define(client=client)
    result = await opened.run(package_id)
    assert result.error is not None
    assert result.error.code == "client-half-failed"
    assert stage in result.error.message
    assert words in result.error.message


@pytest.mark.slow
async def test_cancel_while_a_page_loads_takes_it_out_again(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    package_id = await w.define(H_PING, client=LATE)
    cancel = Signal()
    task = await w.asked(package_id, cancel=cancel)
    assert w.people.allow("req-1")
    await page.reads(page.row(package_id), "loading here")
    cancel.set()
    result = await task
    assert result.error is not None
    assert result.error.code == "cancelled"
    await page.gone(page.row(package_id))
    await w.check_clean()


@pytest.mark.slow
async def test_a_page_that_closes_in_the_middle_leaves_it_to_the_next(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    package_id = await w.define(H_PING, client=LATE)
    task = await w.asked(package_id)
    assert w.people.allow("req-1")
    await page.reads(page.row(package_id), "loading here")
    await page.tab.close()
    await until(lambda: not opened.served.page.pages)
    assert (w.state(package_id), task.done()) == ("delivering", False)
    late = await opened.open()
    await late.reads(late.row(package_id), "loading here")
    await w.ok("S1", "cordis_stop", id=package_id)
    assert (await task).error.code == "cancelled"
    await late.gone(late.row(package_id))
    await w.check_clean()


@pytest.mark.slow
async def test_the_server_goes_and_comes_back_and_nothing_is_loaded_twice(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    package_id = await opened.started(PANEL, H_PING)
    await page.press(page.frame(package_id).get_by_role("button", name="Ask"))
    await page.reads(page.frame(package_id).locator("body"), "pong")

    await opened.served.fiber.dispose()
    await page.reads(page.tab.locator("#answer"), "Connection lost")
    assert await page.row(package_id).locator("button:visible").count() == 0
    from workbench.page.start import PackagePage, PageConfig

    opened.served.fiber = await w.root.plugin(PackagePage, PageConfig(0))
    await page.connected()
    await until(lambda: opened.served.page.pages)
    await page.reads(page.row(package_id), "loaded here")
    assert "pong" in await page.frame(package_id).locator("body").inner_text()
    await page.press(page.frame(package_id).get_by_role("button", name="Ask"))
    (connected,) = opened.served.page.pages
    run = w.package(package_id).run
    assert run is not None
    assert run.delivery is not None
    await until(lambda: run.delivery.held_by == (connected.id,))  # type: ignore[union-attr]


@pytest.mark.slow
async def test_a_half_without_anything_to_show(opened: Web) -> None:
    page = await opened.open()
    package_id = await opened.started(B_OK)
    await page.reads(page.row(package_id), "loaded here, no panel")
    await page.reads(page.tab.locator("#empty"), "No panel on this page.")
