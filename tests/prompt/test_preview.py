"""Previews: every character with its owner and place, states of entries, failures (spec 4, 6, 7, 9 and 14)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.prompt.providers import Next, edits, gives, raises, says
from tests.prompt.world import PROGRAMS, AddText, Entry, Step, World
from tests.support.plugins import Boom, Key, P
from workbench.core import Context, Runtime, create_scope
from workbench.prompt import (
    RUNTIME_CONTEXT_PREAMBLE,
    AssembleContext,
    EntryView,
    Failure,
    NamedText,
    Position,
    Preview,
    PromptAssembly,
    PromptConfig,
    PromptError,
    PromptFacade,
    RenderError,
    Span,
    SystemPrompt,
    TextSource,
    ToolSchema,
    preview,
    render_context_snapshot,
    render_prompt,
)

EVENT = "system-prompt/assemble"


async def plugin(rt: Runtime, name: str, apply: Any, **metadata: Any) -> None:
    """Load a plugin that registers with the prompt service."""
    await rt.root.plugin(P(name, apply, inject=["system_prompt"], **metadata))


async def listening(rt: Runtime, name: str, listener: Any) -> None:
    await plugin(rt, name, lambda ctx: ctx.on(EVENT, listener))


def pieces(text: str | None, spans: tuple[Span, ...]) -> list[tuple[str, str, str]]:
    """Each piece as its text, its owner and what it is."""
    assert text is not None
    return [
        (
            text[span.start : span.end],
            span.owner.plugin,
            f"{{{{{span.variable}}}}}" if span.variable else "listener" if span.listener else span.part,
        )
        for span in spans
    ]


def entry(shown: Preview, name: str, state: str = "effective") -> EntryView:
    (found,) = [view for view in (*shown.sections, *shown.contexts) if (view.name, view.state) == (name, state)]
    return found


def states(views: tuple[EntryView, ...]) -> list[tuple[str, str]]:
    return [(view.name, view.state) for view in views]


# Spans


async def test_every_piece_has_its_owner(rt: Runtime, prompt: PromptFacade, a: Key) -> None:
    def one(ctx: Context) -> None:
        ctx.system_prompt.section("one", 10, "You run on {{model}} in {{cwd}}.")
        ctx.system_prompt.context("c", 1, "Now: {{model}}")

    def two(ctx: Context) -> None:
        create_scope(ctx, a).ctx.system_prompt.variable("model", says("M"))

    await plugin(rt, "one-kit", one)
    await plugin(rt, "two-kit", two)
    prompt.variable("cwd", says(""))
    prompt.section("two", 20, "{{model}}")
    shown = await preview(prompt, AssembleContext(scope=a))
    assert shown.system == "You run on M in .\n\nM"
    assert pieces(shown.system, shown.spans) == [
        ("You run on ", "one-kit", "section"),
        ("M", "two-kit", "{{model}}"),
        (" in ", "one-kit", "section"),
        (".", "one-kit", "section"),
        ("\n\n", "system_prompt", "separator"),
        ("M", "two-kit", "{{model}}"),
    ]
    assert [span.layer for span in shown.spans] == ["global", "a", "global", "global", "global", "a"]
    assert pieces(shown.context, shown.context_spans) == [
        (RUNTIME_CONTEXT_PREAMBLE, "system_prompt", "header"),
        ("\n\n", "system_prompt", "separator"),
        ("Now: ", "one-kit", "context"),
        ("M", "two-kit", "{{model}}"),
    ]
    assert entry(shown, "one").references == ("model", "cwd")
    assert entry(shown, "two").start == len("You run on M in .\n\n")
    assert entry(shown, "deployment:persona").start is None
    used_in = {view.name: (view.value, view.used_in) for view in shown.variables}
    assert used_in == {"model": ("M", ("one", "two", "c")), "cwd": ("", ("one",))}
    assert not shown.failures


async def test_kinds_of_owners(rt: Runtime, prompt: PromptFacade) -> None:
    await plugin(rt, "plain", lambda ctx: ctx.system_prompt.section("p", 1, "x"))
    await plugin(rt, "pack", lambda ctx: ctx.system_prompt.section("q", 2, "x"), owner_kind="package")
    await plugin(rt, "odd", lambda ctx: ctx.system_prompt.section("r", 3, "x"), owner_kind="of no kind")
    owners = {view.name: view.owner for view in (await preview(prompt)).sections}
    assert owners["deployment:persona"].kind == "deployment"
    assert [owners[name].kind for name in "pqr"] == ["plugin", "package", "plugin"]
    assert owners["p"].plugin == str(owners["p"]) == "plain"
    assert owners["p"].fiber in [fiber.uid for fiber in rt.fibers()]


async def test_orders_are_named_after_their_positions(prompt: PromptFacade) -> None:
    prompt.section("tool:bash", prompt.get_section_order("TOOL_BASH"), "x")
    prompt.section("mine", 1001, "x")
    prompt.context("sandbox:policy", prompt.get_context_order("SANDBOX_POLICY"), "x")
    shown = await preview(prompt)
    assert [(view.name, view.order, view.order_key) for view in (*shown.sections, *shown.contexts)] == [
        ("deployment:persona", 0, "DEPLOYMENT_PERSONA"),
        ("tool:bash", 1000, "TOOL_BASH"),
        ("mine", 1001, None),
        ("sandbox:policy", 110, "SANDBOX_POLICY"),
    ]


BLOCK = """prompt:
  text: |
    First {{v}} line
      deeper 日本 {{v}}

    last
