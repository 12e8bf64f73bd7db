"""Estimates: near enough to be of use, and said to be estimates."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tokens.references import TEXTS, VOCABULARIES, encoder_of, ids_in_pieces, texts
from workbench.tokens import Label, TokenCounter, estimated_tokens
from workbench.tokens.vocabularies import CL100K

ERRORS = {"english": 0.25, "code": 0.25, "json": 0.25, "chinese": 0.35, "japanese": 0.35, "korean": 0.35}
"""Most that these short texts may be off; documents are nearer."""


@pytest.mark.parametrize("name", ERRORS)
def test_estimates_are_near_both_vocabularies(name: str) -> None:
    guessed = estimated_tokens(TEXTS[name])
    for vocabulary in VOCABULARIES:
        if vocabulary is not CL100K:
            tokens = len(ids_in_pieces(encoder_of(vocabulary), TEXTS[name]))
            assert abs(guessed - tokens) <= ERRORS[name] * tokens, (vocabulary.name, guessed, tokens)


def test_chinese_is_no_quarter_of_its_characters() -> None:
    tokens = len(ids_in_pieces(encoder_of(VOCABULARIES[0]), TEXTS["chinese"]))
    error_of_quarter = abs(len(TEXTS["chinese"]) / 4 - tokens)
    assert abs(estimated_tokens(TEXTS["chinese"]) - tokens) < error_of_quarter / 2


@given(text=texts)
def test_any_text_has_an_estimate(text: str) -> None:
    assert (estimated_tokens(text) == 0) == (text == "")


def test_odd_texts() -> None:
    for text in ("\ud800", "\x00" * 10, "\U000f0000", " " * 100_000, "提" * 100_000):
        assert estimated_tokens(text) >= 1


def test_estimates_say_so() -> None:
    count = TokenCounter.for_model("tiny-4b").count_now("Hello")
    assert count.label is Label.ESTIMATE
    assert str(count).startswith("~")
    assert count.reason == "no vocabulary is known for tiny-4b"
    assert TokenCounter.for_model(None).count_now("Hello").reason == "no model is named"
