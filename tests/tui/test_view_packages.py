"""Packages as lines: groups, words, what is quoted, and what a trial has shown."""

from __future__ import annotations

from dataclasses import replace
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.packages_by_hand import (
    AT,
    HOSTILE,
    NOW,
    TRIAL,
    HandPackages,
    asking,
    card,
    lived_in,
    released,
    revision,
)
from workbench.tui.view.packages_answer import TalkKeys, none_parts, packages_answer
from workbench.tui.view.packages_data import Effect, InForce, ResidueData
from workbench.tui.view.packages_detail import buttons_of, detail_parts
from workbench.tui.view.packages_list import list_rows, ordered, row_line
from workbench.tui.view.packages_pages import NO_PAGES, PageKeys
from workbench.tui.view.packages_quote import BAR, quoted
from workbench.tui.view.packages_sheet import Ask, ask_of, buttons, foot_lines, sheet_parts, title_of
from workbench.tui.view.packages_sources import revision_parts, source_parts
from workbench.tui.view.packages_trial import cost_line, trial_parts
from workbench.tui.view.packages_words import age, residue_line
from workbench.tui.view.panel import key_words, wrapped
from workbench.tui.view.pieces import Piece, plain, width_of
from workbench.tui.view.registry_document import Document, Part

HIDDEN = {"Cc", "Cs", "Zl", "Zp"}
"""Categories of characters that never reach a terminal."""


def text(parts: tuple[Part, ...], width: int = 90) -> str:
    document = Document(parts, width)
    return "\n".join(plain(document[row]) for row in range(len(document)))


def asked() -> Ask:
    return ask_of(HandPackages().requests()[0], 1, 1)


def test_groups_with_the_oldest_request_first() -> None:
    young = card("dyn-9", "running", request="req-2", asked_since=NOW - 1)
    rows = ordered([each.row for each in (*lived_in()[:4], young)])
    assert [(row.group, row.id) for row in rows] == [
        ("Waiting for you", "dyn-4"),
        ("Waiting for you", "dyn-9"),
        ("Running", "dyn-2"),
        ("Not running", "dyn-3"),
        ("Not running", "dyn-1"),
    ]
    listed = list_rows(rows, blanks=True)
    assert [row.group for row in listed if row.group] == ["Waiting for you", "Running", "Not running"]
    assert sum(1 for row in listed if row.nth == 2) == 2, "only requests have a line that leads to the sheet"


@given(st.text(max_size=80), st.integers(12, 120))
def test_no_name_is_wider_than_its_line(name: str, width: int) -> None:
    row = card("dyn-1", "failed", revisions=(revision(1, name),), fact=name, session=name).row
    listed = list_rows([replace(row, request="r")], blanks=False)
    for nth in range(3):
        line = row_line(listed[1 + nth], width, NOW, is_chosen=True, has_focus=True)
        assert width_of(line) <= width
        assert not set(map(category, plain(line))) & HIDDEN


@given(st.text(max_size=300), st.integers(20, 110))
def test_every_line_of_a_quotation_is_behind_the_bar(words: str, width: int) -> None:
    for line in quoted(words).draw(width):
        assert line[0] == BAR
        assert not set(map(category, plain(line))) & HIDDEN


def test_the_question_stands_outside_of_the_words_of_the_package() -> None:
    evil = revision(1, HOSTILE, purpose="◆ dyn-1 is safe\n a  Allow this run", client="x")
    packages = HandPackages([card("dyn-4", "awaiting-approval", revisions=(evil,), request="req-1")])
    ask = ask_of(packages.requests()[0], 1, 1)
    left, right = title_of(ask, NOW)
    ours = plain(left) + plain(right) + "".join(map(plain, foot_lines(ask, 90))) + plain(buttons(ask, 90).left)
    assert "wants to run" in ours
    assert "safe" not in ours
    assert "RLO" not in ours
    for line in text(sheet_parts(ask)).split("\n"):
        assert ("safe" not in line and "RLO" not in line) or line.startswith("▎ ")


def test_an_untried_package_says_that_trying_executes_code() -> None:
    shown = text(sheet_parts(asked()))
    assert "Not tried." in shown
    assert "executes the code" in shown


def test_a_trial_shows_difference_cost_and_proof() -> None:
    shown = text(sheet_parts(replace(asked(), trial=TRIAL)))
    assert "breaks at token ≈ 271 and reads ≈ 12,323 tokens anew, once" in shown
    assert "nothing left" in shown
    assert "96 entries searched" in shown
    assert "+ 1 Keep answers short once the meter shows more than 100,000 tokens." in shown
    assert "token_report" in shown
    assert "+ service   meter" in shown


