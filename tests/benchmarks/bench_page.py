"""What pages cost the event loop, and how long one takes from its announcement to its acknowledgement.

    uv run python tests/benchmarks/bench_page.py

The first rows are processor time of the loop alone, with 20 open pages in units of one; the pages are another
process, and only read. First all that an announcement is part of: a run is asked for, allowed, its host half
loaded, its browser half announced, and the run is stopped again. Then two parts of that, of which the second is the
bare announcement; what that takes by the clock on the wall; and what it takes the processor with the thread that
writes (and with waking up from a pause of 2 ms): 20 writes to sockets take the kernel some 5 µs each wherever they
are made. The last row is a page that is told of a run, fetches it and answers, in units of a bare WebSocket echo
with the same client over the same kind of socket.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from measure import HEADER, Ratio, Settings, compare_async, ratio_of, settings
from websockets.asyncio.server import ServerConnection, serve

from workbench.core import Runtime
from workbench.dynamic.arguments import Caller
from workbench.dynamic.delivery import Announcement, Delivery
from workbench.dynamic.events import CHANGE
from workbench.dynamic.people import People
from workbench.dynamic.refusals import Refusal
from workbench.dynamic.runner import PackageRunner
from workbench.dynamic.service import DynamicPackages
from workbench.page import limits
from workbench.page.start import PackagePage
from workbench.prompt import SystemPrompt
from workbench.tools import ToolRegistry

AsyncStep = Callable[["Side"], Awaitable[None]]
Clock = Callable[[], int]

ME = Caller("bench")
PEER = Path(__file__).with_name("page_peer.py")
HOST = 'harness.handle("ping", lambda args: "pong")\ndef apply(ctx):\n    pass\n'
CLIENT = "return (client) => {}\n" + "// a browser half of ordinary length\n" * 100


@dataclass
class Side:
    """A runtime with pages."""

    runtime: Runtime
    dynamic: DynamicPackages

    async def until(self, fact: Callable[[], bool]) -> None:
        while not fact():
            await asyncio.sleep(0)

    def state(self) -> str:
        package = self.dynamic.package("dyn-1")
        return "" if package is None else package.state


@asynccontextmanager
async def side(kind: str, more: str, pages: int) -> AsyncIterator[Side]:
    """With so many pages of another process, and one package."""
    async with Runtime() as runtime:
        for plugin in (SystemPrompt, ToolRegistry, PackageRunner, PackagePage):
            await runtime.root.plugin(plugin)
        made = Side(runtime, runtime.root.dynamic)
        peer = subprocess.Popen([sys.executable, PEER, runtime.root.page.url, kind, more])  # noqa: ASYNC220
        try:
            while len(runtime.root.page.pages) < pages:
                await asyncio.sleep(0.01)
            defined = made.dynamic.define(ME, {"name": "p", "purpose": "bench", "code": HOST, "client": CLIENT})
            if asyncio.iscoroutine(defined):
                await defined
            yield made
        finally:
            peer.kill()
            await asyncio.to_thread(peer.wait)


async def run_and_stop(given: Side) -> None:
    """All that one announcement is part of. Nobody acknowledges it."""
    dynamic = given.dynamic
    run = asyncio.create_task(dynamic.run(ME, {"id": "dyn-1"}))
    await given.until(lambda: bool(dynamic.requests.pending()))
    dynamic.requests.answer(dynamic.requests.pending()[0].id, True, "", "bench")
    await given.until(lambda: given.state() == "delivering")
    await asyncio.sleep(0)  # what is told in this turn goes out with the next
    await dynamic.stop(ME, {"id": "dyn-1"})
    with suppress(Refusal):
        await run


async def ask_and_deny(given: Side) -> None:
    dynamic = given.dynamic
    run = asyncio.create_task(dynamic.run(ME, {"id": "dyn-1"}))
    await given.until(lambda: bool(dynamic.requests.pending()))
    dynamic.requests.answer(dynamic.requests.pending()[0].id, False, "no", "bench")
    with suppress(Refusal):
        await run


async def nothing(_given: Side) -> None:
    pass


async def a_pause(_given: Side) -> None:
    await asyncio.sleep(0.002)


async def announce(given: Side) -> None:
    """The bare announcement, as a delivery makes it."""
    dynamic = given.dynamic
    package = dynamic.package("dyn-1")
    assert package is not None
    delivery = Delivery(Announcement("dyn-1", 1, "run-0", "p", "bench"), lambda: dynamic.changed(package))
    delivery.ask(*dynamic.pages.all())
    await asyncio.sleep(0)


async def pages_time(
    work: AsyncStep, one: Side, twenty: Side, how: Settings, clock: Clock, pause: AsyncStep
) -> Ratio:
    """20 pages in units of one. `pause` is what of a pause in which the pages read is measured, too."""
    repeats = 1 if how.quick else 40

    async def sample(given: Side) -> float:
        spent = 0
        for _ in range(repeats):
            started = clock()
            await work(given)
            await pause(given)
            spent += clock() - started
            await asyncio.sleep(0.002)
        return spent / repeats

    rounds: list[tuple[float, ...]] = []
    for _ in range(how.rounds):
        samples = [(await sample(twenty), await sample(one)) for _ in range(how.samples)]
        rounds.append(tuple(map(min, zip(*samples, strict=True))))
    return ratio_of(rounds)


async def pages(how: Settings) -> None:
    async with side("silent", "1", 1) as one, side("silent", "20", 20) as twenty:
        for given in (one, twenty):
            await run_and_stop(given)  # the probe
        loop, wall, everything = time.thread_time_ns, time.perf_counter_ns, time.process_time_ns
        for label, work, clock, pause, goal in (
            ("a run, 20 pages / 1", run_and_stop, loop, nothing, 2.0),
            ("of it a request, and its denial", ask_and_deny, loop, nothing, 2.0),
            ("of it the bare announcement", announce, loop, nothing, 2.0),
            ("the same, time on the wall", announce, wall, nothing, None),
            ("the same, with the other thread", announce, everything, a_pause, None),
        ):
            print((await pages_time(work, one, twenty, how, clock, pause)).line(label, goal))


async def delivery(how: Settings) -> None:
    """One page holds the run, and another is told of it again and again."""
    echoes: asyncio.Queue[ServerConnection] = asyncio.Queue()
    over = asyncio.Event()

    async def bare(socket: ServerConnection) -> None:
        echoes.put_nowait(socket)
        await over.wait()

    async with serve(bare, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with side("failing", f"ws://127.0.0.1:{port}/", 1) as given:
            socket = await echoes.get()
            runtime, dynamic = given.runtime, given.dynamic
            url = runtime.root.page.url
            holder = subprocess.Popen([sys.executable, PEER, url, "loading", "1"])  # noqa: ASYNC220
            try:
                while len(runtime.root.page.pages) < 2:
                    await asyncio.sleep(0.01)
                await People(dynamic).start("dyn-1")
                changed = asyncio.Event()
                runtime.root.on(CHANGE, lambda _id: changed.set())
                package = dynamic.package("dyn-1")
                assert package is not None
                assert package.run is not None
                assert package.run.delivery is not None
                outcomes = package.run.delivery.outcomes

                async def acknowledged() -> None:
                    while any(each.state == "asked" for each in outcomes()):
                        await changed.wait()
                        changed.clear()

                async def deliver() -> None:
                    dynamic.pages.deliver_again("dyn-1")
                    await acknowledged()

                async def echo() -> None:
                    await socket.send("x" * 100)
                    await socket.recv()

                await acknowledged()
                assert sorted(each.state for each in outcomes()) == ["failed", "loaded"]
                row = await compare_async(deliver, echo, how)
                assert len(runtime.root.page.pages) == 2
                print(row.line("delivery to acknowledgement / echo", 10.0))
            finally:
                over.set()
                holder.kill()
                await asyncio.to_thread(holder.wait)


async def main() -> None:
    how = settings(__doc__ or "")
    logging.disable(logging.CRITICAL)
    limits.MESSAGES_AT_ONCE = 10**9  # a page that answers as fast as it can would be closed
    print(HEADER)
    await pages(how)
    await delivery(how)


if __name__ == "__main__":
    asyncio.run(main())
