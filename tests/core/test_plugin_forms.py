"""Forms of plugins, their results, names and identities (spec: Plugins)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.plugins import Log, P, labels, nothing, refuses, svc
from workbench.core import Context, Fiber, Runtime


async def test_plugin_returns_a_fiber_at_once(root: Context, log: Log) -> None:
    fiber = root.plugin(lambda ctx: log.append("ran"))
    assert isinstance(fiber, Fiber)
    assert log == []
    assert await fiber is fiber
    assert log == ["ran"]


async def test_siblings_load_concurrently(root: Context) -> None:
    both = asyncio.Barrier(2)

    async def apply(ctx: Context) -> None:
        await both.wait()

    first, second = root.plugin(apply), root.plugin(apply)
    async with asyncio.timeout(2):
        await first
        await second


async def test_one_parameter_gets_only_the_context(root: Context, log: Log) -> None:
    def function(ctx: Context) -> None:
        log.append(type(ctx))

    class Class:
        def __init__(self, ctx: Context) -> None:
            log.append(type(ctx))

    class Namespace:
        name = "namespace"

        def apply(self, ctx: Context) -> None:
            log.append(type(ctx))

    async def coroutine_function(ctx: Context) -> None:
        log.append(type(ctx))

    for plugin in (function, Class, Namespace(), P("p", function), coroutine_function):
        await root.plugin(plugin, {"config": 1})
    assert log == [Context] * 5


async def test_two_parameters_get_the_config_too(root: Context, log: Log) -> None:
    class Class:
        def __init__(self, ctx: Context, config: Any) -> None:
            log.append(config)

    class Namespace:
        def apply(self, ctx: Context, config: Any = None) -> None:
            log.append(config)

    for plugin in (Class, Namespace(), P("p", lambda ctx, config: log.append(config))):
        await root.plugin(plugin, "config")
    assert log == ["config"] * 3


async def test_class_metadata_is_inherited(root: Context, log: Log) -> None:
    class Base:
        inject = ("a",)

        def __init__(self, ctx: Context) -> None:
            log.append(ctx.a)

    class Derived(Base):
        pass

    fiber = await root.plugin(Derived)
    assert (fiber.state, fiber.name) == ("pending", "Derived")
    await root.plugin(svc("a"))
    await fiber
    assert log == ["v:a"]


async def test_a_namespace_is_taken_whole(root: Context) -> None:
    namespace = P("whole", inject=["absent"])
    fiber = await root.plugin(namespace)
    assert (fiber.name, fiber.state) == ("whole", "pending")


def a_disposer(log: Log) -> Any:
    return lambda: log.append("undone")


def a_generator(log: Log) -> Iterator[Any]:
    yield lambda: log.append("undone")


async def an_async_generator(log: Log) -> AsyncIterator[Any]:
    await asyncio.sleep(0.1)
    yield lambda: log.append("undone")


async def a_coroutine(log: Log) -> Any:
    return lambda: log.append("undone")


@pytest.mark.parametrize("result", [a_disposer, a_generator, an_async_generator, a_coroutine])
async def test_what_a_call_returns_goes_into_the_ledger(
    rt: Runtime, root: Context, log: Log, result: Callable[[Log], Any]
) -> None:
    fiber = await root.plugin(P("p", lambda ctx: result(log)))
    await asyncio.sleep(1)
    assert (fiber.state, log) == ("active", [])
    await fiber.dispose()
    assert log == ["undone"]


@pytest.mark.parametrize("result", [42, "text", {}, False, 0])
async def test_other_results_fail_the_load(root: Context, log: Log, result: object) -> None:
    def apply(ctx: Context) -> object:
        ctx.effect(lambda: lambda: log.append("undone"), "before")
        return result

    fiber = root.plugin(P("odd-result", apply))
    with refuses("INVALID_EFFECT", type(result).__name__, "odd-result"):
        await fiber
    assert fiber.state == "failed"
    assert log == ["undone"]


@pytest.mark.parametrize(
    "metadata",
    [{"inject": "a"}, {"inject": [3]}, {"inject": {"requires": ["a"]}}, {"provides": "a"}, {"provides": [None]}],
    ids=str,
)
async def test_metadata_that_cannot_be_meant_is_refused(
    rt: Runtime, root: Context, metadata: dict[str, Any]
) -> None:
    s0 = rt.snapshot()
    with refuses("INVALID_PLUGIN", next(iter(metadata))):
        root.plugin(P("p", **metadata))
    assert rt.snapshot() == s0


async def test_display_names(root: Context) -> None:
    def named(ctx: Context) -> None:
        pass

    def apply(ctx: Context) -> None:
        pass

    class Class:
        def __init__(self, ctx: Context) -> None:
            pass

    class NamedClass(Class):
        name = "own-name"

    parent = await root.plugin(P("parent"))
    plugins: list[Any] = [named, apply, lambda ctx: None, SimpleNamespace(apply=nothing), Class, NamedClass]
    below_root = [(await root.plugin(plugin)).name for plugin in plugins]
    below_parent = [(await parent.context.plugin(plugin)).name for plugin in plugins]

    assert below_root == ["named", "root", "root", "root", "Class", "own-name"]
    assert below_parent == ["named", "parent", "parent", "parent", "Class", "own-name"]


async def test_registry_groups_by_identity(rt: Runtime, root: Context) -> None:
    one, equal_to_one = P("p"), P("p")
    assert one == equal_to_one
    first, second = await root.plugin(one), await root.plugin(equal_to_one)

    plugin_one, plugin_two = rt.registry
    assert plugin_one is one
    assert plugin_two is equal_to_one
    assert [list(rt.registry[plugin]) for plugin in (one, equal_to_one)] == [[first], [second]]


async def test_uids_count_up_and_are_never_reused(root: Context) -> None:
    first = await root.plugin(P("first"))
    assert first.uid == 1
    await first.dispose()
    assert first.uid is None
    with refuses("INVALID_PLUGIN"):
        root.plugin(None)
    assert (await root.plugin(P("second"))).uid == 2


async def test_a_plugin_is_an_entry_of_its_parents_ledger(root: Context) -> None:
    parent = await root.plugin(P("parent"))
    child = parent.context.plugin(P("child"))
    assert child.parent is parent
    (entry,) = labels(parent)
    assert "child" in entry
    await child.dispose()
    assert labels(parent) == []
