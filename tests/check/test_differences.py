"""Differences as a person reads them."""

from __future__ import annotations

from workbench.check.differences import Difference, difference


def lines_of(expected: object, actual: object) -> list[str]:
    found = difference("system", expected, actual)
    assert found is not None
    return found.lines()


def test_equal_values_differ_in_nothing() -> None:
    assert difference("system", "a", "a") is None
    assert difference("tools", {"a": 1, "b": [2]}, {"b": [2], "a": 1}) is None


def test_values_that_only_python_takes_for_equal() -> None:
    assert difference("changes", 1, True) is not None
    assert difference("changes", 1, 1.0) is not None


def test_a_text_line_by_line() -> None:
    assert lines_of("one\ntwo\nthree", "one\n2\nthree") == ["  one", "- two", "+ 2", "  three"]


def test_far_lines_are_left_out() -> None:
    long = [str(number) for number in range(20)]
    changed = [*long[:10], "ten", *long[11:]]
    assert lines_of("\n".join(long), "\n".join(changed)) == [
        "  …", "  8", "  9", "- 10", "+ ten", "  11", "  12", "  …",
    ]  # fmt: skip


def test_a_difference_in_white_space_is_made_visible() -> None:
    assert lines_of("a \nb", "a\nb\t") == ["- 'a '", "- 'b'", "+ 'a'", "+ 'b\\t'"]
    assert lines_of("a\n", "a") == ["  'a'", "- ''"]


def test_a_list_item_by_item() -> None:
    assert lines_of(["a", "b"], ["b"]) == ["  [", '-  "a",', '   "b"', "  ]"]


def test_a_text_against_nothing() -> None:
    assert Difference("system", "", "x").lines() == ["- ", "+ x"]
