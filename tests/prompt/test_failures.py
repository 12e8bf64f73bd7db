"""What is wrong with a prompt, where it stands and whose it is (spec 10 and 14)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.prompt.providers import Next, edits, gives, raises, says
from tests.prompt.shown import entry, listening, plugin
from tests.support.plugins import Boom
from workbench.core import Context, Runtime
from workbench.prompt import (
    AssembleContext,
    NamedText,
    Position,
    PromptAssembly,
    PromptError,
    PromptFacade,
    RenderError,
    TextSource,
    ToolSchema,
    preview,
    render_context_snapshot,
    render_prompt,
)


async def test_all_failing_entries_are_listed_and_the_first_is_what_render_raises(
    rt: Runtime, prompt: PromptFacade
) -> None:
    prompt.variable("model", says("M"))
    prompt.variable("unset", says(None))
    prompt.section("a", 1, "fine {{model}}")
    prompt.section("b", 2, "one\n  two {{modle}} {{unset}}", source=TextSource("b.yml", 4, 6, 5))
    prompt.section("c", 3, "{{unset}}")
    prompt.section("d", 4, "é {{ Model }}")
    prompt.context("e", 1, "{{ {{model}}")
    shown = await preview(prompt)
    with pytest.raises(RenderError) as caught:
        render_prompt(await prompt.assemble())
    first = shown.failures[0]
    assert (first.message, first.offset) == (str(caught.value), caught.value.offset)
    assert shown.system is None
    assert shown.spans == ()
    assert shown.context is None
    assert [(f.code, f.part, f.name, f.group, f.line, f.column, f.suggestion) for f in shown.failures] == [
        ("unknown", "section", "b", "{{modle}}", 2, 7, "model"),
        ("no value", "section", "c", "{{unset}}", 1, 1, ""),
        ("malformed", "section", "d", "{{ Model }}", 1, 3, "model"),
        ("malformed", "context", "e", "{{ {{model}}", 1, 1, "model"),
    ]
    assert first.position == Position("b.yml", 5, 12)
    assert first.known == ("model", "unset")
    assert first.owner is not None
    assert (first.owner.plugin, first.length, first.stage) == ("root", 9, "render")
    assert entry(shown, "a").rendered == "fine M"
    assert entry(shown, "b").failure == first


@pytest.mark.parametrize("kind", ["section", "context", "variable", "tools"])
async def test_a_provider_that_raises_is_named_with_its_place(rt: Runtime, prompt: PromptFacade, kind: str) -> None:
    def failing(_context: AssembleContext) -> Any:
        json.loads("{")

    def register(ctx: Context) -> None:
        own = ctx.system_prompt
        if kind == "tools":
            own.tools(failing)
        elif kind == "variable":
            own.variable("x", failing)
        else:
            getattr(own, kind)("x", 1, failing)

    await plugin(rt, "fails", register)
    prompt.section("fine", 2, "text")
    shown = await preview(prompt)
    (failure,) = shown.failures
    assert (failure.stage, failure.code, failure.part) == ("assemble", "raised", kind)
    assert failure.name == ("" if kind == "tools" else "x")
    assert failure.owner is not None
    assert failure.owner.plugin == "fails"
    assert failure.position == Position(__file__, failing.__code__.co_firstlineno + 1, 1)
    assert shown.assembly is None
    assert shown.system is None
    assert shown.trace.error == failure.message
    if kind != "variable":
        assert entry(shown, "fine").text == "text"


async def test_a_listener_that_raises_is_named_with_its_place(rt: Runtime, prompt: PromptFacade) -> None:
    async def failing(_assembly: PromptAssembly, _context: AssembleContext, _next: Next) -> PromptAssembly:
        raise Boom("on purpose")

    async def outer(_assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        return await next()

    prompt.section("s", 1, says("evaluated"))
    await listening(rt, "outer", outer)
    await listening(rt, "fails", failing)
    shown = await preview(prompt)
    (failure,) = shown.failures
    assert failure.owner is not None
    assert (failure.part, failure.name, failure.owner.plugin) == ("listener", "failing", "fails")
    assert failure.position == Position(__file__, failing.__code__.co_firstlineno + 1, 1)
    assert failure.message == "Boom: on purpose"
    assert [span.outcome for span in shown.trace.listeners] == ["passed", "raised"]
    assert shown.trace.listeners[1].error == "Boom: on purpose"
    assert entry(shown, "s").text == "evaluated"


@pytest.mark.parametrize("error", [SystemExit(1), KeyboardInterrupt()])
async def test_what_is_no_exception_is_named_as_well(
    rt: Runtime, prompt: PromptFacade, error: BaseException
) -> None:
    await plugin(rt, "fails", lambda ctx: ctx.system_prompt.section("x", 1, raises(error)))
    (failure,) = (await preview(prompt)).failures
    assert failure.owner is not None
    assert failure.owner.plugin == "fails"
    assert failure.position is not None
    assert failure.position.file == raises.__code__.co_filename


async def test_errors_of_the_service_have_their_code(prompt: PromptFacade) -> None:
    prompt.section("one", 1, "", complete=True)
    other = prompt.section("two", 2, "", complete=True)
    assert (await preview(prompt)).failures[0].code == "complete"
    other()
    prompt.tools(gives({"name": "<unlisted-tools>"}))
    assert (await preview(prompt)).failures[0].code == "reserved"


def set_number(assembly: PromptAssembly) -> None:
    assembly.sections[1].text = 5  # type: ignore[assignment]


def set_value(assembly: PromptAssembly) -> None:
    assembly.variables["v"] = 5  # type: ignore[assignment]


def set_name(assembly: PromptAssembly) -> None:
    assembly.sections[1].name = None  # type: ignore[assignment]


def set_order(assembly: PromptAssembly) -> None:
    assembly.sections.append(NamedText("x", "x", order="first"))  # type: ignore[arg-type]
    assembly.sections[1].order = 10**400


def add_string(assembly: PromptAssembly) -> None:
    assembly.sections.append("text")  # type: ignore[arg-type]


def add_nothing(assembly: PromptAssembly) -> None:
    assembly.contexts.append(None)  # type: ignore[arg-type]


def add_mapping(assembly: PromptAssembly) -> None:
    assembly.tools.append({"name": "m"})  # type: ignore[arg-type]


def add_garbage(assembly: PromptAssembly) -> None:
    assembly.tools.append(5)  # type: ignore[arg-type]


def spoil_tool(assembly: PromptAssembly) -> None:
    assembly.tools[0].parameters["x"] = object()


def twice(assembly: PromptAssembly) -> None:
    assembly.sections.append(assembly.sections[1])


@pytest.mark.parametrize("iterated", [False, True])
@pytest.mark.parametrize(
    ("harm", "fails_with"),
    [
        (set_number, "section 's'"),
        (set_value, "{{v}}"),
        (set_name, None),
        (set_order, None),
        (add_string, "section ''"),
        (add_nothing, "context ''"),
        (add_mapping, None),
        (add_garbage, "int"),
        (spoil_tool, "'t'"),
        (twice, None),
    ],
)
async def test_whatever_a_listener_puts_in_a_preview_tells(
    rt: Runtime, prompt: PromptFacade, harm: Any, fails_with: str | None, iterated: bool
) -> None:
    prompt.section("s", 1, "text {{v}}")
    prompt.variable("v", says("x"))
    prompt.tools(gives(ToolSchema("t")))

    def listener(assembly: PromptAssembly) -> None:
        if iterated:
            list(assembly.sections)
        harm(assembly)

    await listening(rt, "harmful", edits(listener))
    for _ in range(3):
        shown = await preview(prompt)
        messages = [failure.message for failure in shown.failures]
        if fails_with is None:
            assert messages == []
        else:
            assert fails_with in messages[0]

    async def sent() -> list[object]:
        assembly = await prompt.assemble()
        return [render_prompt(assembly), render_context_snapshot(assembly), assembly.tools_json]

    if fails_with is None:
        await sent()
    else:
        with pytest.raises((PromptError, TypeError, AttributeError)) as caught:
            await sent()
        assert str(caught.value) == messages[0]