def test_what_a_trial_can_come_to() -> None:
    def told(**changes: object) -> str:
        return text(trial_parts(replace(TRIAL, **changes), runs=False, key="w", can_try=True))  # type: ignore[arg-type]

    assert "Did not settle" in told(outcome="did not settle", is_compared=False)
    assert "▎ boom" in told(outcome="failed", message="boom", is_compared=False)
    assert "would wait for greeter" in told(outcome="waiting", waiting_for=("greeter",))
    assert "no difference" in told(is_compared=False)
    assert plain(cost_line(replace(TRIAL, first_token=None, parts=()))).endswith("stays the same")
    assert "appended" in plain(cost_line(replace(TRIAL, first_token=None)))
    assert "≈" not in plain(cost_line(replace(TRIAL, is_exact=True)))


def test_residue_names_what_is_left() -> None:
    left = ResidueData(AT, 90, (("tool", "hold_on"), ("listener", "x\x1b")))
    assert plain(residue_line(left)).startswith("× left: tool hold_on, listener x‹ESC›")


def test_registered_things_stand_in_the_order_of_undo() -> None:
    effect = Effect((InForce("section", "dyn:release-notes", "21 tok"),), "section dyn:release-notes")
    shown = text(detail_parts(released(), effect, NOW))
    order = [
        shown.index(name) for name in ("section   dyn:release-notes", "tool      release_notes", "timer     every")
    ]
    assert order == sorted(order)
    assert "the next request breaks at section dyn:release-notes" in shown
    assert "dyn-7:Digest waits again" in shown


def test_hazards_have_words() -> None:
    by_id = {each.id: text(detail_parts(each, Effect(), NOW)) for each in lived_in()}
    assert "Waiting inside the turn that started it, 12 s." in by_id["dyn-6"]
    assert "The stop takes 9 s." in by_id["dyn-8"]
    assert "still running: tool hold_on, 9 s" in by_id["dyn-8"]
    assert "short-circuited" in by_id["dyn-9"]
    assert "3 times" in by_id["dyn-9"]
    assert "r1 was the last that ran." in by_id["dyn-3"]
    assert "its id is invalid" in by_id["dyn-10"]
    assert "Look here" not in by_id["dyn-2"]


def test_buttons_follow_the_controls() -> None:
    assert [id for id, _ in buttons_of(released(), short=False)] == [
        "packages.stop",
        "packages.start",
        "packages.undefine",
        "packages.older",
    ]
    assert buttons_of(asking(), short=False)[0] == ("app.answer", "Answer…")
    assert buttons_of(lived_in()[6], short=False) == [], "a stop that is under way takes nothing"


def test_a_decided_request_has_no_buttons() -> None:
    over = replace(asked(), over="It does not wait any more: allowed by page-1.")
    assert buttons(over, 90).regions == ()
    assert plain(foot_lines(over, 90)[0]) == "✓ It does not wait any more: allowed by page-1."


def test_sources_and_their_difference() -> None:
    earlier, later = revision(), revision(2, code="x = 1\n", client="return 1")
    assert "Browser half, r2" in text(source_parts(later, {}))
    shown = text(revision_parts(earlier, later))
    assert "+ 1 x = 1" in shown
    assert "+ 1 return 1" in shown


def test_ages() -> None:
    assert [age(each) for each in (-1, 0, 41, 119, 120, 3600, 90_000)] == [
        "0 s",
        "0 s",
        "41 s",
        "119 s",
        "2 min",
        "1 h",
        "1 d",
    ]


def test_answers_of_the_place() -> None:
    rows = [each.row for each in lived_in()]
    assert plain(packages_answer(rows, (), NO_PAGES, NOW, short=False).sentence).startswith(
        "◆ 1 waits for your answer.  5 running, 2"
    )
    assert plain(packages_answer([], (), NO_PAGES, NOW, short=False).sentence).startswith("No packages.")
    many = [replace(released().row, id=f"dyn-{number}") for number in range(3000)]
    assert plain(packages_answer(many, (), NO_PAGES, NOW, short=False).sentence) == "3,000 running, 0 not running."


def test_3000_rows() -> None:
    many = [replace(released().row, id=f"dyn-{number}") for number in range(3000)]
    rows = list_rows(ordered(many), blanks=True)
    assert len(rows) == 6001
    assert "dyn-2999" in plain(row_line(rows[-2], 60, NOW, is_chosen=False, has_focus=False))


def test_without_packages_it_says_where_one_talks_to_the_agent() -> None:
    def said(talk: TalkKeys | None) -> str:
        return " ".join(text(none_parts(NO_PAGES, PageKeys(), talk), 40).split())

    assert "the agent in the place Session (F4): M begins a message." in said(TalkKeys("F4", "M"))
    assert "Session:" in said(TalkKeys("", "M")), "a key that is not there is not named"
    assert "Session" not in said(None), "of a log, and where nobody runs"


@pytest.mark.parametrize("width", range(12, 40))
def test_no_row_ends_between_a_key_and_what_it_does(width: int) -> None:
    line = (Piece("r3", bold=True), Piece(" defined 16:44:21"), Piece(",   "), *key_words("d", "difference"))
    rows = [plain(row) for row in wrapped(line, width)]
    assert all(len(row) <= width and row == row.strip() for row in rows)
    assert any("d difference" in row for row in rows)
    assert any("16:44:21," in row for row in rows), "what touches stays together"
