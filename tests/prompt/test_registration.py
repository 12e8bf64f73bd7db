"""What can be registered, what is refused, and how it goes again (spec 3, 5 and 12)."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from tests.prompt.providers import gives, says
from tests.support.plugins import Boom, Key, P
from workbench.core import Context, CoreError, Runtime, create_scope
from workbench.prompt import (
    AssembleContext,
    PromptConfig,
    PromptError,
    PromptFacade,
    RegistrationError,
    SystemPrompt,
    ToolProviderResult,
    add_harness_source,
    render_prompt,
)

REFUSED_ORDERS = [math.nan, math.inf, -math.inf, True, False, "10", None, [1], 1 + 0j]


@pytest.fixture
def changes(root: Context) -> list[int]:
    """Grows by one at every notification of a change."""
    heard: list[int] = []
    root.on("system-prompt/change", lambda: heard.append(1))
    return heard


async def names(prompt: PromptFacade, scope: object = None) -> list[str]:
    assembly = await prompt.assemble(AssembleContext(scope=scope))
    return assembly.sections.names()


@pytest.mark.parametrize("order", REFUSED_ORDERS)
@pytest.mark.parametrize("kind", ["section", "context"])
def test_an_order_is_a_finite_number(prompt: PromptFacade, changes: list[int], kind: str, order: Any) -> None:
    with pytest.raises(RegistrationError) as caught:
        getattr(prompt, kind)("the name", order, "text")
    assert "the name" in str(caught.value)
    assert "finite" in str(caught.value)
    assert not changes
    getattr(prompt, kind)("the name", 0, "text")


async def test_negative_fractional_and_enormous_orders_are_fine(prompt: PromptFacade) -> None:
    for name, order in {"f": 0.5, "a": -1e308, "g": 10**400, "b": -1, "e": -0.0, "d": 0}.items():
        prompt.section(name, order, name)
    assert await names(prompt) == ["a", "b", "d", "deployment:persona", "e", "f", "g"]


@pytest.mark.parametrize(
    "name", ["", "A", "aB", "1a", "_a", "a-b", "a b", "a\n", "\na", "é", "aé", "a\u0661", "a.b"]
)
def test_invalid_variable_names(prompt: PromptFacade, changes: list[int], name: str) -> None:
    with pytest.raises(RegistrationError, match="invalid") as caught:
        prompt.variable(name, says("x"))
    assert name in str(caught.value) or repr(name) in str(caught.value)
    assert not changes


@pytest.mark.parametrize(
    "wrong",
    [
        lambda prompt: prompt.section("s", 0, 5),
        lambda prompt: prompt.section(None, 0, "x"),
        lambda prompt: prompt.context("c", 0, None),
        lambda prompt: prompt.variable("v", "text"),
        lambda prompt: prompt.variable(5, says("x")),
        lambda prompt: prompt.tools([]),
    ],
)
def test_what_is_no_text_and_no_function_is_refused_at_the_door(
    prompt: PromptFacade, changes: list[int], wrong: Any
) -> None:
    with pytest.raises(RegistrationError):
        wrong(prompt)
    assert not changes


@pytest.mark.parametrize("flag", [1, "yes", [0]])
async def test_flags_count_only_when_they_are_true(prompt: PromptFacade, flag: Any) -> None:
    prompt.variable("v", says("V"))
    prompt.section("s", 1, "{{v}}", complete=flag, literal=flag)
    prompt.context("c", 1, "{{v}}", literal=flag)
    assembly = await prompt.assemble()
    assert render_prompt(assembly) == "V"
    assert assembly.sections.names() == ["deployment:persona", "s"]
    assert assembly.sections[1].literal is False
    assert assembly.contexts[0].literal is False


# Names


@pytest.mark.parametrize("layer", ["global", "a"])
async def test_a_duplicate_raises_and_the_first_stays(
    root: Context, changes: list[int], a: Key, layer: str
) -> None:
    ctx = root if layer == "global" else create_scope(root, a).ctx
    prompt = ctx.system_prompt
    prompt.section("same", 1, "first")
    prompt.context("same", 1, "first")
    prompt.variable("same", says("first"))
    assert len(changes) == 3
    for refused in (
        lambda: prompt.section("same", 2, "second"),
        lambda: prompt.context("same", 2, "second"),
        lambda: prompt.variable("same", says("second")),
    ):
        with pytest.raises(RegistrationError, match="already registered") as caught:
            refused()
        assert "same" in str(caught.value)
        assert ("scope" in str(caught.value).split(";")[0]) == (layer == "a")
    assert len(changes) == 3
    assembly = await root.system_prompt.assemble(AssembleContext(scope=a))
    assert [item.text for item in assembly.sections if item.name == "same"] == ["first"]
    assert assembly.contexts[0].text == "first"
    assert assembly.variables == {"same": "first"}


async def test_layers_do_not_share_their_names(root: Context, a: Key, b: Key) -> None:
    for ctx in (root, create_scope(root, a).ctx, create_scope(root, b).ctx):
        ctx.system_prompt.section("same", 1, "text")
        ctx.system_prompt.variable("same", says("x"))


# Disposers


async def test_a_disposer_removes_its_own_entry_only(prompt: PromptFacade, changes: list[int]) -> None:
    first = prompt.section("s", 1, "first")
    first()
    prompt.section("s", 1, "second")
    before = len(changes)
    first()
    await first()
    assert len(changes) == before
    assert render_prompt(await prompt.assemble()) == "second"


@pytest.mark.parametrize(
    "register",
    [
        lambda prompt: prompt.section("x", 1, ""),
        lambda prompt: prompt.context("x", 1, ""),
        lambda prompt: prompt.variable("x", says(None)),
        lambda prompt: prompt.tools(gives()),
        lambda prompt: prompt.suppress_runtime_context(),
    ],
)
def test_each_registration_and_each_disposal_tells_once(
    root: Context, changes: list[int], a: Key, register: Any
) -> None:
    for ctx in (root, create_scope(root, a).ctx):
        dispose = register(ctx.system_prompt)
        assert len(changes) == 1
        dispose()
        dispose()
        assert len(changes) == 2
        changes.clear()


def test_listeners_tell_nothing(root: Context, changes: list[int]) -> None:
    root.on("system-prompt/assemble", lambda assembly, _context, _next: assembly)()
    assert not changes


def test_a_scoped_observer_hears_what_happens_elsewhere(root: Context, a: Key, b: Key) -> None:
    """The change has no target, so that only global observers hear it, and those of every layer's changes."""
    heard: list[str] = []
    root.on("system-prompt/change", lambda: heard.append("root"))
    create_scope(root, a).ctx.on("system-prompt/change", lambda: heard.append("a"), everywhere=True)
    create_scope(root, b).ctx.system_prompt.section("s", 1, "")
    assert heard == ["root", "a"]


