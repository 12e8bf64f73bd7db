"""A series of requests compared in one pass agrees with comparing each pair of them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from tests.agent.log.building import TOOL_A, TOOL_B, Run, header, user
from tests.agent.log.random_runs import moves, play
from workbench.agent.log import Replace, RequestHeader, Surface, canonical_bytes, first_divergence
from workbench.agent.log.series import RequestSeries
from workbench.agent.log.timeline import timeline
from workbench.models.request import CallConfig


@settings(deadline=None)
@given(moves)
def test_it_agrees_with_comparing_whole_requests(played: list[tuple[str, object, str]]) -> None:
    run = Run()
    for move in played:
        play(run, *move)
    line = timeline(run.session.header, run.session.events)
    assert line.broken is None
    assert len(line.requests) == len(run.captured)
    before = None
    for row, (seq, request) in zip(line.requests, run.captured, strict=True):
        assert row.sent.seq == seq
        assert row.divergence is not None
        assert replace(row.divergence, logged_cause=None) == first_divergence(before, request)
        assert row.byte_length == len(canonical_bytes(request))
        assert row.message_count == len(request.messages)
        if row.divergence.is_break:
            assert row.divergence.logged_cause
        before = request


def test_placeholders_are_not_compared() -> None:
    recorded = RequestHeader(CallConfig("p", "m"), not_recorded=["system", "tools"])
    series, surface = RequestSeries(), Surface()
    assert series.next(recorded, 1, surface) is not None
    same_record = series.next(recorded, 1, surface)
    assert same_record is not None
    assert same_record.shown == "same"
    assert series.next(recorded, 2, surface) is None
    assert series.next(RequestHeader(CallConfig("p", "m"), system="x"), 3, surface) is None
    another_route = series.next(header(), 4, surface)
    assert another_route is not None
    assert another_route.kind == "route"


def test_a_turn_is_called_by_what_was_said_and_not_by_a_summary_before_it() -> None:
    run = Run()
    run.whole_turn("hello", "yes")
    nodes = run.session.surface.nodes
    run.begin_turn()
    run.append("user/message", user("the summary"), Replace(nodes[0], nodes[-1]), *nodes)
    run.begin_step("and now?")
    line = timeline(run.session.header, run.session.events)
    assert [turn.opened_by for turn in line.turns] == ["hello", "and now?"]


def test_what_a_timeline_tells_of_a_turn() -> None:
    run = Run()
    run.whole_turn("hello\nthere", "yes")
    run.tool_turn("use it", "c1")
    run.begin_turn()
    line = timeline(run.session.header, run.session.events)
    assert [turn.number for turn in line.turns] == [1, 2, 3]
    assert [turn.opened_by for turn in line.turns] == ["hello\nthere", "use it", ""]
    assert [turn.steps for turn in line.turns] == [1, 2, 0]
    assert [turn.reason for turn in line.turns] == [{"kind": "completed"}, {"kind": "completed"}, None]
    assert [row.name for row in line.requests] == ["1.1", "2.1", "2.2"]
    assert line.requests[1].tool_calls == ("echo",)
    assert line.requests[0].text == "yes"
    assert line.length == len(run.session.events)


def test_another_beginning_is_found_without_comparing_the_messages() -> None:
    """System text, a tool at the end, a tool that only has another key: each as the whole requests say."""
    headers = [
        header("a"),
        header("a b"),
        header("a b", [TOOL_A]),
        header("a b", [TOOL_A, TOOL_B]),
        header("a b", [TOOL_A]),
        header("a b", [{**TOOL_A, "note": "nobody is sent this"}]),
        header(""),
        header("", [TOOL_A]),
    ]
    run = Run()
    for number, each in enumerate(headers):
        run.whole_turn(f"q{number}", f"a{number}", each)
    rows = timeline(run.session.header, run.session.events).requests
    previous = None
    for row, (_, request) in zip(rows, run.captured, strict=True):
        expected = first_divergence(previous, request)
        found = row.divergence
        assert found is not None
        assert (found.kind, found.byte_offset, found.segment, found.reused_tokens) == (
            expected.kind,
            expected.byte_offset,
            expected.segment,
            expected.reused_tokens,
        )
        previous = request
