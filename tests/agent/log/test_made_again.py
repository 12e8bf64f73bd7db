"""What a timeline tells of, read from where it stands: requests, parts, texts; and how little of it is held."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.agent.log.big_logs import write_log
from tests.agent.log.building import Run, header, user
from tests.agent.log.random_runs import moves, play
from tests.agent.verdicts import sessions as s
from workbench.agent.log import LogError, Replace, SessionLog, canonical_bytes, first_divergence, rebuild_all
from workbench.agent.log.made_again import AT_ONCE
from workbench.agent.log.timeline import TimelineBuilder
from workbench.config.sessions.story import LogStory


def built(run: Run) -> TimelineBuilder:
    events = run.session.events
    builder = TimelineBuilder(run.session.header, event_of=events.__getitem__)
    for event in events:
        builder.add(event)
    return builder


@given(moves)
@settings(deadline=None, max_examples=60)
def test_every_request_is_the_one_that_a_whole_pass_rebuilds(played: list[tuple[str, Any, str]]) -> None:
    run = Run()
    for move, of, said in played:
        play(run, move, of, said)
    builder = built(run)
    rows = builder.finished().requests
    rebuilt = [builder.made_again.rebuilt(row.sent) for row in rows]
    assert rebuilt == list(rebuild_all(run.session.events))
    assert [one.mismatch for one in rebuilt] == [None] * len(rows)
    previous = None
    for row, one in zip(rows, rebuilt, strict=True):
        found, expected = row.divergence, first_divergence(previous, one.request)
        assert found is not None
        assert (found.kind, found.byte_offset, found.char_offset, found.segment, found.segment_start) == (
            expected.kind,
            expected.byte_offset,
            expected.char_offset,
            expected.segment,
            expected.segment_start,
        )
        assert row.byte_length == len(canonical_bytes(one.request))
        previous = one.request


def test_both_texts_of_the_part_that_changed_first() -> None:
    builder = s.fc04().builder()
    rows = builder.finished().requests
    assert builder.made_again.texts(rows[0]) == ("", "")
    before, after = builder.made_again.texts(rows[1])
    assert (before, after) == ("Time: 2031-02-03 04:05:01", "Time: 2031-02-03 04:05:02")
    assert rows[1].verdict.part is not None
    assert rows[1].verdict.part.characters == len(before) + len(after)
    assert [part.name for part in builder.made_again.parts(rows[1])][:2] == ["harness:identity", "clock:now"]


def test_the_texts_of_a_message_that_was_summed_up() -> None:
    run = Run()
    run.whole_turn("a question", "an answer")
    nodes = run.session.surface.nodes
    run.append("user/message", user("In short."), Replace(nodes[0], nodes[1]), *nodes)
    run.begin_turn()
    run.begin_step("go on")
    run.send(header())
    builder = built(run)
    row = builder.finished().requests[1]
    assert builder.made_again.texts(row) == ("user:\na question", "user:\nIn short.")


def test_the_newest_snapshot_on_the_surface() -> None:
    run = Run()

    def snapshot(words: str) -> int:
        return run.append("user/message", user(words, kind="plugin", plugin="p", form="snapshot")).seq

    run.whole_turn("a", "b")
    snapshot("first")
    second = snapshot("second")
    run.whole_turn("c", "d")
    run.append("user/message", user("cut"), Replace(second, second), second)
    run.whole_turn("e", "f")
    builder = built(run)
    found = [builder.made_again.snapshot(row.sent) for row in builder.finished().requests]
    assert [None if each is None else each["content"][0]["text"] for each in found] == [None, "second", "first"]


def test_a_log_that_was_written_anew_is_said_not_read(tmp_path: Path) -> None:
    run = s.fc04(tmp_path / "log.jsonl").run
    run.session.close_now()
    story = LogStory(SessionLog.open_now(tmp_path / "log.jsonl"))
    rows = story.timeline().requests
    story.close()
    for ask in (story.texts, story.parts, lambda row: story.rebuilt(row.sent)):
        with pytest.raises(LogError) as caught:
            ask(rows[1])
        assert caught.value.code == "LOG_CHANGED"


def test_a_request_that_no_memory_should_hold_is_read_message_by_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "big.jsonl"
    write_log(path, 1, "grows")
    with_all = list(rebuild_all(SessionLog.open_now(path).events))
    monkeypatch.setattr("workbench.agent.log.made_again.AT_ONCE", 100_000)
    story = LogStory(SessionLog.open_now(path))
    rows = story.timeline().requests
    assert rows[-1].byte_length > 100_000 < AT_ONCE
    long = story.rebuilt(rows[-1].sent)
    assert not isinstance(long.messages, tuple)
    assert long.mismatch is None
    assert list(long.messages) == list(with_all[-1].messages)
    assert isinstance(story.rebuilt(rows[0].sent).messages, tuple)
    story.close()


def test_many_rows_are_as_they_were_told(tmp_path: Path) -> None:
    """Packed and unpacked, turns and requests, and each turn has its requests."""
    path = tmp_path / "many.jsonl"
    steps = write_log(path, 4, "compacts")
    log = SessionLog.open_now(path)
    builder = TimelineBuilder(log.header, event_of=log.events.__getitem__)
    told = []
    for event in log.events:
        builder.add(event)
        if event.type == "request/sent":
            told.append(builder.timeline.requests[-1])
    line = builder.finished()
    assert len(line.requests) == steps > 200
    assert list(line.requests) == told
    assert [row.name for turn in line.turns for row in line.requests_of(turn)] == [row.name for row in told]
    for row in told:
        turn = line.turn_of(row)
        assert turn is not None
        assert turn.number == row.sent.turn
        assert line.is_last_of(turn, row) == (row.sent.step == turn.steps)
    assert all(row.usage["cacheReadTokens"] for row in line.requests)
    assert all(not one.mismatch for one in map(builder.made_again.rebuilt, (row.sent for row in told[::50])))
    assert [told[index] for index in line.requests.breaks] == [row for row in told if row.verdict.is_break]
    log.close()
