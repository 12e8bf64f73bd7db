"""R27 to R31: one provider for a name, names of their own in isolation."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.support.plugins import Log, P, refuses, svc
from workbench.core import Context, Runtime


async def test_r27_the_first_provider_stays(rt: Runtime, root: Context) -> None:
    await root.plugin(svc("a", "of first", name="first"))

    second = root.plugin(svc("a", "of second", name="second"))
    with refuses("SERVICE_EXISTS", "a", "first"):
        await second
    await rt.quiesce()

    assert second.state == "failed"
    assert root.get("a") == "of first"


async def test_r28_only_the_provider_replaces_its_value(rt: Runtime, root: Context, log: Log) -> None:
    provider = await root.plugin(svc("a", 0))
    other = await root.plugin(P("other"))
    await root.plugin(P("dependent", lambda ctx: log.append(ctx.a), inject=["a"]))

    with refuses("SERVICE_FOREIGN", "a"):
        other.context.set("a", 1)
    provider.context.set("a", 1)
    for context in (root, provider.context, other.context):
        with refuses("SERVICE_NOT_PROVIDED", "z"):
            context.set("z", 1)
    await rt.quiesce()

    assert log == [0]
    assert root.get("a") == 1


@pytest.mark.parametrize("name", ["on", "_x", "a b"])
async def test_r29_some_names_cannot_be_provided(rt: Runtime, root: Context, name: str) -> None:
    s0 = rt.snapshot()
    with refuses("NAME_RESERVED", name):
        root.provide(name, 1)
    assert rt.snapshot() == s0


def dependent(name: str, log: Log) -> SimpleNamespace:
    def apply(ctx: Context) -> None:
        log.append((name, ctx.foo))
        ctx.effect(lambda: lambda: log.append((name, "undone")), "undone")

    return P(name, apply, inject=["foo"])


async def test_r30_isolated_names_do_not_touch_each_other(rt: Runtime, root: Context, log: Log) -> None:
    c1, c2 = root.isolate("foo"), root.isolate("foo")
    for name, context in (("root", root), ("c1", c1), ("c2", c2)):
        context.plugin(dependent(name, log))
    await rt.quiesce()
    assert log == []

    withdraw = root.provide("foo", 1)
    await rt.quiesce()
    assert log == [("root", 1)]
    c1.provide("foo", 2)
    await rt.quiesce()
    assert log == [("root", 1), ("c1", 2)]
    await withdraw()
    await rt.quiesce()

    assert log == [("root", 1), ("c1", 2), ("root", "undone")]


async def test_r31_one_label_is_one_visibility(rt: Runtime, root: Context, log: Log) -> None:
    one, two = root.isolate("foo", "shared"), root.isolate("foo", "shared")
    for name, context in (("root", root), ("one", one), ("two", two)):
        context.plugin(dependent(name, log))

    one.provide("foo", 1)
    await rt.quiesce()

    assert sorted(log) == [("one", 1), ("two", 1)]
