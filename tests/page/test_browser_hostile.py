"""Browser halves that mean harm: past their façade, at the page, at each other, at who answers a request."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.dynamic.world import B_OK, H_PING
from tests.page.test_browser_delivery import PANEL
from tests.support.browser import Web, WebPage

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(240), pytest.mark.slow]

RAW = (Path(__file__).parent / "halves" / "raw.js").read_text()
TOO_MUCH, NO_HALF = "says too much", "says what no browser half says"

SAYS = {
    "many states": ("many(1500, (n) => ({ t: 'state', state: n % 2 ? 'loaded' : 'waiting' }))", TOO_MUCH),
    "many errors": ("many(1500, (n) => ({ t: 'crash', slot: 's', message: 'm' + n }))", TOO_MUCH),
    "half characters": ("many(30, (n) => ({ t: 'crash', slot: 's', message: '\\ud800' + n }))", TOO_MUCH),
    "many services": (
        "many(2500, (n) => ({ t: 'provide', n, name: 's' + n, methods: folded(1, 100) }))",
        TOO_MUCH,
    ),
    "past the port": ("for (let n = 0; n < 5000; n += 1) top.postMessage(n, '*')", TOO_MUCH),
    "deep": ("many(15, (n) => ({ t: 'call', n: -n, method: 'ping', args: folded(1500, 1) }))", NO_HALF),
    "holes": ("say({ t: 'call', n: -1, method: 'ping', args: new Array(4e8) })", NO_HALF),
    "folded": ("say({ t: 'call', n: -1, method: 'ping', args: folded(9, 10) })", NO_HALF),
    "huge": ("say({ t: 'crash', slot: 's', message: 'y'.repeat(2 ** 27) })", NO_HALF),
    "no JSON": ("say({ t: 'call', n: -1, method: 'ping', args: new Map() })", NO_HALF),
    "odd key": ("say({ t: 'status', key: odd, text: 'x' })", NO_HALF),
    "odd text": ("say({ t: 'crash', slot: odd, message: 'x' })", NO_HALF),
    "odd size": ("say({ t: 'size', height: odd, titles: [] })", NO_HALF),
}


async def still_works(page: WebPage, package_id: str, name: str) -> None:
    """The page is the one that it was, and another half is as before."""
    assert await page.id == name
    await page.press(page.frame(package_id).get_by_role("button", name="Ask"))
    await page.reads(page.frame(package_id).locator("body"), "pong")


async def test_what_a_half_says_past_its_facade_costs_nobody_but_itself(opened: Web) -> None:
    page = await opened.open()
    name = await page.id
    good = await opened.started(PANEL, H_PING)
    problems = page.tab.locator("#problems li")
    for what, (says, words) in SAYS.items():
        package_id = await opened.world.define(H_PING, client=f"{RAW}\n{says};\nreturn () => {{}}", name=what)
        task = asyncio.create_task(opened.run(package_id))
        await page.reads(problems.filter(has_text=f"{package_id} {what}").last, words)
        await asyncio.wait_for(task, 60)
        assert await page.id == name, what
    await still_works(page, good, name)


async def test_unknown_words_are_not_heard(opened: Web) -> None:
    page = await opened.open()
    words = "['constructor', '__defineGetter__', '__proto__', 'toString', 'left2', 7, null]"
    package_id = await opened.started(f"{RAW}\nfor (const t of {words}) say({{ t }});\n{PANEL}", H_PING)
    await still_works(page, package_id, await page.id)
    assert await page.tab.locator("#problems li").count() == 0


PROVIDES = "return (client) => client.provide('tideclock', { after: () => new Promise(() => {}) })"
USES = (
    "let n = 1e6; setInterval(() => { for (let i = 0; i < 400; i += 1) "
    "say({ t: 'use', n: ++n, service: 'tideclock', method: 'after', args: null }) }, 100)"
)


async def test_nobody_is_taken_out_by_who_uses_its_service(opened: Web) -> None:
    page = await opened.open()
    provider = await opened.started(PROVIDES)
    user = await opened.started(f"{RAW}\n{USES};\nreturn () => {{}}")
    await expect(page.row(user)).to_contain_text("failed here")  # it floods the page with what is refused
    await expect(page.row(provider)).to_contain_text("loaded here")


async def test_no_half_gets_hold_of_the_window_of_another(opened: Web) -> None:
    page = await opened.open()
    await opened.started(PANEL, H_PING)
    looks = """
      const found = [top.length];
      try { found.push(String(top[0])); } catch (error) { found.push(error.name); }
      const render = (root) => { root.textContent = JSON.stringify(found); };
      return (client) => client.panel({ title: "Looks", render });
    """
    package_id = await opened.started(looks)
    await page.reads(page.frame(package_id).locator(".panel div"), '[0,"SecurityError"]')


STEALS = """
return (client) => client.panel({ title: "Steals", render(root) {
  root.append(document.createElement("iframe"));
  setInterval(() => root.lastChild.contentWindow.focus(), 20);
} });
"""


async def test_who_takes_the_focus_from_an_answer_is_taken_out(opened: Web) -> None:
    page = await opened.open()
    thief = await opened.started(STEALS)
    package_id = await opened.world.define(H_PING, client=B_OK)
    task = await opened.world.asked(package_id)
    reason = page.request("req-2").get_by_role("textbox")
    await expect(reason).to_be_editable()
    await reason.focus()
    await page.reads(page.tab.locator("#problems"), "takes the focus away")
    await page.reads(page.row(thief), "failed here")
    await reason.press_sequentially("not now")
    await expect(reason).to_have_value("not now")
    await page.request("req-2").get_by_role("button", name="Deny").click()
    assert "not now" in (await task).error.message


async def test_a_panel_is_left_and_entered_with_tab_and_pointer_while_a_request_waits(opened: Web) -> None:
    page = await opened.open()
    good = await opened.started(PANEL, H_PING)
    task = await opened.world.asked(await opened.world.define(H_PING, client=B_OK))
    reason = page.request("req-2").get_by_role("textbox")
    await expect(reason).to_be_editable()
    await reason.fill("x")
    await page.press(page.frame(good).get_by_role("button", name="Ask"))
    await reason.focus()
    ask = page.frame(good).get_by_role("button", name="Ask")
    for _ in range(8):
        await page.tab.keyboard.press("Tab")
        if await ask.evaluate("(each) => document.hasFocus() && document.activeElement === each"):
            break
    await expect(ask).to_be_focused()
    assert await page.tab.locator("#problems li").count() == 0
    assert opened.world.people.deny("req-2", "")
    await task


GREEDY = """
return (client) => client.panel({ title: "Greedy", render(root) {
  const first = document.createElement("button"), last = document.createElement("button");
  const low = document.createElement("p");
  first.textContent = "First";
  last.textContent = "Last";
  low.style.marginTop = "3000px";
  root.append(first, last, low);
  globalThis.heard = [];
  KeyboardEvent.prototype.preventDefault = Event.prototype.stopImmediatePropagation = () => {};
  for (const target of [window, document, last]) target.addEventListener("keydown", (event) => {
    heard.push(event.key);
    if (event.key === "Tab") { event.preventDefault(); first.focus(); }
  }, true);
  addEventListener("blur", () => { window.focus(); first.focus(); first.select?.(); });
  setInterval(() => { last.focus(); first.focus(); low.scrollIntoView(); low.scrollIntoViewIfNeeded?.(); }, 20);
} });
"""


async def test_a_greedy_panel_keeps_neither_tab_nor_the_page(opened: Web) -> None:
    """With the keyboard alone; its code can move neither the focus to itself nor the page."""
    page = await opened.open()
    await page.tab.locator("#theme").focus()
    greedy = await opened.started(GREEDY)
    good = await opened.started(PANEL, H_PING)
    await page.reads(page.row(good), "loaded here, 1 panel")
    await page.gone(page.tab.locator(".request"))
    await expect(page.tab.locator("#theme")).to_be_focused()
    assert await page.tab.evaluate("scrollY") == 0

    part = "document.activeElement.querySelector('.owner')?.textContent ?? document.activeElement.id"
    await page.tab.keyboard.press("F6")
    assert await page.tab.evaluate(part) == "packages"
    await page.tab.keyboard.press("F6")
    assert await page.tab.evaluate(part) == greedy
    await page.tab.keyboard.press("Tab")
    first = page.frame(greedy).get_by_role("button", name="First")
    await page.frame(greedy).locator("button:focus").wait_for()
    await expect(page.tab.get_by_text("F6 leaves").first).to_be_visible()
    await first.press("F6")  # inside of it
    await expect(page.tab.locator(".half:focus .owner")).to_have_text(good)
    await page.tab.keyboard.press("Shift+F6")
    await page.tab.keyboard.press("Tab")
    await page.frame(greedy).locator("button:focus").wait_for()
    await page.tab.keyboard.press("Tab")
    await expect(page.frame(greedy).get_by_role("button", name="Last")).to_be_focused()
    await page.tab.keyboard.press("Tab")
    await expect(page.frame(good).get_by_role("button", name="Ask")).to_be_focused()
    heard = await first.evaluate("() => globalThis.heard")
    assert not {"Tab", "F6"} & set(heard)
    assert await page.tab.locator("#problems li").count() == 0


SCROLLS = """
return (client) => client.panel({ title: "Scrolls", render(root) {
  root.style.height = "3000px";
  const low = document.createElement("p");
  root.append(low);
  low.style.marginTop = "2900px";
  const go = document.createElement("button");
  go.textContent = "Go";
  go.addEventListener("click", () => low.scrollIntoView());
  root.prepend(go);
} });
"""


async def test_a_button_that_has_just_come_or_moved_takes_no_press(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    await page.tab.set_viewport_size({"width": 800, "height": 600})
    scrolls = await opened.started(SCROLLS)
    package_id = await w.define(H_PING, client=B_OK)
    # Where a press that was meant for the panel lands at the moment at which the request comes.
    await page.tab.evaluate(
        """() => {
             new MutationObserver(() => document.querySelector(".request button.allow")?.click())
               .observe(document.querySelector("#requests"), { childList: true, subtree: true, attributes: true });
           }"""
    )
    task = await w.asked(package_id)
    allow = page.request("req-2").locator("button.allow")
    await expect(allow).to_be_disabled()
    await page.reads(page.frame(scrolls).locator("body"), "Go")
    assert not task.done()
    await page.tab.reload()  # the observer goes; the request has come anew
    await page.connected()
    assert w.people.deny("req-2", "")
    assert (await task).error.code == "rejected"


async def test_no_status_covers_what_is_asked_and_no_name_moves_an_id(opened: Web) -> None:
    page = await opened.open()
    await page.tab.set_viewport_size({"width": 380, "height": 600})
    shows = "return (client) => { for (let n = 0; n < 8; n += 1) client.status('status '.repeat(11) + n) }"
    for _ in range(3):
        await opened.started(shows)
    await expect(page.tab.locator("#seats li")).to_have_count(24)
    box = await page.tab.locator("#seats").bounding_box()
    assert box is not None
    assert box["height"] < 100
    task = await opened.world.asked(await opened.world.define(H_PING, client=B_OK, name="שלום 1"))
    await expect(page.request("req-4").locator("b bdi")).to_have_text("שלום 1")
    assert opened.world.people.deny("req-4", "")
    await task


async def test_no_half_goes_back_opens_asks_or_downloads(opened: Web) -> None:
    page = await opened.open()
    await page.tab.goto("about:blank")
    await page.tab.goto(opened.served.url)
    await page.connected()
    happened: list[str] = []
    for event in ("dialog", "popup", "download"):
        page.tab.on(event, lambda _, event=event: happened.append(event))
    source = """
      const bare = document.createElement("iframe");
      document.body.append(bare);
      const raw = bare.contentWindow;
      const link = document.createElement("a");
      link.download = "x.txt";
      link.href = "data:text/plain,x";
      link.target = "_top";
      for (const run of [
        () => history.back(), () => history.go(-1), () => raw.alert(1), () => raw.print(),
        () => raw.open("about:blank"), () => link.click(), () => { document.title = "Evil"; },
        () => document.documentElement.requestFullscreen().catch(() => {}),
      ]) {
        try { run(); } catch {}
      }
      return (client) => client.panel({ title: "Tried", render(root) { root.textContent = "tried"; } });
    """
    task = asyncio.create_task(opened.run(await opened.world.define(client=source)))
    await task
    await asyncio.sleep(0.5)  # what is not to happen; no condition of the test
    assert page.tab.url == opened.served.url
    assert happened == []
    assert await page.tab.title() == "Prompt Workbench"
    assert await page.tab.evaluate("document.fullscreenElement === null")
    assert page.tab.context.pages == [page.tab]
