"""The timeline, its bars, the sentences and the details: rows and lines made from a trace."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.support.previews as p
import tests.support.traces as t
from workbench.prompt.growth import Grower, Growth
from workbench.prompt.listener_words import listener_changes
from workbench.prompt.repeats import Repeat, RepeatPlace
from workbench.prompt.trace import Change, ListenerSpan
from workbench.prompt.views import Preview
from workbench.tui.view.detail_rows import Detail
from workbench.tui.view.pieces import Line, plain, width_of
from workbench.tui.view.trace import Bar, Marks, RowKey, TraceRow, axis_ns, rows
from workbench.tui.view.trace_detail import compare, detail
from workbench.tui.view.trace_lines import bars_line, columns, heading, milliseconds, row_line
from workbench.tui.view.trace_words import consequence, found_words, remedy, trace_answer
from workbench.visible import visible_line

NO_MARKS = Marks()
SAID_TWICE = Repeat(
    "Rule 1.",
    (
        RepeatPlace("section", "keep:previous", p.LIMITS, 3, 10, 17),
        RepeatPlace("section", "tool:bash", p.BASH, 1, 0, 7),
    ),
    557,
    12,
)
GROWS = Growth((100, 300, 500), (Grower(p.LIMITS, True, (0, 200, 400)), Grower(t.NOTES, True, (40, 40, 40))))


def by_name(preview: Preview, marks: Marks = NO_MARKS) -> dict[str, TraceRow]:
    return {row.name: row for row in rows(preview, marks)}


def table(preview: Preview, marks: Marks = NO_MARKS) -> list[tuple[str, str, str]]:
    return [(row.name, f"{row.sign} {row.outcome}".strip(), plain(row.change)) for row in rows(preview, marks)]


def text_of(made: Detail) -> str:
    return "\n".join(plain(made[row]) for row in range(len(made)))


def details(preview: Preview, name: str, marks: Marks = NO_MARKS, width: int = 100) -> str:
    row = by_name(preview, marks)[name]
    return text_of(detail(row, preview, marks, width, blanks=True, compared=compare))


def test_stages_and_listeners_in_order() -> None:
    assert table(t.traced()) == [
        ("collected", "17 entries", "from 1 layer"),
        ("shadowed", "none", ""),
        ("ordered", "7 sections", "5 tools"),
        ("waterfall", "× 2 of 3 ran", "1 change"),
        ("trim_paths", "✓ called next", "nothing"),
        ("cap_foreground", "× ended it here", "~ 1 section"),
        ("house_style", "– never ran", "nothing"),
        ("complete restored", "none", ""),
        ("suppressed", "none", ""),
        ("rendered", "1,099 chars", ""),
    ]


def test_an_empty_waterfall_says_so() -> None:
    shown = t.with_listeners()
    assert by_name(shown)["waterfall"].outcome == "empty"
    assert plain(trace_answer(shown, NO_MARKS).sentence).endswith("No listener ran: the waterfall is empty.")
    assert "No listener ran: the waterfall is empty." in details(shown, "waterfall")


def test_the_assembly_that_failed_shows_where() -> None:
    made = table(t.RAISED)
    assert ("waterfall", "× failed here", "") in made
    assert ("cap", "× raised", "nothing") in made
    assert made[-1] == ("rendered", "– never ran", "")
    assert plain(trace_answer(t.RAISED, NO_MARKS).sentence) == (
        "× The assembly failed in “waterfall”: ValueError: no limit"
    )
    assert "ValueError: no limit" in details(t.RAISED, "waterfall")
    early = t.traced(replace(t.LOOKS, stages=(), listeners=(), not_reached=(), error="x"), p.FAILING)
    assert [row.name for row in rows(early, NO_MARKS) if row.outcome == "failed here"] == ["collected"]
    assert details(early, "ordered").endswith("The assembly did not come so far.")


def test_a_text_that_cannot_be_rendered_is_the_failure_of_that_stage() -> None:
    shown = t.traced(replace(t.LOOKS, listeners=(), not_reached=()), p.FAILING)
    assert by_name(shown)["rendered"].outcome == "failed"
    assert "unknown variable {{workdir}}" in details(shown, "rendered")


@pytest.mark.parametrize(
    ("listener", "outcome", "words"),
    [
        (t.span("f", p.BASH, "passed", t.work(1, 2)), "✓ called next", "It called next, and changed nothing."),
        (t.span("f", p.BASH, "passed", t.work(1, 2), calls=2), "✓ called next 2×", "It called next 2 times: "),
        (
            t.span("f", p.BASH, "short-circuited", t.work(1, 2)),
            "× ended it here",
            "so house_style of notes never ran.",
        ),
        (t.span("f", p.BASH, "not awaited", t.work(1, 2), calls=1), "× next not awaited", "house_style of notes"),
        (t.span("f", p.BASH, "raised", t.work(1, 2), error="Boom: no"), "× raised", "went on without it: Boom: no"),
        (t.span("f", p.BASH, "skipped"), "– gone meanwhile", "stopped before its turn"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_how_it_treated_next(listener: ListenerSpan, outcome: str, words: str) -> None:
    missed = (t.HOUSE,) if listener.outcome in ("short-circuited", "not awaited") else ()
    shown = t.with_listeners(listener, missed=missed)
    row = by_name(shown)["f"]
    assert f"{row.sign} {row.outcome}" == outcome
    assert words in plain(consequence(listener, shown))
    assert ("await next()" in remedy(listener, shown)) is bool(missed)


def test_who_kept_it_out_stands_at_the_listener_that_never_ran() -> None:
    said = details(t.traced(), "house_style")
    assert "It never ran: cap_foreground of limits, in front of it, did not call next." in said
    assert "plugins/notes.py:18" in said


def test_the_details_of_a_listener() -> None:
    said = details(t.traced(), "cap_foreground")
    assert said.startswith("cap_foreground  listener of limits, plugins/limits.py:31")
    assert "1.7 ms of its own" in said
    assert "so house_style of notes never ran" in said
    assert "900 → 905 characters" in said
    assert "~ tool:bash  section of bash, changed after next" in said
    assert "− 2 Run long commands" in said
    assert "+ 2 Run long commands" in said
    assert said.splitlines()[-1] == "– house_style  listener of notes, plugins/notes.py:18"


def test_an_ignored_order_is_marked_and_the_list_tells_the_added_ones_apart() -> None:
    """FC-06."""
    added = replace(p.SECTIONS[1], name="route:hint", order=None, added_by=p.LIMITS, remark="order 0 ignored")
    shown = t.with_listeners(
        t.span("append", p.LIMITS, "passed", t.work(1, 2), changes=(t.HINT,)),
        preview=p.preview([*p.SECTIONS[:2], added]),
    )
    row = by_name(shown)["append"]
    assert plain(row.change) == "+ 1, order ignored"
    assert "∅ its order 0 has no effect" in details(shown, "append")
    assert "set an order that nobody reads: route:hint" in plain(trace_answer(shown, NO_MARKS).sentence)
    registered, _, later = details(shown, "ordered").partition("Added later, in the waterfall")
    assert "route:hint" not in registered
    assert "+ route:hint" in later
    assert "order 0 ignored" in later


def test_repeated_text_and_growth_are_marked_with_their_owners() -> None:
    """FC-05."""
    shown = t.with_listeners(t.span("keep", p.LIMITS, "passed", t.work(1, 2), changes=(t.CAPPED,)))
    repeating = Marks((SAID_TWICE,))
    assert plain(by_name(shown, repeating)["keep"].change) == "~ 1 section, repeats"
    assert plain(by_name(shown, repeating)["rendered"].change) == "~ repeats itself"
    said = details(shown, "rendered", repeating)
    assert "section keep:previous by limits, line 3" in said
    assert "section tool:bash by bash, line 1" in said
    assert "It repeats itself, 557 characters: keep:previous and tool:bash." in plain(
        trace_answer(shown, repeating).sentence
    )
    growing = Marks((SAID_TWICE,), GROWS)
    assert plain(by_name(shown, growing)["keep"].change) == "~ 1 section, grows"
    assert "It grows at every step, by 200 characters now: limits and notes." in plain(
        trace_answer(shown, growing).sentence
    )
    said = details(shown, "keep", growing)
    assert "+200, +200" in said
    assert "limits  a listener: from 0 to 400" in said
    assert "notes  a listener: 40 every time" in said


def test_schemas_are_compared_line_by_line() -> None:
    change = Change("tool", "read", "changed", '{"a":1,"b":2}', '{"a":1,"b":3}', "after next")
    assert [line.kind for line in compare(change).lines].count("same") == 3
    assert compare(replace(change, after="{broken")).after == "{broken"


def test_who_took_it_out() -> None:
    shown = t.traced()
    (hit,) = listener_changes(shown, lambda text: "600 seconds" in text)
    assert plain(found_words("600 seconds", hit, shown, (0, 1))) == (
        "− cap_foreground of limits took out “600 seconds” in section tool:bash."
    )
    assert plain(found_words("you need", None, shown, (0, 0))) == (
        "No listener put in or took out “you need”. It is in the prompt as it was registered. 1 listener never ran."
    )


# drawing


def test_bars_on_one_axis() -> None:
    """Work is thick, waiting is dotted, and nothing is too short to be seen."""
    preview = t.traced()
    total = axis_ns(preview)
    assert total == int(3.1 * t.MS)
    made = by_name(preview)
    drawn = {name: plain(bars_line(made[name], 31, total)) for name in made}
    assert drawn["collected"] == "━━━" + " " * 28
    assert drawn["waterfall"] == " " * 10 + "━" * 20 + " "
    assert drawn["trim_paths"] == " " * 10 + "━━" + "·" * 17 + "━" + " "
    assert drawn["cap_foreground"] == " " * 12 + "━" * 17 + "  "
    assert drawn["house_style"].strip() == "not reached"
    assert drawn["rendered"] == " " * 30 + "━"


@given(
    pieces=st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**7), st.booleans()), max_size=6),
    width=st.integers(1, 90),
    total=st.integers(1, 10**7),
)
def test_bars_fill_their_column_exactly(pieces: list[tuple[int, int, bool]], width: int, total: int) -> None:
    bars = tuple(Bar(min(a, b), max(a, b), waits) for a, b, waits in pieces)
    row = TraceRow(RowKey("waterfall"), "x", bars=bars)
    line = bars_line(row, width, total)
    assert width_of(line) == width
    assert any("━" in piece.text for piece in line) is any(not waits for _, _, waits in pieces)


@pytest.mark.parametrize("width", [20, 40, 60, 78, 80, 99, 100, 116, 149, 150, 196, 300])
def test_each_line_fits_whatever_the_names(width: int) -> None:
    for preview in (t.traced(), t.HOSTILE, t.RAISED):
        total = axis_ns(preview)
        shape = columns(width)
        lines: list[Line] = [heading(shape, total, has_focus=True)]
        lines += [
            row_line(row, shape, total, is_cursor=False, has_focus=True)[0] for row in rows(preview, NO_MARKS)
        ]
        assert max(map(width_of, lines)) <= max(width, 40)
        for row in rows(preview, NO_MARKS):
            made = detail(row, preview, NO_MARKS, width, blanks=True, compared=compare)
            for at in range(len(made)):
                line = made[at]
                assert width_of(line) <= max(width + 1, 20)
                assert not any(visible_line(piece.text).marks for piece in line)


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0.000"),
        (4_000, "0.004"),
        (9_960, "0.01"),
        (94_900, "0.09"),
        (1_700_000, "1.7"),
        (2_345_678_000, "2,346"),
    ],
)
def test_times_fit_their_column(nanoseconds: int, text: str) -> None:
    assert milliseconds(nanoseconds) == text
    assert len(text) <= 5


def test_two_listeners_of_one_name_are_told_apart() -> None:
    twice = t.span("f", p.BASH, "passed", t.work(1, 2))
    keys = [row.key for row in rows(t.with_listeners(twice, twice), NO_MARKS)]
    assert len(set(keys)) == len(keys)


def test_what_cannot_be_rendered_leads_to_what_to_do() -> None:
    shown = replace(p.FAILING, trace=t.LOOKS)
    assert plain(trace_answer(shown, NO_MARKS).sentence).startswith(
        "× This prompt cannot be sent: unknown variable"
    )
    row = by_name(shown)["rendered"]
    follows = "ctrl+r reads it again"
    said = text_of(detail(row, shown, NO_MARKS, 100, blanks=True, compared=compare, follows=follows))
    assert "did you mean" in said
    assert "; ctrl+r reads it again." in said
