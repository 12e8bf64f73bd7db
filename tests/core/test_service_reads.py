"""Who may read, provide and replace what (spec: Dependencies, Services)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.plugins import Log, P, States, refuses, svc
from workbench.core import Context, CoreError, Runtime, Service


async def test_hasattr_works_on_both_read_errors(root: Context) -> None:
    root.provide("a", 1)
    p = await root.plugin(P("p", inject={"optional": ["o"]}))
    assert not hasattr(p.context, "a")
    assert not hasattr(p.context, "o")
    assert getattr(p.context, "zzz", "default") == "default"


async def test_private_names_raise_a_plain_attribute_error(root: Context) -> None:
    p = await root.plugin(P("p"))
    for ctx in (root, p.context):
        with pytest.raises(AttributeError) as caught:
            _ = ctx._private
        assert not isinstance(caught.value, CoreError)


async def test_get_reads_without_a_dependency(rt: Runtime, root: Context) -> None:
    p = await root.plugin(P("p"))
    assert p.context.get("a") is None
    assert p.context.get("a", "default") == "default"
    provider = await root.plugin(svc("a"))
    assert p.context.get("a", "default") == "v:a"
    await provider.dispose()
    assert p.state == "active"


async def test_get_tells_none_from_absent(root: Context) -> None:
    root.provide("n", None)
    p = await root.plugin(P("p", inject=["n"]))
    assert root.get("n", "default") is None
    assert p.context.get("n", "default") is None


async def test_an_absent_optional_service_has_a_default(root: Context) -> None:
    p = await root.plugin(P("p", inject={"optional": ["o"]}))
    assert p.context.get("o", "default") == "default"


async def test_inject_may_leave_out_either_half(root: Context, log: Log) -> None:
    root.provide("a", 1)
    await root.plugin(P("p", lambda ctx: log.append(ctx.a), inject={"required": ["a"]}))
    assert log == [1]


async def test_a_provider_reads_its_own_service_at_once(rt: Runtime, root: Context, log: Log) -> None:
    def apply(ctx: Context) -> None:
        ctx.provide("own", 1)
        log.append(("provider", ctx.own, ctx.get("own")))
        log.append(("others", root.get("own"), root.own))
        ctx.plugin(P("child", lambda child: log.append(("child", child.own, root.get("own")))))

    async def loads(ctx: Context) -> None:
        apply(ctx)
        await asyncio.sleep(1)

    await root.plugin(P("p", loads))
    assert log == [("provider", 1, 1), ("others", None, None), ("child", 1, None)]
    assert root.own == 1


async def test_a_service_of_root_must_be_declared(root: Context) -> None:
    root.provide("a", 1)
    parent = await root.plugin(P("parent"))
    child = await parent.context.plugin(P("child"))
    with refuses("SERVICE_NOT_INJECTED", "a", "inject"):
        _ = child.context.a


async def test_a_service_of_a_sibling_must_be_declared(root: Context) -> None:
    parent = await root.plugin(P("parent"))
    await parent.context.plugin(svc("a"))
    child = await parent.context.plugin(P("child"))
    with refuses("SERVICE_NOT_INJECTED", "a"):
        _ = child.context.a


async def test_a_child_is_undone_with_what_its_parent_declared(rt: Runtime, root: Context, log: Log) -> None:
    states = States(root)
    withdraw = root.provide("a", 1)

    def apply(ctx: Context) -> None:
        ctx.plugin(P("child", lambda child: log.append(child.a)))

    await root.plugin(P("parent", apply, inject=["a"]))
    await rt.quiesce()
    await withdraw()
    assert states.of("child") == "pending → loading → active → disposing → disposed"
    root.provide("a", 2)
    await rt.quiesce()
    assert log == [1, 2]


async def test_a_dependency_on_oneself_is_a_ring(rt: Runtime, root: Context) -> None:
    a = await root.plugin(P("A", inject=["a"], provides=["a"]))
    assert [[member.name for member in ring] for ring in rt.cycles()] == [["A"]]
    assert a.status_text == "pending (cycle: A → A)"


async def test_a_ring_is_told_from_its_names(rt: Runtime, root: Context) -> None:
    a = await root.plugin(P("A", inject=["b"], provides=["a"]))
    b = await root.plugin(P("B", inject=["a"], provides=["b"]))
    assert a.status_text == "pending (cycle: A → B → A)"
    assert b.status_text in ("pending (cycle: A → B → A)", "pending (cycle: B → A → B)")
    outsider = await root.plugin(P("outsider", inject=["a"]))
    assert "cycle" not in outsider.status_text
    await b.dispose()
    assert rt.cycles() == []
    assert a.status_text == "pending (waits for b)"


async def test_a_ring_is_known_from_what_was_provided_earlier(rt: Runtime, root: Context) -> None:
    first_b = await root.plugin(svc("b"))
    a = await root.plugin(P("A", lambda ctx: ctx.provide("a", 1) and None, inject=["b"]))
    assert a.state == "active"
    await first_b.dispose()
    await root.plugin(P("B", inject=["a"], provides=["b"]))
    assert [{member.name for member in ring} for ring in rt.cycles()] == [{"A", "B"}]


async def test_an_ancestor_may_stand_on_what_its_descendant_provides(rt: Runtime, root: Context) -> None:
    """A stranger loads the provider through the context of the plugin that waits for it."""
    parent = await root.plugin(P("parent", inject=["a"]))
    child = await parent.context.plugin(svc("a"))
    await rt.quiesce()
    assert parent.state == "active"
    async with asyncio.timeout(2):
        await child.dispose()
        await rt.quiesce()
    assert parent.state == "pending"


async def test_a_name_is_free_as_soon_as_its_provider_is_undone(rt: Runtime, root: Context) -> None:
    def apply(ctx: Context) -> None:
        ctx.effect(lambda: lambda: asyncio.sleep(1), "undone before the service")
        ctx.provide("a", 1)
        ctx.effect(lambda: lambda: asyncio.sleep(1), "undone after the service")

    first = await root.plugin(P("first", apply))
    disposed = first.dispose()
    await asyncio.sleep(0.1)
    assert first.state == "disposing"
    second = await root.plugin(svc("a", 2))
    assert (second.state, root.get("a")) == ("active", 2)
    await disposed
    assert root.get("a") == 2


async def test_a_withdrawn_name_is_free(root: Context) -> None:
    p, q = await root.plugin(P("p")), await root.plugin(P("q"))
    withdraw = p.context.provide("a", 1)
    with refuses("SERVICE_EXISTS", "a", "p"):
        q.context.provide("a", 2)
    with refuses("SERVICE_EXISTS", "a", "p"):
        p.context.provide("a", 2)
    await withdraw()
    q.context.provide("a", 2)
    assert root.get("a") == 2


@pytest.mark.parametrize(
    "name",
    [
        "get",
        "plugin",
        "provide",
        "effect",
        "fiber",
        "runtime",
        "scope",
        "timeout",
        "__x",
        "",
        "1a",
        "a-b",
        "a.b",
    ],
)
async def test_reserved_names(root: Context, name: str) -> None:
    with refuses("NAME_RESERVED", name):
        root.provide(name, 1)


async def test_set_before_others_see_it(root: Context, log: Log) -> None:
    def apply(ctx: Context) -> None:
        ctx.provide("a", 1)
        ctx.set("a", 2)

    await root.plugin(P("p", apply))
    assert root.get("a") == 2


class Registry:
    """A value that gives each reader a facade of its own."""

    def for_context(self, ctx: Context) -> tuple[str, Context]:
        return ("facade", ctx)


async def test_a_facade_is_made_for_its_reader(root: Context) -> None:
    registry = Registry()
    root.provide("reg", registry)
    p = await root.plugin(P("p", inject=["reg"]))
    assert p.context.reg == ("facade", p.context)
    assert p.context.get("reg") == ("facade", p.context)
    assert root.reg == ("facade", root)


async def test_a_facade_is_asked_of_the_class(root: Context) -> None:
    class Plain:
        pass

    value = Plain()
    value.for_context = lambda ctx: "facade"  # type: ignore[attr-defined]
    root.provide("plain", value)
    assert root.plain is value
    root.provide("klass", Registry)
    assert root.klass is Registry


async def test_isolation_is_inherited(rt: Runtime, root: Context, log: Log) -> None:
    isolated = root.isolate("foo")
    provider = await isolated.plugin(svc("foo", "inside"))
    await root.plugin(svc("foo", "outside"))
    await isolated.plugin(P("inner", lambda ctx: log.append(ctx.foo), inject=["foo"]))
    await root.plugin(P("outer", lambda ctx: log.append(ctx.foo), inject=["foo"]))
    await rt.quiesce()
    assert log == ["inside", "outside"]
    assert (isolated.get("foo"), root.get("foo")) == ("inside", "outside")
    await provider.dispose()
    assert (isolated.get("foo"), root.get("foo")) == (None, "outside")


async def test_isolation_of_one_name_leaves_the_others(root: Context) -> None:
    isolated = root.isolate("foo")
    root.provide("bar", 1)
    assert isolated.get("bar") == 1
    p = await isolated.plugin(P("p", inject=["bar"]))
    assert p.state == "active"


async def test_services_says_who_provides_what(rt: Runtime, root: Context) -> None:
    await root.plugin(svc("a", name="the-provider"))
    root.isolate("a", "shared").provide("a", 2)
    await root.plugin(P("the-dependent", inject=["a"]))
    rows = {
        (row.name, row.label): (
            row.provider,
            row.state,
            list(row.dependents),
        )
        for row in rt.services()
        if row.name == "a"
    }
    assert rows[("a", "")] == ("the-provider", "active", ["the-dependent"])
    assert rows[("a", "shared")] == ("root", "active", [])


async def test_a_service_class_provides_itself(rt: Runtime, root: Context, log: Log) -> None:
    class Foo(Service):
        name = "foo"

        async def start(self) -> Any:
            log.append(("own", self.ctx.foo is self, root.get("foo")))
            return lambda: log.append("stopped")

    foo = await root.plugin(Foo)
    assert foo.name == "foo"
    assert isinstance(root.foo, Foo)
    await foo.dispose()
    assert root.foo is None
    assert log == [("own", True, None), "stopped"]


async def test_dependents_are_told_only_of_what_becomes_visible(rt: Runtime, root: Context, log: Log) -> None:
    root.on("internal/service", lambda name, *_: log.append((name, root.get(name))))

    async def apply(ctx: Context) -> None:
        ctx.provide("a", 1)
        await asyncio.sleep(1)
        log.append("end of the call")

    p = await root.plugin(P("p", apply))
    await p.dispose()
    assert log == ["end of the call", ("a", 1), ("a", None)]