async def test_same_tools_provider_twice(prompt: PromptFacade) -> None:
    """Tool providers and suppressors have no name: the same function counts as often as it is given."""
    provider = gives({"name": "t"})
    one, two = prompt.tools(provider), prompt.tools(provider)
    assert [tool.name for tool in (await prompt.assemble()).tools] == ["t", "t"]
    one()
    assert [tool.name for tool in (await prompt.assemble()).tools] == ["t"]
    two()
    assert (await prompt.assemble()).tools == []


async def test_an_owner_that_goes_takes_everything_along_in_reverse(rt: Runtime, prompt: PromptFacade) -> None:
    seen: list[list[str]] = []

    def plugin(ctx: Context) -> None:
        own = ctx.system_prompt
        own.section("one", 1, "1")
        own.section("two", 2, "2")
        own.variable("v", says("x"))
        own.tools(gives({"name": "t"}))
        own.context("c", 1, "text")
        own.suppress_runtime_context()
        ctx.on("system-prompt/assemble", lambda assembly, _context, _next: assembly)

    before = rt.snapshot()
    fiber = rt.root.plugin(P("owner", plugin, inject=["system_prompt"]))
    await fiber
    layer = prompt.service.layers.everywhere

    def note() -> None:
        left = [*layer.sections, *layer.contexts, *layer.variables, *layer.tools, *layer.suppressors]
        seen.append([entry.kind for entry in left if entry.owner_name == "owner"])

    observer = rt.root.on("system-prompt/change", note)
    await fiber.dispose()
    observer()
    assert seen == [
        ["section", "section", "context", "variable", "tools"],
        ["section", "section", "variable", "tools"],
        ["section", "section", "variable"],
        ["section", "section"],
        ["section"],
        [],
    ]
    assert rt.snapshot() == before


