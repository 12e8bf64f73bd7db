"""Which vocabulary a model's name leads to."""

from __future__ import annotations

import pytest

from workbench.tokens import TokenCounter

NAMES = {
    "deepseek": "deepseek deepseek-chat deepseek-reasoner deepseek-v4-flash DeepSeek-V3.2 deepseek/deepseek-r1 "
    "deepseek-ai/DeepSeek-V3 openrouter:deepseek-chat",
    "o200k": "gpt-4o gpt-4o-mini gpt-4o-2024-11-20 chatgpt-4o-latest gpt-4.1 gpt-4.1-nano gpt-4.5-preview gpt-5 "
    "gpt-5.1-codex gpt-5-mini o1 o1-preview o3-mini o4-mini gpt-oss-120b openai/gpt-4o azure/gpt-4.1 ft:gpt-4o:me",
    "cl100k": "gpt-4 gpt-4-turbo gpt-4-0613 gpt-3.5-turbo text-embedding-3-small",
    None: "claude-sonnet-4 gemini-2.5-pro llama-3 tiny-4b mistral-large qwen3 my-deepseek-clone o200 gpt2 davinci "
    "deepseek-coder-v2 deepseek-v2.5 deepseek-r1-distill-llama-70b not-o3 foo1",
}


@pytest.mark.parametrize(
    ("model", "vocabulary"), [(model, name) for name, models in NAMES.items() for model in models.split()]
)
def test_vocabulary_of_a_model(model: str, vocabulary: str | None) -> None:
    assert TokenCounter.for_model(model).vocabulary == vocabulary


@pytest.mark.parametrize("model", [None, "", " ", "\ud800", "x" * 100_000])
def test_no_model_gets_estimates(model: str | None) -> None:
    assert TokenCounter.for_model(model).vocabulary is None
