"""The tool registry (spec 8): layers, restrictions, and one answer for schema, lookup and view."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.plugins import Boom, Key, P
from workbench.core import Context, CoreError, Runtime, Scope, create_scope
from workbench.prompt import AssembleContext, PromptConfig, PromptError, SystemPrompt, ToolSchema, preview
from workbench.tools import ToolError, ToolRegistry, ToolsFacade


def names(schemas: Any) -> list[str]:
    return [schema.name for schema in schemas]


async def sent(root: Context, scope: object = None) -> list[str]:
    """The names of the tools in a request of this scope."""
    return names((await root.system_prompt.assemble(AssembleContext(scope=scope))).tools)


def of(scope: Scope) -> ToolsFacade:
    facade: ToolsFacade = scope.ctx.tools
    return facade


# Registering


async def test_registering_is_all_it_takes(root: Context, tools: ToolsFacade) -> None:
    dispose = tools.register(ToolSchema("b", "about b"))
    tools.register(ToolSchema("a"))
    assert await sent(root) == ["a", "b"]
    dispose()
    dispose()
    assert await sent(root) == ["a"]


async def test_layers(root: Context, tools: ToolsFacade, outer: Scope, inner: Scope) -> None:
    tools.register(ToolSchema("everywhere"))
    of(outer).register(ToolSchema("outer"))
    of(inner).register(ToolSchema("inner"))
    assert await sent(root) == ["everywhere"]
    assert await sent(root, outer.key) == ["everywhere", "outer"]
    assert await sent(root, inner.key) == ["everywhere", "inner", "outer"]
    assert await sent(root, Key("stranger")) == ["everywhere"]


async def test_the_nearest_layer_wins_a_name(root: Context, tools: ToolsFacade, outer: Scope, inner: Scope) -> None:
    tools.register(ToolSchema("t", "global"))
    shadowing = of(outer).register(ToolSchema("t", "outer"))
    for scope, expected in ((None, "global"), (outer.key, "outer"), (inner.key, "outer")):
        assembly = await root.system_prompt.assemble(AssembleContext(scope=scope))
        assert [tool.description for tool in assembly.tools] == [expected]
        assert [schema.description for schema in tools.visible(scope)] == [expected]
    shadowing()
    assert [schema.description for schema in tools.visible(inner.key)] == ["global"]


@pytest.mark.parametrize("layer", ["global", "scope"])
async def test_a_duplicate_raises_and_the_first_stays(root: Context, outer: Scope, layer: str) -> None:
    facade = root.tools if layer == "global" else of(outer)
    facade.register(ToolSchema("t", "first"))
    with pytest.raises(ToolError, match="already registered") as caught:
        facade.register(ToolSchema("t", "second"))
    assert "'t'" in str(caught.value)
    assert ("scope" in str(caught.value)) == (layer == "scope")
    assert [schema.description for schema in facade.visible(outer.key)] == ["first"]


@pytest.mark.parametrize(
    "schema",
    [
        {"name": "t"},
        None,
        ToolSchema(""),
        ToolSchema("t", "", {}),
        ToolSchema("t", "", {"type": "string"}),
        ToolSchema("t", "", {"properties": {}}),
    ],
)
async def test_what_no_provider_takes_is_refused(root: Context, tools: ToolsFacade, schema: Any) -> None:
    with pytest.raises(ToolError):
        tools.register(schema)
    assert await sent(root) == []


async def test_the_reserved_name_fails_the_assembly(root: Context, tools: ToolsFacade) -> None:
    tools.register(ToolSchema("<unlisted-tools>"))
    with pytest.raises(PromptError, match="reserved"):
        await sent(root)


async def test_an_assemblys_copy_is_its_own(root: Context, tools: ToolsFacade) -> None:
    schema = ToolSchema("t", "d", {"type": "object", "properties": {"a": {}}})
    tools.register(schema)
    assembly = await root.system_prompt.assemble()
    assembly.tools[0].parameters["properties"]["b"] = {}
    assembly.tools[0].description = "edited"
    assert (await root.system_prompt.assemble()).tools == [schema]
    assert schema.parameters["properties"] == {"a": {}}


async def test_an_owner_may_edit_its_schema(root: Context, tools: ToolsFacade) -> None:
    schema = ToolSchema("t", "d")
    tools.register(schema)
    await sent(root)
    schema.description = "e"
    schema.parameters["additionalProperties"] = False
    assert (await root.system_prompt.assemble()).tools == [schema]


# Owners


async def test_tools_go_with_their_owner(rt: Runtime, tools: ToolsFacade) -> None:
    kept: list[Context] = []

    def plugin(ctx: Context) -> None:
        kept.append(ctx)
        ctx.tools.register(ToolSchema("mine"))
        scope = create_scope(ctx, Key("agent"))
        scope.ctx.tools.register(ToolSchema("scoped"))
        scope.ctx.tools.restrict(deny=["mine"])

    before = rt.snapshot()
    fiber = rt.root.plugin(P("owner", plugin, inject=["tools"]))
    await fiber
    assert '"mine","owner"' in rt.snapshot().decode()
    assert await sent(rt.root) == ["mine"]
    await fiber.dispose()
    assert await sent(rt.root) == []
    assert rt.snapshot() == before
    with pytest.raises(CoreError) as caught:
        kept[0].tools.register(ToolSchema("late"))
    assert caught.value.code == "INACTIVE_CONTEXT"


async def test_nothing_can_be_registered_in_a_scope_that_is_gone(tools: ToolsFacade, outer: Scope) -> None:
    own = of(outer)
    tools.register(ToolSchema("t"))
    await outer.dispose()
    with pytest.raises(CoreError, match="inactive"):
        own.register(ToolSchema("late"))
    with pytest.raises(CoreError, match="inactive"):
        own.restrict(deny=["t"])
    assert tools.known_names(outer.key) == ["t"]


async def test_the_registry_itself_may_go_and_come_back(rt: Runtime, root: Context) -> None:
    async with Runtime() as other:
        await other.root.plugin(SystemPrompt, PromptConfig())
        fiber = other.root.plugin(ToolRegistry)
        await fiber

        def user(ctx: Context) -> None:
            ctx.tools.register(ToolSchema("t"))

        using = other.root.plugin(P("user", user, inject=["tools"]))
        await using
        assert await sent(other.root) == ["t"]
        await fiber.restart()
        await using
        assert await sent(other.root) == ["t"]
        await fiber.dispose()
        assert await sent(other.root) == []


async def test_every_change_is_told_and_an_observer_that_raises_undoes_it(
    root: Context, tools: ToolsFacade, outer: Scope
) -> None:
    heard: list[int] = []
    root.on("tools/change", lambda: heard.append(1))
    dispose = tools.register(ToolSchema("t"))
    lift = of(outer).restrict(deny=["t"])
    assert len(heard) == 2
    lift()
    lift()
    dispose()
    dispose()
    assert len(heard) == 4

    def raising() -> None:
        raise Boom("no")

    tools.register(ToolSchema("there"))
    before = root.runtime.snapshot()
    observing = root.on("tools/change", raising)
    with pytest.raises(Boom):
        tools.register(ToolSchema("t"))
    with pytest.raises(Boom):
        of(outer).register(ToolSchema("t"))
    with pytest.raises(Boom):
        of(outer).restrict(deny=["there"])
    observing()
    assert root.runtime.snapshot() == before
    assert await sent(root, outer.key) == ["there"]
    tools.register(ToolSchema("t"))


# Restricting


async def test_a_restriction_needs_a_scope(tools: ToolsFacade) -> None:
    tools.register(ToolSchema("t"))
    with pytest.raises(ToolError, match="scope"):
        tools.restrict(deny=["t"])


async def test_an_empty_filter_is_none_at_all(tools: ToolsFacade, outer: Scope) -> None:
    tools.register(ToolSchema("t"))
    with pytest.raises(ToolError, match="empty"):
        of(outer).restrict()
    assert names(tools.visible(outer.key)) == ["t"]


async def test_an_empty_list_is_a_list(tools: ToolsFacade, outer: Scope) -> None:
    """Only None means that a list is absent: an empty allow list allows nothing."""
    tools.register(ToolSchema("t"))
    lift = of(outer).restrict(allow=[])
    assert names(tools.visible(outer.key)) == []
    lift()
    of(outer).restrict(deny=[])
    assert names(tools.visible(outer.key)) == ["t"]


@pytest.mark.parametrize("filter_by", ["allow", "deny"])
async def test_names_that_are_not_inherited_raise(
    root: Context, tools: ToolsFacade, outer: Scope, filter_by: str
) -> None:
    with pytest.raises(ToolError, match=r"\(none\)"):
        of(outer).restrict(**{filter_by: ["nothing"]})
    for name in ("\ufb01", "t", "\U0001d518"):
        tools.register(ToolSchema(name))
    of(outer).register(ToolSchema("own"))
    before = root.runtime.snapshot()
    with pytest.raises(ToolError) as caught:
        of(outer).restrict(**{filter_by: ["t", "own", "unheard"]})
    message = str(caught.value)
    assert "own, unheard" in message
    assert "t, \U0001d518, \ufb01" in message
    assert "outer" in message
    assert root.runtime.snapshot() == before


async def test_a_restriction_filters_what_is_inherited(
    root: Context, tools: ToolsFacade, outer: Scope, inner: Scope
) -> None:
    for name in "abc":
        tools.register(ToolSchema(name))
    of(outer).register(ToolSchema("own"))
    of(inner).register(ToolSchema("a", "inner"))
    lift = of(outer).restrict(allow=["b"])
    assert await sent(root) == ["a", "b", "c"]
    assert await sent(root, outer.key) == ["b", "own"]
    assert await sent(root, inner.key) == ["a", "b", "own"]
    assert await sent(root, Key("sibling")) == ["a", "b", "c"]
    below = of(inner).restrict(deny=["own"])
    assert await sent(root, inner.key) == ["a", "b"]
    assert await sent(root, outer.key) == ["b", "own"]
    again = of(outer).restrict(deny=["b"])
    assert await sent(root, outer.key) == ["own"]
    lift()
    assert await sent(root, outer.key) == ["a", "c", "own"]
    again()
    below()
    assert await sent(root, outer.key) == ["a", "b", "c", "own"]


async def test_what_comes_later_is_filtered_too(root: Context, tools: ToolsFacade, outer: Scope) -> None:
    tools.register(ToolSchema("a"))
    of(outer).restrict(allow=["a"])
    tools.register(ToolSchema("later"))
    assert await sent(root, outer.key) == ["a"]


async def test_allow_and_deny_together(tools: ToolsFacade, outer: Scope) -> None:
    for name in "abc":
        tools.register(ToolSchema(name))
    of(outer).restrict(allow=["a", "b"], deny=["b"])
    assert names(tools.visible(outer.key)) == ["a"]


async def test_a_scope_that_is_moved_inherits_from_elsewhere(
    root: Context, tools: ToolsFacade, outer: Scope, inner: Scope
) -> None:
    other = create_scope(root, Key("other"))
    of(other).register(ToolSchema("of other"))
    of(outer).register(ToolSchema("of outer"))
    assert await sent(root, inner.key) == ["of outer"]
    inner.move(other.key)
    assert await sent(root, inner.key) == ["of other"]
    assert names(tools.visible(inner.key)) == ["of other"]


async def test_a_hidden_tool_may_be_listed_in_the_order() -> None:
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig(tool_order=["z", "hidden", "<unlisted-tools>"]))
        await rt.root.plugin(ToolRegistry)
        for name in ("a", "hidden", "z"):
            rt.root.tools.register(ToolSchema(name))
        scope = create_scope(rt.root, Key("agent"))
        scope.ctx.tools.restrict(deny=["hidden"])
        assert await sent(rt.root) == ["z", "hidden", "a"]
        assert await sent(rt.root, scope.key) == ["z", "a"]
        assert rt.root.tools.known_names(scope.key) == ["a", "hidden", "z"]


async def test_guidance_that_follows_visibility(root: Context, tools: ToolsFacade, outer: Scope) -> None:
    root.system_prompt.section(
        "tool:t", 1000, lambda context: "Use t." if tools.is_visible("t", context.scope) else ""
    )
    tools.register(ToolSchema("t"))
    of(outer).restrict(deny=["t"])
    texts = []
    for scope in (None, outer.key):
        assembly = await root.system_prompt.assemble(AssembleContext(scope=scope))
        texts.append(assembly.sections[-1].text)
    assert texts == ["Use t.", ""]


# Views


async def test_a_view_names_the_owner_of_the_tool_and_not_the_registry(rt: Runtime, tools: ToolsFacade) -> None:
    scope = create_scope(rt.root, Key("agent"))

    def plugin(ctx: Context) -> None:
        ctx.tools.register(ToolSchema("t", "of the plugin"))

    await rt.root.plugin(P("owner", plugin, inject=["tools"]))
    of(scope).register(ToolSchema("s"))
    shown = {tool.name: tool for tool in (await preview(rt.root.system_prompt, AssembleContext(scope.key))).tools}
    assert (shown["t"].owner.plugin, shown["t"].layer, shown["t"].state) == ("owner", "global", "effective")
    assert (shown["s"].owner.plugin, shown["s"].layer) == ("root", "agent")
    assert shown["t"].source is not None
    assert shown["t"].source.file == __file__


async def test_the_registry_is_described(root: Context, tools: ToolsFacade, outer: Scope) -> None:
    tools.register(ToolSchema("b"))
    tools.register(ToolSchema("a"))
    of(outer).restrict(allow=["b", "a"], deny=["b"])
    registries = json.loads(root.runtime.snapshot())["registries"]
    assert registries["tools"] == [
        {"scope": "global", "tools": [["b", "root"], ["a", "root"]], "restrictions": []},
        {"scope": "outer", "tools": [], "restrictions": [[["a", "b"], ["b"]]]},
    ]


async def test_an_executor_is_found_where_its_tool_is_seen(tools: ToolsFacade, outer: Scope) -> None:
    def execute(**_arguments: object) -> str:
        return "done"

    tools.register(ToolSchema("t"), execute)
    found = tools._registry.lookup("t", None)
    assert found is not None
    assert found.execute is execute
    assert tools._registry.lookup("t", outer.key) is found
    of(outer).restrict(deny=["t"])
    assert tools._registry.lookup("t", outer.key) is None


# Random registries

LAYERS = ("global", "outer", "inner")
NAMES = ("a", "b", "c", "d")
STEP = st.one_of(
    st.tuples(st.just("register"), st.sampled_from(LAYERS), st.sampled_from(NAMES)),
    st.tuples(st.just("restrict"), st.sampled_from(LAYERS[1:]), st.sets(st.sampled_from(NAMES)), st.booleans()),
    st.tuples(st.just("dispose"), st.integers(0, 20)),
    st.tuples(st.just("ask"), st.sampled_from(LAYERS)),
)


@given(steps=st.lists(STEP, max_size=30))
@settings(deadline=None, database=None, derandomize=True, max_examples=100, suppress_health_check=list(HealthCheck))
def test_random_registries(steps: list[tuple[Any, ...]]) -> None:
    asyncio.run(agrees(steps))


@pytest.mark.slow
@given(steps=st.lists(STEP, max_size=40))
@settings(deadline=None, database=None, max_examples=3_000, suppress_health_check=list(HealthCheck))
def test_many_random_registries(steps: list[tuple[Any, ...]]) -> None:
    asyncio.run(agrees(steps))


async def agrees(steps: list[tuple[Any, ...]]) -> None:
    """Schema, lookup and known names are what plain sets say, after every step."""
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig())
        await rt.root.plugin(ToolRegistry)
        outer = create_scope(rt.root, Key("outer"))
        inner = create_scope(rt.root, Key("inner"), parent=outer.key)
        contexts = {"global": rt.root, "outer": outer.ctx, "inner": inner.ctx}
        keys = {"global": None, "outer": outer.key, "inner": inner.key}
        live: list[tuple[Any, tuple[Any, ...]]] = []

        def named(layers: tuple[str, ...]) -> set[str]:
            return {entry[2] for _, entry in live if entry[0] == "register" and entry[1] in layers}

        def above(layer: str) -> tuple[str, ...]:
            return LAYERS[: LAYERS.index(layer)]

        def visible(layer: str) -> set[str]:
            seen: set[str] = set()
            for each in (*above(layer), layer):
                for _, entry in live:
                    if entry[0] == "restrict" and entry[1] == each:
                        seen = seen & entry[2] if entry[3] else seen - entry[2]
                seen |= named((each,))
            return seen

        for step in steps:
            if step[0] == "register":
                try:
                    live.append((contexts[step[1]].tools.register(ToolSchema(step[2], step[1])), step))
                except ToolError:
                    assert step[2] in named((step[1],))
            elif step[0] == "restrict":
                _, layer, wanted, allowing = step
                try:
                    lists = {"allow" if allowing else "deny": sorted(wanted)}
                    live.append((contexts[layer].tools.restrict(**lists), step))
                except ToolError:
                    assert wanted - named(above(layer))
                else:
                    assert wanted <= named(above(layer))
            elif step[0] == "dispose" and live:
                live.pop(step[1] % len(live))[0]()
            elif step[0] == "ask":
                scope = keys[step[1]]
                expected = sorted(visible(step[1]))
                assert await sent(rt.root, scope) == expected
                assert sorted(names(rt.root.tools.visible(scope))) == expected
                assert [name for name in NAMES if rt.root.tools.is_visible(name, scope)] == expected
                assert rt.root.tools.known_names(scope) == sorted(named((*above(step[1]), step[1])))
                assembly = await rt.root.system_prompt.assemble(AssembleContext(scope=scope))
                for tool in assembly.tools:
                    nearest = [each for each in (*above(step[1]), step[1]) if tool.name in named((each,))]
                    assert tool.description in nearest
