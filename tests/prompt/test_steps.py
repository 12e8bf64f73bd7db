"""One assembly, step by step (spec 6): live variables, fixed membership, and what fails first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.prompt.providers import edits, gives, raises, says
from tests.support.plugins import Boom, Key
from workbench.core import Context, CoreError, Runtime, Scope, create_scope
from workbench.prompt import (
    AssembleContext,
    PromptAssembly,
    PromptConfig,
    PromptError,
    PromptFacade,
    SystemPrompt,
    ToolProviderResult,
    render_prompt,
)

Provider = Callable[[AssembleContext], Any]


def first(action: Callable[[], object], then: Any = "x") -> Provider:
    """A provider that does something at its first call."""
    done: list[int] = []

    def provider(_context: AssembleContext) -> Any:
        if not done:
            done.append(1)
            action()
        return then

    return provider


@pytest.fixture
def scope(root: Context, a: Key) -> Scope:
    return create_scope(root, a)


async def variables(prompt: PromptFacade, scope: object = None) -> dict[str, str | None]:
    return (await prompt.assemble(AssembleContext(scope=scope))).variables


# Step 1


async def test_suppression_is_read_before_any_provider_runs(prompt: PromptFacade) -> None:
    prompt.context("c", 1, "text")
    prompt.variable("v", first(lambda: prompt.suppress_runtime_context()))
    assert (await prompt.assemble()).contexts.names() == ["c"]
    assert (await prompt.assemble()).contexts.names() == []


async def test_a_suppressor_that_goes_meanwhile_still_counts(prompt: PromptFacade) -> None:
    prompt.context("c", 1, "text")
    suppressing = prompt.suppress_runtime_context()
    prompt.variable("v", first(suppressing))
    assert (await prompt.assemble()).contexts.names() == []
    assert (await prompt.assemble()).contexts.names() == ["c"]


async def test_the_chain_is_fixed_before_any_provider_runs(
    root: Context, prompt: PromptFacade, a: Key, b: Key
) -> None:
    below, above = create_scope(root, a), create_scope(root, b)
    above.ctx.system_prompt.section("s", 1, "from above")
    above.ctx.system_prompt.variable("w", says("from above"))
    prompt.variable("v", first(lambda: below.move(b)))
    assembly = await prompt.assemble(AssembleContext(scope=a))
    assert render_prompt(assembly) == ""
    assert list(assembly.variables) == ["v"]
    assembly = await prompt.assemble(AssembleContext(scope=a))
    assert render_prompt(assembly) == "from above"
    assert list(assembly.variables) == ["v", "w"]


# Step 2


async def test_a_variable_joins_the_layer_that_is_being_read(prompt: PromptFacade, scope: Scope) -> None:
    own = scope.ctx.system_prompt
    own.variable(
        "one", first(lambda: own.variable("two", first(lambda: own.variable("three", says("3")), "2")), "1")
    )
    assert await variables(prompt, scope.key) == {"one": "1", "two": "2", "three": "3"}


async def test_a_variable_joins_a_layer_that_comes_later(prompt: PromptFacade, scope: Scope) -> None:
    own = scope.ctx.system_prompt
    prompt.variable("v", first(lambda: own.variable("v", says("near")), "far"))
    assert await variables(prompt, scope.key) == {"v": "near"}


async def test_a_variable_misses_a_layer_that_is_finished(prompt: PromptFacade, scope: Scope) -> None:
    prompt.variable("a", says("a"))
    scope.ctx.system_prompt.variable("v", first(lambda: prompt.variable("late", says("late"))))
    assert await variables(prompt, scope.key) == {"a": "a", "v": "x"}
    assert await variables(prompt, scope.key) == {"a": "a", "late": "late", "v": "x"}


async def test_a_variable_that_goes_before_its_turn_is_not_asked(prompt: PromptFacade) -> None:
    doomed: list[Any] = []
    prompt.variable("one", first(lambda: doomed[0]()))
    doomed.append(prompt.variable("two", raises(Boom("asked"))))
    prompt.variable("three", says("3"))
    assert await variables(prompt) == {"one": "x", "three": "3"}


async def test_a_value_stays_when_its_variable_goes_later(prompt: PromptFacade) -> None:
    doomed = prompt.variable("one", says("1"))
    prompt.variable("two", first(doomed))
    assert await variables(prompt) == {"one": "1", "two": "x"}
    assert await variables(prompt) == {"two": "x"}


@pytest.mark.parametrize("layer", ["global", "scope"])
@pytest.mark.parametrize("same_name", [True, False])
async def test_what_replaces_the_last_variable_of_a_layer_waits_for_the_next_assembly(
    prompt: PromptFacade, scope: Scope, layer: str, same_name: bool
) -> None:
    own = prompt if layer == "global" else scope.ctx.system_prompt
    own.section("keeps the layer", 1, "")
    registered: list[Any] = []

    def replace() -> None:
        registered[0]()
        own.variable("v" if same_name else "w", says("new"))

    registered.append(own.variable("v", first(replace, "old")))
    assert await variables(prompt, scope.key) == {"v": "old"}
    assert await variables(prompt, scope.key) == {"v" if same_name else "w": "new"}


async def test_the_last_of_a_vanishing_layer_waits_as_well(prompt: PromptFacade, scope: Scope) -> None:
    own = scope.ctx.system_prompt
    registered: list[Any] = []

    def replace() -> None:
        registered[0]()
        own.variable("w", says("new"))

    registered.append(own.variable("v", first(replace, "old")))
    assert await variables(prompt, scope.key) == {"v": "old"}
    assert await variables(prompt, scope.key) == {"w": "new"}


async def test_what_replaces_one_of_several_joins_at_the_end(prompt: PromptFacade) -> None:
    registered: list[Any] = []

    def replace() -> None:
        registered[0]()
        prompt.variable("v", says("new"))

    registered.append(prompt.variable("v", first(replace, "old")))
    prompt.variable("other", says("o"))
    assert await variables(prompt) == {"v": "new", "other": "o"}


async def test_replacing_without_end_of_addresses(prompt: PromptFacade) -> None:
    """Entries that come and go during one assembly may live at one address; each is asked all the same."""
    prompt.variable("anchor", says(""))
    asked: list[int] = []

    def chain_link(number: int) -> Provider:
        def provider(_context: AssembleContext) -> str:
            asked.append(number)
            registered.pop()()
            if number < 100:
                registered.append(prompt.variable("v", chain_link(number + 1)))
            return str(number)

        return provider

    registered: list[Any] = []
    registered.append(prompt.variable("v", chain_link(0)))
    assert await variables(prompt) == {"anchor": "", "v": "100"}
    assert asked == list(range(101))


async def test_the_last_value_in_a_chain_counts_and_the_first_place(prompt: PromptFacade, scope: Scope) -> None:
    prompt.variable("a", says("1"))
    prompt.variable("b", says("2"))
    scope.ctx.system_prompt.variable("a", says(""))
    assert list((await variables(prompt, scope.key)).items()) == [("a", ""), ("b", "2")]


# Steps 3 to 7


async def test_what_a_variable_provider_registers_is_a_member(prompt: PromptFacade) -> None:
    prompt.variable("v", first(lambda: prompt.section("s", 1, "new {{v}}")))
    assert render_prompt(await prompt.assemble()) == "new x"


@pytest.mark.parametrize("stage", ["tools", "section", "context"])
async def test_membership_is_fixed_once_variables_are_known(prompt: PromptFacade, stage: str) -> None:
    gone = [prompt.section("old", 5, "old"), prompt.context("old", 5, "old")]

    def change() -> None:
        for dispose in gone:
            dispose()
        prompt.section("new", 6, "new")
        prompt.context("new", 6, "new")
        prompt.variable("new", says("new"))
        if stage != "tools":
            prompt.tools(gives({"name": "new"}))

    if stage == "tools":
        prompt.tools(first(change, ToolProviderResult([])))
    else:
        getattr(prompt, stage)("first", 1, first(change, ""))
    assembly = await prompt.assemble()
    assert assembly.sections.names() == [
        "deployment:persona",
        *(["first"] if stage == "section" else []),
        "old",
    ]
    assert assembly.contexts.names() == [*(["first"] if stage == "context" else []), "old"]
    assert assembly.variables == {}
    assert assembly.tools == []
    assembly = await prompt.assemble()
    assert assembly.sections.names()[-1] == "new"
    assert assembly.contexts.names()[-1] == "new"
    assert assembly.variables == {"new": "new"}


async def test_the_list_of_tool_providers_is_fixed_before_the_first_is_called(prompt: PromptFacade) -> None:
    doomed: list[Any] = []

    def change() -> None:
        doomed[0]()
        prompt.tools(gives({"name": "new"}))

    prompt.tools(first(change, ToolProviderResult([])))
    doomed.append(prompt.tools(gives({"name": "old"})))
    assert [tool.name for tool in (await prompt.assemble()).tools] == ["old"]
    assert [tool.name for tool in (await prompt.assemble()).tools] == ["new"]


async def test_every_provider_is_called_once_in_its_turn(root: Context, prompt: PromptFacade) -> None:
    asked: list[str] = []

    def noting(what: str, value: Any) -> Provider:
        def provider(context: AssembleContext) -> Any:
            assert context is given
            asked.append(what)
            return value

        return provider

    prompt.context("c2", 2, noting("c2", ""))
    prompt.context("c1", 1, noting("c1", ""))
    prompt.section("s2", 2, noting("s2", "text"))
    prompt.section("s1", 1, noting("s1", ""))
    prompt.section("whole", 3, noting("whole", ""), complete=True)
    prompt.tools(noting("t1", ToolProviderResult([])))
    prompt.tools(noting("t2", ToolProviderResult([])))
    prompt.variable("v", noting("v", None))
    given = AssembleContext(extras={"a": 1})
    root.on("system-prompt/assemble", lambda _assembly, context, next: asked.append("listener") or next())
    for _ in range(3):
        assembly = await prompt.assemble(given)
        assert asked == ["v", "t1", "t2", "s1", "s2", "whole", "c1", "c2", "listener"]
        render_prompt(assembly)
        asked.clear()


async def test_no_context_is_asked_for_when_suppressed(prompt: PromptFacade) -> None:
    prompt.context("c", 1, raises(Boom("asked")))
    prompt.suppress_runtime_context()
    assert (await prompt.assemble()).contexts == []


# What fails first


async def test_the_first_failure_in_the_sequence_is_reported() -> None:
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig(tool_order=["unheard", "<unlisted-tools>"]))
        prompt: PromptFacade = rt.root.system_prompt
        steps = [
            (prompt.variable("v", raises(Boom("variable"))), ["variable"]),
            (prompt.tools(raises(Boom("provider of tools"))), ["provider of tools"]),
            (prompt.section("one", 1, says(""), complete=True), ["complete", "one", "two"]),
            (prompt.section("two", 2, raises(Boom("section")), complete=True), ["section"]),
            (prompt.context("c", 1, raises(Boom("context"))), ["context"]),
            (prompt.tools(gives({"name": "<unlisted-tools>"})), ["<unlisted-tools>", "reserved"]),
            (prompt.tools(gives()), ["tool_order", "unheard", "(none)"]),
        ]
        rt.root.on("system-prompt/assemble", lambda *_: raises(Boom("listener"))(AssembleContext()))
        for dispose, fragments in steps:
            with pytest.raises((Boom, PromptError)) as caught:
                await prompt.assemble()
            assert all(fragment in str(caught.value) for fragment in fragments), str(caught.value)
            dispose()
        prompt.tools(gives({"name": "unheard"}))
        with pytest.raises(Boom, match="listener"):
            await prompt.assemble()


async def test_unknown_names_in_the_order_come_before_any_listener() -> None:
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig(tool_order=["unheard", "of", "<unlisted-tools>"]))
        prompt = rt.root.system_prompt
        rt.root.on("system-prompt/assemble", lambda *_: raises(Boom("listener"))(AssembleContext()))
        with pytest.raises(PromptError) as caught:
            await prompt.assemble()
        assert all(word in str(caught.value) for word in ("tool_order", "unheard", "of", "(none)"))
        prompt.tools(gives({"name": "unheard"}, known=["\ufb01", "unheard", "\U0001d518", "of"]))
        with pytest.raises(Boom, match="listener"):
            await prompt.assemble()


@pytest.mark.parametrize("kind", ["variable", "tools", "section", "context"])
@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError(), GeneratorExit()])
async def test_what_is_no_exception_becomes_one(prompt: PromptFacade, kind: str, error: BaseException) -> None:
    register(prompt, kind, raises(error))
    with pytest.raises(CoreError) as caught:
        await prompt.assemble()
    assert caught.value.code == "PLUGIN_RAISED"
    assert type(error).__name__ in str(caught.value)
    assert "root" in str(caught.value)
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("kind", ["variable", "tools", "section", "context"])
async def test_an_exception_passes_through_as_it_is(prompt: PromptFacade, kind: str) -> None:
    cause = ValueError("why")

    def provider(_context: AssembleContext) -> Any:
        try:
            raise KeyError("inner")
        except KeyError:
            raise Boom("outer") from cause

    register(prompt, kind, provider)
    with pytest.raises(Boom, match="outer") as caught:
        await prompt.assemble()
    assert caught.value.__cause__ is cause


async def test_what_a_provider_was_handling_is_still_told(prompt: PromptFacade) -> None:
    def provider(_context: AssembleContext) -> str:
        try:
            raise KeyError("inner")
        except KeyError:
            raise Boom("outer")  # noqa: B904

    prompt.section("s", 1, provider)
    with pytest.raises(Boom) as caught:
        await prompt.assemble()
    assert isinstance(caught.value.__context__, KeyError)
    assert not caught.value.__suppress_context__


def register(prompt: PromptFacade, kind: str, provider: Provider) -> Any:
    if kind == "tools":
        return prompt.tools(provider)
    if kind == "variable":
        return prompt.variable("v", provider)
    return getattr(prompt, kind)("x", 1, provider)


@pytest.mark.parametrize("kind", ["variable", "tools", "section", "context"])
@pytest.mark.parametrize("given", [5, b"bytes", ["text"], True])
async def test_what_is_no_text_fails_the_assembly(prompt: PromptFacade, kind: str, given: object) -> None:
    register(prompt, kind, says(given))
    with pytest.raises(PromptError) as caught:
        await prompt.assemble()
    assert type(given).__name__ in str(caught.value)


async def test_a_text_provider_must_give_a_text(prompt: PromptFacade) -> None:
    prompt.section("s", 1, says(None))
    with pytest.raises(PromptError, match="NoneType"):
        await prompt.assemble()


async def test_a_failure_changes_nothing_for_the_next_assembly(rt: Runtime, prompt: PromptFacade) -> None:
    calls: list[int] = []

    def provider(_context: AssembleContext) -> str:
        calls.append(1)
        if len(calls) == 2:
            raise Boom("second")
        return f"call {len(calls)}"

    prompt.section("s", 1, provider)
    before = rt.snapshot()
    assert render_prompt(await prompt.assemble()) == "call 1"
    with pytest.raises(Boom):
        await prompt.assemble()
    assert render_prompt(await prompt.assemble()) == "call 3"
    assert rt.snapshot() == before


async def test_every_failure_comes_through_the_awaitable(prompt: PromptFacade) -> None:
    prompt.variable("v", raises(Boom("late")))
    pending = prompt.assemble()
    with pytest.raises(Boom):
        await pending


# Assemblies that overlap


async def test_assemblies_of_one_scope_may_overlap(root: Context, prompt: PromptFacade) -> None:
    gates = {name: asyncio.Event() for name in "12"}
    prompt.section("s", 1, lambda context: f"of {context.extras['name']} {{{{v}}}}")
    prompt.variable("v", lambda context: context.extras["name"])

    async def listener(assembly: PromptAssembly, context: AssembleContext, next: Any) -> PromptAssembly:
        name = context.extras["name"]
        assembly.sections[1].text += f" begun {name}"
        await gates[name].wait()
        result: PromptAssembly = await next()
        result.sections[1].text += f" ended {name}"
        return result

    root.on("system-prompt/assemble", listener)
    tasks = [asyncio.ensure_future(prompt.assemble(AssembleContext(extras={"name": name}))) for name in "12"]
    await asyncio.sleep(0)
    prompt.section("s2", 2, "new")
    gates["2"].set()
    second = await tasks[1]
    gates["1"].set()
    one = await tasks[0]
    assert render_prompt(one) == "of 1 1 begun 1 ended 1"
    assert render_prompt(second) == "of 2 2 begun 2 ended 2"
    assert render_prompt(one) == "of 1 1 begun 1 ended 1"


async def test_edits_during_the_waterfall_reach_no_registration(root: Context, prompt: PromptFacade) -> None:
    prompt.section("s", 1, "text")
    prompt.variable("v", says("x"))
    root.on(
        "system-prompt/assemble",
        edits(
            lambda assembly: setattr(assembly.sections[1], "text", assembly.sections[1].text + "!"),
            lambda assembly: assembly.variables.update(v="y"),
        ),
    )
    for _ in range(3):
        assembly = await prompt.assemble()
        assert render_prompt(assembly) == "text!"
        assert assembly.variables == {"v": "y"}
