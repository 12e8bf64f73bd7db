"""`harness.feed()`: how a host half hands out news, without anybody asking again and again.

Source: docs/dynamic-packages.md 7.4.
"""

from __future__ import annotations

import asyncio
from typing import Any

from workbench.dynamic.sandbox.names import frozen_object


def make_feed() -> Any:
    """`put(value)` makes news; `await next(after)` gives the newest value that is younger than number `after`.

    `next` gives `{"number": n, "value": value}`, at once where there is such a value, else with the next `put`.
    Numbers count from 1. Who was slow misses what was overtaken, never the last. Waiting ends with the task that
    waits.
    """
    waiting: set[asyncio.Future[None]] = set()
    number = 0
    newest: Any = None

    def put(value: Any) -> None:
        nonlocal number, newest
        number, newest = number + 1, value
        for future in waiting:
            if not future.done():
                future.set_result(None)
        waiting.clear()

    async def next_(after: Any = 0) -> dict[str, Any]:
        if after is None:
            after = 0
        if type(after) is not int:
            raise TypeError(f"next(after): the number of the last value that was seen, not {type(after).__name__}")
        if after > number:
            after = 0  # of an earlier feed: this one begins anew
        while number <= after:
            future = asyncio.get_running_loop().create_future()
            waiting.add(future)
            try:
                await future
            finally:
                waiting.discard(future)
        return {"number": number, "value": newest}

    return frozen_object("feed", {"put": staticmethod(put), "next": staticmethod(next_)})
