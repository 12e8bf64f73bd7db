"""Where the tokens of two texts part."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.tokens.references import reference_ids, texts
from workbench.tokens import Label, TokenCounter
from workbench.tokens.difference import shared_length
from workbench.tokens.vocabularies import DEEPSEEK

EXACT = TokenCounter.for_model("deepseek-chat")
GUESSED = TokenCounter.for_model("tiny-4b")


def test_position_and_rest() -> None:
    found = EXACT.first_difference_now("one two three", "one two four five")
    assert (found.position, found.offset) == (2, 7)
    assert (found.tokens_before, found.tokens_after) == (1, 2)
    assert found.label is Label.EXACT


@settings(deadline=None)
@given(shared=texts, before=texts, after=texts)
def test_any_two_texts(shared: str, before: str, after: str) -> None:
    ids = [reference_ids(DEEPSEEK, shared + text) for text in (before, after)]
    position = next((at for at, (x, y) in enumerate(zip(*ids, strict=False)) if x != y), min(map(len, ids)))
    found = EXACT.first_difference_now(shared + before, shared + after)
    assert (found.position, found.tokens_before, found.tokens_after) == (
        position,
        len(ids[0]) - position,
        len(ids[1]) - position,
    )
    assert (shared + before)[: found.offset] == (shared + after)[: found.offset]


def test_the_same_text_has_no_difference() -> None:
    for counter in (EXACT, GUESSED):
        found = counter.first_difference_now("a b", "a b")
        assert found.is_none
        assert found.offset == 3


def test_a_character_inside_tokens_begins_with_its_first_token() -> None:
    found = EXACT.first_difference_now("x 👩‍👩‍👧", "x 👩‍👩‍👦")
    assert "x 👩‍👩‍👧".startswith("x 👩‍👩‍👦"[: found.offset])


def test_long_texts_part_where_they_were_edited() -> None:
    line = "Check the exit marker of every command.\n"
    before = line * 5_000
    after = before[:100_000] + "Always. " + before[100_000:]
    found = EXACT.first_difference_now(before, after)
    assert found.label is Label.EXACT
    assert 99_980 < found.offset <= 100_000
    assert found.position == len(reference_ids(DEEPSEEK, before[: found.offset]))


def test_without_a_vocabulary_it_is_estimated() -> None:
    found = GUESSED.first_difference_now("one two three", "one two four")
    assert (found.offset, found.label) == (8, Label.ESTIMATE)
    assert found.reason == "no vocabulary is known for tiny-4b"


async def test_off_the_loop() -> None:
    assert await EXACT.first_difference("a b", "a c") == EXACT.first_difference_now("a b", "a c")


@pytest.mark.parametrize("at", [0, 1, 4_095, 4_096, 4_097, 9_999])
def test_shared_length(at: int) -> None:
    text = "x" * 10_000
    assert shared_length(text, text[:at] + "y" + text[at + 1 :]) == at
    assert shared_length(text, text[:at]) == at
