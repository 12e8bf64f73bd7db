"""A text in pieces has the tokens of the whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.tokens.references import TEXTS, VOCABULARIES, encoder_of, reference_ids, texts
from workbench.tokens import Label, TokenCounter
from workbench.tokens.pieces import PIECE, pieces
from workbench.tokens.vocabularies import Vocabulary

each_vocabulary = pytest.mark.parametrize("vocabulary", VOCABULARIES, ids=lambda vocabulary: vocabulary.name)


@given(text=texts)
def test_pieces_are_the_text(text: str) -> None:
    found, _ = pieces(text, longest=8)
    assert "".join(found) == text
    assert all(0 < len(piece) <= 8 for piece in found)


@each_vocabulary
@settings(deadline=None)
@given(text=texts)
def test_safe_cuts_change_no_token(vocabulary: Vocabulary, text: str) -> None:
    found, is_cut_safely = pieces(text, longest=8)
    if is_cut_safely:
        ids = [token for piece in found for token in encoder_of(vocabulary).encode(piece)]
        assert ids == reference_ids(vocabulary, text)


@each_vocabulary
@pytest.mark.parametrize("name", ["english", "code", "json", "look-alikes"])
def test_usual_texts_can_be_cut_safely(vocabulary: Vocabulary, name: str) -> None:
    found, is_cut_safely = pieces(TEXTS[name], longest=200)
    assert is_cut_safely
    ids = [token for piece in found for token in encoder_of(vocabulary).encode(piece)]
    assert ids == reference_ids(vocabulary, TEXTS[name])


RUNS = [" ", "\n", "\x00", "\u200d", "\t \u3000", "a", "提", "\u0301"]


@pytest.mark.parametrize(
    ("model", "run", "length"),
    [
        *(("deepseek-chat", run, 250_000) for run in RUNS),
        ("deepseek-chat", " ", 1_100_000),
        ("gpt-4o", " ", 1_100_000),
    ],
)
def test_a_long_run_is_counted_and_not_called_exact(model: str, run: str, length: int) -> None:
    """Each of these, given to the encoder in one piece, is slow at best and ends the process at worst."""
    count = TokenCounter.for_model(model).count_now((run * length)[:length])
    assert count.tokens > 1_000
    assert count.label is Label.CLOSE
    assert "run of characters" in count.reason


def test_ten_megabytes_are_exact() -> None:
    line = "Check the exit marker of every command.\n"
    counter = TokenCounter.for_model("deepseek-chat")
    count = counter.count_now(line * 250_000)
    assert count.label is Label.EXACT
    assert count.tokens == 250_000 * counter.count_now(line).tokens


def test_a_short_text_is_one_piece() -> None:
    assert pieces("a" * PIECE) == (["a" * PIECE], True)
    assert pieces("") == ([], True)
