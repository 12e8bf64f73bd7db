"""The page server as a plugin: it starts, serves, stops, and leaves nothing; and what happens without the extra."""

from __future__ import annotations

import asyncio
import gc
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.dynamic.world import B_OK, H_PING, world
from tests.page.raw import connection, get
from tests.support.page_server import PageClient, Served, served, until
from workbench.page.events import PAGE_CHANGE
from workbench.page.server import bound_socket
from workbench.page.start import PackagePage, PageConfig, PageError


@pytest.fixture
async def s() -> AsyncIterator[Served]:
    async with served() as made:
        yield made


async def test_pages_are_listed_and_told_of(s: Served) -> None:
    seen: list[list[str]] = []
    s.world.root.on(PAGE_CHANGE, lambda: seen.append([each.id for each in s.page.pages]))
    firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    async with PageClient(s.url, user_agent=firefox) as one:
        async with PageClient(s.url, user_agent="ü" * 500):
            known = s.page.page("page-1")
            assert known is not None
            assert (known.browser, known.connected_at > 1e9) == ("Firefox 140", True)
            assert len(s.page.pages[1].browser) <= 40
        await until(lambda: len(s.page.pages) == 1)
        assert s.page.page("page-2") is None
        assert one.id == "page-1"
    await until(lambda: seen == [["page-1"], ["page-1", "page-2"], ["page-1"], []])
    assert s.url.startswith(f"{s.page.address}/")
    assert s.page.address == f"http://127.0.0.1:{s.page.port}"


async def test_a_stop_leaves_nothing(s: Served) -> None:
    w = s.world
    before = asyncio.all_tasks()
    port = s.page.port
    async with PageClient(s.url) as page, PageClient(s.url) as other:
        await w.define("async def wait(args):\n    await ctx.timeout(99)\n" + H_PING, client=B_OK)
        await w.people.start("dyn-1")
        await until(lambda: bool(page.loaded) and bool(other.loaded))
        idle = await connection(s.url)
        await s.fiber.dispose()
        await page.closed()
        assert (page.close_code, page.close_reason) == (1001, "the workbench has stopped serving pages")
        assert w.dynamic.pages.all() == ()
        assert w.state("dyn-1") == "running"  # the last page that held it has gone
        assert w.root.get("page") is None
        try:
            assert await idle[0].read() == b""
        except ConnectionResetError:
            pass
        idle[1].close()
        with pytest.raises(OSError):
            await asyncio.open_connection("127.0.0.1", port)
    served_by_us = [task for task in asyncio.all_tasks() - before if not task.done()]
    assert served_by_us == []
    bound_socket(port).close()
    gc.collect()  # a socket that nobody has closed would warn, and a warning is an error


async def test_a_page_that_takes_no_note_is_cut_off_at_a_stop(s: Served) -> None:
    page = PageClient(s.url)
    async with page:
        page.socket.transport.pause_reading()
        async with asyncio.timeout(60):
            await s.fiber.dispose()
        page.socket.transport.resume_reading()


async def test_the_plugin_starts_again_at_the_same_address(s: Served) -> None:
    url = s.url
    async with PageClient(url) as page:
        await s.fiber.restart()
        await page.closed()
    assert s.url == url
    async with PageClient(url) as page:
        assert page.id == "page-2"  # no id is given twice


async def test_a_runtime_of_its_own_has_an_address_of_its_own(s: Served) -> None:
    async with served() as other:
        assert other.url.rpartition("/")[0].rpartition("/")[2] != s.url.rpartition("/")[0].rpartition("/")[2]
        answer = await get(other.url, f"/{s.url.rstrip('/').rpartition('/')[2]}/")
        assert answer.status == 404


async def test_a_port_that_is_taken(s: Served) -> None:
    async with world() as w:
        with pytest.raises(PageError, match=f"port {s.page.port} is in use; name another one under `port`"):
            await w.root.plugin(PackagePage, PageConfig(s.page.port))
        assert w.root.get("page") is None


async def test_it_goes_with_the_runner_and_comes_back_with_it() -> None:
    async with world() as w:
        fiber = w.root.plugin(PackagePage)
        await fiber
        url = w.root.page.url
        async with PageClient(url) as page:
            runner = next(each for each in w.rt.fibers() if each.name == "package_runner")
            await runner.restart()
            await page.closed()
        await w.rt.quiesce()
        await until(lambda: w.root.get("page") is not None)
        assert w.root.page.url == url
        async with PageClient(url):
            assert len(w.root.dynamic.pages.all()) == 1


async def test_signals_stay_whose_they_are() -> None:
    def handlers() -> list[object]:
        return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    before = handlers()
    async with served() as s:
        assert handlers() == before
        await s.fiber.restart()
        assert handlers() == before
    assert handlers() == before


async def test_an_idle_server_sets_no_clock(s: Served) -> None:
    """But for one ping of each page, which is due in many seconds."""
    async with PageClient(s.url):
        await s.world.rt.quiesce()
        now = s.world.rt.loop.time()
        due = [each for each in s.world.rt.loop._scheduled if not each.cancelled()]  # type: ignore[attr-defined]
        ours = [each for each in due if "workbench.page" in repr(each) or "uvicorn" in repr(each)]
        assert all(each.when() - now > 5 for each in ours)
        assert len(ours) <= 1


async def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import workbench.dynamic.page_extra as extra

    def find_spec(name: str) -> Any:
        return None if name == "uvicorn" else object()

    monkeypatch.setattr(extra, "find_spec", find_spec)
    async with world() as w:
        with pytest.raises(PageError, match=r"a page needs the extra `page`: install prompt-workbench\[page\]"):
            await w.root.plugin(PackagePage)
        reason, message = await w.refused("S1", "cordis_define", name="p", purpose="p", client=B_OK)
        assert reason == "invalid-arguments"
        assert "install prompt-workbench[page]" in message
        assert "extra `page`" in message
        await w.define(H_PING)


COMPOSITION = """
agents:
  - name: main
    model: m
plugins:
  - package_runner
  - package_tools
"""


@pytest.mark.parametrize(("line", "is_loaded"), [("", False), ("  - package_page\n", True)])
def test_nothing_of_it_is_imported_before_a_composition_asks_for_it(
    tmp_path: Path, line: str, is_loaded: bool
) -> None:
    file = tmp_path / "agent.yml"
    file.write_text(COMPOSITION + line)
    code = f"""
import asyncio, sys
from workbench.config.opened import open_composition
from workbench.config.live import live_services

async def main():
    async with open_composition({str(file)!r}, settle_seconds=60, services=live_services()) as opened:
        assert opened.runtime.root.get("dynamic") is not None
        assert (opened.runtime.root.get("page") is not None) is {is_loaded}

asyncio.run(main())
late = ("starlette", "uvicorn", "websockets", "h11", "anyio", "workbench.page", "py_mini_racer")
print(sorted({{name.partition(".")[0] for name in sys.modules if name.startswith(late)}} - {{"workbench"}}))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert ("uvicorn" in ran.stdout, "starlette" in ran.stdout) == (is_loaded, is_loaded)
    assert "py_mini_racer" not in ran.stdout
