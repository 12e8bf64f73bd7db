"""Browser halves that loop, fail late, or reach for what is not theirs."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.dynamic.world import H_PING, PATIENCE
from tests.page.test_browser_delivery import PANEL
from tests.support.browser import Web
from tests.support.page_server import until

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(240), pytest.mark.slow]

LOOPS = {
    "top": "while (true) {}",
    "later": "return () => setTimeout(() => { while (true) {} }, 50)",
    "render": "return (client) => client.panel({ title: 'Tide', render() { while (true) {} } })",
}


async def test_a_loop_stops_nobody_else_and_is_withdrawn(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    good = await opened.started(PANEL, H_PING)
    ask = page.frame(good).get_by_role("button", name="Ask")
    ids = {name: await w.define(H_PING, client=source) for name, source in LOOPS.items()}
    tasks = {name: asyncio.create_task(opened.run(package_id)) for name, package_id in ids.items()}
    later, render = await tasks["later"], await tasks["render"]
    assert not tasks["top"].done()
    await page.gone(page.tab.locator(".request"))
    await page.press(ask)
    await page.reads(page.frame(good).locator("body"), "pong")  # while all three are looping
    assert later.error is render.error is None

    top = await tasks["top"]
    assert top.error.code == "client-half-failed"
    assert "evaluate" in top.error.message
    assert "has not come back" in top.error.message
    for name in ("later", "render"):
        await page.reads(page.row(ids[name]), "failed here")
        assert w.state(ids[name]) == "running"
        run = w.package(ids[name]).run
        assert run is not None
        assert run.delivery is not None
        assert run.delivery.render_failure is not None
        assert run.delivery.held_by == ()
    await until(lambda: all("has not come back" in str(w.card(ids[name])) for name in ("later", "render")))
    assert await page.tab.locator("#problems li").count() == 3
    await page.press(ask)

    session = await opened.context.browser.new_browser_cdp_session()  # type: ignore[union-attr]

    async def spinning() -> float:
        """Seconds of CPU that renderers take within one second or so."""
        before = await cpu_seconds(session)
        await asyncio.sleep(1)
        after = await cpu_seconds(session)
        return sum(after[each] - before.get(each, 0.0) for each in after)

    async with asyncio.timeout(PATIENCE):
        while await spinning() > 0.5:  # their processes are gone
            await asyncio.sleep(0.1)
    await session.detach()


async def cpu_seconds(session: object) -> dict[int, float]:
    told = await session.send("SystemInfo.getProcessInfo")  # type: ignore[attr-defined]
    return {each["id"]: each["cpuTime"] for each in told["processInfo"] if each["type"] == "renderer"}


LATE = """
return (client) => {
  client.panel({ title: "Good", render(root) { root.textContent = "still here"; } });
  client.panel({ title: "Timer", render(root) {
    root.textContent = "timer";
    setTimeout(() => { const wind = undefined;
      wind.speed; }, 10);
  } });
  client.panel({ title: "Click", render(root) {
    const button = document.createElement("button");
    button.textContent = "Break";
    button.addEventListener("click", async () => { await null; throw new Error("after a click"); });
    root.append(button);
  } });
  client.panel({ title: "Async", async render() { await null; throw new RangeError("later"); } });
  setTimeout(() => Promise.reject(new Error("nobody waits")), 10);
};
"""


async def test_what_fails_late_takes_its_own_panel_and_is_told(opened: Web) -> None:
    w = opened.world
    page = await opened.open()
    package_id = await opened.started(LATE, H_PING)
    problems = page.tab.locator("#problems")
    for words in (
        "panel Timer was withdrawn:TypeError: Cannot read properties of undefined (reading 'speed') (line 7)",
        "panel Async was withdrawn:RangeError: later",
        "browser half had an error:Error: nobody waits",
    ):
        await page.reads(problems, words)
    frame = page.frame(package_id)
    await page.press(frame.get_by_role("button", name="Break"))
    await page.reads(problems, "panel Click was withdrawn:Error: after a click")
    await page.reads(page.row(package_id), "loaded here, 1 panel")
    assert await frame.locator("h2").all_inner_texts() == ["Good"]
    await page.reads(frame.locator("body"), "still here")
    await until(lambda: "after a click" in str(w.card(package_id)))
    assert w.state(package_id) == "running"
    report = await w.ok("S1", "cordis_inspect", what="temporary")
    assert "panel Click" in report
    await w.ok("S1", "cordis_stop", id=package_id)
    await w.check_clean()


@asynccontextmanager
async def listener() -> AsyncIterator[tuple[int, int, list[str]]]:
    """A TCP and a UDP port, and what has come in."""
    heard: list[str] = []

    class Datagrams(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, addr: object) -> None:
            heard.append(f"datagram {data[:8]!r}")

    async def connected(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append("connection")
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, family=socket.AF_INET)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(Datagrams, ("127.0.0.1", 0))
    try:
        yield server.sockets[0].getsockname()[1], transport.get_extra_info("sockname")[1], heard
    finally:
        transport.close()
        server.close()
        await server.wait_closed()


REACHES = (Path(__file__).parent / "halves" / "reaches.js").read_text()
HEARS = """
const heard = [];
addEventListener("message", (event) => heard.push(event.data));
onmessage = (event) => heard.push(event.data);
return (client) => client.panel({ title: "Secret", render(root) {
  const button = document.createElement("button");
  button.textContent = "Count";
  button.addEventListener("click", () => { root.append(`heard ${heard.length} messages`); });
  root.append("my secret", button);
} });
"""


async def test_the_network_the_page_and_other_panels_are_out_of_reach(opened: Web) -> None:
    page = await opened.open()
    victim = await opened.started(HEARS)
    await page.reads(page.frame(victim).locator("body"), "my secret")
    async with listener() as (tcp, udp, heard):
        source = REACHES.replace("TCP", str(tcp)).replace("UDP", str(udp))
        package_id = await opened.started(source)
        text = page.frame(package_id).locator(".panel div")
        await page.reads(text, "seen")
        told = json.loads(await text.inner_text())
        await asyncio.sleep(1)  # what is to fail may take its time; it is no condition of the test
        assert heard == []
    said = dict(told["said"])
    for name in (
        "fetch",
        "own fetch",
        "socket",
        "xhr",
        "image",
        "import",
        "page",
        "page text",
        "top",
        "storage",
        "cookie",
    ):
        assert "Error" in said[name], (name, said[name])
    assert said["popup"] in ("null", "undefined") or "Error" in said["popup"]
    assert not [name for name, _ in told["said"] if name.startswith("panel")]  # no window of theirs can be had
    token = urlsplit(opened.served.url).path.strip("/")
    assert token not in json.dumps(told)
    assert token not in await page.frame(package_id).locator("html").inner_html()

    await page.press(page.frame(victim).get_by_role("button", name="Count"))
    await page.reads(page.frame(victim).locator("body"), "heard 0 messages")
    await page.reads(page.tab.locator("#problems"), "a browser half has no network")
    assert await page.tab.title() == "Prompt Workbench"
    following = await opened.started(PANEL, H_PING)  # the frame that stood ready heard nobody but the page
    await page.press(page.frame(following).get_by_role("button", name="Ask"))
    await page.reads(page.frame(following).locator("body"), "pong")


@pytest.mark.parametrize("leaving", ["location.reload()", "location.href = 'http://127.0.0.1:1/'", "history.go(0)"])
async def test_who_leaves_the_frame_is_withdrawn(opened: Web, leaving: str) -> None:
    page = await opened.open()
    package_id = await opened.started(
        "return (client) => { client.panel({ title: 'Tide', render() {} }); setTimeout(() => {"
        + leaving
        + "}, 20) }"
    )
    await page.reads(page.row(package_id), "failed here")
    await page.reads(page.tab.locator("#problems"), "left its frame")
    assert await page.tab.locator(".half:not(.spare)").count() == 0
    await page.row(package_id).get_by_role("button", name="Try again").click()
    await page.reads(page.row(package_id), "failed here")


FLOODS = """
const kinds = {};
return (client) => client.panel({ title: "Flood", async render(root) {
  const calls = Array.from({ length: 1500 }, () => host.call("ping").then(() => "ok", (error) => error.kind));
  for (const kind of await Promise.all(calls)) kinds[kind] = (kinds[kind] ?? 0) + 1;
  root.textContent = JSON.stringify(kinds);
} });
"""


TALKS = """
const go = () => { for (let n = 0; n < 5000; n += 1) host.call("x").catch(() => {}); setTimeout(go); };
return () => go();
"""


async def test_a_flood_of_calls_does_not_cost_the_page_its_connection(opened: Web) -> None:
    page = await opened.open()
    name = await page.id
    package_id = await opened.started(FLOODS, H_PING)
    text = page.frame(package_id).locator(".panel div")
    await page.reads(text, "too-many")
    kinds = json.loads(await text.inner_text())
    assert set(kinds) == {"ok", "too-many"}
    assert await page.id == name

    talks = await opened.world.define(client=TALKS)
    await opened.run(talks)
    await page.reads(page.tab.locator("#problems"), "says too much")
    await page.reads(page.row(package_id), "loaded here, 1 panel")
    assert await page.id == name


TRAPS = {
    "fetch('x')": "host.call(method, args)",
    "new XMLHttpRequest()": "host.call(method, args)",
    "window.fetch('x')": "host.call(method, args)",
    "localStorage.getItem('x')": "in the host half",
    "document.cookie": "in the host half",
    "parent.document": "client.panel",
    "alert('x')": "into a panel",
    "require('fs')": "no modules",
    "new Worker('x')": "long work",
}


async def test_traps_teach(opened: Web) -> None:
    page = await opened.open()
    slips = "".join(
        f"try {{ {code}; said.push('nothing'); }} catch (e) {{ said.push(e.message); }}\n" for code in TRAPS
    )
    package_id = await opened.started(
        "const said = [];\n" + slips + "said.push(typeof fetch);"
        "return (client) => client.panel({ title: 'Said', render(root) { root.append(JSON.stringify(said)) } })"
    )
    text = page.frame(package_id).locator(".panel div")
    await page.reads(text, "function")
    said = json.loads(await text.inner_text())
    for (code, words), message in zip(TRAPS.items(), said, strict=False):
        assert "is not available to a browser half" in message, code
        assert words in message, code
    assert said[-1] == "function"
    await opened.started("const open = 1, parent = 2, top = 3, module = 4, name = 5, host = 6; return () => {}")
