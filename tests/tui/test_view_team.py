"""What the place Team draws and edits, without a screen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import tests.support.previews as p
from tests.support.teams import WORKER_MINE, WORKER_NOW, WORKER_THEN, HandTeam, lived_in
from tests.tui.test_terminal import HIDDEN
from workbench.team.drafts import Draft
from workbench.team.snapshot import TeamSnapshot
from workbench.team.validation import Limits, judge
from workbench.tui.places.team import edits
from workbench.tui.places.team.model import TeamModel
from workbench.tui.view.pieces import Line, plain, width_of
from workbench.tui.view.registry_document import Document, Part
from workbench.tui.view.team_conflict import ConflictView, conflict_parts, contested, edited_entries
from workbench.tui.view.team_editor import hidden_line, one_line_end, placeholder_line, size_line, stand_ins
from workbench.tui.view.team_entries import EntryId, groups_of
from workbench.tui.view.team_entry import Situation, entry_parts, raw_text, views_of
from workbench.tui.view.team_list import list_rows, row_line
from workbench.tui.view.team_preview import Assembled, Placed
from workbench.tui.view.team_versions import changed_texts
from workbench.tui.view.team_words import when
from workbench.tui.widgets.team_text_area import WholeText

NOW = datetime(2026, 5, 14, 12, 5, tzinfo=UTC)
WORKER = EntryId("part", "runtime/worker")
TEXT = st.lists(st.sampled_from([*"ab \n\r\t\x0c\x85日é", "\u2028", "\x1b", "👩‍👩‍👧", "\u202e"]), max_size=30).map(
    "".join
)


def snapshot_of(team: HandTeam) -> TeamSnapshot:
    version = team.versions[team.newest]
    return TeamSnapshot(version.revision, version.policy_version, version.config, team.builtins)


def at(team: HandTeam, draft: Draft | None = None, width: int = 68, **more: Any) -> Situation:
    history = [team._line(revision) for revision in range(team.newest, -1, -1)]
    return Situation(snapshot_of(team), draft, history, NOW, width, modes=("manual", "automatic"), **more)


def shown(parts: tuple[Part, ...], width: int = 68) -> str:
    document = Document(parts, width)
    lines: list[Line] = [document[row] for row in range(len(document))]
    assert all(cell_len(plain(line).rstrip()) <= width for line in lines), "a blank at a break may hang over"
    return "\n".join(plain(line) for line in lines)


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (None, "as shipped"),
        (datetime(2026, 5, 14, 9, 40, tzinfo=UTC), "today 11:40"),
        (datetime(2026, 5, 13, 22, 30, tzinfo=UTC), "today 00:30"),
        (datetime(2026, 5, 13, 21, 30, tzinfo=UTC), "yesterday 23:30"),
        (datetime(2026, 1, 2, 3, 4, tzinfo=UTC), "2 Jan 05:04"),
        (datetime(2025, 12, 31, 20, 0, tzinfo=UTC), "31 Dec 2025"),
    ],
)
def test_times_are_those_of_the_machine(moment: datetime | None, words: str) -> None:
    assert when(moment, NOW.astimezone(timezone(timedelta(hours=2)))) == words


@pytest.mark.parametrize("width", [12, 34, 48, 60])
def test_each_row_of_the_list_fits(width: int) -> None:
    team = lived_in()
    draft = edits.added(Draft(12).with_override("runtime/work", "日本語" * 9), snapshot_of(team), "skill")[0]
    rows = list_rows(groups_of(snapshot_of(team), draft), blanks=True)
    lines = [row_line(row, width, is_chosen=True, has_focus=True) for row in rows]
    assert all(width_of(line) <= width for line in lines)
    if width == 48:
        text = "\n".join(map(plain, lines))
        shared = f"{len(team.builtins.parts['runtime/shared'].text.encode()):,}"
        for words in ("~ edited", "+ new", "↑ yours", "✓ on", "○ off", "manual", shared):
            assert words in text


def test_the_ways_to_look_at_a_part() -> None:
    team = lived_in()
    assert views_of(WORKER, at(team)) == 3
    first, second, third = (shown(entry_parts(WORKER, at(team, view=view))) for view in range(3))
    assert "Default then → Default now" in first
    assert "since revision 11" in first
    assert "Default now → Yours, in force" in second
    assert third.index("Default then") < third.index("Default now") < third.index("Yours, in force")
    wide = shown(entry_parts(WORKER, at(team, width=140, view=2)), 140)
    assert any("Default then" in line and "Yours, in force" in line for line in wide.splitlines())
    default = EntryId("part", "runtime/shared")
    assert views_of(default, at(team)) == 1
    draft = Draft(12).with_override("runtime/shared", "Mine")
    assert "Default → Your draft" in shown(entry_parts(default, at(team, draft)))


def test_hostile_texts_are_shown_by_name_and_copied_as_they_are() -> None:
    team = lived_in(hostile=p.HOSTILE)
    id = EntryId("part", "runtime/shared")
    for view in range(3):
        text = shown(entry_parts(id, at(team, view=view)))
        assert not set(text) & set(HIDDEN) - {"\n"}
    assert "‹ESC›" in text or "‹ESC›" in shown(entry_parts(id, at(team)))
    assert raw_text(id, at(team)) == p.HOSTILE


def test_three_texts_of_a_conflict() -> None:
    team = lived_in()
    draft = Draft(9).with_override(WORKER.key, "Draft").with_section("ticket_scope", "Mine")
    view = ConflictView(team.versions[9], snapshot_of(team), draft)
    assert edited_entries(draft) == [WORKER, EntryId("section", "ticket_scope")]
    assert contested(view) == [WORKER]
    first = shown(conflict_parts(view, WORKER, at(team, draft)))
    for words in ("Revision 9, your base", "Revision 12, newest", "Your draft", "Both have changed this one"):
        assert words in first
    assert "Revision 12, newest → Your draft" in shown(conflict_parts(view, WORKER, at(team, draft, view=1)))
    elsewhere = shown(conflict_parts(view, EntryId("part", "runtime/work"), at(team, draft)))
    assert "You have not edited this entry" in elsewhere
    assert "changed by both" in elsewhere
    unknown = ConflictView(None, snapshot_of(team), draft)
    assert "is not in this store" in shown(conflict_parts(unknown, WORKER, at(team, draft)))


def test_what_differs_between_two_versions() -> None:
    team = lived_in()
    changed = changed_texts(team.versions[8].config, team.versions[12].config)
    assert [name for name, _, _ in changed] == [
        "section communication",
        "runtime/admission",
        "runtime/worker",
        "base of runtime/admission",
        "base of runtime/worker",
    ]
    assert changed_texts(team.versions[3].config, team.versions[3].config) == []


# the draft


def test_an_edit_that_changes_nothing_leaves_the_draft() -> None:
    team = lived_in()
    snapshot = snapshot_of(team)
    mine = WORKER_MINE + "\nSay what you tested."
    draft = edits.with_text(Draft(12), snapshot, WORKER, "other", {})
    assert draft.overrides[WORKER.key] == {"text": "other", "base": team.default_of(WORKER.key)}
    assert edits.with_text(draft, snapshot, WORKER, mine, {}).is_empty
    shared = EntryId("part", "runtime/shared")
    assert edits.with_text(Draft(12), snapshot, shared, team.builtins.parts[shared.key].text + "\n", {}).is_empty
    links = EntryId("rule", "links")
    once = edits.toggled(Draft(12), snapshot, links, ("manual", "automatic"))
    assert once is not None
    assert once.rules["links"]["enabled"] is True  # type: ignore[index]
    twice = edits.toggled(once, snapshot, links, ("manual", "automatic"))
    assert twice is not None
    assert twice.is_empty


def test_the_answers_to_a_new_default() -> None:
    team = lived_in()
    snapshot = snapshot_of(team)
    kept = edits.kept(Draft(12), snapshot, WORKER.key)
    assert kept is not None
    config = judge(kept.over(snapshot.config), snapshot.config, team.builtins, Limits()).config
    assert config.overrides[WORKER.key].base.text == WORKER_NOW
    assert snapshot.config.overrides[WORKER.key].base.text == WORKER_THEN
    assert edits.kept(Draft(12), snapshot, "runtime/orchestrator") is None, "its default has not moved"
    gone = edits.defaulted(Draft(12), snapshot, WORKER)
    assert gone is not None
    assert (
        WORKER.key
        not in judge(gone.over(snapshot.config), snapshot.config, team.builtins, Limits()).config.overrides
    )
    assert edits.defaulted(Draft(12), snapshot, EntryId("part", "runtime/work")) is None


def test_rules_change_places() -> None:
    team = lived_in()
    snapshot = snapshot_of(team)
    up = edits.moved(Draft(12), snapshot, EntryId("rule", "links"), -1)
    assert up is not None
    assert up.rule_order == ("links", "stale")
    assert edits.moved(up, snapshot, EntryId("rule", "links"), -1) is None
    back = edits.moved(up, snapshot, EntryId("rule", "links"), 1)
    assert back is not None
    assert back.is_empty
    assert edits.moved(Draft(12), snapshot, WORKER, 1) is None


def test_the_bytes_are_those_of_a_save() -> None:
    team = lived_in()
    model = TeamModel(snapshot=snapshot_of(team))
    assert model.snapshot is not None
    drafts = [
        Draft(12),
        Draft(12).with_override("runtime/work", "日本語").with_section("communication", ""),
        Draft(12).with_override(WORKER.key, None),
        Draft(12).with_override("runtime/work", team.builtins.parts["runtime/work"].text + "\n"),
    ]
    for draft in drafts:
        model.draft = draft
        config = model.snapshot.config
        assert model.bytes_drafted() == judge(draft.over(config), config, team.builtins, Limits()).bytes


# the editor


@given(TEXT, TEXT, st.tuples(st.integers(0, 30), st.integers(0, 30)))
def test_a_document_is_its_text(text: str, inserted: str, where: tuple[int, int]) -> None:
    document = WholeText(text)
    assert document.text == text
    low, high = sorted(min(offset, len(text)) for offset in where)
    places = [(text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1)) for at in (low, high)]
    result = document.replace_range(places[0], places[1], inserted)
    changed = text[:low] + inserted + text[high:]
    assert document.text == changed
    assert result.replaced_text == text[low:high]
    end = low + len(inserted)
    assert result.end_location == (changed.count("\n", 0, end), end - (changed.rfind("\n", 0, end) + 1))


@given(TEXT.map(lambda text: text.replace("\n", "")))
def test_each_hidden_character_has_one_cell_in_the_editor(line: str) -> None:
    drawn, at = stand_ins(line)
    assert len(drawn) == len(line)
    assert not set(drawn) & set(HIDDEN) - {"\t", "\u200d"}
    assert all(drawn[index] == "?" for index in at)
    assert [each for index, each in enumerate(drawn) if index not in at] == [
        each for index, each in enumerate(line) if index not in at
    ]


def test_lines_below_the_editor() -> None:
    id = EntryId("part", "runtime/policy")
    assert plain(placeholder_line(id, "{version} {{mode}}")) == "✓ {version}  ✓ {mode}  × {rules} missing"
    assert placeholder_line(EntryId("part", "runtime/work"), "") == ()
    assert plain(size_line(10, 10)) == "10 of 10 bytes"
    assert plain(size_line(11, 10)) == "× 11 of 10 bytes, 1 too many"
    assert plain(hidden_line("a\x1b\x1b\u202e\t")) == "shown as ?: ‹ESC› 2  ‹RLO› 1"
    assert hidden_line("日本 👩‍👩‍👧\tplain") == ()
    assert one_line_end("a\r\nb\rc\n") == "a\nb\nc\n"


def test_the_part_at_a_place_of_a_prompt() -> None:
    made = Assembled("one\n\ntwo", (Placed("a", 0), Placed("b", 5)))
    assert [made.part_at(offset) for offset in (0, 4, 5, 99)] == ["a", "a", "b", "b"]
    assert Assembled("", ()).part_at(3) == ""
