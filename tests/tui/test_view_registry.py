"""The place Registry as pure functions: rows, filter, lines, inspector."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.support.previews as p
import tests.support.registries as r
from workbench.config.registry.facts import GLOBAL, Registration, Registry, RegistryKey
from workbench.prompt.source import TextSource
from workbench.tui.places.base import tab_of
from workbench.tui.view.help import help_lines
from workbench.tui.view.pieces import Line, plain, width_of
from workbench.tui.view.registry_answer import registry_answer
from workbench.tui.view.registry_document import Coloured, Document, Facts, Text, Title
from workbench.tui.view.registry_filter import filter_for
from workbench.tui.view.registry_inspector import Sight, registration_parts
from workbench.tui.view.registry_lines import Columns, Look, heading, ordinal, outcomes_of, row_line
from workbench.tui.view.registry_plugin import plugin_parts
from workbench.tui.view.registry_rows import GROUPINGS, Folds, Row, Shape, rows
from workbench.tui.view.registry_stop import stop_question
from workbench.tui.view.source_excerpt import read_excerpt
from workbench.visible import visible_line

PREVIEW = r.with_trace(p.CODING_AGENT)


def shown(registry: Registry, width: int = 78, **shape: object) -> list[str]:
    made = rows(registry, Folds(), Shape(**shape))  # type: ignore[arg-type]
    look = Look(shape.get("grouping", "layer"), Columns.of(width), outcomes_of(PREVIEW.trace))  # type: ignore[arg-type]
    return [plain(row_line(row, look, is_cursor=False)[0]).rstrip() for row in made]


def about(registry: Registry, kind: str, name: str, layer: str = GLOBAL, width: int = 60) -> list[str]:
    each = next(one for one in registry.named(kind, name) if one.layer == layer)
    sight = Sight(registry, PREVIEW, p.in_words(PREVIEW), "main")
    return [plain(line).rstrip() for line in _lines(registration_parts(each, sight), width)]


def _lines(parts: tuple[object, ...], width: int) -> list[Line]:
    document = Document(parts, width)  # type: ignore[arg-type]
    return [document[row] for row in range(len(document))]


def is_safe(line: Line) -> bool:
    """Nothing in it is hidden or steers a terminal."""
    return not visible_line(plain(line)).marks


# rows


def test_by_layer_with_long_kinds_folded() -> None:
    lines = shown(r.CODING_AGENT)
    assert lines[0].split() == ["▾", "global", "23"]
    assert lines[1].split() == ["harness:identity", "section", "-1000", "system_prompt"]
    assert "    deployment:persona     section         0  deployment      ∅ in reviewer" in lines
    assert [line.split() for line in lines if "▸" in line] == [
        ["▸", "5", "tools", "tool", "4", "owners"],
        ["▸", "3", "variables", "variable", "agents"],
        ["▸", "3", "services", "service", "3", "owners"],
    ]
    assert any(line.split()[:4] == ["▾", "reviewer", "agent,", "child"] for line in lines)
    assert lines[-2].split() == ["▾", "not", "active", "1"]
    assert "◌ waiting" in lines[-1]


def test_listeners_say_what_they_did_and_in_which_order() -> None:
    lines = {line.split()[0]: line for line in shown(r.CODING_AGENT) if line.strip()}
    assert "1st" in lines["trim_paths"]
    assert "✓ ran" in lines["trim_paths"]
    assert "× no next" in lines["cap_foreground"]
    assert "– never ran" in lines["house_style"]


def test_by_plugin_as_a_tree() -> None:
    made = rows(r.CODING_AGENT, Folds(), Shape("plugin"))
    assert made[0].plugin is r.PLUGINS[0]
    depths = {row.plugin.name: row.depth for row in made if row.plugin is not None}
    assert (depths["root"], depths["bash"], depths["reviewer"]) == (0, 1, 2)
    names = [row.registration.name for row in made if row.registration is not None]
    assert "tool:bash" in names


def test_by_kind_with_listeners_by_event() -> None:
    made = rows(r.CODING_AGENT, Folds(), Shape("kind"))
    at = next(index for index, row in enumerate(made) if row.title.startswith(r.ASSEMBLE))
    assert [row.registration.name for row in made[at + 1 : at + 4] if row.registration] == [
        "trim_paths",
        "cap_foreground",
        "house_style",
    ]


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_each_registration_has_one_row_when_all_is_open(grouping: str) -> None:
    made = rows(r.CODING_AGENT, Folds(all_open=True), Shape(grouping))  # type: ignore[arg-type]
    found = [row.registration for row in made if row.registration is not None]
    assert len(found) == len(set(map(id, found))) == len(r.CODING_AGENT.registrations)
    keys = [row.key for row in made if not row.is_blank]
    assert len(keys) == len(set(keys))


def test_folds_are_kept_by_key() -> None:
    folds = Folds()
    folds.by_key["layer", GLOBAL] = False
    folds.by_key["layer", GLOBAL, "tool"] = True
    made = rows(r.CODING_AGENT, folds, Shape())
    assert [row.layer.label for row in made if row.layer is not None] == [GLOBAL, "main", "reviewer"]
    assert not any(row.registration and row.registration.layer == GLOBAL for row in made)
    del folds.by_key["layer", GLOBAL]
    assert (
        sum(
            1
            for row in rows(r.CODING_AGENT, folds, Shape())
            if row.registration and row.registration.kind == "tool"
        )
        == 7
    )


def test_three_thousand_sections_are_one_line_at_first() -> None:
    made = rows(r.big(), Folds(), Shape())
    assert [row.title for row in made] == ["", "3,000 sections"]
    assert len(rows(r.big(), Folds({("layer", GLOBAL, "section"): True}), Shape())) == 3002


def test_nothing_is_registered() -> None:
    assert [row.layer.label for row in rows(Registry(), Folds(), Shape()) if row.layer] == [GLOBAL]
    assert plain(registry_answer(Registry()).sentence) == "Nothing is registered in any layer."


# filter


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("owner:bash", 2),
        ("layer:reviewer", 3),
        ("kind:tool", 7),
        ("kind:tools owner:files", 2),
        ("is:shadowed", 1),
        ("is:denied", 2),
        ("text:{{model}}", 1),
        ("BASH", 3),
        ("nowhere", 0),
        ("owner: kind:service", 3),
    ],
)
def test_filter(query: str, count: int) -> None:
    chosen = filter_for(query)
    assert chosen is not None
    assert sum(map(chosen.keeps, r.CODING_AGENT.registrations)) == count


def test_filter_of_plugins_by_state() -> None:
    def found(query: str) -> list[str]:
        chosen = filter_for(query)
        assert chosen is not None
        return [plugin.name for plugin in r.TROUBLED.plugins if chosen.keeps_plugin(plugin)]

    assert found("is:waiting") == ["lsp", "hen", "egg"]
    assert found("is:error") == found("is:failed") == ["boom"]
    assert found("is:cycle") == ["hen", "egg"]
    assert found("server") == ["lsp"]
    assert filter_for("  ") is None


def test_a_filter_opens_what_it_keeps_and_shows_the_plugins_around() -> None:
    chosen = filter_for("is:shadowed")
    assert chosen is not None
    shape = Shape("layer", keeps=chosen.keeps, keeps_plugin=chosen.keeps_plugin)
    made = rows(r.CODING_AGENT, Folds(all_open=True), shape)
    assert [row.layer.label for row in made if row.layer] == [GLOBAL]
    nested = filter_for("report_findings")
    assert nested is not None
    shape = Shape("plugin", keeps=nested.keeps, keeps_plugin=nested.keeps_plugin)
    names = [row.plugin.name for row in rows(r.CODING_AGENT, Folds(all_open=True), shape) if row.plugin]
    assert names == ["root", "deployment", "reviewer"]


# lines


@pytest.mark.parametrize("width", [1, 8, 30, 50, 78, 100, 160])
@pytest.mark.parametrize("grouping", GROUPINGS)
def test_every_row_fits_whatever_its_text(width: int, grouping: str) -> None:
    for registry in (r.CODING_AGENT, r.TROUBLED, r.hostile()):
        look = Look(grouping, Columns.of(width), {}, has_focus=True)  # type: ignore[arg-type]
        for row in rows(registry, Folds(all_open=True), Shape(grouping)):  # type: ignore[arg-type]
            line, _ = row_line(row, look, is_cursor=True)
            assert is_safe(line)
            assert width_of(line) <= max(width, 30), (width, plain(line))
        bar = heading(grouping, Columns.of(width), has_focus=True)  # type: ignore[arg-type]
        assert is_safe(bar.left)


def test_columns_stand_below_their_headings() -> None:
    line = plain(heading("layer", Columns.of(78), has_focus=True).left)
    row = shown(r.CODING_AGENT)[1]
    assert line.rindex("owner  ") == row.index("system_prompt")
    assert line.index("order") + len("order") == row.index("-1000") + len("-1000")


def test_ordinals() -> None:
    assert [ordinal(n) for n in (0, 1, 2, 3, 4, 11, 12, 13, 21, 111, 122)] == [
        "", "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "111th", "122nd",
    ]  # fmt: skip


def test_answer() -> None:
    said = registry_answer(r.CODING_AGENT)
    assert plain(said.sentence) == "27 registrations by 13 owners in 3 layers."
    assert plain(said.fact) == "∅ 1 shadowed   ◌ 1 waiting"
    troubled = plain(registry_answer(r.TROUBLED).fact)
    assert troubled == "× 1 failed   ◌ 1 cycle   ◐ 1 loading   ∅ 1 shadowed   ◌ 3 waiting"
    assert plain(registry_answer(r.TROUBLED, short=True).fact) == "× 1 failed  ◌ 1 cycle"
    assert plain(registry_answer(r.CODING_AGENT, short=True).fact) == "∅ 1 shadowed  ◌ 1 waiting"
    filtered = registry_answer(r.CODING_AGENT, query="is:shadowed", shown=1)
    assert plain(filtered.sentence) == "1 of 27 registrations with is:shadowed."


# inspector


def test_what_is_known_about_a_section() -> None:
    lines = about(r.CODING_AGENT, "section", "deployment:persona", "reviewer")
    assert lines[0].split() == ["deployment:persona", "section"]
    assert "layer     reviewer, shadows global" in lines
    assert "order     0  DEPLOYMENT_PERSONA" in lines
    at = lines.index("Who reads which")
    assert [line.split("tok")[0].split() for line in lines[at + 1 : at + 4]] == [
        ["global", "✓", "global"],
        ["main", "✓", "global"],
        ["reviewer", "✓", "this", "one"],
    ]
    assert " 1  You review changes; you do not make them." in lines
    hidden = next(index for index, line in enumerate(lines) if line.startswith("Hidden by it, from global"))
    assert lines[hidden + 1].startswith(" 1  You are coding-agent, powered by the {{model}}")


def test_raw_and_rendered_text_and_values() -> None:
    lines = about(r.CODING_AGENT, "section", "deployment:persona")
    assert " 1  You are coding-agent, powered by the {{model}} model." in lines
    assert " 1  You are coding-agent, powered by the deepseek-chat" in lines
    assert any(line.startswith("model  deepseek-chat") for line in lines)
    assert any(line.startswith("shadowed  ∅ in reviewer") for line in lines)


def test_a_listener_stands_in_its_call_order() -> None:
    lines = about(r.CODING_AGENT, "listener", "cap_foreground")
    assert "called    2nd" in lines
    at = next(index for index, line in enumerate(lines) if line.startswith("Call order"))
    assert [line.split()[:2] for line in lines[at + 1 : at + 4]] == [
        ["1st", "trim_paths"],
        ["2nd", "cap_foreground"],
        ["3rd", "house_style"],
    ]


def test_a_restriction_names_what_it_hides() -> None:
    lines = about(r.CODING_AGENT, "restriction", "deny bash, edit", "reviewer")
    at = next(index for index, line in enumerate(lines) if line.startswith("Hidden from reviewer"))
    assert [line.split()[0] for line in lines[at + 1 : at + 3]] == ["bash", "edit"]


def test_a_plugin_with_needs_effects_and_outcome() -> None:
    sight = Sight(r.TROUBLED, ledger=r.LEDGER)
    bash = r.TROUBLED.plugin(p.BASH.fiber)
    assert bash is not None
    lines = [plain(line).rstrip() for line in _lines(plugin_parts(bash, sight), 60)]
    assert "✓ tools  of agents" in lines
    assert "1 section, 1 tool" in lines
    assert lines[-2:] == ["  on tools/change", "  timeout 5 s"]
    hen, boom, leaky = (r.TROUBLED.plugin(uid) for uid in (20, 22, 25))
    assert hen is not None
    assert boom is not None
    assert leaky is not None
    texts = [
        "\n".join(plain(line) for line in _lines(plugin_parts(each, sight), 60)) for each in (hen, boom, leaky)
    ]
    assert "hen → egg → hen  none of them can start" in texts[0]
    assert "ValueError: no way‹LF›of doing it" in texts[1]
    assert "× listener  late on tools/change" in texts[2]


@pytest.mark.parametrize("width", [8, 26, 95])
def test_hostile_text_stays_inside(width: int) -> None:
    registry = r.hostile()
    sight = Sight(registry, p.HOSTILE_PREVIEW, scope=p.HOSTILE_NAME, ledger=r.LEDGER)
    for parts in (
        *(registration_parts(each, sight) for each in registry.registrations),
        *(plugin_parts(each, sight) for each in registry.plugins),
    ):
        for line in _lines(parts, width):
            assert is_safe(line)
    for plugin in registry.plugins:
        asked = stop_question(plugin, registry, "stop")
        assert all(is_safe(line) for line in (asked.title, *asked.facts))


def test_the_question_says_who_is_concerned_and_answers_with_other_keys() -> None:
    harness = r.CODING_AGENT.plugin(p.HARNESS.fiber)
    assert harness is not None
    asked = stop_question(harness, r.CODING_AGENT, "restart")
    words = "\n".join(map(plain, asked.facts))
    assert "It undoes 4 registrations: 1 section, 2 contexts, 1 service." in words
    assert "bash, files, hygiene, limits, notes, web" in words
    assert not {choice.key for choice in asked.choices} & {"R", "x"}


# documents and files


@given(st.text(max_size=300), st.integers(5, 60))
def test_a_text_loses_no_word(text: str, width: int) -> None:
    document = Document((Text(text, has_numbers=False),), width)
    lines = [plain(document[row]) for row in range(len(document))]
    assert not any(visible_line(line).marks for line in lines)
    letters = [character for character in text if character.isalnum()]
    assert [
        character for character in "".join(lines) if character.isalnum() and character in letters
    ] or not letters


def test_colours_follow_the_text_behind_hidden_characters() -> None:
    document = Document((Text("\x1bab = 1", runs=(Coloured(6, 7, "value"),), first_line=7, marked=7),), 40)
    assert [(piece.text, piece.role) for piece in document[0]][-1] == ("1", "value")
    assert plain(document[0]).startswith(" 7  ‹ESC›ab")


def test_parts_begin_with_air_but_the_first() -> None:
    document = Document((Title(()), Facts(()), Title(())), 20)
    assert len(document) == 3


def test_code_is_shown_to_the_end_of_its_block(tmp_path: Path) -> None:
    file = tmp_path / "plugin.py"
    file.write_text("import os\n\n\ndef apply(ctx):\n    # why\n    return 1\n\n\nX = 2\n", encoding="utf-8")
    found = read_excerpt(TextSource(str(file), 4, 1, None))
    assert (found.first_line, found.text) == (4, "def apply(ctx):\n    # why\n    return 1")
    assert {run.role for run in found.runs} >= {"strong", "faint", "value"}


def test_text_is_shown_with_lines_around_it(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text("a: 1\nb: 2\nsections:\n  - name: x\n    text: y\nz: 3\n", encoding="utf-8")
    found = read_excerpt(TextSource(str(file), 4, 1), 2)
    assert (found.first_line, found.text.split("\n")[-1]) == (2, "z: 3")


@pytest.mark.parametrize("line", [0, 99])
def test_a_line_that_is_gone(tmp_path: Path, line: int) -> None:
    file = tmp_path / "a.yml"
    file.write_text("a: 1\n", encoding="utf-8")
    assert "has no line" in read_excerpt(TextSource(str(file), line, 1)).error


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    assert "no ordinary file" in read_excerpt(TextSource(str(tmp_path), 1, 1)).error
    assert "No such file" in read_excerpt(TextSource(str(tmp_path / "no"), 1, 1)).error
    assert read_excerpt(TextSource("a\x00b", 1, 1)).error


def test_keys_of_rows_are_those_of_registrations() -> None:
    made: list[Row] = rows(r.CODING_AGENT, Folds(), Shape())
    keys = [row.key for row in made if row.registration is not None]
    assert all(isinstance(key, RegistryKey) for key in keys)
    assert all(isinstance(row.registration, Registration) for row in made if isinstance(row.key, RegistryKey))


def test_help_gives_a_key_to_the_place_that_needs_it() -> None:
    """`g` groups here, and is the first line elsewhere."""
    lines = [plain(line) for line in help_lines(tab_of("Registry"), "registry", 80)]
    keys = [part.strip() for line in lines for part in (line[:40], line[40:])]
    assert "g         Group by" in keys
    assert "home      First" in keys
    assert not any(key.startswith("home g") for key in keys)
    elsewhere = [plain(line) for line in help_lines(tab_of("Trace"), "app", 80)]
    assert any("home g" in line for line in elsewhere)