def test_a_layer_exists_only_while_it_holds_something(prompt: PromptFacade, root: Context, a: Key) -> None:
    layers = prompt.service.layers
    scope = create_scope(root, a)
    assert len(list(layers)) == 1
    for register in (
        lambda own: own.section("x", 1, ""),
        lambda own: own.context("x", 1, ""),
        lambda own: own.variable("x", says(None)),
        lambda own: own.tools(gives()),
        lambda own: own.suppress_runtime_context(),
    ):
        dispose = register(scope.ctx.system_prompt)
        assert len(list(layers)) == 2
        dispose()
        assert len(list(layers)) == 1


async def test_reading_makes_no_layer(prompt: PromptFacade, a: Key) -> None:
    await prompt.assemble(AssembleContext(scope=a))
    assert [layer.scope for layer in prompt.service.layers] == [None]


async def test_after_many_scopes_no_more_is_kept_than_some_plans(root: Context, prompt: PromptFacade) -> None:
    for number in range(500):
        scope = create_scope(root, Key(f"agent {number}"))
        scope.ctx.system_prompt.section("s", 1, f"of {number}")
        assembly = await prompt.assemble(AssembleContext(scope=scope.key))
        assert render_prompt(assembly) == f"of {number}"
        await scope.dispose()
    assert [layer.scope for layer in prompt.service.layers] == [None]
    assert len(prompt.service._plans) <= 64


# After the end


async def test_nothing_can_be_registered_for_an_owner_that_is_gone(rt: Runtime, changes: list[int]) -> None:
    kept: list[PromptFacade] = []
    fiber = rt.root.plugin(P("gone", lambda ctx: kept.append(ctx.system_prompt), inject=["system_prompt"]))
    await fiber
    await fiber.dispose()
    for register in (
        lambda: kept[0].section("s", 1, ""),
        lambda: kept[0].context("c", 1, ""),
        lambda: kept[0].variable("v", says("")),
        lambda: kept[0].tools(gives()),
        lambda: kept[0].suppress_runtime_context(),
    ):
        with pytest.raises(CoreError, match="inactive"):
            register()
    assert not changes


async def test_nothing_can_be_registered_in_a_scope_that_is_gone(
    root: Context, prompt: PromptFacade, changes: list[int], a: Key
) -> None:
    scope = create_scope(root, a)
    own = scope.ctx.system_prompt
    own.section("s", 1, "text")
    await scope.dispose()
    assert len(changes) == 2
    with pytest.raises(CoreError, match="inactive"):
        own.section("s", 1, "text")
    assert len(changes) == 2
    assert len(list(prompt.service.layers)) == 1


# Observers that raise


@pytest.mark.parametrize("layer", ["global", "a"])
async def test_an_observer_that_raises_undoes_the_registration(root: Context, a: Key, layer: str) -> None:
    heard: list[int] = []

    def observer() -> None:
        heard.append(1)
        if len(heard) == 1:
            raise Boom("not this one")

    root.on("system-prompt/change", observer)
    scope = create_scope(root, a)
    prompt = root.system_prompt if layer == "global" else scope.ctx.system_prompt
    with pytest.raises(Boom, match="not this one"):
        prompt.section("s", 1, "text")
    assert len(heard) == 2
    assert len(list(prompt.service.layers)) == 1
    assert await names(root.system_prompt, a) == ["deployment:persona"]
    prompt.section("s", 1, "text")
    assert await names(root.system_prompt, a) == ["deployment:persona", "s"]


async def test_the_first_exception_of_an_observer_is_the_one_that_arrives(root: Context) -> None:
    heard: list[int] = []

    def observer() -> None:
        heard.append(1)
        raise Boom(f"number {len(heard)}")

    observing = root.on("system-prompt/change", observer)
    with pytest.raises(Boom, match="number 1"):
        root.system_prompt.section("s", 1, "text")
    assert len(heard) == 2
    observing()
    assert await names(root.system_prompt) == ["deployment:persona"]


