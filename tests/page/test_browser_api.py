"""What a browser half can do: status, tool cards, services of other halves, news of its host half, calls."""

from __future__ import annotations

import asyncio
import json

import pytest
from playwright.async_api import expect

from tests.dynamic.world import B_OK, H_GREET, H_PING
from tests.support.browser import Web
from tests.support.page_server import until

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(240), pytest.mark.slow]

H_NEWS = """news = harness.feed()
harness.handle("news", lambda seen: news.next(seen))
harness.handle("tell", lambda value: news.put(value))
def apply(ctx):
    pass
"""
WATCHES = """
return (client) => client.panel({
  title: "News",
  render(root) {
    const show = ({ number, value }) => { root.textContent = `${number}: ${value}`; };
    host.watch("news", show, (last) => last?.number ?? 0);
  },
});
"""


async def test_watch_waits_for_news_and_survives_what_goes_away(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    package_id = await opened.started(WATCHES, H_NEWS)
    run = w.package(package_id).run
    assert run is not None
    text = page.frame(package_id).locator(".panel div")
    for number, value in enumerate(("ebb", "flood"), 1):
        run.handlers["tell"](value)
        await expect(text).to_have_text(f"{number}: {value}")
    await opened.served.fiber.dispose()
    run.handlers["tell"]("slack")
    await expect(page.tab.locator("#answer")).to_contain_text("Connection lost")
    from workbench.page.start import PackagePage, PageConfig

    opened.served.fiber = await w.root.plugin(PackagePage, PageConfig(0))
    await expect(text).to_have_text("3: slack")
    assert await page.tab.locator("#problems li").count() == 0


async def test_watch_waits_while_the_host_half_does(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    code = H_NEWS.replace("news =", 'inject = ["greeter"]\nnews =')
    greeter = await w.started(H_GREET)
    package_id = await opened.started(WATCHES, code)
    run = w.package(package_id).run
    assert run is not None
    text = page.frame(package_id).locator(".panel div")
    run.handlers["tell"]("one")
    await expect(text).to_have_text("1: one")
    await w.ok("S1", "cordis_stop", id=greeter)
    await expect(page.row(package_id)).to_contain_text("waiting")
    await w.run(greeter)
    await until(lambda: w.state(package_id) == "running")
    run.handlers["tell"]("two")
    await expect(text).to_have_text("2: two")
    assert await page.tab.locator("#problems li").count() == 0


async def test_watch_of_a_handler_that_does_not_wait_is_told_to(opened: Web) -> None:
    page = await opened.open()
    await opened.started(
        "return (c) => c.panel({ title: 'Hurry', render() { host.watch('ping', () => {}); } })", H_PING
    )
    await page.reads(page.tab.locator("#problems"), "let the handler wait for news, with a feed")


async def test_a_status_seat(opened: Web) -> None:
    page = await opened.open()
    source = """
    return (client) => {
      const seat = client.status("one");
      const gone = client.status("other");
      client.panel({ title: "Buttons", render(root) {
        for (const [name, act] of [["Two", () => seat.set("two\\u001b")], ["Gone", () => gone.remove()]]) {
          const button = document.createElement("button");
          button.textContent = name;
          button.addEventListener("click", act);
          root.append(button);
        }
      } });
    };"""
    package_id = await opened.started(source)
    seats = page.tab.get_by_role("contentinfo", name="Status").get_by_role("listitem")
    await expect(seats).to_have_text([f"{package_id} one", f"{package_id} other"])
    await page.press(page.frame(package_id).get_by_role("button", name="Two"))
    await page.press(page.frame(package_id).get_by_role("button", name="Gone"))
    await expect(seats).to_have_text([f"{package_id} two‹ESC›"])
    await opened.world.ok("S1", "cordis_stop", id=package_id)
    await page.gone(seats)


H_TOOL = """inject = ["tools"]
def tide(args, call):
    if args["port"] == "nowhere":
        raise ValueError("no such port")
    return "14:02"
def apply(ctx):
    ctx.tools.register(harness.define_tool(
        name="tide", description="Tells the tide.", parameters={"port": {"type": "string", "required": True}},
        output={"schema": {"type": "string"}, "render": lambda args, value: [{"type": "text", "text": value}]},
        execute=tide))
"""


async def test_cards_for_calls_of_its_tools(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    package_id = await opened.started(
        "return (c) => c.tool('tide', (root, call) => { root.append(`${call.arguments.port}: ${call.state}`); "
        "if (call.arguments.port === 'bad') throw new Error('cannot draw'); })",
        H_TOOL,
    )
    await expect(page.row(package_id)).to_contain_text("no panel")
    await w.ok("S1", "tide", port="Harbour")
    cards = page.frame(package_id).get_by_role("article")
    await expect(cards).to_have_count(1)
    await expect(cards.first).to_contain_text("Harbour: done")
    await w.call("S1", "tide", port="nowhere")
    await w.call("S2", "tide", port="secret of another session")
    await w.ok("S1", "tide", port="Sound")
    await expect(cards).to_have_count(3)
    await expect(cards.first).to_contain_text("Sound: done")
    await expect(cards.nth(1)).to_contain_text("nowhere: failed")
    await w.ok("S1", "tide", port="bad")
    await page.reads(page.tab.locator("#problems"), "tool tide was withdrawn")
    await page.gone(page.tab.locator(".half:not(.spare)"))


CLOCK = "return (client) => client.provide('clock', { now: ({ zone }) => `14:02 ${zone}`, fail() { throw 1 } })"
READS = """
return { inject: ["clock"], apply(client) {
  const clock = client.get("clock");
  client.panel({ title: "Clock", async render(root) {
    const failed = await clock.fail().catch((error) => error.kind);
    root.textContent = `${await clock.now({ zone: "UTC" })}, ${failed}, ${Object.keys(clock)}`;
  } });
} };
"""


async def test_services_between_browser_halves(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    reader = await w.define(client=READS)
    result = await opened.run(reader)
    assert (result.value["client"], result.value["client_waiting_for"]) == ("waiting", ["clock"])
    await expect(page.row(reader)).to_contain_text("waits here for clock")
    clock = await opened.started(CLOCK)
    text = page.frame(reader).locator(".panel div")
    await expect(text).to_have_text("14:02 UTC, service-error, now,fail")
    await until(lambda: w.state(reader) == "running")

    second = await w.define(client=CLOCK)
    refused = await opened.run(second)
    assert refused.error is not None
    assert f"{clock} provides clock already" in refused.error.message

    await w.ok("S1", "cordis_stop", id=clock)
    await expect(page.row(reader)).to_contain_text("waits here for clock")
    await page.gone(page.tab.locator(".half:not(.spare)"))
    await until(lambda: w.state(reader) == "waiting")
    assert (await opened.run(clock)).error is None
    await expect(text).to_have_text("14:02 UTC, service-error, now,fail")


VALUES = {
    "undefined": "arrives as null",
    "{ a: [1, 'x', null, true, 1.5] }": "same",
    "{ a: undefined }": "args.a is not lossless JSON: undefined",
    "[1, NaN]": "args[1] is not lossless JSON: NaN",
    "-0": "args is not lossless JSON: -0",
    "2 ** 53": "an integer beyond",
    "new Date(0)": "a Date is no plain object",
    "new Map()": "a Map is no plain object",
    "(() => {})": "a function",
    "1n": "a bigint",
    "'\\ud800'": "half of a surrogate pair",
    "(() => { const a = []; a.push(a); return a; })()": "it holds itself",
    "(() => { let a = 1; for (let n = 0; n < 200; n += 1) a = [a]; return a; })()": "more than 100 levels",
}


async def test_calls_are_lossless_and_failures_are_told_apart(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    code = """harness.handle("echo", lambda args: args)
harness.handle("odd", lambda args: (1, 2))
def breaks(args):
    return args["nothing"]
harness.handle("breaks", breaks)
def apply(ctx):
    pass
"""
    tries = ", ".join(f"() => host.call('echo', {value})" for value in VALUES)
    package_id = await opened.started(
        "const said = []; const attempt = async (run) => { try { said.push(['ok', await run()]); }"
        " catch (e) { said.push([e.kind ?? e.name, e.message]); } };"
        f"for (const run of [{tries}, () => host.call('odd'), () => host.call('breaks', {{}}),"
        " () => host.call('no'), () => host.call(7)]) await attempt(run);"
        "return (c) => c.panel({ title: 'Said', render(root) { root.textContent = JSON.stringify(said); } });",
        code,
    )
    text = page.frame(package_id).locator(".panel div")
    await page.reads(text, "]]")
    said = json.loads(await text.inner_text())
    assert said[0] == ["ok", None]
    assert said[1] == ["ok", {"a": [1, "x", None, True, 1.5]}]
    for (value, words), (kind, message) in list(zip(VALUES.items(), said, strict=False))[2:]:
        assert kind == "TypeError", value
        assert words in message, value
    odd, breaks, missing, number = said[len(VALUES) :]
    assert (odd[0], breaks[0], missing[0], number[0]) == (
        "handler-error",
        "handler-error",
        "method-not-found",
        "TypeError",
    )
    assert "lossless JSON" in odd[1]
    assert "nothing" in breaks[1]
    assert w.state(package_id) == "running"


async def test_the_facade_teaches(opened: Web) -> None:
    page = await opened.open()
    slips = {
        "client.panle({})": "client has no panle; there are: id, name, panel, status, tool, provide, get",
        "client.panel('x')": "client.panel({title, render(root)})",
        "client.tool('x')": "client.tool(name, (root, call) => { … })",
        "client.provide('x', {})": "an object of functions",
        "client.get('clock')": "add it to `inject`",
        "client.id = 1": "",
        "host.watch('x')": "`each` is called with every value",
    }
    body = "".join(f"try {{ {code}; said.push(''); }} catch (e) {{ said.push(e.message); }}\n" for code in slips)
    package_id = await opened.started(
        f"return (client) => {{ const said = [];\n{body}"
        "said.push(client.id);"
        "client.panel({ title: 'Said', render(root) { root.append(JSON.stringify(said)); } }); }"
    )
    text = page.frame(package_id).locator(".panel div")
    await page.reads(text, "]")
    said = json.loads(await text.inner_text())
    for (code, words), message in zip(slips.items(), said, strict=False):
        assert words in message, code
    assert said[-1] == package_id


async def test_what_is_undone_when_a_half_ends(opened: Web) -> None:
    page = await opened.open()
    source = """
    return (client) => {
      const panel = client.panel({ title: "First", render(root) {
        root.textContent = "first";
        return () => { throw new Error("while leaving"); };
      } });
      client.panel({ title: "Second", render(root) {
        const button = document.createElement("button");
        button.textContent = "Remove";
        button.addEventListener("click", () => { panel.rename("Gone"); panel.remove(); panel.remove(); });
        root.append(button);
      } });
    };"""
    package_id = await opened.started(source)
    frame = page.frame(package_id)
    await page.press(frame.get_by_role("button", name="Remove"))
    await expect(frame.get_by_role("heading")).to_have_text(["Second"])
    await page.reads(page.tab.locator("#problems"), "browser half had an error")
    await page.reads(page.tab.locator("#problems"), "while leaving")


COUNTS = """
return (client) => client.panel({ title: "Presses", render(root) {
  const button = document.createElement("button"), told = document.createElement("p");
  let number = 0;
  button.textContent = "Press";
  button.addEventListener("click", () => (told.textContent = `pressed ${++number} times`));
  root.append(button, told);
} });
"""


async def test_nothing_moves_while_it_is_pressed(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    package_id = await opened.started(COUNTS)
    other = await w.define(H_PING, client=B_OK)
    frame = page.frame(package_id)
    button, mouse = frame.get_by_role("button", name="Press"), page.tab.mouse
    await page.press(button)
    await page.reads(frame.locator("p"), "pressed 1 times")
    for number in range(2, 12):  # a press that takes too long is not waited for: one of them is short enough
        await mouse.down()
        task = await w.asked(other)
        request = page.request(f"req-{number}")
        await page.reads(page.tab.get_by_role("status"), "dyn-2 p asks to run")
        await asyncio.sleep(0.15)  # long enough to be drawn
        await mouse.up()
        await expect(request).to_be_visible()
        assert w.people.deny(f"req-{number}", "")
        await task
        await page.gone(request)
        if "pressed 2 times" in await frame.locator("p").inner_text():
            break
        await button.hover()
    await page.reads(frame.locator("p"), "pressed 2 times")