"""


async def test_positions_in_a_block_of_a_file_are_exact(prompt: PromptFacade) -> None:
    text = "First {{v}} line\n  deeper 日本 {{v}}\n\nlast\n"
    prompt.section("s", 1, text, source=TextSource("conf/prompt.yml", 3, 5, 4))
    prompt.variable("v", says("x\ny"), source=TextSource("conf/vars.yml", 7, 3))
    shown = await preview(prompt)
    assert shown.system is not None
    lines = BLOCK.split("\n")
    for span in shown.spans:
        assert span.source is not None
        piece = shown.system[span.start : span.end]
        if span.variable:
            assert span.source == Position("conf/vars.yml", 7, 3)
        else:
            rest = lines[span.source.line - 1][span.source.column - 1 :]
            assert piece.startswith(rest[: len(piece.split("\n")[0])])
            assert span.source.file == "conf/prompt.yml"
    assert [span.source[1:] for span in shown.spans if span.source and not span.variable] == [
        (3, 5),
        (3, 16),
        (4, 22),
    ]


async def test_without_a_file_the_place_is_that_of_the_code(prompt: PromptFacade) -> None:
    prompt.section("s", 1, "text")
    line = here() - 1

    def provider(_context: AssembleContext) -> str:
        return "text"

    prompt.section("t", 2, provider)
    prompt.variable("v", provider)
    shown = await preview(prompt)
    static, computed = entry(shown, "s").source, entry(shown, "t").source
    assert static is not None
    assert computed is not None
    assert (static.file, static.line) == (__file__, line)
    assert (computed.file, computed.line) == (__file__, provider.__code__.co_firstlineno)
    assert shown.variables[0].source == computed


def here() -> int:
    import sys

    return sys._getframe(1).f_lineno


# States


async def test_shadowed_entries_follow_those_in_force(root: Context, prompt: PromptFacade, a: Key) -> None:
    prompt.section("s", 1, "global text")
    prompt.section("t", 2, "t")
    prompt.context("c", 1, "global context")
    prompt.variable("v", says("global"))
    own = create_scope(root, a).ctx.system_prompt
    own.section("s", 5, raises(Boom("never asked")))
    own.section("s2", 6, "x")
    own.context("c", 1, "near")
    own.variable("v", says("near"))
    shown = await preview(prompt, AssembleContext(scope=a))
    assert shown.failures[0].code == "raised"
    own_ctx = create_scope(root, Key("b")).ctx.system_prompt
    own_ctx.section("s", 5, "near")
    shown = await preview(prompt, AssembleContext(scope=own_ctx._scope))
    assert states(shown.sections) == [
        ("deployment:persona", "effective"),
        ("t", "effective"),
        ("s", "effective"),
        ("s", "shadowed"),
    ]
    shadowed = entry(shown, "s", "shadowed")
    assert (shadowed.remark, shadowed.text, shadowed.rendered) == ("shadowed by b", "global text", None)
    assert shadowed.layer == "global"


async def test_shadowed_contexts_and_variables(root: Context, prompt: PromptFacade, a: Key) -> None:
    prompt.context("c", 1, "global")
    prompt.variable("v", says("global"))
    own = create_scope(root, a).ctx.system_prompt
    own.context("c", 1, "near {{v}}")
    own.variable("v", says(None))
    shown = await preview(prompt, AssembleContext(scope=a))
    assert [(view.name, view.state, view.layer) for view in shown.contexts] == [
        ("c", "effective", "a"),
        ("c", "shadowed", "global"),
    ]
    assert [(view.name, view.state, view.layer, view.value) for view in shown.variables] == [
        ("v", "effective", "a", None),
        ("v", "shadowed", "global", None),
    ]
    assert [failure.code for failure in shown.failures] == ["no value"]


async def test_a_complete_section_displaces_the_others(rt: Runtime, prompt: PromptFacade) -> None:
    prompt.section("part", 1, "broken {{here}}")
    prompt.section("whole", 2, "all of it", complete=True)

    def meddle(assembly: PromptAssembly) -> None:
        for item in assembly.sections:
            item.text = "mine"
        assembly.sections.append(NamedText("added", "in vain"))

    await listening(rt, "meddler", edits(meddle))
    shown = await preview(prompt)
    assert shown.system == "all of it"
    assert pieces(shown.system, shown.spans) == [("all of it", "root", "section")]
    assert states(shown.sections) == [
        ("whole", "effective"),
        ("deployment:persona", "displaced"),
        ("part", "displaced"),
        ("added", "displaced"),
    ]
    assert entry(shown, "whole").changed_by == ()
    assert entry(shown, "whole").complete
    assert "whole" in entry(shown, "part", "displaced").remark
    assert not shown.failures


async def test_suppressed_contexts(root: Context, prompt: PromptFacade) -> None:
    prompt.context("c", 1, raises(Boom("asked")))
    prompt.suppress_runtime_context()
    root.on(EVENT, edits(lambda assembly: assembly.contexts.append(NamedText("d", "in vain"))))
    shown = await preview(prompt)
    assert states(shown.contexts) == [("c", "suppressed")]
    assert shown.context == ""
    assert shown.context_spans == ()
    assert [stage.name for stage in shown.trace.stages][-2:] == ["suppressed", "rendered"]


async def test_removed_entries_name_who_removed_them(rt: Runtime, prompt: PromptFacade) -> None:
    prompt.section("s", 1, "text")
    prompt.context("c", 1, "text")
    prompt.tools(gives(ToolSchema("t")))

    def remove(assembly: PromptAssembly) -> None:
        assembly.sections = [item for item in assembly.sections if item.name != "s"]  # type: ignore[assignment]
        assembly.contexts.clear()
        assembly.tools.clear()

    await listening(rt, "remover", edits(remove))
    shown = await preview(prompt)
    assert entry(shown, "s", "removed").remark == entry(shown, "c", "removed").remark == "removed by remover"
    assert entry(shown, "s", "removed").text == "text"
    assert [(tool.name, tool.state, tool.owner.plugin) for tool in shown.tools] == [("t", "removed", "root")]


# Listeners


async def test_what_a_listener_wrote_is_its_own(rt: Runtime, prompt: PromptFacade) -> None:
    prompt.section("s", 1, "Use {{v}} to read the file.", source=TextSource("s.md", 1, 1))
    prompt.variable("v", says("cat"))

    def rewrite(assembly: PromptAssembly) -> None:
        item = assembly.sections[1]
        item.text = item.text.replace("read the", "write one {{v}}")
        assembly.sections.append(NamedText("t", "and {{v}}"))
        assembly.variables["v"] = "dog"

    await listening(rt, "writer", edits(rewrite))
    shown = await preview(prompt)
    assert pieces(shown.system, shown.spans) == [
        ("Use ", "root", "section"),
        ("dog", "writer", "{{v}}"),
        (" to ", "root", "section"),
        ("write one ", "writer", "listener"),
        ("dog", "writer", "{{v}}"),
        (" file.", "root", "section"),
        ("\n\n", "system_prompt", "separator"),
        ("and ", "writer", "listener"),
        ("dog", "writer", "{{v}}"),
    ]
    assert [span.listener for span in shown.spans if span.variable] == [True] * 3
    places = [tuple(span.source)[1:] if span.source else None for span in shown.spans]
    assert places[0] == (1, 1)
    assert places[2] == (1, 10)
    assert places[3] is None
    assert places[5] == (1, 1 + len("Use {{v}} to read the"))
    changed = entry(shown, "s")
    assert changed.registered_text == "Use {{v}} to read the file."
    assert [owner.plugin for owner in changed.changed_by] == ["writer"]
    added = entry(shown, "t")
    assert added.added_by is not None
    assert (added.added_by.plugin, added.layer, added.order) == ("writer", "waterfall", None)
    (variable,) = shown.variables
    assert variable.set_by is not None
    assert (variable.value, variable.set_by.plugin, variable.owner.plugin) == ("dog", "writer", "root")


async def test_several_listeners_are_told_apart(rt: Runtime, prompt: PromptFacade) -> None:
    prompt.section("s", 1, "base")

    def writes(text: str) -> Any:
        def write(assembly: PromptAssembly) -> None:
            assembly.sections[1].text += f" {text}"

        return write

    await listening(rt, "outer", edits(writes("one"), writes("four")))
    await listening(rt, "inner", edits(writes("two"), writes("three")))
    shown = await preview(prompt)
    assert pieces(shown.system, shown.spans) == [
        ("base", "root", "section"),
        (" one", "outer", "listener"),
        (" two", "inner", "listener"),
        (" three", "inner", "listener"),
        (" four", "outer", "listener"),
    ]
    assert [owner.plugin for owner in entry(shown, "s").changed_by] == ["outer", "inner"]


async def test_entries_that_are_replaced_keep_their_registration(rt: Runtime, prompt: PromptFacade) -> None:
    prompt.section("s", 1, "first line", source=TextSource("s.md", 1, 1))
    prompt.section("t", 2, "other")

    def replace(assembly: PromptAssembly) -> None:
        assembly.sections = [  # type: ignore[assignment]
            NamedText(item.name, item.text + " and more" * (item.name == "s"), item.literal)
            for item in assembly.sections
        ]

    await listening(rt, "replacer", edits(replace))
    await listening(rt, "replacer-too", edits(None, replace))
    shown = await preview(prompt)
    assert states(shown.sections) == [("deployment:persona", "effective"), ("s", "effective"), ("t", "effective")]
    assert pieces(shown.system, shown.spans) == [
        ("first line", "root", "section"),
        (" and more", "replacer", "listener"),
        (" and more", "replacer-too", "listener"),
        ("\n\n", "system_prompt", "separator"),
        ("other", "root", "section"),
    ]
    replaced = entry(shown, "s")
    assert (replaced.order, replaced.layer, replaced.added_by) == (1, "global", None)
    assert replaced.registered_text == "first line"
    assert shown.spans[0].source == Position("s.md", 1, 1)


async def test_two_entries_of_one_name(rt: Runtime, prompt: PromptFacade) -> None:
    prompt.section("s", 1, "registered")
    await listening(rt, "adder", edits(lambda assembly: assembly.sections.append(NamedText("s", "added"))))
    shown = await preview(prompt)
    assert pieces(shown.system, shown.spans) == [
        ("registered", "root", "section"),
        ("\n\n", "system_prompt", "separator"),
        ("added", "adder", "listener"),
    ]
    assert [view.added_by is None for view in shown.sections if view.name == "s"] == [True, False]


async def test_two_tools_of_one_name(rt: Runtime, prompt: PromptFacade) -> None:
    await plugin(rt, "one", lambda ctx: ctx.system_prompt.tools(gives(ToolSchema("t", "1"))))
    await plugin(rt, "two", lambda ctx: ctx.system_prompt.tools(gives({"name": "t", "description": "2"})))
    await listening(rt, "three", edits(lambda assembly: assembly.tools.append(ToolSchema("t", "3"))))
    shown = await preview(prompt)
    assert [(tool.description, tool.owner.plugin) for tool in shown.tools] == [
        ("1", "one"),
        ("2", "two"),
        ("3", "three"),
    ]
    assert json.loads(shown.tools[0].parameters_json) == {"type": "object", "properties": {}}


async def test_a_renamed_entry_keeps_its_history(rt: Runtime, prompt: PromptFacade) -> None:
    prompt.section("s", 1, "text")

    def rename(assembly: PromptAssembly) -> None:
        assembly.sections[1].text += "!"
        assembly.sections[1].name = "renamed"

    await listening(rt, "renamer", edits(rename))
    shown = await preview(prompt)
    assert pieces(shown.system, shown.spans) == [("text", "root", "section"), ("!", "renamer", "listener")]
    assert entry(shown, "renamed").registered_text == "text"
    (change,) = shown.trace.listeners[0].changes
    assert (change.name, change.remark) == ("renamed", "renamed from s")


# Failures


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
    assert failure.message == "on purpose"
    assert [span.outcome for span in shown.trace.listeners] == ["passed", "raised"]
    assert shown.trace.listeners[1].error == "on purpose"
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


# Random registries


def check_spans(text: str, spans: tuple[Span, ...]) -> None:
    end = 0
    for span in spans:
        assert span.start == end
        assert span.end > span.start
        end = span.end
    assert end == len(text)


def check_pieces(world: World, shown: Preview, text: str, spans: tuple[Span, ...]) -> None:
    """Each span holds what it claims."""
    by_name: dict[tuple[str, str], list[EntryView]] = {}
    for view in (*shown.sections, *shown.contexts):
        if view.state == "effective":
            by_name.setdefault((view.kind, view.name), []).append(view)
    values = {view.name: view for view in shown.variables if view.state == "effective"}
    for span in spans:
        piece = text[span.start : span.end]
        if span.part == "separator":
            assert piece == "\n\n"
            continue
        if span.part == "header":
            assert piece == RUNTIME_CONTEXT_PREAMBLE
            continue
        views = by_name[span.part, span.name]
        if span.variable is not None:
            assert piece == values[span.variable].value
            assert span.listener == (values[span.variable].set_by is not None)
            continue
        assert any(piece in view.text for view in views)
        if span.listener:
            assert any(view.added_by is not None or view.changed_by for view in views)
        else:
            originals = [view.registered_text if view.registered_text is not None else view.text for view in views]
            assert any(piece in original for original in originals), (piece, originals)
            if span.source is not None and span.source.file in world.files:
                assert world.character_at(span.source) == piece[0]


async def previewed(program: tuple[Step, ...]) -> None:
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        world = World(rt)
        persona = Entry(AddText("section", None, "deployment:persona", 0, ""))
        persona.disposer = lambda: None  # type: ignore[assignment, return-value]
        world.model.entries.append(persona)
        for step in program:
            asked = world.perform(step)
            if persona not in world.model.entries:
                world.model.entries.insert(0, persona)
            if asked is None:
                continue
            context = AssembleContext(scope=world.key(asked.scope))
            expected = world.model.outcome(asked.scope)
            shown = await preview(rt.root.system_prompt, context)
            if expected.several_complete:
                assert shown.failures[0].code == "complete"
                continue
            assembly = await rt.root.system_prompt.assemble(context)
            check_failures(assembly, shown.failures)
            assert tuple(view.name for view in shown.sections if view.state == "effective") == expected.sections
            assert tuple(view.name for view in shown.contexts if view.state == "effective") == expected.contexts
            for text, spans, made in (
                (shown.system, shown.spans, expected.system),
                (shown.context, shown.context_spans, expected.snapshot),
            ):
                if isinstance(made, str):
                    assert text == made
                    check_spans(made, spans)
                    check_pieces(world, shown, made, spans)
                else:
                    assert text is None
            listeners = [
                each for each in world.model.listeners if each.step.layer in world.model.chain(asked.scope)
            ]
            assert len(shown.trace.listeners) == len(listeners)


def check_failures(assembly: PromptAssembly, failures: tuple[Failure, ...]) -> None:
    """The first failure is what rendering raises."""
    raised: list[RenderError] = []
    for render in (render_prompt, render_context_snapshot):
        try:
            render(assembly)
        except RenderError as error:
            raised.append(error)
    told = [(each.message, each.offset, each.part, each.name) for each in failures]
    assert all((str(error), error.offset, error.part, error.name) in told for error in raised)
    assert [failure.message for failure in failures[:1]] == [str(error) for error in raised[:1]]


RELAXED = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=False)


@given(program=PROGRAMS)
@settings(RELAXED, max_examples=120, derandomize=True)
def test_random_previews(program: tuple[Step, ...]) -> None:
    asyncio.run(previewed(program))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@given(program=PROGRAMS)
@settings(RELAXED, max_examples=5_000)
def test_many_random_previews(program: tuple[Step, ...]) -> None:
    asyncio.run(previewed(program))
