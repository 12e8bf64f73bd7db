"""Stopping and restarting with the proof."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from workbench.config.registry.control import NoSuchPlugin, left_of
from workbench.config.registry.facts import Left
from workbench.config.registry.reading import RegistryReader
from workbench.core import Context, Fiber, Runtime
from workbench.prompt import PromptConfig, SystemPrompt, ToolSchema
from workbench.tools import ToolRegistry


@pytest.fixture
async def runtime() -> AsyncIterator[Runtime]:
    async with Runtime() as made:
        await made.root.plugin(SystemPrompt, PromptConfig())
        await made.root.plugin(ToolRegistry)
        yield made


class Busy:
    """Registers one of everything, and loads a child."""

    name = "busy"
    inject = ("system_prompt", "tools")

    async def apply(self, ctx: Context) -> None:
        ctx.system_prompt.section("s", 1, "Text.")
        ctx.system_prompt.variable("v", lambda context: "x")
        ctx.tools.register(ToolSchema("t", "A tool.", {"type": "object"}))
        ctx.provide("busy", self)
        ctx.on("some/event", print)
        ctx.task(asyncio.sleep(1000), "forever")

        def child(inner: Context) -> None:
            inner.on("some/event", print)

        await ctx.plugin(child)


@pytest.fixture
async def busy(runtime: Runtime) -> Fiber:
    fiber: Fiber = await runtime.root.plugin(Busy())
    return fiber


async def test_a_stop_leaves_nothing_and_is_remembered(runtime: Runtime, busy: Fiber) -> None:
    before = runtime.snapshot()
    reader = RegistryReader(runtime)
    uid = busy.uid or 0
    outcome = await reader.end_plugin(uid, "stop")
    assert (outcome.left, outcome.error, outcome.action, outcome.plugin) == ((), "", "stop", "busy")
    assert b"busy" in before
    assert b"busy" not in runtime.snapshot()
    registry = reader.read()
    fact = registry.plugin(uid)
    assert fact is not None
    assert (fact.state, fact.outcome) == ("stopped", outcome)
    assert not registry.owned_by(uid)
    with pytest.raises(NoSuchPlugin):
        await reader.end_plugin(uid, "stop")


async def test_a_restart_proves_that_the_old_activation_is_gone(runtime: Runtime, busy: Fiber) -> None:
    before = runtime.snapshot()
    reader = RegistryReader(runtime)
    outcome = await reader.end_plugin(busy.uid or 0, "restart")
    assert outcome.is_clean
    assert runtime.snapshot() == before
    fact = reader.read().plugin(busy.uid or 0)
    assert fact is not None
    assert (fact.state, fact.outcome) == ("active", outcome)


async def test_what_is_left_is_named_by_kind_and_name(runtime: Runtime, busy: Fiber) -> None:
    """While it runs, everything that it owns is still there: the search finds all of it."""
    activation = busy.activation
    left = left_of(runtime, [busy], [activation])
    assert Left("plugin", "busy") in left
    assert {Left("section", "s"), Left("variable", "v"), Left("tool", "t"), Left("service", "busy")} <= set(left)
    assert Left("listener", "print on some/event") in left
    assert Left("running call", "forever") in left
    assert Left("effect", "section s") in left


async def test_entries_of_registries_that_are_not_known_are_found_in_the_snapshot(runtime: Runtime) -> None:
    class Book:
        def describe(self) -> Any:
            return {"pages": [["one", "leaky"], ["two", "other"]], "more": [{"name": "three", "owner": "leaky"}]}

    runtime.root.provide("book", Book())

    def leaky(ctx: Context) -> None: ...

    fiber: Fiber = await runtime.root.plugin(leaky)
    outcome = await RegistryReader(runtime).end_plugin(fiber.uid or 0, "stop")
    assert set(outcome.left) == {Left("entry of book", "one"), Left("entry of book", "three")}


async def test_a_load_that_fails_after_a_restart_is_told(runtime: Runtime) -> None:
    loads: list[int] = []

    def flaky(ctx: Context) -> None:
        loads.append(1)
        if len(loads) > 1:
            raise ValueError("once was enough")

    fiber: Fiber = await runtime.root.plugin(flaky)
    outcome = await RegistryReader(runtime).end_plugin(fiber.uid or 0, "restart")
    assert outcome.error == "ValueError: once was enough"
    assert outcome.is_clean


async def test_the_root_cannot_be_stopped(runtime: Runtime) -> None:
    with pytest.raises(NoSuchPlugin, match="program"):
        await RegistryReader(runtime).end_plugin(0, "stop")


async def test_what_was_stopped_can_be_started_again_where_it_was(runtime: Runtime, busy: Fiber) -> None:
    before = runtime.snapshot()
    reader = RegistryReader(runtime)
    uid = busy.uid or 0
    await reader.end_plugin(uid, "stop")
    outcome = await reader.start_plugin(uid)
    assert (outcome.action, outcome.plugin, outcome.error) == ("start", "busy", "")
    assert runtime.snapshot() == before
    registry = reader.read()
    assert registry.plugin(uid) is None
    fact = registry.plugin(outcome.uid)
    assert fact is not None
    assert (fact.state, fact.outcome) == ("active", outcome)
    with pytest.raises(NoSuchPlugin, match="stopped here"):
        await reader.start_plugin(uid)


async def test_a_start_fails_with_its_reason_and_never_outlives_what_had_loaded_it(runtime: Runtime) -> None:
    loads: list[int] = []

    def flaky(ctx: Context) -> None:
        loads.append(1)
        if len(loads) > 1:
            raise ValueError("once was enough")

    def outer(ctx: Context) -> None:
        ctx.plugin(flaky)

    around: Fiber = await runtime.root.plugin(outer)
    reader = RegistryReader(runtime)
    inner = next(fiber for fiber in runtime.fibers() if fiber.name == "flaky")
    await inner
    uid = inner.uid or 0
    await reader.end_plugin(uid, "stop")
    again = await reader.start_plugin(uid)
    assert again.error == "ValueError: once was enough"
    assert again.uid != uid
    await reader.end_plugin(again.uid, "stop")
    await reader.end_plugin(around.uid or 0, "stop")
    with pytest.raises(NoSuchPlugin, match="loaded by outer"):
        await reader.start_plugin(again.uid)
    assert len(loads) == 2
