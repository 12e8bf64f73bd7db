"""Previews: every character with its owner and place, states of entries, rewrites (spec 4, 6, 7, 9)."""

from __future__ import annotations

import json
from typing import Any

from tests.prompt.providers import edits, gives, raises, says
from tests.prompt.shown import EVENT, entry, listening, pieces, plugin, states
from tests.support.plugins import Boom, Key
from workbench.core import Context, Runtime, create_scope
from workbench.prompt import (
    RUNTIME_CONTEXT_PREAMBLE,
    AssembleContext,
    NamedText,
    Position,
    PromptAssembly,
    PromptFacade,
    SystemPrompt,
    TextSource,
    ToolSchema,
    preview,
)

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


async def test_a_raising_variable_leaves_the_entries_in_sight() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt)
        prompt = runtime.root.system_prompt
        prompt.section("house:rules", 10, "Be exact.")

        def fails(context: AssembleContext) -> str:
            raise ValueError("no clock")

        prompt.variable("now", fails)
        shown = await preview(prompt)
        assert [failure.name for failure in shown.failures] == ["now"]
        assert [entry.name for entry in shown.sections] == ["harness:identity", "deployment:persona", "house:rules"]
