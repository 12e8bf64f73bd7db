"""The waterfall around an assembly (spec 9), where the corpus is silent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.prompt.providers import Next, edits, says
from tests.support.plugins import Boom, P
from workbench.core import Context, Runtime
from workbench.prompt import AssembleContext, NamedText, PromptAssembly, PromptError, PromptFacade, render_prompt

EVENT = "system-prompt/assemble"


@pytest.mark.parametrize("result", [None, "text", [], {"sections": []}])
async def test_a_result_that_is_no_assembly_names_the_event(
    root: Context, prompt: PromptFacade, result: object
) -> None:
    root.on(EVENT, lambda *_: result)
    with pytest.raises(PromptError, match=EVENT) as caught:
        await prompt.assemble()
    assert type(result).__name__ in str(caught.value)


async def test_forgetting_to_return_names_the_event(root: Context, prompt: PromptFacade) -> None:
    async def forgetful(_assembly: PromptAssembly, _context: AssembleContext, next: Next) -> None:
        await next()

    root.on(EVENT, forgetful)
    with pytest.raises(PromptError, match="NoneType"):
        await prompt.assemble()


async def test_a_plain_function_may_return_an_assembly_or_what_next_gives(
    root: Context, prompt: PromptFacade
) -> None:
    root.on(EVENT, lambda _assembly, _context, next: next())
    root.on(EVENT, lambda _assembly, _context, _next: PromptAssembly([NamedText("s", "of its own")]))
    assert render_prompt(await prompt.assemble()) == "of its own"


async def test_every_listener_gets_the_built_assembly_and_the_callers_context(
    root: Context, prompt: PromptFacade
) -> None:
    seen: list[Any] = []

    async def replacing(assembly: PromptAssembly, context: AssembleContext, next: Next) -> PromptAssembly:
        seen.append((assembly, context))
        return PromptAssembly((await next()).sections)

    for _ in range(3):
        root.on(EVENT, replacing)
    context = AssembleContext()
    result = await prompt.assemble(context)
    assert len({id(assembly) for assembly, _ in seen}) == 1
    assert all(given is context for _, given in seen)
    assert result is not seen[0][0]


async def test_a_second_next_goes_on_with_what_is_left(root: Context, prompt: PromptFacade) -> None:
    ran: list[str] = []

    async def twice(_assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        await next()
        ran.append("between")
        return await next()

    def stopping(assembly: PromptAssembly, _context: AssembleContext, _next: Next) -> PromptAssembly:
        ran.append("stopping")
        return PromptAssembly([NamedText("s", "stopped")])

    root.on(EVENT, twice)
    root.on(EVENT, stopping)
    root.on(EVENT, edits(lambda _assembly: ran.append("last")))
    prompt.section("s", 1, "built")
    assert render_prompt(await prompt.assemble()) == "built"
    assert ran == ["stopping", "between", "last"]


async def test_a_listener_may_recover_from_another(root: Context, prompt: PromptFacade) -> None:
    async def recovering(assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        try:
            return await next()
        except Boom:
            assembly.sections.append(NamedText("note", "without the extras"))
            return assembly

    def failing(assembly: PromptAssembly, *_: object) -> PromptAssembly:
        assembly.sections[0].text = "half done"
        raise Boom("no")

    root.on(EVENT, recovering)
    root.on(EVENT, failing)
    assert render_prompt(await prompt.assemble()) == "half done\n\nwithout the extras"


async def test_the_list_of_listeners_is_fixed_at_the_start(root: Context, prompt: PromptFacade) -> None:
    ran: list[str] = []
    root.on(EVENT, edits(lambda _assembly: root.on(EVENT, edits(lambda _a: ran.append("late")))))
    await prompt.assemble()
    assert ran == []
    await prompt.assemble()
    assert ran == ["late"]


async def test_a_listener_of_a_plugin_goes_with_it(rt: Runtime, prompt: PromptFacade) -> None:
    def plugin(ctx: Context) -> None:
        ctx.on(EVENT, edits(lambda assembly: assembly.sections.append(NamedText("p", "of the plugin"))))

    fiber = rt.root.plugin(P("owner", plugin))
    await fiber
    assert render_prompt(await prompt.assemble()) == "of the plugin"
    await fiber.dispose()
    assert render_prompt(await prompt.assemble()) == ""


async def test_what_a_listener_makes_of_the_order_stays(root: Context, prompt: PromptFacade) -> None:
    prompt.section("a", 1, "a")
    prompt.section("b", 2, "b")

    def shuffle(assembly: PromptAssembly) -> None:
        assembly.sections.reverse()
        assembly.sections[0].order = 99
        assembly.sections.insert(0, NamedText("c", "c", order=1000))

    root.on(EVENT, edits(shuffle))
    for _ in range(2):
        assembly = await prompt.assemble()
        assert render_prompt(assembly) == "c\n\nb\n\na"
        assert [item.order for item in assembly.sections] == [1000, 99, 1, 0]


async def test_contexts_that_listeners_add_are_discarded_when_suppressed(
    root: Context, prompt: PromptFacade
) -> None:
    root.on(EVENT, edits(lambda assembly: assembly.contexts.append(NamedText("c", "text"))))
    assert (await prompt.assemble()).contexts.names() == ["c"]
    prompt.suppress_runtime_context()
    assert (await prompt.assemble()).contexts == []


async def test_names_no_reference_can_spell_are_harmless(root: Context, prompt: PromptFacade) -> None:
    prompt.section("s", 1, "{{v}}")
    prompt.variable("v", says("x"))
    root.on(EVENT, edits(lambda assembly: assembly.variables.update({"Not A Name": "y", "": "z"})))
    assert render_prompt(await prompt.assemble()) == "x"
