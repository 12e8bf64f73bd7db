"""Rows of text: wrapping, layout, what is drawn, and the notes of failures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

import tests.support.previews as p
from workbench.prompt.views import Failure
from workbench.tui.view.blocks import EntryBlock, TextBlock, ToolBlock
from workbench.tui.view.draw import FOUND, Drawn, Emphasis, Gutter, Match, Stretch, draw
from workbench.tui.view.entries import EntryKey, keyed
from workbench.tui.view.layout import MEASURE_AT_ONCE, Layout, Place, TextRow
from workbench.tui.view.notes import note_rows
from workbench.tui.view.page import CHUNK, Page, sent_page
from workbench.tui.view.pieces import plain, width_of
from workbench.tui.view.wrap import row_starts

words = st.text(st.sampled_from(list("ab \n-日é👩e\u0301")), max_size=60)


@given(words, st.integers(2, 20))
@example("hello world foo   bar\n\nx\n", 6)
@example("", 5)
def test_rows_lose_nothing_and_fit(text: str, width: int) -> None:
    starts = row_starts(text, width)
    rows = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    assert "".join(rows) == text
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    for row in rows:
        assert "\n" not in row[:-1]
        assert cell_len(row.rstrip("\n ")) <= width or "\u0301" in row


@given(words)
def test_without_wrapping_a_row_is_a_line(text: str) -> None:
    assert len(row_starts(text, None)) == text.count("\n") + 1


def page_of(*texts: str) -> Page:
    return Page("system", [TextBlock(text, has_numbers=True) for text in texts])


@given(st.lists(words, min_size=1, max_size=4), st.integers(3, 20), st.integers(0, 80), st.integers(1, 10))
def test_each_row_is_found_again(texts: list[str], width: int, top: int, height: int) -> None:
    page = page_of(*texts)
    layout = Layout(page, width, width)
    rows = [layout.at(row) for row in range(layout.total)]
    assert None not in rows
    assert layout.at(layout.total) is None
    assert sum(1 for row in rows if row is not None and row.item is None) == len(texts)
    for number, row in enumerate(rows):
        place = layout.place_at(number)
        assert row is not None
        assert place is not None
        assert layout.row_of(place) <= number
        if isinstance(row.item, TextRow):
            assert layout.row_of_offset(row.block, row.item.start) == number
    assert layout.settle(top, height) == min(top, layout.total - 1)


def test_a_long_page_is_measured_only_where_it_is_looked_at() -> None:
    line = "The quick brown fox jumps over the lazy dog. " * 4
    page = page_of(*(f"{line}\n" * 20 for _ in range(200)))
    assert sum(len(block.raw) for block in page.blocks) > MEASURE_AT_ONCE
    layout = Layout(page, 60, 60)
    guessed = layout.total
    top = layout.settle(guessed // 2, 30)
    middle = layout.place_at(top)
    assert middle is not None
    assert 0 < len(layout._measured) < 10
    exact = Layout(page, 60, 60)
    for block in range(200):
        exact.row_of_offset(block, 0)
    assert exact.at(exact.row_of(middle)) == layout.at(layout.row_of(middle))


def test_the_end_of_a_guessed_page_is_reached() -> None:
    page = page_of(*("word " * 3000 for _ in range(20)))
    layout = Layout(page, 60, 60)
    layout.settle(layout.total, 30)
    last = layout.at(layout.total - 1)
    assert last is not None
    assert isinstance(last.item, TextRow)
    assert last.item.end == len(page.blocks[-1].raw)


def test_a_long_text_is_cut_into_chunks_at_line_ends() -> None:
    text = ("x" * 99 + "\n") * 3000
    page = page_of(text)
    assert len(page.chunks) > 1
    assert all(chunk.end % 100 == 0 for chunk in page.chunks[:-1])
    layout = Layout(page, 120, 120)
    for chunk in range(len(page.chunks)):
        layout.row_of_offset(0, page.chunks[chunk].start)
    assert layout.total == 1 + 3001
    assert page_of("y" * (2 * CHUNK)).chunks[0].end == CHUNK


def draw_all(page: Page, width: int = 60, emphasis: Emphasis | None = None) -> list[Drawn]:
    gutter = Gutter()
    layout = Layout(page, width - 1 - gutter.width - 1, width - 1 - gutter.width - 1)
    drawn = []
    for row in range(layout.total):
        located = layout.at(row)
        assert located is not None
        drawn.append(draw(page, located, width, gutter, emphasis or Emphasis()))
    return drawn


def coding_agent(*, names: bool = False) -> Page:
    return sent_page("system", list(keyed(p.CODING_AGENT)), p.CODING_AGENT, names)


def test_a_section_has_a_band_with_name_owner_and_size() -> None:
    band = draw_all(coding_agent())[0]
    assert plain(band.line).split() == ["harness:identity", "system_prompt", "60", "chars"]
    assert band.ground == "panel"
    assert band.bar is not None
    assert band.bar.role == "owner-harness"


def test_lines_are_numbered_within_their_section() -> None:
    rows = draw_all(coding_agent(), 120)
    numbers = [plain(row.line)[:3].strip() for row in rows if row.ground == "base"]
    assert [number for number in numbers if number][:6] == ["1", "1", "2", "3", "4", "1"]


def test_values_and_words_of_listeners_are_underlined_in_their_colour() -> None:
    pieces = [piece for row in draw_all(coding_agent(), 120) for piece in row.line if piece.underline]
    assert [(piece.text, piece.role) for piece in pieces] == [
        ("deepseek-chat", "value"),
        ("/srv/app", "value"),
        ("120", "listener"),
    ]


def test_a_rewritten_line_has_a_sign_and_its_listener_in_the_band() -> None:
    rows = [plain(row.line) for row in draw_all(coding_agent(), 120)]
    assert any("bash » limits" in row for row in rows)
    assert any(row.startswith("  2» Run long") for row in rows)


def test_names_stand_in_place_of_values() -> None:
    rows = [plain(row.line) for row in draw_all(coding_agent(names=True), 120)]
    assert any("powered by the {{model}} model" in row for row in rows)
    assert not any("deepseek-chat" in row for row in rows)


def test_the_cursor_line_takes_ground_and_bar() -> None:
    rows = draw_all(coding_agent(), 60, Emphasis(selected=1, cursor=Place(1, 1)))
    with_cursor = [row for row in rows if row.ground == "cursor"]
    assert len(with_cursor) == 3
    assert {row.bar.role for row in with_cursor if row.bar} == {"focus"}


def test_what_was_found_is_picked_out_also_inside_a_value() -> None:
    page = coding_agent()
    text = page.blocks[1].content.text
    at = text.index("seek-chat model")
    match = Match(at, at + len("seek-chat model"))
    rows = draw_all(page, 120, Emphasis(matches={1: [match]}, current=(1, match)))
    found = [piece for row in rows for piece in row.line if piece.ground == "focus"]
    assert [piece.text for piece in found] == ["seek-chat", " model"]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=4))
def test_matches_never_change_the_text(spans: list[tuple[int, int]]) -> None:
    page = coding_agent()
    matches = sorted(Match(start, start + length) for start, length in spans)
    before = [plain(row.line) for row in draw_all(page, 50)]
    marked = draw_all(page, 50, Emphasis(matches={1: matches}))
    assert [plain(row.line).replace(FOUND, " ", 1) for row in marked] == before
    with_one = [row for row in marked if any(piece.underline and piece.role == "focus" for piece in row.line)]
    signs = [plain(row.line)[3] for row in with_one]
    assert set(signs) <= {FOUND, "»"}, "each row with a match has a sign"
    selected = Emphasis(selection=Stretch((0, 5), (2, 30)))
    assert [plain(row.line) for row in draw_all(page, 50, selected)] == before


def test_hidden_characters_stand_on_the_key_ground() -> None:
    key = EntryKey("section", "x", "global")
    page = Page("system", [EntryBlock(key, p.entry("x", 1, p.HOSTILE, p.FILES))])
    marks = [piece.text for row in draw_all(page, 200) for piece in row.line if piece.ground == "key"]
    assert "‹ESC›" in marks
    assert "‹RLO›" in marks
    assert "‹CR›" in marks


def test_a_mark_inside_a_value_keeps_the_look_of_the_value() -> None:
    made = p.entry("x", 1, "a {{model}} b", p.FILES)
    rendered = made.rendered
    assert rendered is not None
    hostile = replace(made, rendered=rendered.replace("deepseek", "deep\x1b[ek"))
    page = Page("system", [EntryBlock(EntryKey("section", "x", "global"), hostile)])
    pieces = [piece for row in draw_all(page, 100) for piece in row.line if piece.role == "value"]
    assert [(piece.text, piece.ground) for piece in pieces] == [
        ("deep", None),
        ("‹ESC›", "key"),
        ("[ek-chat", None),
    ]


def test_the_faulty_section_stands_in_raw_form_with_carets_below_the_group() -> None:
    page = sent_page("system", list(keyed(p.FAILING)), p.FAILING, False)
    rows = [plain(row.line) for row in draw_all(page, 80)]
    line = next(row for row in rows if "{{workdir}}" in row)
    carets = rows[rows.index(line) + 1]
    assert carets.index("^") == line.index("{{workdir}}")
    assert carets.count("^") == len("{{workdir}}")
    below = rows[rows.index(line) + 1 : rows.index(line) + 7]
    assert "unknown variable {{workdir}}" in below[0]
    assert "section tool:bash, line 2, column 59" in below[1]
    assert "{{cwd}}" in below[3]
    assert "cwd, model, provider" in below[4]
    assert "plugins/bash.py:42:64" in below[5]
    assert all(block.soft for block in page.blocks if block.failure is None)


@pytest.mark.parametrize("width", [20, 30, 60, 96])
def test_notes_fit(width: int) -> None:
    for row in note_rows(p.UNKNOWN, width, "x" * 15, "{{workdir}}"):
        assert width_of(row) <= width


def test_a_failure_of_no_entry_comes_first() -> None:
    failure = Failure("assemble", "complete", "several complete sections: a, b", "", "", None)
    shown = replace(p.CODING_AGENT, failures=(failure,), system=None)
    page = sent_page("system", list(keyed(shown)), shown, False)
    rows = [plain(row.line) for row in draw_all(page, 80)]
    assert "assembly" in rows[0]
    assert "several complete sections: a, b" in rows[1]


def test_a_tool_shows_its_description_and_its_schema() -> None:
    block = ToolBlock(EntryKey("tool", "read", "global"), p.TOOLS[2])
    rows = [plain(row.line)[5:] for row in draw_all(Page("tools", [block]), 80)]
    assert rows[1:5] == ["Return lines of a file.", "Long lines are cut.", "", "{"]
    assert '  "properties": {' in rows


def test_a_snapshot_begins_with_its_first_line() -> None:
    page = sent_page("context", list(keyed(p.CODING_AGENT)), p.CODING_AGENT, False)
    rows = [plain(row.line) for row in draw_all(page, 80)]
    assert "snapshot" in rows[0]
    assert "sent as a user message" in rows[0]
    assert rows[1].strip() == "Runtime context now in force."
    assert "sandbox:policy" in rows[2]