async def test_an_observer_that_raises_during_a_disposal_stops_nothing(
    root: Context, caplog: pytest.LogCaptureFixture
) -> None:
    dispose = root.system_prompt.section("s", 1, "text")
    later: list[int] = []

    def raising() -> None:
        raise Boom("in the undo")

    root.on("system-prompt/change", raising)
    root.on("system-prompt/change", lambda: later.append(1))
    dispose()
    assert later == [1]
    assert await names(root.system_prompt) == ["deployment:persona"]
    assert "in the undo" in caplog.text


# Threads


async def test_other_threads_are_refused(rt: Runtime, prompt: PromptFacade, changes: list[int]) -> None:
    dispose = prompt.section("s", 1, "text")

    def elsewhere() -> None:
        for call in (
            lambda: prompt.section("t", 1, "text"),
            lambda: prompt.variable("v", says("")),
            lambda: prompt.tools(gives()),
            dispose,
            lambda: asyncio.run(prompt.assemble()),
        ):
            with pytest.raises(CoreError) as caught:
                call()
            assert caught.value.code == "WRONG_THREAD"

    await asyncio.to_thread(elsewhere)
    assert len(changes) == 1
    assert await names(prompt) == ["deployment:persona", "s"]


# The service's own


@pytest.mark.parametrize(
    ("tool_order", "fragments"),
    [
        (["a", "b", "a", "<unlisted-tools>"], ["'a'", "more than once"]),
        (["<unlisted-tools>", "<unlisted-tools>"], ["<unlisted-tools>", "more than once"]),
        (["a", "a"], ["'a'", "more than once"]),
        (["a"], ["<unlisted-tools>"]),
        ([], ["<unlisted-tools>"]),
    ],
)
def test_an_impossible_tool_order_is_refused_at_load(tool_order: list[str], fragments: list[str]) -> None:
    with pytest.raises(PromptError) as caught:
        PromptConfig(tool_order=tool_order)
    assert all(fragment in str(caught.value) for fragment in fragments)


async def test_builtins() -> None:
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig(persona="Be kind."))
        prompt = rt.root.system_prompt
        dispose = add_harness_source(rt.root, "/src/workbench")
        assert render_prompt(await prompt.assemble()).split("\n\n") == [
            "You are an AI agent running on the Prompt Workbench runtime.",
            "The Prompt Workbench source checkout is located at /src/workbench. That location is not a statement "
            "about the working directory: the two can be the same or different, so run pwd when you need the "
            "working directory. Open the checkout only to study or extend the workbench itself.",
            "Be kind.",
        ]
        with pytest.raises(RegistrationError, match="already registered"):
            prompt.section("deployment:persona", 0, "")
        with pytest.raises(RegistrationError, match="already registered"):
            add_harness_source(rt.root, "/other")
        dispose()
        add_harness_source(rt.root, "/with/{{braces}}")
        with pytest.raises(PromptError, match="unknown"):
            render_prompt(await prompt.assemble())


async def test_runtime_context_can_be_off_for_all() -> None:
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig(include_runtime_context=False))
        rt.root.system_prompt.context("c", 1, "text")
        assert (await rt.root.system_prompt.assemble()).contexts == []


@pytest.mark.parametrize("key", ["TOOL_BSH", "", "tool:bash", "SANDBOX_POLICY"])
def test_an_unknown_position_raises(prompt: PromptFacade, key: str) -> None:
    with pytest.raises(PromptError, match="TOOL_BASH"):
        prompt.get_section_order(key)
    with pytest.raises(PromptError, match="SANDBOX_POLICY"):
        prompt.get_context_order("TOOL_BASH")


async def test_the_registry_is_described_without_its_texts(rt: Runtime, a: Key) -> None:
    create_scope(rt.root, a).ctx.system_prompt.section("s", 1, "secret text")
    described = rt.snapshot().decode()
    assert '"sections":[["s","root"]]' in described
    assert "secret text" not in described


def test_a_tool_provider_result_says_absent_and_empty_apart() -> None:
    assert ToolProviderResult([]).known_names is None
    assert ToolProviderResult([], []).known_names == []
