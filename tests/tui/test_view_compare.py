"""What Compare draws and says, without a screen."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.support import previews as p
from tests.tui.compared import BEFORE
from workbench.tui.view.compare import Comparison, compare
from workbench.tui.view.compare_sides import (
    Earlier,
    Now,
    OtherFile,
    OtherScope,
    Previous,
    SideWords,
    side_items,
    sides_line,
)
from workbench.tui.view.compare_words import (
    ChangeRows,
    ListLook,
    answer,
    first_changed,
    grown_words,
    same_lines,
    segment_labels,
    segments,
)
from workbench.tui.view.difference import Form
from workbench.tui.view.pieces import Line, Piece, plain, width_of
from workbench.tui.view.prefix_line import Segment, labels_line, prefix_line, segment_cells
from workbench.tui.view.sizes import CHARACTERS
from workbench.tui.viewing.viewing import Seen


def drawn(comparison: Comparison, width: int = 90, **options: bool) -> list[str]:
    layout = comparison.layout(Form(width, **options))
    return [plain(layout[row]).rstrip() for row in range(len(layout))]


def test_all_differences_in_the_order_of_the_request() -> None:
    comparison = compare(BEFORE, p.CODING_AGENT)
    rows = drawn(comparison)
    bands = [row.split()[1] for row in rows if row.startswith("▎")]
    assert bands == ["deployment:persona", "dyn:release-notes", "read", "release_notes", "approval:policy"]
    assert "   ⋯" not in "".join(rows)
    assert rows[-1] == "     context, appended as a message: it breaks nothing"
    at = next(index for index, row in enumerate(rows) if "~ /properties/offset/minimum" in row)
    assert rows[at + 1 : at + 3] == [" −   0", " +   1"]
    assert [change.is_first for change in comparison.changes] == [True, False, False, False, False]
    layout = comparison.layout(Form(90))
    assert [layout.position(row).change for row in layout.starts[:-1]] == [0, 1, 2, 3, 4]
    assert all(rows[row].strip() and not rows[row].startswith("▎") for row in layout.stretches)


def test_the_order_of_keys_and_of_parts() -> None:
    tools = [p.tool("a", p.FILES, "A.", '{\n  "x": 1,\n  "y": 2\n}'), p.tool("b", p.FILES, "B.")]
    other = [p.tool("a", p.FILES, "A.", '{\n  "y": 2,\n  "x": 1\n}'), p.tool("b", p.FILES, "B.")]
    rows = drawn(compare(p.preview([], [], tools), p.preview([], [], other)))
    assert "     ~ only the order of keys: the bytes differ, the values do not; in the top" in rows
    assert any("╳ first changed token" in row for row in rows)
    moved = compare(p.preview(p.SECTIONS[:3]), p.preview([p.SECTIONS[1], p.SECTIONS[0], p.SECTIONS[2]]))
    rows = drawn(moved)
    assert "     moved; its text is the same" in rows
    assert "1 moved" in plain(answer(moved.request, short=False).sentence)


def test_a_removed_part_is_named_as_what_broke() -> None:
    request = compare(p.CODING_AGENT, p.preview(p.SECTIONS[1:], p.CONTEXTS, p.TOOLS, p.VARIABLES)).request
    assert plain(answer(request, short=True).sentence).startswith("╳ The prefix breaks at token ")
    assert plain(first_changed(request)).startswith("╳ harness:identity removed first, of system_prompt; ")


def test_the_answer() -> None:
    equal = compare(p.CODING_AGENT, p.CODING_AGENT).request
    assert plain(answer(equal, short=False).sentence) == "Equal, byte for byte."
    assert plain(same_lines(equal, "", 80)[1]) == " Both sides have the same text: 7 sections, 5 tools, 2 contexts."
    nothing = compare(p.EMPTY, p.EMPTY).request
    assert "Neither side has anything to read." in plain(same_lines(nothing, "", 80)[1])
    grows = compare(p.preview(p.SECTIONS[:2]), p.preview(p.SECTIONS[:3])).request
    assert plain(answer(grows, short=False).sentence).startswith("The prefix stays and grows. 1 added")
    assert plain(first_changed(grows)).startswith("+ tool:bash added first, of bash")
    one, two = segments(grows)
    assert (one.new > 0, one.is_broken, two.tokens) == (True, False, 0)
    broken, behind = segments(compare(BEFORE, p.CODING_AGENT).request)
    assert (broken.is_broken, broken.kept > 0, behind.anew > 0, behind.kept) == (True, True, True, 0)
    tool = compare(p.preview(p.SECTIONS, (), p.TOOLS), p.preview(p.SECTIONS, (), p.TOOLS[1:])).request
    kept, broken = segments(tool)
    assert (kept.anew, broken.is_broken) == (0, True)
    assert plain(segment_labels(tool)[2]) == "context 0, a message"
    assert [grown_words(grown) for grown in (1043, -3, 0, None)] == ["+ 1,043", "− 3", "0", "–"]


def test_the_list_fits_its_width() -> None:
    names = ["short", "日本語" * 20, p.HOSTILE_NAME, "x" * 200]
    comparison = compare(p.EMPTY, p.preview([p.entry(name, 1, "text", p.FILES) for name in names]))
    for width in (10, 24, 38, 80):
        rows = ChangeRows(comparison, width, blanks=True)
        look = ListLook(width, 1, True)
        for row in range(len(rows)):
            line = rows.line(row, look)
            assert width_of(line) <= width
            assert all(piece.text.isprintable() for piece in line)
        assert [rows.change_at(row) for row in (0, 1, 4, 5)] == [None, 0, 3, None]


segment = st.builds(Segment, st.integers(0, 9000), st.integers(0, 9000), st.integers(0, 9000), st.booleans())


@given(st.lists(segment, max_size=4), st.integers(1, 200))
def test_the_prefix_line_fills_its_width(parts: list[Segment], width: int) -> None:
    line = prefix_line(parts, width)
    shown = [part for part in parts if part.tokens or part.is_broken]
    if not shown:
        assert line == ()
    elif width >= 6 * len(shown):
        text = plain(line)
        assert width_of(line) == width
        for part, drawing in zip(shown, text.split(" "), strict=True):
            assert ("╳" in drawing) is part.is_broken
            for sign, amount in (("━", part.kept), ("╍", part.anew), ("─", part.new)):
                assert (sign in drawing) is (amount > 0)
        assert [*segment_cells(parts, width)].count(0) == len(parts) - len(shown)


def test_labels_stand_below_their_segments() -> None:
    labels: list[Line] = [(Piece("system 5"),), (Piece("tools 7"),)]
    assert plain(labels_line(labels, [20, 10], 40)) == "system 5" + " " * 13 + "tools 7"
    assert plain(labels_line(labels, [3, 10], 40)) == "system 5   tools 7"
    assert plain(labels_line(labels, [20, 10], 25)) == "system 5   tools 7"


def test_sides_are_named_and_can_be_clicked() -> None:
    left, right = SideWords("assembly 4", "14:03:40, scope main"), SideWords("x\x1b[2J" * 30, "scope y")
    for width in (30, 76, 116):
        line, one, other = sides_line(left, right, width)
        assert width_of(line) <= width
        assert plain(line)[other[0] : other[0] + 6] == "right "
        assert 0 < one[1] <= other[0] < other[1] <= width
        assert all(piece.text.isprintable() for piece in line)


def test_the_picker_offers_what_there_is() -> None:
    seen = [Seen(number, "main", replace(p.CODING_AGENT), CHARACTERS) for number in (1, 2)]
    items, choices = side_items(seen, p.FakeSubject().scopes, (), ["a.yml"], "main")
    assert [item.group for item in items] == [
        "This prompt", "This prompt", "Scopes", "Scopes", "Scopes", "Earlier", "Earlier", "Other files",
    ]  # fmt: skip
    assert [choices[item.id] for item in items] == [
        Now(), Previous(), OtherScope("(global)"), OtherScope("main"), OtherScope("reviewer"),
        Earlier(2), Earlier(1), OtherFile("a.yml"),
    ]  # fmt: skip
    assert items[5].note.endswith(f"{len(p.CODING_AGENT.system or ''):,} chars")
