"""The one drawing of a text difference."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.previews import DEPLOYMENT, HOSTILE, HOSTILE_NAME
from workbench.config.difference.texts import ChangedLine
from workbench.prompt.views import Owner
from workbench.tui.view import difference as view
from workbench.tui.view.changed_line import ShownLine, shown_line
from workbench.tui.view.difference import Form, TextDifference, difference_lines, owner_band
from workbench.tui.view.pieces import Line, Piece, plain, width_of
from workbench.visible import visible

BEFORE = """\
You are coding-agent.
Work in /srv/app, and keep each change small.
When a test fails, say what you expected.
Four.
Five.
Six.
Seven."""
AFTER = BEFORE.replace("small.", "small enough to be reviewed.").replace("Seven.", "Seven.\nEight.")

texts = st.lists(
    st.sampled_from(
        ["", "alpha beta", "alpha gamma", "日本語のテキスト、", "👩‍👩‍👧 family", "👩‍👩‍👦 family", "x" * 90]
    ),
    max_size=8,
).map("\n".join)


def drawn(before: str, after: str, width: int = 60, **options: object) -> list[str]:
    return [plain(line).rstrip() for line in difference_lines(before, after, width, **options)]  # type: ignore[arg-type]


def test_unified() -> None:
    assert drawn(BEFORE, AFTER, owner=DEPLOYMENT, name="persona", facts=(Piece("75 → 84 tok"),)) == [
        "▎ persona                           deployment  75 → 84 tok",
        "   1 You are coding-agent.",
        " − 2 Work in /srv/app, and keep each change small.",
        " + 2 Work in /srv/app, and keep each change small enough to",
        "     be reviewed.",
        "   3 When a test fails, say what you expected.",
        "   4 Four.",
        "   5 Five.",
        "   6 Six.",
        "   7 Seven.",
        " + 8 Eight.",
    ]


def test_side_by_side() -> None:
    rows = drawn(BEFORE, AFTER, 104, owner=DEPLOYMENT)[1:5]
    assert [(row[:53].rstrip(), row[53:]) for row in rows] == [
        ("   1 You are coding-agent.", "   1 You are coding-agent."),
        (" − 2 Work in /srv/app, and keep each change small.", " + 2 Work in /srv/app, and keep each change small"),
        ("", "     enough to be reviewed."),
        ("   3 When a test fails, say what you expected.", "   3 When a test fails, say what you expected."),
    ]
    assert drawn(BEFORE, AFTER, 104)[-1] == " " * 53 + " + 8 Eight."
    assert drawn(BEFORE, AFTER, 103) == drawn(BEFORE, AFTER, 104, side_by_side=False)


def test_equal_lines_are_folded_where_that_saves_room() -> None:
    many = "\n".join(f"line {number}" for number in range(1, 21))
    other = many.replace("line 11", "line eleven")
    assert drawn(many, other) == [
        "      ⋯ 8 equal lines",
        "    9 line 9",
        "   10 line 10",
        " − 11 line 11",
        " + 11 line eleven",
        "   12 line 12",
        "   13 line 13",
        "      ⋯ 7 equal lines",
    ]
    assert len(drawn(many, other, whole=True)) == 21
    assert drawn("\n".join("abcd"), "\n".join("abcx"))[0] == "   1 a"  # one line is no shorter as a fold
    assert drawn(many, many) == []
    assert len(drawn(many, many, whole=True)) == 20


def test_changed_words_are_picked_out_and_the_ground_reaches_the_edge() -> None:
    removed, added = difference_lines("Be brief now.", "Be short now.", 40)
    assert [piece.text for piece in removed if piece.bold and piece.underline] == ["brief"]
    assert [piece.ground for piece in added if piece.text == "short"] == ["added-words"]
    for line, ground in ((removed, "removed-line"), (added, "added-line")):
        assert width_of(line) == 40
        assert {piece.ground for piece in line} == {ground, ground.replace("line", "words")}
    (wholly_new,) = difference_lines("", "All of it.", 40)
    assert not any(piece.underline for piece in wholly_new)


def test_remarks_stand_below_their_line() -> None:
    remarks: dict[int, Line] = {2: (Piece("╳ first changed token, 46"),), -1: (Piece("was"),)}
    assert drawn("a\nb", "b\nc", remarks=remarks) == [
        " − 1 a",
        "     was",
        "   1 b",
        " + 2 c",
        "     ╳ first changed token, 46",
    ]


def test_changes_are_where_a_stretch_begins() -> None:
    difference = TextDifference("a\nb\n" + "\n" * 9 + "c", "A\nb\n" + "\n" * 9 + "C\nd")
    rows = difference.layout(Form(40))
    assert [plain(rows[row]).strip() for row in rows.changes()] == ["−  1 a", "− 12 c"]
    beside = difference.layout(Form(120, is_side_by_side=True))
    assert [plain(beside[row]).split() for row in beside.changes()] == [
        ["−", "1", "a", "+", "1", "A"],
        ["−", "12", "c", "+", "12", "C"],
    ]


@given(texts, texts, st.integers(20, 130), st.booleans())
def test_the_rows_hold_both_texts_in_their_width(before: str, after: str, width: int, beside: bool) -> None:
    difference = TextDifference(before, after)
    rows = difference.layout(Form(width, beside, is_whole=True))
    assert all(width_of(row) <= width for row in rows)
    gutter, column = difference.gutter, Form(width, beside).column
    old = new = ""
    for row in rows:
        text = plain(row)
        if beside:
            continue
        kind = row[0].ground
        words = text[gutter:].replace(" ", "")
        old += "" if kind == "added-line" else words
        new += "" if kind == "removed-line" else words
    if not beside and column > gutter + 4:
        assert old == before.replace(" ", "").replace("\n", "")
        assert new == after.replace(" ", "").replace("\n", "")


def test_values_are_underlined_in_their_own_colour() -> None:
    before, after = "by m-1 in\t/srv\nend", "by m-1 in\t/srv/app\nend /srv"
    values = [(3, 6), (10, 14)], [(3, 6), (10, 18), (23, 27)]
    rows = TextDifference(before, after, values=values).layout(Form(60))
    found = [[piece.text for piece in row if piece.role == "value"] for row in rows]
    assert found == [["m-1", "/srv"], ["m-1", "/srv", "/app"], [], ["/srv"]]
    assert all(piece.underline for row in rows for piece in row if piece.role == "value")


def test_half_a_grapheme_is_never_picked_out() -> None:
    removed, added = difference_lines("the 👩‍👩‍👧 e\u0301 of it", "the 👩‍👩‍👦 e\u0300 of it", 40)
    assert [piece.text for piece in removed if piece.underline] == ["👩‍👩‍👧", "e\u0301"]
    assert [piece.text for piece in added if piece.underline] == ["👩‍👩‍👦", "e\u0300"]


@pytest.mark.parametrize("width", [1, 5, 20, 60, 200])
def test_hostile_text_is_marked(width: int) -> None:
    after = HOSTILE.replace("Allow", "\x1b[2JAllow\u202e")
    owner = Owner(HOSTILE_NAME, 9)
    for line in difference_lines(HOSTILE, after, width, owner=owner, name=HOSTILE_NAME, whole=True):
        assert all(piece.text.isprintable() for piece in line)
    shown = "".join(map(plain, difference_lines(HOSTILE, after, 60, whole=True, side_by_side=False)))
    assert "‹ESC›[2JAllow‹RLO›" in shown
    assert str(visible("\x9b31m")) in shown


def test_a_long_text_costs_what_is_seen_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = "\n".join(f"{number} of many" for number in range(20_000))
    difference = TextDifference(before, before.replace(" of ", " out of "))
    prepared: list[object] = []

    def prepare(line: ChangedLine, values: Sequence[tuple[int, int]]) -> ShownLine:
        prepared.append(line)
        return shown_line(line, values)

    monkeypatch.setattr(view, "shown_line", prepare)
    rows = difference.layout(Form(60))
    assert len(rows) == 40_000
    assert plain(rows[30_000]).rstrip().endswith("of many")
    assert len(prepared) == 1


def test_a_band_without_an_owner() -> None:
    assert plain(owner_band("a name that is too long for it", None, (Piece("0 → 21 tok"),), 30)) == (
        "▎ a name that is…  0 → 21 tok "
    )
