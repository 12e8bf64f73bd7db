"""A fresh runtime on fake time for every test of the core, and a look behind it at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any

import pytest

from tests.support.clock import Clock, ClockLoop
from tests.support.plugins import Log, Spawn
from tests.support.records import Records, recording
from workbench.core import Context, Runtime


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> dict[str, Any]:
    return {"clock": ClockLoop}


@pytest.fixture
def errors() -> Iterator[Records]:
    """What the core logged."""
    with recording("workbench.core") as records:
        yield records


@pytest.fixture(autouse=True)
def loop_errors() -> Iterator[Records]:
    """What the loop itself complains about, such as an exception that nobody retrieved."""
    with recording("asyncio") as records:
        yield records
    assert records.messages == []


@pytest.fixture
async def rt(loop_errors: Records) -> AsyncIterator[Runtime]:
    async with Runtime() as runtime:
        yield runtime
    left = {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}
    assert not left, "tasks outlive the runtime"


@pytest.fixture
def root(rt: Runtime) -> Context:
    return rt.root


@pytest.fixture
def log() -> Log:
    return []


@pytest.fixture
async def clock() -> Clock:
    return Clock()


@pytest.fixture
async def spawn(rt: Runtime) -> AsyncIterator[Spawn]:
    """Start a task of the test; it is over when the test is."""
    tasks: list[asyncio.Task[Any]] = []

    def start(coro: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        tasks.append(asyncio.ensure_future(coro))
        return tasks[-1]

    yield start
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
