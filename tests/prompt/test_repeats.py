"""Text that stands twice in one prompt, and prompts that grow at every step (FC-05)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tests.prompt.providers import Next, edits
from tests.support.plugins import P
from workbench.core import Context, Runtime
from workbench.prompt import AssembleContext, NamedText, Preview, PromptAssembly, PromptFacade, TextSource, preview
from workbench.prompt.growth import growth
from workbench.prompt.repeats import repeats

EVENT = "system-prompt/assemble"
RULES = "\n".join(f"Rule {number}." for number in range(40))
FACT = "Never write below the folder /srv/shared without asking first."


async def two_kits(rt: Runtime) -> list[str]:
    """Those of FC-05; gives the list in which the earlier prompts are kept."""
    kept: list[str] = []

    async def keep(_assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        result = await next()
        if kept:
            result.sections.insert(0, NamedText("keep:previous", kept[-1], literal=True))
        return result

    def load(listener: object, ctx: Context) -> None:
        ctx.on(EVENT, listener)  # type: ignore[arg-type]

    tail = edits(lambda assembly: assembly.sections.append(NamedText("tail:rules", RULES)))
    await rt.root.plugin(P("keep-kit", partial(load, keep)))
    await rt.root.plugin(P("tail-kit", partial(load, tail)))
    return kept


async def test_fc_05_repeated_text_and_growth_name_both(rt: Runtime, prompt: PromptFacade) -> None:
    kept = await two_kits(rt)
    prompt.section("base", 1, "The base.")
    shown: list[Preview] = []
    for step in range(5):
        shown.append(await preview(prompt))
        kept.append(shown[-1].system or "")
        found = repeats(shown[-1])
        if step == 0:
            assert found == ()
        else:
            owners = {place.owner.plugin for repeat in found for place in repeat.places}
            assert {"keep-kit", "tail-kit"} <= owners
            names = [place.name for place in found[0].places]
            assert names[0] == "keep:previous"
            assert sum(repeat.characters for repeat in found) >= step * len(RULES)
        growing = growth(shown)
        if step < 2:
            assert growing is None
        else:
            assert growing is not None
            assert len(growing.steps) == step
            sizes = [len(each.system or "") for each in shown]
            assert growing.steps == tuple(sizes[i + 1] - sizes[i] for i in range(step))
            assert [(each.owner.plugin, each.is_listener, each.grows) for each in growing.growers] == [
                ("keep-kit", True, True),
                ("tail-kit", True, False),
            ]
            assert growing.growers[1].sizes == (len(RULES),) * (step + 1)


async def test_places_have_line_and_owner_of_the_words(rt: Runtime, prompt: PromptFacade) -> None:
    def provides(ctx: Context) -> None:
        ctx.system_prompt.variable("fact", lambda _context: FACT)

    await rt.root.plugin(P("facts", provides, inject=["system_prompt"]))
    prompt.section("a", 1, f"Title\n\n- {FACT.upper()}\n- Short one.")
    prompt.section("b", 2, "Once more: nothing.\n\n{{fact}}")
    prompt.context("c", 1, f"One fact is here now. {FACT}")
    (found,) = repeats(await preview(prompt))
    assert [(place.kind, place.name, place.line, place.owner.plugin) for place in found.places] == [
        ("section", "a", 3, "root"),
        ("section", "b", 3, "facts"),
        ("context", "c", 1, "root"),
    ]
    assert found.text.endswith("WITHOUT ASKING FIRST.")
    assert found.pieces == 1
    assert found.characters == 2 * len(FACT)


async def test_twice_in_one_section_counts_and_short_words_do_not(prompt: PromptFacade) -> None:
    prompt.section("a", 1, f"{FACT} {FACT}")
    prompt.section("b", 2, "Be brief.\n\nBe kind.")
    prompt.section("c", 3, "Be brief.\n\nBe kind.")
    (found,) = repeats(await preview(prompt))
    assert [place.name for place in found.places] == ["a", "a"]


async def test_what_an_entry_says_by_itself_can_grow_too(prompt: PromptFacade) -> None:
    said = ["one"]
    prompt.section("log", 1, lambda _context: "\n".join(said), literal=True)
    prompt.section("still", 2, "The same every time.")
    shown = []
    for word in ("two", "three", "four"):
        said.append(word)
        shown.append(await preview(prompt))
    growing = growth(shown)
    assert growing is not None
    assert growing.steps == (len("\nthree"), len("\nfour"))
    assert [(each.owner.plugin, each.is_listener) for each in growing.growers] == [("root", False)]
    written = [
        replace(each, sections=tuple(replace(view, source=TextSource("a.yml", 1, 1)) for view in each.sections))
        for each in shown
    ]
    assert growth(written) is None, "what a person writes into a file may grow"
    assert growth([*shown, shown[-1]]) is None, "the last one is not longer"
    assert growth(shown[:2]) is None
    prompt.section("broken", 3, "{{nobody}}")
    assert growth([*shown, await preview(prompt)]) is None


async def test_a_value_that_grows_is_its_providers(root: Context, prompt: PromptFacade) -> None:
    notes = ["a"]
    prompt.variable("notes", lambda _context: " ".join(notes))
    prompt.section("s", 1, "Notes: {{notes}}")
    shown = []
    for _ in range(3):
        shown.append(await preview(prompt))
        notes.append("more")
    growing = growth(shown)
    assert growing is not None
    assert [(each.owner.plugin, each.sizes[-1] - each.sizes[0]) for each in growing.growers] == [("root", 10)]
