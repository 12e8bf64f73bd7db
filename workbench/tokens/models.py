"""Which vocabulary a model has, by the model's name."""

from __future__ import annotations

import re

from workbench.tokens.vocabularies import CL100K, DEEPSEEK, O200K, Vocabulary


def _named(names: str) -> re.Pattern[str]:
    """Names as providers and routers write them: `openai/gpt-4o`, `azure:gpt-4o`, `gpt-4o-2024-11-20`."""
    return re.compile(rf"(?:^|[/:])(?:{names})(?![a-z0-9])", re.IGNORECASE)


_VOCABULARIES: tuple[tuple[re.Pattern[str], Vocabulary], ...] = (
    # V3, R1 and V4 share one vocabulary and its rules of splitting; what came before, and the distilled
    # models, which keep the vocabulary of the model that they were made from, have others.
    (_named(r"deepseek(?!-(?:llm|coder|math|moe|vl|prover|v[12]\b|r1-distill))(?:[-_]\S*)?"), DEEPSEEK),
    (_named(r"(?:chat)?gpt-4o\S*|gpt-4\.[15]\S*|gpt-[5-9]\S*|gpt-oss\S*|o[1-9](?:-\S*)?|codex-mini\S*"), O200K),
    (_named(r"gpt-4(?:-\S*)?|gpt-3\.?5-turbo\S*|text-embedding-(?:3|ada)\S*"), CL100K),
)


def vocabulary_of(model: str) -> Vocabulary | None:
    """The vocabulary of a model; None: it is not known, or no package carries it."""
    return next((found for names, found in _VOCABULARIES if names.search(model.strip())), None)
