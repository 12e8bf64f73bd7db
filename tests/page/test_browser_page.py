"""The page itself: answering requests, keyboard and screen reader, outside text, a workbench that goes."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

from tests.dynamic.world import B_OK, H_PING
from tests.support.browser import Web, WebPage
from tests.support.page_server import until
from tests.support.tool_calls import Signal
from workbench.page.files import frame_files, page_files
from workbench.visible import visible_line

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(240), pytest.mark.slow]


async def asked(opened: Web, **more: str) -> asyncio.Task[object]:
    package_id = await opened.world.define(H_PING, client=B_OK, **more)
    task: asyncio.Task[object] = await opened.world.asked(package_id)
    return task


async def focus_key(page: WebPage) -> str:
    """Key of the request, or id of the element, that has the focus."""
    found: str = await page.tab.evaluate(
        "document.activeElement.closest('[data-key]')?.dataset.key ?? document.activeElement.id"
    )
    return found


async def test_allow_on_the_page_with_the_keyboard(opened: Web) -> None:
    page = await opened.open()
    task = await asked(opened, name="meter", purpose="Counts tokens.")
    request = page.tab.get_by_role("listitem", name="dyn-1 meter wants to run in a browser page")
    await expect(request).to_contain_text("session S1")
    await expect(request).to_contain_text("r1")
    await expect(request).to_contain_text("waiting")
    await expect(page.tab.get_by_role("status")).to_contain_text("dyn-1 meter asks to run")
    assert await page.tab.title() == "(1) Prompt Workbench"

    allow = request.get_by_role("button", name="Allow this run")
    reason = request.get_by_role("textbox", name="Reason, if you deny dyn-1")
    await allow.focus()
    await page.tab.keyboard.press("Tab")
    await expect(request.get_by_role("button", name="Deny")).to_be_focused()
    await page.tab.keyboard.press("Tab")
    await expect(reason).to_be_focused()
    await page.tab.keyboard.press("Enter")  # in the field of the reason it is no answer
    assert not task.done()
    await expect(allow).to_be_enabled()
    await allow.focus()
    await page.tab.keyboard.press("Enter")
    result = await task
    assert result.value["client"] == "loaded"  # type: ignore[attr-defined]
    await page.gone(page.request())
    answer = opened.world.dynamic.requests.past()[-1].answer
    assert answer is not None
    assert (answer.allows, answer.by) == (True, await page.id)
    await expect(page.tab.locator("#answer")).to_be_focused()  # its own place has gone: focus is not lost
    assert await page.tab.title() == "Prompt Workbench"


async def test_deny_with_a_reason(opened: Web) -> None:
    first, second = await opened.open(), await opened.open()
    task = await asked(opened)
    request = first.request()
    await request.get_by_role("textbox").fill("not now")
    await request.get_by_role("button", name="Deny").click()
    error = (await task).error  # type: ignore[attr-defined]
    assert error.code == "rejected"
    assert "not now" in error.message
    for page in (first, second):
        await page.gone(page.request())
        await expect(page.tab.get_by_role("status")).to_contain_text("dyn-1 p: denied")
    assert opened.world.state("dyn-1") == "defined"


async def test_two_pages_answer_at_once(opened: Web) -> None:
    pages = [await opened.open(), await opened.open()]
    task = await asked(opened)
    for page in pages:
        await expect(page.request().locator("button.allow")).to_be_enabled()
    press = "document.querySelector('.request .%s').click()"
    await asyncio.gather(
        pages[0].tab.evaluate(press % "allow"),
        pages[1].tab.evaluate(press % "deny"),
    )
    result = await task
    for page in pages:
        await page.gone(page.request())
    answer = opened.world.dynamic.requests.past()[-1].answer
    assert answer is not None
    assert (result.error is None) == answer.allows  # type: ignore[attr-defined]
    assert len(opened.world.resolved) == 1


async def test_a_press_for_what_stood_here_before_is_no_answer(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    first, second = await asked(opened), await asked(opened)
    await page.request("req-2").get_by_role("button", name="Allow this run").focus()
    allow = page.request("req-1").get_by_role("button", name="Allow this run")
    await expect(allow).to_be_enabled()
    box = await allow.bounding_box()
    assert box is not None
    await page.tab.mouse.dblclick(box["x"] + 5, box["y"] + 5)
    assert (await first).error is None  # type: ignore[attr-defined]
    await page.gone(page.request("req-1"))
    assert not second.done()
    assert [each.id for each in w.dynamic.requests.pending()] == ["req-2"]
    await expect(page.request("req-2")).to_be_visible()
    assert w.people.deny("req-2", "")
    await second
    await page.gone(page.request("req-2"))


async def test_focus_goes_to_the_next_request_when_somebody_else_answers(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    first, second = await asked(opened), await asked(opened)
    await page.request("req-1").get_by_role("button", name="Deny").focus()
    assert w.people.deny("req-1", "")
    await first
    await page.gone(page.request("req-1"))
    assert await focus_key(page) == "req-2"
    assert w.people.deny("req-2", "")
    await second
    await page.gone(page.request("req-2"))
    assert await focus_key(page) == "answer"


async def test_outside_text_is_shown_as_text_with_nothing_unseen(opened: Web) -> None:
    page = await opened.open()
    nasty = "<img src=x onerror=alert(1)>\x1b[31m\u202e[x](y)\u200b👩‍👩‍👧日本"
    task = await asked(opened, name=nasty, purpose="<b>bold</b>\x07")
    request = page.request()
    await expect(request).to_contain_text("<img src=x onerror=alert(1)>‹ESC›[31m‹RLO›[x](y)‹ZWSP›👩‍👩‍👧日本")
    await expect(request).to_contain_text("<b>bold</b>‹BEL›")
    assert await request.locator("img").count() == 0
    assert await request.locator("b b").count() == 0
    assert opened.world.people.allow("req-1")
    await task
    await expect(page.row("dyn-1")).to_contain_text("‹ESC›[31m‹RLO›")
    text = await page.tab.locator("body").inner_text()
    assert not set("\x1b\u202e\u200b\x07") & set(text)


async def test_the_workbench_goes_and_the_page_says_so(opened: Web) -> None:
    page = await opened.open()
    task = await asked(opened)
    await expect(page.request()).to_be_visible()
    await opened.served.fiber.dispose()
    answer = page.tab.locator("#answer")
    await expect(answer).to_contain_text("Connection lost")
    assert await page.request().locator('button[aria-disabled="true"]').count() == 2
    await page.request().locator("button.allow").click(force=True)
    await page.tab.locator('body[data-connection="gone"]').wait_for()
    await expect(answer).to_contain_text("The workbench is not there any more.")
    await expect(answer).to_contain_text("it prints a new address")
    retry = page.tab.get_by_role("button", name="Try now")
    await retry.focus()
    await asyncio.sleep(1.5)  # the seconds that it counts up take nothing away
    await expect(retry).to_be_focused()
    assert not task.done()
    assert opened.world.people.deny("req-1", "")
    await task


async def test_themes(opened: Web) -> None:
    page = await opened.open()
    package_id = await opened.started("return (c) => c.panel({ title: 'Tide', render(r) { r.append('14:02') } })")
    frame = page.frame(package_id).locator("html")
    root = page.tab.locator("html")
    await page.tab.emulate_media(color_scheme="light")
    for scheme in ("dark", "light"):
        await page.tab.emulate_media(color_scheme=scheme)
        await expect(root).to_have_attribute("data-theme", scheme)
        await expect(frame).to_have_attribute("data-theme", scheme)
    button = page.tab.get_by_role("button", name="Theme: system")
    await button.click()
    await expect(root).to_have_attribute("data-theme", "dark")
    await expect(frame).to_have_attribute("data-theme", "dark")
    await page.tab.reload()
    await page.connected()
    await expect(page.tab.get_by_role("button", name="Theme: dark")).to_be_visible()
    await expect(root).to_have_attribute("data-theme", "dark")


async def test_everything_has_a_role_and_a_name(opened: Web) -> None:
    page = await opened.open()
    tab = page.tab
    await expect(tab.get_by_role("heading", level=1, name="Prompt Workbench")).to_be_visible()
    await expect(tab.get_by_role("region", name="Panels")).to_contain_text("No panel yet.")
    package_id = await opened.started("return (c) => c.panel({ title: 'Tide', render(r) { r.append('14:02') } })")
    task = await asked(opened)
    await expect(tab.get_by_role("region", name="Waiting for you")).to_be_visible()
    await expect(tab.get_by_role("region", name="Packages with a browser half")).to_contain_text("running")
    await expect(tab.get_by_role("article", name=f"{package_id} p")).to_be_visible()
    await expect(tab.locator(f'iframe[title="{package_id} p: Tide"]')).to_be_visible()
    await expect(page.frame(package_id).get_by_role("region", name="Tide")).to_contain_text("14:02")
    nameless = await tab.evaluate(
        """() => [...document.querySelectorAll("button, input, a, iframe")]
             .filter((each) => each.checkVisibility({ visibilityProperty: true }))
             .filter((each) => !(each.textContent.trim() || each.ariaLabel || each.title))
             .map((each) => each.outerHTML)"""
    )
    assert nameless == []
    assert opened.world.people.deny("req-2", "")
    await task


async def test_it_fits_a_narrow_window(opened: Web) -> None:
    page = await opened.open()
    await page.tab.set_viewport_size({"width": 360, "height": 700})
    task = await asked(opened, name="m" * 300, purpose="x" * 500)
    await expect(page.request()).to_be_visible()
    assert await page.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert opened.world.people.deny("req-1", "")
    await task


async def test_the_page_comes_in_one_round_and_is_small(opened: Web) -> None:
    tab = await opened.context.new_page()
    asked_for: list[str] = []
    tab.on("request", lambda request: asked_for.append(request.url.removeprefix(opened.served.url)))
    await tab.goto(opened.served.url)
    await tab.wait_for_selector('body[data-connection="open"]')
    names = sorted(each for each in asked_for if not each.startswith(("http", "data:")))
    assert names == sorted(["", *(name for name in page_files() if name not in ("", "index.html"))])
    html = page_files()["index.html"].content.decode()
    assert all(f'"{name}"' in html for name in names if name)  # nothing is found out only by running something
    frame = frame_files()["index.html"].content.decode()
    assert [name for name in frame_files() if name not in ("", "index.html") and f'"{name}"' not in frame] == []
    assert sum(len(file.packed) for name, file in page_files().items() if name) <= 25_000  # as they are sent
    assert sum(len(file.content) for name, file in page_files().items() if name) <= 64_000
    assert sum(len(file.content) for name, file in frame_files().items() if name) <= 32_000


async def test_many_pages_come_and_go(opened: Web) -> None:
    pages = [await opened.open() for _ in range(3)]
    assert len(opened.served.page.pages) == 3
    for page in pages:
        await page.tab.close()
    await until(lambda: not opened.served.page.pages)


async def test_what_is_hidden_on_the_screen_is_hidden_here(opened: Web) -> None:
    page = await opened.open()
    hidden = await page.tab.evaluate(
        """async () => {
             const { visible } = await import(location.href + "text.js");
             const found = [];
             for (let code = 0; code <= 0x10ffff; code += 1) {
               const text = String.fromCodePoint(code);
               if (visible(text) !== text) found.push(code);
             }
             return found;
           }"""
    )
    expected = [code for code in range(0x110000) if visible_line(chr(code)) != chr(code)]
    assert hidden == expected


async def test_a_cancelled_request_goes_away(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    package_id = await w.define(H_PING, client=B_OK)
    cancel = Signal()
    task = await w.asked(package_id, cancel=cancel)
    await expect(page.request()).to_be_visible()
    cancel.set()
    assert (await task).error.code == "cancelled"
    await page.gone(page.request())
    await expect(page.tab.get_by_role("status")).to_contain_text("dyn-1 p: cancelled")
    assert await page.tab.title() == "Prompt Workbench"
    await w.check_clean()
