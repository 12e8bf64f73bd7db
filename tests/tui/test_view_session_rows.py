"""Lines of the place Session: several sessions as one timeline, and what is said of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.log.building import Run, header
from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.timeline import TimelineBuilder
from workbench.tui.session_feed import Track
from workbench.tui.view.pieces import plain
from workbench.tui.view.session import columns, row_line, session_sentence
from workbench.tui.view.session_rows import StepKey, StepRows


@dataclass
class Feed:
    """Tracks, and nothing else."""

    tracks: list[Track] = field(default_factory=list)


def at_times(run: Run, times: Sequence[int]) -> list[LoggedEvent]:
    """Its events; those of the n-th turn at the n-th of the times."""
    turn, made = 0, []
    for event in run.session.events:
        turn += event.type == "turn/start"
        given = times[max(0, turn - 1)]
        more = (event.surface_op, event.source_event_seqs, event.ignorable)
        made.append(LoggedEvent(event.type, event.seq, given, event.data, *more))
    return made


def track(label: str, times: Sequence[int], depth: int = 0, seed: int = 0) -> Track:
    """A session with a turn of one step at each of those times; every step has another system text."""
    run = Run(seed_length=seed) if seed else Run()
    for number in range(len(times)):
        run.whole_turn(f"{label} {number}", "yes", header(f"{label}: it is {number}."))
    events = at_times(run, times)
    builder = TimelineBuilder(run.session.header, event_of=events.__getitem__)
    for event in events:
        builder.add(event)
    return Track(label, "child" if depth else "", builder.finished(), depth=depth)


def shown(rows: StepRows) -> list[str]:
    shape = columns(120, has_times=False)
    return [plain(row_line(row, shape, rows.most, is_cursor=False, has_focus=False)[0]).rstrip() for row in rows]


def test_children_stand_where_their_steps_happened() -> None:
    rows = StepRows(Feed([track("parent", [10, 20, 50]), track("one", [30, 60], 1), track("two", [40], 1)]))  # type: ignore[arg-type]
    assert [(row.name if row.request else row.name.upper(), row.track) for row in rows] == [
        ("PARENT", 0),
        ("1.1", 0),
        ("2.1", 0),
        ("ONE", 1),
        ("1.1", 1),
        ("TWO", 2),
        ("1.1", 2),
        ("3.1", 0),
        ("2.1", 1),
    ]
    lines = shown(rows)
    assert lines[4].startswith("    1.1"), "a child's steps stand further to the right"
    assert "parent: " in lines[7], "and whose step it is, where that changes"
    assert "one: " in lines[8]
    assert "one: " not in lines[4], "below its heading"
    assert [rows.can_rest(line) for line in range(len(rows))] == [row.request is not None for row in rows]


def test_what_was_copied_stands_before_the_first_step_of_its_own() -> None:
    parent, child = track("parent", [10, 20, 30]), track("child", [10, 25], 1)
    assert child.timeline is not None
    object.__setattr__(child.timeline.header, "seed_length", child.timeline.requests.seq_at(1))
    rows = StepRows(Feed([parent, child]))  # type: ignore[arg-type]
    assert [(row.track, row.is_copied) for row in rows if row.request] == [
        (0, False),
        (0, False),
        (1, True),
        (1, False),
        (0, False),
    ]
    assert "from the parent: first request" in shown(rows)[4]


@given(st.lists(st.lists(st.integers(0, 40), min_size=0, max_size=5), min_size=1, max_size=3), st.integers(0, 10))
@settings(deadline=None, max_examples=60)
def test_every_request_has_one_line_and_is_found_again(sessions: list[list[int]], at: int) -> None:
    tracks = [track(f"s{index}", times, int(index > 0)) for index, times in enumerate(sessions)]
    rows = StepRows(Feed(tracks))  # type: ignore[arg-type]
    keys = [row.key for row in rows if row.key is not None]
    wanted = {
        StepKey(index, request.sent.seq)
        for index, each in enumerate(tracks)
        for request in (each.timeline.requests if each.timeline is not None else ())
    }
    assert len(keys) == len(set(keys)) == rows.requests
    assert set(keys) == wanted
    for line, row in enumerate(rows):
        assert rows.can_rest(line) == (row.key is not None)
        if row.key is not None:
            assert rows.line_of(row.key) == line
            later = rows.beside(row.key, 1)
            assert later is None or later.key is not None
            assert later is None or (later.key.track, later.key.seq > row.key.seq) == (row.track, True)
    broken = [line for line, row in enumerate(rows) if row.request is not None and row.request.verdict.is_break]
    assert list(rows.break_lines) == broken
    assert rows.lost == sum(row.request.verdict.lost for row in rows if row.request is not None)
    assert rows.most == max((row.request.verdict.total for row in rows if row.request is not None), default=0)
    if broken:
        assert rows.next_break(at, 1) == next((line for line in broken if line > at), broken[0])
        assert rows.next_break(at, -1) == next((line for line in reversed(broken) if line < at), broken[-1])
    assert session_sentence(rows, short=False)
