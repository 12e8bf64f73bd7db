"""One message per frame, from whatever task an event comes."""

from __future__ import annotations

import asyncio
import contextvars

from workbench.tui.bridge import FRAME, Bridge, Changed


async def test_any_number_of_events_is_one_message() -> None:
    posted: list[object] = []
    bridge = Bridge(posted.append)
    for number in range(100_000):
        bridge.mark(str(number % 2))
    assert posted == []
    assert bridge.is_due
    await asyncio.sleep(2 * FRAME)
    assert [message.topics for message in posted if isinstance(message, Changed)] == [frozenset({"0", "1"})]
    assert not bridge.is_due


async def test_events_of_a_task_that_knows_no_app_arrive() -> None:
    posted: list[object] = []
    bridge = Bridge(posted.append)

    async def strange() -> None:
        bridge.mark("files")

    await asyncio.create_task(strange(), context=contextvars.Context())
    await asyncio.sleep(2 * FRAME)
    assert len(posted) == 1


async def test_nothing_is_posted_after_the_end() -> None:
    posted: list[object] = []
    bridge = Bridge(posted.append)
    bridge.mark("x")
    bridge.close()
    await asyncio.sleep(2 * FRAME)
    assert posted == []
