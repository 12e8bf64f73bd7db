"""Source lines with a caret."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.cli.excerpt import excerpt, line_of_file


def test_the_caret_stands_below_what_is_meant() -> None:
    assert excerpt("You are {{modle}}.", 14, 9, 9) == [
        "   14 │ You are {{modle}}.",
        "      │         ^^^^^^^^^",
    ]


def test_a_place_without_length_has_one_caret() -> None:
    assert excerpt("ab", 1, 2, 0) == ["    1 │ ab", "      │  ^"]


def test_behind_the_end_of_a_line() -> None:
    assert excerpt("ab", 1, 3) == ["    1 │ ab", "      │   ^"]
    assert excerpt("", 1, 1) == ["    1 │ ", "      │ ^"]


def test_wide_characters_are_two_columns() -> None:
    assert excerpt("日本 {{x}}", 1, 4, 5)[1] == "      │      ^^^^^"


def test_combining_characters_are_none() -> None:
    assert excerpt("e\u0301 {{x}}", 1, 4, 5)[1] == "      │   ^^^^^"


def test_hidden_characters_are_seen_and_counted_as_they_are_seen() -> None:
    assert excerpt("\x1b[31m {{x}}", 1, 7, 5) == [
        "    1 │ ‹ESC›[31m {{x}}",
        "      │           ^^^^^",
    ]


@pytest.mark.parametrize("column", [1, 30, 5000, 9991])
def test_a_long_line_is_cut_around_the_place(column: int) -> None:
    line = "x" * (column - 1) + "{{bad}}" + "x" * (10_000 - column)
    shown, caret = excerpt(line, 1, column, 7)
    assert len(shown) < 120
    start = caret.index("^")
    assert shown[start : start + 7] == "{{bad}}"
    assert caret[start:] == "^" * 7


def test_a_line_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "f.yml"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert line_of_file(str(file), 1) == "one"
    assert line_of_file(str(file), 2) == "two"
    assert line_of_file(str(file), 9) is None
    assert line_of_file(str(tmp_path / "gone"), 1) is None
