"""What is registered in a runtime, read as data."""

from __future__ import annotations

import gc
import weakref
from collections.abc import AsyncIterator
from typing import Any

import pytest

from workbench.config.registry.facts import GLOBAL, Need, Reading, RegistryKey
from workbench.config.registry.reading import KnownScope, RegistryReader
from workbench.core import Context, Runtime, create_scope
from workbench.prompt import PromptConfig, SystemPrompt, TextSource, ToolSchema
from workbench.tools import ToolRegistry


class Agent:
    """A scope key with a name."""

    def __init__(self, name: str) -> None:
        self.name = name


@pytest.fixture
async def runtime() -> AsyncIterator[Runtime]:
    async with Runtime() as made:
        await made.root.plugin(SystemPrompt, PromptConfig(persona="Work."))
        await made.root.plugin(ToolRegistry)
        yield made


def schema(name: str) -> ToolSchema:
    return ToolSchema(name, f"About {name}.", {"type": "object"})


async def test_entries_lead_to_owner_order_key_and_source(runtime: Runtime) -> None:
    source = TextSource("a.yml", 3, 1)

    def shell(ctx: Any) -> None:
        ctx.system_prompt.section("tool:bash", 1000, "Check markers.", source=source)
        ctx.system_prompt.section("own", 7.5, lambda context: "now", literal=True)
        ctx.tools.register(schema("bash"))
        ctx.system_prompt.suppress_runtime_context()

    shell.inject = ("system_prompt", "tools")  # type: ignore[attr-defined]
    fiber = await runtime.root.plugin(shell)
    registry = RegistryReader(runtime).read()
    bash, own = (registry.find(RegistryKey("section", name, GLOBAL)) for name in ("tool:bash", "own"))
    assert bash is not None
    assert own is not None
    assert (bash.owner.plugin, bash.owner.fiber, bash.order, bash.order_key) == (
        "shell",
        fiber.uid,
        1000,
        "TOOL_BASH",
    )
    assert (bash.text, bash.source, bash.is_computed) == ("Check markers.", source, False)
    assert (own.text, own.is_computed, own.is_literal, own.order_key) == (None, True, True, "")
    assert own.source is not None
    assert own.source.file == __file__
    assert [each.name for each in registry.in_layer(GLOBAL) if each.kind == "section"] == [
        "harness:identity",
        "deployment:persona",
        "own",
        "tool:bash",
    ]
    assert {each.kind for each in registry.owned_by(fiber.uid or 0)} == {"section", "tool", "suppressor"}
    persona = registry.named("section", "deployment:persona")[0]
    assert persona.owner.kind == "deployment"


async def test_who_reads_which(runtime: Runtime) -> None:
    outer, inner = Agent("outer"), Agent("inner")
    around = create_scope(runtime.root, outer)
    within = create_scope(runtime.root, inner, outer)
    prompt = runtime.root.system_prompt
    prompt.section("rule", 1, "Everybody.")
    around.ctx.system_prompt.section("rule", 2, "Outer.")
    runtime.root.tools.register(schema("bash"))
    around.ctx.tools.restrict(deny=["bash"])
    known = [KnownScope("(global)", None), KnownScope("outer", outer, "agent"), KnownScope("inner", inner, "agent")]
    registry = RegistryReader(runtime).read(known)
    assert [(layer.label, layer.parent, layer.note) for layer in registry.layers] == [
        (GLOBAL, "", ""),
        ("outer", GLOBAL, "agent"),
        ("inner", "outer", "agent"),
    ]
    everybody, own = registry.named("section", "rule")
    assert (everybody.shadowed_in, everybody.shadows) == (("outer", "inner"), ())
    assert (own.shadowed_in, own.shadows) == ((), (GLOBAL,))
    assert registry.shadowed == 1
    assert registry.readings(everybody) == (
        Reading(GLOBAL, GLOBAL),
        Reading("outer", "outer"),
        Reading("inner", "outer"),
    )
    (bash,) = registry.named("tool", "bash")
    assert bash.denied_in == ("outer", "inner")
    assert [reading.why for reading in registry.readings(bash)] == ["", "denied", "denied"]
    (restriction,) = (each for each in registry.registrations if each.kind == "restriction")
    assert (restriction.name, restriction.layer, restriction.owner.plugin) == ("deny bash", "outer", "root")
    within.ctx.system_prompt.suppress_runtime_context()
    prompt.context("facts", 1, "Now.")
    within.ctx.system_prompt.section("whole", 1, "All.", complete=True)
    registry = RegistryReader(runtime).read(known)
    assert [each.why for each in registry.readings(registry.named("context", "facts")[0])] == ["", "", "suppressed"]
    own = registry.named("section", "rule")[1]
    assert registry.readings(own)[2] == Reading("inner", "", "displaced by whole")


