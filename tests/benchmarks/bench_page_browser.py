"""What a browser half costs in a real Chromium: from its announcement to the acknowledgement of the page.

    uv run python tests/benchmarks/bench_page_browser.py

The unit is a bare WebSocket echo from the same page, by a server in the same event loop. `at hand`: while a request
waits for a person, the page has a frame ready; `at once`: it is allowed before the page can have one, so that the
process of the frame is part of the time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
from pathlib import Path
from typing import Any

from measure import HEADER, Settings, ratio_of, settings

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.browser import Web, chromium, web, why_not

HALF = "return (client) => client.status('here')"
ECHO = """async ([url, times]) => {
  const socket = new WebSocket(url);
  await new Promise((open) => { socket.onopen = open; });
  let best = Infinity;
  for (let n = 0; n < times; n += 1) {
    const begun = performance.now();
    const answered = new Promise((answer) => { socket.onmessage = answer; });
    socket.send('{"type":"echo"}');
    await answered;
    best = Math.min(best, performance.now() - begun);
  }
  socket.close();
  return best;
}"""


async def delivery_ns(opened: Web, tab: Any, *, at_hand: bool) -> int:
    """One delivery; the run is stopped again."""
    dynamic = opened.world.dynamic
    times: dict[str, int] = {}
    (page,) = dynamic.pages.all()
    announce, acknowledge = page.announce, dynamic.pages.acknowledge

    def announcing(announcement: Any) -> None:
        times["announced"] = time.perf_counter_ns()
        announce(announcement)

    def acknowledged(*given: Any, **more: Any) -> bool:
        times["acknowledged"] = time.perf_counter_ns()
        return acknowledge(*given, **more)

    page.announce, dynamic.pages.acknowledge = announcing, acknowledged  # type: ignore[method-assign]
    try:
        package_id = await opened.world.define(client=HALF)
        task = await opened.world.asked(package_id)
        if at_hand:
            await tab.wait_for_selector(".half.spare iframe", state="attached")
            await asyncio.sleep(0.5)  # a person who reads needs longer
        (request,) = dynamic.requests.pending()
        assert opened.world.people.allow(request.id)
        result = await task
        assert result.error is None, result.error
        await opened.world.ok("S1", "cordis_undefine", id=package_id)
    finally:
        del page.announce  # type: ignore[attr-defined]
        del dynamic.pages.acknowledge  # type: ignore[attr-defined]
    return times["acknowledged"] - times["announced"]


async def measured(how: Settings) -> None:
    from websockets.asyncio.server import ServerConnection, serve

    async def echo(connection: ServerConnection) -> None:
        async for message in connection:
            await connection.send(message)

    async with (
        chromium() as browser,
        web(browser, bypass_csp=True) as opened,
        serve(echo, "127.0.0.1", 0, compression=None) as server,
    ):
        page = await opened.open()
        url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}/"
        print(HEADER)
        for label, at_hand, goal in (("delivery, a frame at hand", True, 10.0), ("delivery at once", False, None)):
            rounds = []
            for _ in range(how.rounds):
                ours = min([await delivery_ns(opened, page.tab, at_hand=at_hand) for _ in range(how.samples)])
                theirs = await page.tab.evaluate(ECHO, [url, how.samples])
                rounds.append((ours, theirs * 1e6))
            print(ratio_of(rounds).line(label, goal))


def main() -> None:
    how = settings(__doc__ or "")
    reason = why_not()
    if reason:
        print(f"nothing measured, no ratio: {reason}")
        return
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(measured(how))


if __name__ == "__main__":
    main()
