"""The list, the details, the answer, the frame: sentences and rows made from a preview."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tests.support.previews as p
from workbench.prompt.views import Owner
from workbench.tui.commands import COMMANDS, Command, commands_of
from workbench.tui.view import answer as answers
from workbench.tui.view import frame
from workbench.tui.view.changes import changed_keys
from workbench.tui.view.details import details
from workbench.tui.view.entries import (
    Entry,
    EntryKey,
    PluginTrouble,
    cells,
    is_sent,
    keyed,
    order_text,
    rows,
    sign_of,
)
from workbench.tui.view.entry_lines import entry_line
from workbench.tui.view.help import help_lines
from workbench.tui.view.panel import panel_lines
from workbench.tui.view.picker import Item, search
from workbench.tui.view.pieces import Piece, cut, outside, plain, spread, width_of
from workbench.tui.view.sheet import notes_lines


def entry_named(name: str, kind: str = "section") -> Entry:
    return next(entry for key, entry in keyed(p.CODING_AGENT) if (key.kind, key.name) == (kind, name))


# the list


def test_groups_come_in_order_with_their_totals() -> None:
    shown = rows(keyed(p.CODING_AGENT), p.CODING_AGENT, blanks=True)
    headings = [(row.heading, row.total) for row in shown if row.heading]
    assert [heading for heading, _ in headings] == ["section", "context", "tool", "variable"]
    assert headings[0][1] == f"{len(p.CODING_AGENT.system or ''):,}"
    assert headings[3][1] == ""
    assert sum(1 for row in shown if row.key is None and row.heading is None) == 3


def test_two_tools_of_one_name_are_two_entries() -> None:
    twice = replace(p.CODING_AGENT, tools=(p.TOOLS[0], p.TOOLS[0]))
    keys = [key for key, _ in keyed(twice) if key.kind == "tool"]
    assert keys == [EntryKey("tool", "bash", "global", 0), EntryKey("tool", "bash", "global", 1)]


@pytest.mark.parametrize(
    ("order", "text"), [(1000, "1000"), (-1000.0, "-1000"), (0.5, "0.5"), (None, ""), (1e300, "1e+300")]
)
def test_orders(order: float | None, text: str) -> None:
    assert order_text(order) == text


def test_signs() -> None:
    section = p.SECTIONS[0]
    assert sign_of(section)[0] == ""
    assert sign_of(replace(section, failure=p.UNKNOWN))[0] == "×"
    assert sign_of(replace(section, state="shadowed"))[0] == "∅"
    assert sign_of(replace(section, state="removed"))[0] == "−"
    assert sign_of(replace(section, added_by=p.LIMITS))[0] == "+"
    assert sign_of(replace(section, changed_by=(p.LIMITS,)))[0] == "»"
    assert sign_of(PluginTrouble(p.BASH, "failed", ""))[0] == "×"


def test_a_state_is_a_word_too() -> None:
    shadowed = replace(p.SECTIONS[0], state="shadowed")
    assert cells(shadowed).right == "shadowed"
    assert cells(entry_named("provider", "variable")).right == "no value"
    assert cells(replace(p.VARIABLES[0], value="")).right == "empty"


def test_what_is_sent() -> None:
    assert is_sent(p.SECTIONS[0])
    assert not is_sent(replace(p.SECTIONS[0], rendered=""))
    assert not is_sent(replace(p.SECTIONS[0], state="displaced"))
    assert is_sent(replace(p.SECTIONS[0], rendered=None, failure=p.UNKNOWN))


@pytest.mark.parametrize("width", [12, 31, 36, 46, 90])
@pytest.mark.parametrize("preview", [p.CODING_AGENT, p.HOSTILE_PREVIEW])
def test_each_row_fills_its_width(width: int, preview: p.Preview) -> None:
    for row in rows(keyed(preview), preview, blanks=True):
        line, _ = entry_line(row, width, is_cursor=True, has_focus=True, is_changed=False, largest=300)
        assert not line or width_of(line) == width or width < 20


def test_changes_between_two_previews() -> None:
    before = dict(keyed(p.CODING_AGENT))
    changed = replace(p.SECTIONS[1], rendered="Other.", order=77, owner=p.BASH)
    sections = (replace(p.SECTIONS[0], order=-5), changed, *p.SECTIONS[2:], replace(changed, name="new"))
    after = dict(keyed(replace(p.CODING_AGENT, sections=sections)))
    assert {key.name for key in changed_keys(before, after)} == {"deployment:persona", "new"}
    assert changed_keys(before, dict(keyed(p.CODING_AGENT))) == frozenset()


# pieces


def test_cutting_keeps_wide_characters_whole() -> None:
    line = (Piece("日本"), Piece("語text"))
    assert plain(cut(line, 5)) == "日本…"
    assert plain(cut(line, 4)) == "日…"
    assert width_of(spread(line, outside("r"), 20)) == 20


def test_outside_text_is_marked() -> None:
    line = outside("a\x1b[1mb\n")
    assert plain(line) == "a‹ESC›[1mb‹LF›"
    assert [piece.ground for piece in line] == [None, "key", None, "key"]


# details


def test_details_of_a_section() -> None:
    shown = details(entry_named("deployment:persona"), p.CODING_AGENT)
    facts = {fact.label: plain(fact.value) for fact in shown.facts}
    assert facts["owner"] == "deployment  coding-agent.yml:12"
    assert facts["order"] == "0  DEPLOYMENT_PERSONA"
    assert facts["values"] == "model deepseek-chat   cwd /srv/app"
    assert facts["size"] == "336 chars, 31 % of the system text"


def test_an_owner_that_is_a_file_is_said_once() -> None:
    source = p.TextSource("configs/agent.yml", 3, 1)
    entry = p.entry("x", 1, "x", Owner("agent.yml", 1, "deployment"), source=source)
    facts = {fact.label: plain(fact.value) for fact in details(entry, p.CODING_AGENT).facts}
    assert facts["owner"] == "configs/agent.yml:3"


def test_details_of_a_rewritten_and_of_an_added_section() -> None:
    facts = {fact.label: plain(fact.value) for fact in details(entry_named("tool:bash"), p.CODING_AGENT).facts}
    assert facts["changed"] == "by limits"
    added = p.entry(
        "route:hint", None, "x", p.LIMITS, added_by=p.LIMITS, remark="order 0 ignored: added in the waterfall"
    )
    shown = details(added, p.CODING_AGENT)
    assert {fact.label: plain(fact.value) for fact in shown.facts}["order"] == "none: added by limits"
    assert "order 0 ignored" in plain(shown.right)


def test_details_of_a_variable_and_a_tool() -> None:
    facts = {f.label: plain(f.value) for f in details(entry_named("cwd", "variable"), p.CODING_AGENT).facts}
    assert facts["used in"] == "deployment:persona, sandbox:policy"
    facts = {f.label: plain(f.value) for f in details(entry_named("read", "tool"), p.CODING_AGENT).facts}
    assert facts["says"] == "Return lines of a file."


def test_details_of_a_failure_say_what_to_do() -> None:
    entry = next(entry for entry in p.FAILING.sections if entry.failure)
    advice = [plain(line) for line in details(entry, p.FAILING).advice]
    assert advice[0] == "No request can be made until this is mended; the other 6 sections render."
    assert advice[1].startswith("Correct the text, or register workdir;")


@pytest.mark.parametrize(("width", "height"), [(78, 2), (30, 2), (116, 4), (60, 4), (44, 40), (20, 40)])
@pytest.mark.parametrize("preview", [p.CODING_AGENT, p.FAILING, p.HOSTILE_PREVIEW])
def test_the_panel_fits(width: int, height: int, preview: p.Preview) -> None:
    for _, entry in keyed(preview, [PluginTrouble(p.BASH, "failed", "ValueError: " + "x " * 90)]):
        lines = panel_lines(details(entry, preview), width, height)
        assert height > 4 or len(lines) <= height
        assert all(width_of(line) <= width for line in lines)


# answers


def test_the_answer_counts() -> None:
    said = answers.answer(p.CODING_AGENT, 0)
    assert plain(said.sentence) == "1,099 characters in 7 sections, 109 in 2 contexts, 535 in 5 tools."
    assert plain(answers.answer(p.CODING_AGENT, 2).fact) == "~ 2 changed just now"
    assert plain(answers.answer(p.CODING_AGENT, 0, notes=1, notes_key="o").fact) == "1 note on the file: o"
    troubles = [PluginTrouble(p.BASH, "loading", ""), PluginTrouble(p.WEB, "failed", "")]
    assert plain(answers.answer(p.CODING_AGENT, 0, troubles=troubles).fact) == "× 1 plugin failed"


def test_the_answer_says_why_nothing_can_be_sent() -> None:
    said = answers.answer(p.FAILING, 0)
    assert plain(said.sentence) == ("× This prompt cannot be sent: unknown variable in section tool:bash, line 2.")


def test_the_answer_to_nothing() -> None:
    assert plain(answers.answer(p.EMPTY, 0).sentence).startswith("Nothing to read.")


def test_the_answer_to_a_broken_file() -> None:
    said = answers.refused(["a.yml:1:2: no\nmore", "b"], has_good_state=True)
    assert plain(said.sentence) == "× a.yml:1:2: no"
    assert plain(said.fact) == "1 of 2, last good state stays"
    said = answers.refused(["/srv/a folder/a.yml:1:2: key: a/b is twice"], has_good_state=False)
    assert plain(said.sentence) == "× a.yml:1:2: key: a/b is twice", "what is wrong, before the way to the file"


def test_who_is_waited_for() -> None:
    said = answers.waiting([p.FakeWait("quick: f", 1), p.FakeWait("limits: slow", 12)], 12.3)
    assert plain(said.sentence) == "◐ Assembling for 12 s: waiting for limits: slow."


# the frame


def test_hints_fall_off_the_end_but_two_stay() -> None:
    here = list(commands_of("prompt", "app"))
    wide = frame.key_hints(here, 140)
    narrow = frame.key_hints(here, 50)
    assert plain(wide.left).startswith("/ find   s scope   f check   d compare   y copy")
    assert plain(narrow.left) == "/ find  s scope  f check"
    assert plain(narrow.right) == plain(wide.right) == "ctrl+p commands  ? help"
    for bar, width in ((wide, 140), (narrow, 50)):
        line = plain(spread(bar.left, bar.right, width))
        for region in bar.regions:
            command = next(each for each in COMMANDS if each.id == region.command)
            assert line[region.start : region.end] == f"{command.key_label} {command.hint}"


def test_hints_for_the_moment_come_first() -> None:
    bar = frame.key_hints(COMMANDS, 140, frozenset({"failing"}))
    assert plain(bar.left).startswith("e next problem")


def test_the_scope_can_be_clicked() -> None:
    bar = frame.context_bar("a.yml", "main", "1 char", frame.LIVE, 80, short=False)
    (region,) = bar.regions
    assert plain(bar.left)[region.start : region.end] == "scope main ▾"
    assert frame.context_bar("a.yml", None, "", frame.LIVE, 80, short=True).regions == ()


def test_help_names_each_command_at_every_width() -> None:
    for width in (40, 76, 116, 196):
        lines = help_lines(frame.Tab("1", "Prompt", "What?"), "prompt", width)
        text = "\n".join(plain(line) for line in lines)
        assert all(each.title in text for each in commands_of("app", "prompt", "lines", "list", "text"))
        assert all(width_of(line) <= width for line in lines) or width == 40


def test_notes_on_a_file() -> None:
    lines = [plain(line) for line in notes_lines("a.yml", ["a.yml:1: no"], ["b: not yet"], 60)]
    assert "× a.yml:1: no" in lines
    assert "– b: not yet" in lines


# commands


def test_ids_are_unique_and_keys_are_too_where_they_meet() -> None:
    assert len({command.id for command in COMMANDS}) == len(COMMANDS)
    for places in (("app", "prompt", "lines", "list"), ("app", "prompt", "lines", "text")):
        keys = [key for command in COMMANDS if command.where in places for key in command.keys]
        assert len(keys) == len(set(keys))


def test_every_ctrl_key_has_a_second_way() -> None:
    for command in COMMANDS:
        assert any(not key.startswith("ctrl+") for key in command.keys), command.id


def test_help_of_each_command_is_a_sentence() -> None:
    assert all(isinstance(command, Command) and command.help.endswith(".") for command in COMMANDS)


# picking


def test_search_prefers_letters_that_stand_together() -> None:
    items = [Item("1", "Wrap lines"), Item("2", "Go to the problem"), Item("3", "release"), Item("4", "x")]
    assert [found.item.id for found in search(items, "re")] == ["3", "2", "1"]
    assert search(items, "re")[0].at == (0, 1)
    assert len(search(items, " ")) == 4
    assert search(items, "zzz") == []


def test_groups_stay_together() -> None:
    items = [Item("1", "ab", group="A"), Item("2", "a b", group="B"), Item("3", "xab", group="A")]
    assert [found.item.id for found in search(items, "ab")] == ["1", "3", "2"]


def test_a_long_name_and_a_long_scope_share_the_first_line() -> None:
    for width in (40, 60, 80, 200):
        bar = frame.context_bar(
            f"/srv/{'folder/' * 20}agent.yml", "scope" * 30, "12 tok", frame.LIVE, width, short=True
        )
        line = plain(bar.left)
        assert "agent.yml" in line
        assert line.endswith(" ▾"), "it can be chosen"
        assert width_of((*bar.left, *bar.right)) + 2 <= width
