"""Scopes: keys, bindings and audiences (spec: Scope filter)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.plugins import Key, Log, P, labels, refuses
from workbench.core import Context, Runtime, create_scope


async def test_a_scope_carries_its_key(root: Context) -> None:
    key = Key("k")
    scope = create_scope(root, key)
    assert scope.ctx.scope is scope.key is key
    assert scope.parent is None
    assert root.scope is None
    child = await scope.ctx.plugin(P("child"))
    assert child.context.scope is key


async def test_a_scope_owns_what_is_registered_through_it(rt: Runtime, root: Context, log: Log) -> None:
    p = await root.plugin(P("p"))
    s0 = rt.snapshot()
    scope = create_scope(p.context, Key("k"))
    scope.ctx.on("ev", lambda: log.append("heard"), everywhere=True)
    scope.ctx.effect(lambda: lambda: log.append("undone"), "effect")
    child = await scope.ctx.plugin(P("child"))
    await scope.dispose()
    await scope.dispose()
    root.emit("ev")
    assert log == ["undone"]
    assert child.state == "disposed"
    assert rt.snapshot() == s0
    with refuses("INACTIVE_CONTEXT", "inactive", "p"):
        scope.ctx.on("ev", lambda: None)


async def test_a_scope_ends_with_the_fiber_that_made_it(rt: Runtime, root: Context, log: Log) -> None:
    p = await root.plugin(P("p"))
    scope = create_scope(p.context, Key("k"))
    scope.ctx.effect(lambda: lambda: log.append("undone"), "effect")
    assert len(labels(p)) == 1
    await p.dispose()
    assert log == ["undone"]


async def test_keys_are_compared_by_identity(root: Context, log: Log) -> None:
    one, equal = [1], [1]
    create_scope(root, one).ctx.on("ev", lambda: log.append("one"))
    root.emit("ev", target=equal)
    root.emit("ev", target=one)
    assert log == ["one"]


async def test_the_target_is_never_taken_from_the_context(root: Context, log: Log) -> None:
    scope = create_scope(root, Key("k"))
    scope.ctx.on("ev", lambda: log.append("scoped"))
    scope.ctx.emit("ev")
    assert log == []


async def test_every_mode_filters(root: Context, log: Log) -> None:
    k, x = Key("k"), Key("x")
    create_scope(root, k).ctx.on("ev", lambda *_: log.append("k"))
    create_scope(root, x).ctx.on("ev", lambda *_: log.append("x"))
    root.emit("ev", target=k)
    root.bail("ev", target=k)
    await root.serial("ev", target=k)
    await root.parallel("ev", target=k)
    await root.waterfall("ev", target=k)
    assert log == ["k"] * 5


async def test_a_plugin_loaded_in_a_scope_listens_in_it(root: Context, log: Log) -> None:
    k = Key("k")
    scope = create_scope(root, k)
    await scope.ctx.plugin(P("p", lambda ctx: ctx.on("ev", lambda: log.append("p")) and None))
    root.emit("ev")
    assert log == []
    root.emit("ev", target=k)
    assert log == ["p"]


def audience(root: Context, target: Any) -> list[str]:
    heard: list[str] = []
    root.emit("who", heard, target=target)
    return heard


def listening(ctx: Context, name: str) -> None:
    ctx.on("who", lambda heard: heard.append(name))


async def test_a_parent_is_bound_once(root: Context) -> None:
    g, h, k = Key("g"), Key("h"), Key("k")
    binder = create_scope(root, k, parent=g)
    with refuses("SCOPE_BOUND", "k"):
        create_scope(root, k, parent=h)
    create_scope(root, k, parent=g)
    other = create_scope(root, k)
    with refuses("SCOPE_BOUND", "k"):
        other.move(h)
    listening(create_scope(root, g).ctx, "g")
    listening(create_scope(root, h).ctx, "h")
    listening(binder.ctx, "k")
    assert sorted(audience(root, k)) == ["g", "k"]
    binder.move(h)
    assert sorted(audience(root, k)) == ["h", "k"]


async def test_a_refused_scope_leaves_nothing(rt: Runtime, root: Context) -> None:
    k = Key("k")
    create_scope(root, k, parent=Key("g"))
    s0 = rt.snapshot()
    with refuses("SCOPE_BOUND"):
        create_scope(root, k, parent=Key("h"))
    assert rt.snapshot() == s0


async def test_a_binding_ends_with_its_scope(root: Context) -> None:
    g, h, k = Key("g"), Key("h"), Key("k")
    binder = create_scope(root, k, parent=g)
    other = create_scope(root, k)
    listening(other.ctx, "k")
    listening(create_scope(root, g).ctx, "g")
    await binder.dispose()
    assert audience(root, k) == ["k"]
    create_scope(root, k, parent=h)


async def test_a_moved_scope_can_become_an_orphan(root: Context) -> None:
    g, k = Key("g"), Key("k")
    scope = create_scope(root, k, parent=g)
    assert scope.parent is g
    scope.move(None)
    assert scope.parent is None


@pytest.mark.parametrize("depth", [1, 2, 5])
async def test_a_ring_of_scopes_is_refused(root: Context, depth: int) -> None:
    keys = [Key(f"k{i}") for i in range(depth)]
    scopes = [create_scope(root, key, parent=parent) for key, parent in zip(keys[1:], keys, strict=False)]
    with refuses("SCOPE_CYCLE", "k0", keys[-1].__repr__()):
        create_scope(root, keys[0], parent=keys[-1])
    if depth > 2:
        with refuses("SCOPE_CYCLE", "k1"):
            scopes[0].move(keys[-1])


async def test_a_scope_restarts_with_its_plugin(rt: Runtime, root: Context) -> None:
    k, g = Key("k"), Key("g")

    def apply(ctx: Context) -> None:
        listening(create_scope(ctx, k, parent=g).ctx, "k")

    p = await root.plugin(P("p", apply))
    before = rt.snapshot()
    await p.restart()
    assert rt.snapshot() == before
    assert audience(root, k) == ["k"]
