"""Small plugins and probes that the core's tests load."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.core import Context, CoreError, Fiber, Runtime

Log = list[Any]
"""What plugins note while they run."""

Next = Callable[[], Awaitable[Any]]
"""The last argument of a waterfall listener."""

Spawn = Callable[[Coroutine[Any, Any, Any]], asyncio.Task[Any]]
"""Starts a task that is over when the test is."""


class Boom(Exception):
    """The error that plugins of these tests raise on purpose."""


def nothing(ctx: Context) -> None:
    """A plugin call that registers nothing."""


def raises(*_: object) -> None:
    """A listener or disposer that does nothing else."""
    raise Boom("boom")


async def passes(*args: Any) -> Any:
    """A waterfall listener that changes nothing."""
    return await args[-1]()


def P(name: str, apply: Callable[..., Any] = nothing, **metadata: Any) -> SimpleNamespace:
    """A namespace plugin; `metadata` are `inject`, `provides` and `Config`."""
    return SimpleNamespace(name=name, apply=apply, **metadata)


def svc(service: str, value: object = None, name: str | None = None) -> SimpleNamespace:
    """A plugin that only provides `service`, with value "v:<service>" unless another is given."""

    def apply(ctx: Context) -> None:
        ctx.provide(service, f"v:{service}" if value is None else value)

    return P(name or f"svc:{service}", apply)


@contextlib.contextmanager
def refuses(code: str, *words: str) -> Iterator[pytest.ExceptionInfo[CoreError]]:
    """The block raises a CoreError with this code, and its message contains each of the words."""
    with pytest.raises(CoreError) as caught:
        yield caught
    assert caught.value.code == code
    for word in words:
        assert word in str(caught.value)


class States:
    """Every `internal/status` since it was made, as (fiber name, old, new)."""

    def __init__(self, root: Context) -> None:
        self.changes: list[tuple[str, str, str]] = []
        root.on("internal/status", self._record)

    def _record(self, fiber: Fiber, old: str) -> None:
        self.changes.append((fiber.name, str(old), str(fiber.state)))

    def of(self, name: str) -> str:
        """The path of one fiber, such as "pending → loading → active"."""
        steps = [(old, new) for fiber, old, new in self.changes if fiber == name]
        for (_, new), (old, _) in itertools.pairwise(steps):
            assert new == old, f"{name} went to {new} and continued from {old}"
        return " → ".join([steps[0][0], *(new for _, new in steps)]) if steps else ""

    def clear(self) -> None:
        self.changes.clear()


class Patient:
    """An async call that waits for ever, and counts how often it is cancelled."""

    def __init__(self, takes_to_end: float = 0) -> None:
        self.begun = self.ended = self.cancellations = 0
        self._takes_to_end = takes_to_end
        self.go = asyncio.Event()

    async def __call__(self, *_: object) -> None:
        self.begun += 1
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancellations += 1
            await asyncio.sleep(self._takes_to_end)
            raise
        finally:
            self.ended += 1


def n_of(config: Any) -> int:
    """The number in a config, validated or raw."""
    return config["n"] if isinstance(config, dict) else config.n


def hears(ctx: Context, event: str, heard: list[Any]) -> int:
    """How many entries one `emit` of the event adds to `heard`, which is left as it was."""
    before = len(heard)
    ctx.emit(event)
    added = len(heard) - before
    del heard[before:]
    return added


def labels(fiber: Fiber) -> list[str]:
    """The labels of a fiber's ledger, top level only."""
    return [node.label for node in fiber.effects()]


class Key:
    """A scope key. Keys are compared by identity; the label is for views."""

    def __init__(self, name: str) -> None:
        self.label = name

    def __repr__(self) -> str:
        return self.label


class Traces:
    """Watches the runtime's waterfalls."""

    def __init__(self, rt: Runtime) -> None:
        self.waterfalls: list[Any] = []
        self.stop = rt.watch(self._observe)

    def _observe(self, kind: str, payload: Any) -> None:
        if kind == "waterfall":
            self.waterfalls.append(payload)

    @property
    def last(self) -> list[tuple[str, str, int]]:
        """Owner, outcome and number of `next()` calls of each listener of the last waterfall."""
        entries = self.waterfalls[-1].listeners
        return [(entry.owner, entry.outcome, entry.asked) for entry in entries]
