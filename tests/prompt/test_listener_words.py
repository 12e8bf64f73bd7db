"""Which listener put words in or took them out."""

from __future__ import annotations

from tests.prompt.providers import edits
from workbench.core import Context
from workbench.prompt import NamedText, PromptAssembly, PromptFacade, preview
from workbench.prompt.listener_words import listener_changes


async def test_words_are_found_as_written_and_as_the_model_reads_them(root: Context, prompt: PromptFacade) -> None:
    def drop(assembly: PromptAssembly) -> None:
        assembly.sections[:] = [section for section in assembly.sections if section.name != "rules"]

    prompt.variable("folder", lambda _context: "/srv/shop")
    prompt.section("rules", 1, "Never release {{folder}} on a Friday. Ask {{nobody}} first.")
    root.on("system-prompt/assemble", edits(drop))
    root.on("system-prompt/assemble", edits(lambda assembly: assembly.sections.append(NamedText("a", "Friday!"))))
    shown = await preview(prompt)
    for words in ("release {{folder}} on", "release /srv/shop on", "Ask {{nobody}} first"):
        (found,) = listener_changes(shown, lambda text, words=words: words in text)  # type: ignore[misc]
        assert (found.listener, found.change.name, found.wrote) == (shown.trace.listeners[0], "rules", False)
    both = list(listener_changes(shown, lambda text: "Friday" in text))
    assert [(each.change.name, each.wrote) for each in both] == [("rules", False), ("a", True)]
