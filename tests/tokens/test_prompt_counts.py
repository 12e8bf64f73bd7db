"""Counts of a prompt: of each part, and of the wholes by themselves."""

from __future__ import annotations

from tests.tokens.samples import Preview
from workbench.core import Runtime
from workbench.prompt import PromptConfig, SystemPrompt
from workbench.prompt import preview as assembled
from workbench.tokens import Label, PromptTexts, TokenCounter, cached_prompt_counts, count_prompt, count_prompt_now

EXACT = TokenCounter.for_model("deepseek-chat")


def test_only_what_is_in_force_is_counted() -> None:
    texts = PromptTexts.of(Preview())
    assert list(texts.sections) == ["identity", "place", "empty"]
    assert texts.tools["bash"] == '{"name":"bash","description":"Does it.","parameters":{"type":"object"}}'
    assert texts.all_tools == f"[{texts.tools['bash']},{texts.tools['read']}]"


def test_wholes_are_counted_by_themselves() -> None:
    counts = count_prompt_now(EXACT, PromptTexts.of(Preview()))
    assert counts.system == EXACT.count_now("You are an agent.\n\nWork in /srv/app.")
    assert counts.sections["identity"] == EXACT.count_now("You are an agent.")
    assert counts.sections["empty"].tokens == 0
    assert counts.all_tools.tokens != sum(count.tokens for count in counts.tools.values())


def test_what_a_provider_rewrites_is_not_called_exact() -> None:
    counts = count_prompt_now(EXACT, PromptTexts.of(Preview()))
    assert counts.system is not None
    assert counts.request is not None
    assert counts.system.label is Label.EXACT
    assert {count.label for count in (*counts.tools.values(), counts.all_tools, counts.request)} == {Label.CLOSE}
    assert "form of its own" in counts.all_tools.reason
    assert counts.request.tokens == counts.system.tokens + counts.all_tools.tokens


def test_a_request_is_as_weak_as_its_weakest_text() -> None:
    counts = count_prompt_now(TokenCounter.for_model("tiny-4b"), PromptTexts.of(Preview()))
    assert counts.request is not None
    assert counts.request.label is Label.ESTIMATE
    assert counts.request.reason == "no vocabulary is known for tiny-4b"


def test_a_prompt_that_cannot_be_rendered_has_no_whole() -> None:
    counts = count_prompt_now(EXACT, PromptTexts.of(Preview(system=None)))
    assert counts.system is None
    assert counts.request is None
    assert counts.sections["identity"].tokens > 0


def test_no_tools_are_no_tokens() -> None:
    counts = count_prompt_now(EXACT, PromptTexts.of(Preview(tools=[])))
    assert (counts.all_tools.tokens, counts.all_tools.label) == (0, Label.EXACT)


async def test_counts_are_there_at_once_after_the_first_time() -> None:
    texts = PromptTexts.of(Preview(system="Nobody counted this before."))
    assert cached_prompt_counts(EXACT, texts) is None
    counts = await count_prompt(EXACT, texts)
    assert cached_prompt_counts(EXACT, texts) == counts
    assert await count_prompt(EXACT, texts) == counts


async def test_a_real_preview_is_counted() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(persona="You are a reviewer.\n"))
        seen = await assembled(runtime.root.system_prompt)
    counts = await count_prompt(EXACT, PromptTexts.of(seen))
    assert seen.system is not None
    assert counts.system == await EXACT.count(seen.system)
    assert "deployment:persona" in counts.sections