async def test_what_shapes_tools_has_owners_too(runtime: Runtime) -> None:
    def guard(call: Any) -> None: ...

    def shaper(ctx: Any) -> None:
        ctx.tools.guard(guard)
        ctx.tools.present("native")

    shaper.inject = ("tools",)  # type: ignore[attr-defined]
    fiber = await runtime.root.plugin(shaper)
    found = {each.kind: each for each in RegistryReader(runtime).read().owned_by(fiber.uid or 0)}
    assert found["guard"].source is not None
    assert found["guard"].source.file == __file__
    assert (found["presentation"].name, found["presentation"].owner.plugin) == ("tools as native", "shaper")


async def test_two_scopes_of_one_name_are_told_apart(runtime: Runtime) -> None:
    for number in range(2):
        scope = create_scope(runtime.root, Agent("twin"))
        scope.ctx.system_prompt.section("rule", number, str(number))
    registry = RegistryReader(runtime).read()
    assert [layer.label for layer in registry.layers] == [GLOBAL, "twin", "twin (2)"]
    assert [each.text for each in registry.in_layer("twin (2)")] == ["1"]


async def test_listeners_stand_in_call_order_and_the_screen_does_not_count(runtime: Runtime) -> None:
    def first(*_: object) -> None: ...
    def last(*_: object) -> None: ...
    def observer(*_: object) -> None: ...

    observer.__module__ = "workbench.tui.live"
    runtime.root.on("system-prompt/assemble", last)
    runtime.root.on("some/event", last)
    runtime.root.on("some/event", observer)
    runtime.root.on("system-prompt/assemble", first, prepend=True)
    runtime.root.on("system-prompt/assemble", last)
    found = [each for each in RegistryReader(runtime).read().registrations if each.kind == "listener"]
    assert [(each.key.of, each.name, each.position, each.key.nth) for each in found] == [
        ("system-prompt/assemble", "first", 1, 0),
        ("system-prompt/assemble", "last", 2, 0),
        ("system-prompt/assemble", "last", 3, 1),
        ("some/event", "last", 1, 0),
    ]
    assert found[0].source is not None
    assert found[0].source.file == __file__


async def test_plugins_with_what_they_stand_on_and_wait_for(runtime: Runtime) -> None:
    def plugin(name: str, inject: Any, provides: tuple[str, ...] = ()) -> Any:
        def apply(ctx: Context) -> None:
            for service in provides:
                ctx.provide(service, object())

        apply.__name__ = name
        apply.inject, apply.provides = inject, provides  # type: ignore[attr-defined]
        return apply

    def boom(ctx: Context) -> None:
        raise ValueError("no [/] way")

    store = await runtime.root.plugin(plugin("store", (), ("store",)))
    user = await runtime.root.plugin(plugin("user", {"required": ["store"], "optional": ["cache"]}))
    await runtime.root.plugin(plugin("lsp", ("server",)))
    await runtime.root.plugin(plugin("hen", ("egg",), ("chick",)))
    await runtime.root.plugin(plugin("egg", ("chick",), ("egg",)))
    failing = runtime.root.plugin(boom)
    with pytest.raises(ValueError, match="way"):
        await failing
    registry = RegistryReader(runtime).read()
    facts = {plugin.name: plugin for plugin in registry.plugins}
    assert facts["user"].needs == (Need("store", True, "store", store.uid), Need("cache", False))
    assert facts["user"].state == "active"
    assert (facts["lsp"].state, facts["lsp"].reason, facts["lsp"].missing) == (
        "waiting",
        "waits for server",
        ("server",),
    )
    assert facts["hen"].cycle == ("hen", "egg")
    assert facts["hen"].reason == "cycle: hen → egg → hen"
    assert registry.cycles == (("hen", "egg"),)
    assert (facts["boom"].state, facts["boom"].reason) == ("failed", "ValueError: no [/] way")
    assert facts["root"].parent is None
    (service,) = registry.named("service", "store")
    assert (service.dependents, service.owner.plugin, service.detail) == (("user",), "store", "object")
    assert [child.uid for child in registry.children(0)][-1] == failing.uid
    assert RegistryReader(runtime).ledger(user.uid or 0) == ()
    assert [entry.label for entry in RegistryReader(runtime).ledger(store.uid or 0)] == ["provide store"]


async def test_what_is_the_same_is_not_made_again(runtime: Runtime) -> None:
    prompt = runtime.root.system_prompt
    for index in range(100):
        prompt.section(f"s{index:03}", index, "Text.")
    reader = RegistryReader(runtime)
    before = reader.read()
    late = prompt.section("late", 50.5, "Late.")
    after = reader.read()
    known = {id(each) for each in before.registrations}
    new = [each.name for each in after.registrations if each.kind == "section" and id(each) not in known]
    assert new == ["late"]
    assert before != after
    assert reader.read() == after
    (found,) = after.named("section", "late")
    assert found.since is not None
    assert before.named("section", "s001")[0].since is None
    await late()
    assert reader.read().registrations == before.registrations


async def test_what_is_gone_is_let_go(runtime: Runtime) -> None:
    class Value:
        """Something that can be looked after."""

    value = Value()
    undo = runtime.root.provide("thing", value)
    reader = RegistryReader(runtime)
    assert reader.read().named("service", "thing")
    watched = weakref.ref(value)
    await undo()
    del value, undo
    reader.read()
    gc.collect()
    assert watched() is None
