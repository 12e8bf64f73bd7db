"""`visible()`: nothing hidden gets through, nothing is lost, and positions map both ways."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.visible import VisibleText, mark_of, visible, visible_line

C0 = [chr(code) for code in range(0x20)]
C1 = [chr(code) for code in range(0x80, 0xA0)]
BIDI = list("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
ZERO_WIDTH = list("\u00ad\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u180e\u034f")
HIDDEN = frozenset([*C0, "\x7f", *C1, *BIDI, *ZERO_WIDTH, "\u2028", "\u2029"])

any_text = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cs"]),
        st.sampled_from(sorted(HIDDEN)),
        st.sampled_from(list("ab \n\t‹›👩👧❤\ufe0f\ufe0e🏴󠁧\U000e007f日本é")),
    )
)


@given(any_text)
@example("\x1b]52;c;eA==\x07")
@example("👩\u200d👩\u200d👧 x\u200dy \ufe0f")
@example("a\u200d❤")
def test_no_hidden_character_is_left(text: str) -> None:
    for shown in (visible(text), visible(text, tab_stops=4)):
        left = {character for character in shown if character in HIDDEN} - {"\n", "\u200d"}
        assert not left
        assert not any(unicodedata.category(character) == "Cs" for character in shown)
    assert "\n" not in visible_line(text)
    str(visible_line(text)).encode("utf-8")  # no lone surrogate is left


@given(any_text)
def test_a_joiner_is_left_only_between_pictographs(text: str) -> None:
    shown = visible(text)
    for index, character in enumerate(shown):
        if character == "\u200d":
            assert 0 < index < len(shown) - 1
            assert not shown[index - 1].isalnum()
            assert not shown[index + 1].isalnum()


@given(any_text, st.sampled_from([0, 4, 8]))
def test_the_map_is_exact(text: str, tab_stops: int) -> None:
    shown = visible(text, tab_stops=tab_stops)
    assert shown.source_length == len(text)
    assert shown.to_visible(len(text)) == len(shown)
    assert shown.to_source(len(shown)) == len(text)
    marks = dict(shown.marks)
    for offset, character in enumerate(text):
        start, end = shown.to_visible(offset), shown.to_visible(offset + 1)
        assert [shown.to_source(inside) for inside in range(start, end)] == [offset] * (end - start)
        if start in marks:
            assert end == marks[start]
            blanks = character == "\t" and shown[start:end].isspace()
            assert blanks or shown[start:end] == mark_of(character)
        else:
            assert shown[start:end] == character


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"])))
def test_clean_text_is_itself(text: str) -> None:
    shown = visible(text)
    assert shown == text
    assert isinstance(shown, VisibleText)
    assert shown.marks == ()


@pytest.mark.parametrize(
    ("character", "mark"),
    [
        ("\x00", "‹NUL›"),
        ("\x1b", "‹ESC›"),
        ("\r", "‹CR›"),
        ("\t", "‹TAB›"),
        ("\x7f", "‹DEL›"),
        ("\x9b", "‹CSI›"),
        ("\u202e", "‹RLO›"),
        ("\u200b", "‹ZWSP›"),
        ("\u200d", "‹ZWJ›"),
        ("\ufeff", "‹BOM›"),
        ("\ud800", "‹U+D800›"),
        ("\U000e0041", "‹TAG A›"),
        ("\ufe00", "‹VS1›"),
        ("\U000e0100", "‹VS17›"),
        ("\u2028", "‹LS›"),
    ],
)
def test_names(character: str, mark: str) -> None:
    assert visible(f"a{character}b") == f"a{mark}b"


@pytest.mark.parametrize("text", ["👩‍👩‍👧", "❤️‍🔥", "👍🏽", "1️⃣", "☎︎", "日本語", "e\u0301", "naïve", "שלום"])
def test_what_is_seen_stays(text: str) -> None:
    assert visible(text) == text
    assert visible_line(text) == text


@pytest.mark.parametrize("text", ["x\u200dy", "1\u200d2", "x\ufe0f", "1\ufe0f2", "❤\ufe0f\ufe0f", "\ufe0f"])
def test_joiners_elsewhere_are_marked(text: str) -> None:
    assert visible(text).marks


def test_line_ends() -> None:
    assert visible("a\r\nb") == "a‹CR›\nb"
    assert visible_line("a\r\nb") == "a‹CR›‹LF›b"


def test_tab_stops_count_from_the_line_end() -> None:
    assert visible("\tx\nab\ty\t|", tab_stops=4) == "    x\nab  y   |"
