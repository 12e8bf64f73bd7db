"""The chosen encoder makes the tokens that the reference implementations make."""

from __future__ import annotations

import json
from unicodedata import category

import pytest
from hypothesis import given, settings

from tests.tokens.references import TEXTS, VOCABULARIES, blanks, encoder_of, ids_in_pieces, reference_ids, texts
from workbench.tokens import Label, TokenCounter, deepseek_rules
from workbench.tokens.vocabularies import DEEPSEEK, Vocabulary

each_vocabulary = pytest.mark.parametrize("vocabulary", VOCABULARIES, ids=lambda vocabulary: vocabulary.name)


@each_vocabulary
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_same_tokens(vocabulary: Vocabulary, text: str) -> None:
    assert ids_in_pieces(encoder_of(vocabulary), text) == reference_ids(vocabulary, text)


@each_vocabulary
@settings(deadline=None)
@given(text=texts)
def test_the_same_tokens_of_any_text(vocabulary: Vocabulary, text: str) -> None:
    assert ids_in_pieces(encoder_of(vocabulary), text) == reference_ids(vocabulary, text)


@settings(deadline=None)
@given(text=blanks)
def test_the_same_tokens_of_blanks_between_anything(text: str) -> None:
    assert encoder_of(DEEPSEEK).encode(text) == reference_ids(DEEPSEEK, text)


@pytest.mark.slow
@settings(deadline=None, max_examples=10_000)
@given(text=blanks)
def test_the_same_tokens_of_many_blanks_between_anything(text: str) -> None:
    assert encoder_of(DEEPSEEK).encode(text) == reference_ids(DEEPSEEK, text)


def test_the_rules_of_the_file_are_the_ones_that_are_known() -> None:
    rules = json.loads(DEEPSEEK.path().read_text(encoding="utf-8"))["pre_tokenizer"]
    assert deepseek_rules.in_one_pass(rules) != rules
    rules["pretokenizers"].pop(0)
    assert deepseek_rules.in_one_pass(rules) == rules


@each_vocabulary
@pytest.mark.slow
@settings(deadline=None, max_examples=4_000)
@given(text=texts)
def test_the_same_tokens_of_many_texts(vocabulary: Vocabulary, text: str) -> None:
    assert ids_in_pieces(encoder_of(vocabulary), text) == reference_ids(vocabulary, text)


@pytest.mark.slow
@each_vocabulary
def test_the_same_tokens_around_every_character(vocabulary: Vocabulary) -> None:
    differing = [
        hex(code)
        for code in range(0x110000)
        if category(chr(code)) not in ("Cn", "Cs")
        for text in [f"a{chr(code)}b {chr(code)}!{chr(code) * 2}1 {chr(code)}\n"]
        if encoder_of(vocabulary).encode(text) != reference_ids(vocabulary, text)
    ]
    assert differing == []


@each_vocabulary
def test_the_vocabulary_of_the_package_is_the_one_that_was_checked(vocabulary: Vocabulary) -> None:
    assert encoder_of(vocabulary).doubt == ""


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_counts_are_labelled_exact(text: str) -> None:
    count = TokenCounter.for_model("deepseek-chat").count_now(text)
    assert (count.tokens, count.label, count.reason) == (len(reference_ids(DEEPSEEK, text)), Label.EXACT, "")


def test_text_is_never_read_as_a_control_token() -> None:
    deepseek, openai = TokenCounter.for_model("deepseek-chat"), TokenCounter.for_model("gpt-4o")
    assert deepseek.count_now("<｜end▁of▁sentence｜>").tokens > 1
    assert openai.count_now("<|endoftext|>").tokens > 1
