"""Differences of texts: exact, readable, and bounded in what they cost."""

from __future__ import annotations

import difflib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.config.difference.sequences import PASSES, STEPS, Effort, runs
from workbench.config.difference.texts import Piece, changed_lines, changed_pieces

few = st.lists(st.sampled_from("abcd"), max_size=12)
texts = st.text("ab \nc", max_size=30)


@given(few, few)
def test_runs_cover_both_sequences(old: list[str], new: list[str]) -> None:
    at_old = at_new = 0
    was_same: bool | None = None
    for run in runs(old, new):
        assert (run.old_start, run.new_start) == (at_old, at_new)
        assert run.is_same is not was_same
        if run.is_same:
            assert old[run.old_start : run.old_end] == new[run.new_start : run.new_end]
        at_old, at_new, was_same = run.old_end, run.new_end, run.is_same
    assert (at_old, at_new) == (len(old), len(new))


@given(few, few)
def test_without_anchors_the_edit_is_a_shortest_one(old: list[str], new: list[str]) -> None:
    old, new = old * 2, new * 2  # Nothing is unique, so nothing is an anchor.
    kept = sum(run.old_end - run.old_start for run in runs(old, new) if run.is_same)
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, one in enumerate(old):
        for j, other in enumerate(new):
            table[i + 1][j + 1] = table[i][j] + 1 if one == other else max(table[i][j + 1], table[i + 1][j])
    assert kept <= table[-1][-1]
    inner_old, inner_new = _inner(old, new)
    if not {*inner_old} & {*inner_new} or all(inner_old.count(x) > 1 or inner_new.count(x) > 1 for x in inner_old):
        assert kept == table[-1][-1]


def _inner(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return old, new


@given(texts, texts)
def test_the_pieces_give_both_texts_back(before: str, after: str) -> None:
    pieces = changed_pieces(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == after
    assert all(piece.text for piece in pieces)


@given(texts, texts)
def test_the_lines_give_both_texts_back(before: str, after: str) -> None:
    lines = changed_lines(changed_pieces(before, after))
    for text, other in ((before, "added"), (after, "removed")):
        shown = ["".join(piece.text for piece in line.pieces) for line in lines if line.kind != other]
        assert shown in (text.split("\n"), text.split("\n")[:-1])


@pytest.mark.parametrize(
    ("before", "after", "pieces"),
    [
        ("", "", []),
        ("a", "a", [("same", "a")]),
        ("", "a", [("added", "a")]),
        ("Be brief.", "Be short.", [("same", "Be "), ("removed", "brief"), ("added", "short"), ("same", ".")]),
        ("ask one or two people", "ask no such people",
         [("same", "ask "), ("removed", "one or two"), ("added", "no such"), ("same", " people")]),
        ("one\ntwo\n", "one\nTHREE\ntwo\n", [("same", "one\n"), ("added", "THREE\n"), ("same", "two\n")]),
        ("wholly other", "nothing shared", [("removed", "wholly other"), ("added", "nothing shared")]),
    ],
)  # fmt: skip
def test_pieces(before: str, after: str, pieces: list[tuple[str, str]]) -> None:
    assert [tuple(piece) for piece in changed_pieces(before, after)] == pieces


def test_lines() -> None:
    lines = changed_lines(changed_pieces("one\nBe brief now.\nthree", "one\nBe short now.\nthree"))
    assert [(line.kind, "".join(piece.text for piece in line.pieces)) for line in lines] == [
        ("same", "one"),
        ("removed", "Be brief now."),
        ("added", "Be short now."),
        ("same", "three"),
    ]
    assert Piece("removed", "brief") in lines[1].pieces
    assert changed_lines(changed_pieces("", "a\n")) == [
        ("added", (Piece("added", "a"),)),
        ("added", ()),
    ]
    assert changed_lines(changed_pieces("a\nb", "b\nc")) == [
        ("removed", (Piece("removed", "a"),)),
        ("same", (Piece("same", "b"),)),
        ("added", (Piece("added", "c"),)),
    ]
    assert changed_lines(changed_pieces("a", "a\n")) == [("same", (Piece("same", "a"),)), ("added", ())]


@pytest.mark.parametrize("kind", ["four lines", "reversed", "other", "same line", "half"])
def test_the_work_is_bounded_whatever_the_lines_are(kind: str) -> None:
    chance = random.Random(kind)
    base = [f"line {number} {chance.random()}" for number in range(5000)]
    old, new = {
        "four lines": ([chance.choice("abcd") for _ in base], [chance.choice("abcd") for _ in base]),
        "reversed": (base, base[::-1]),
        "other": (base, [f"{line} x" for line in base]),
        "same line": (["a"] * 5000, ["b", "a"] * 2500),
        "half": (base, [line if chance.random() < 0.5 else str(chance.random()) for line in base]),
    }[kind]
    effort = Effort(STEPS, PASSES * 10_000)
    runs(old, new, effort)
    assert effort.steps > -20_000  # The last round of a search may go beyond, by its length.
    assert effort.looks > -20_000


@given(st.lists(st.tuples(st.sampled_from("same gone new other".split()), st.integers(0, 30)), max_size=60))
def test_lines_that_are_unique_stay_as_many_as_difflib_keeps(edits: list[tuple[str, int]]) -> None:
    """Where each side holds a line once, and nothing has moved, nothing that could stay counts as changed."""
    old = [f"{number} {index}" for index, (kind, number) in enumerate(edits) if kind != "new"]
    new = [
        f"{number} {index}" if kind != "other" else f"other {index}"
        for index, (kind, number) in enumerate(edits)
        if kind != "gone"
    ]
    kept = sum(run.old_end - run.old_start for run in runs(old, new) if run.is_same)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    assert kept == sum(block.size for block in matcher.get_matching_blocks())
