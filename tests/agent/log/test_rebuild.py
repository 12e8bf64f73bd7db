"""Every request made again from the log alone, over random runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.agent.log.building import Run
from tests.agent.log.random_runs import moves, play
from workbench.agent.log import (
    LogError,
    LoggedEvent,
    Replace,
    SessionLog,
    canonical_bytes,
    digest,
    first_divergence,
    rebuild,
    rebuild_all,
    sent_requests,
)
from workbench.values.frozen import EMPTY, freeze


@settings(deadline=None)
@given(moves)
def test_what_was_sent_can_be_rebuilt(played: list[tuple[str, object, str]]) -> None:
    run = Run()
    for move in played:
        play(run, *move)
    events = run.session.events
    assert [sent.seq for sent in sent_requests(events)] == [seq for seq, _ in run.captured]
    rebuilt = list(rebuild_all(events))
    for (seq, captured), one in zip(run.captured, rebuilt, strict=True):
        alone = rebuild(events, seq)
        assert canonical_bytes(alone) == canonical_bytes(captured) == canonical_bytes(one.request)
        assert alone.config == captured.config == one.request.config
        assert one.mismatch is None
        assert digest(captured) == events[seq].data["digest"]
    for (seq, before), (next_seq, after) in zip(run.captured, run.captured[1:], strict=False):
        between = events[seq:next_seq]
        has_cause = any(
            event.type == "request/header" or isinstance(event.surface_op, Replace) for event in between
        )
        if not has_cause:
            assert first_divergence(before, after).kind == "none"


def test_what_does_not_agree_is_said() -> None:
    run = Run()
    run.whole_turn("hi", "yes")
    events = list(run.session.events)
    seq = run.captured[0][0]
    for change, said in (({"digest": "0" * 64}, "digest"), ({"messageCount": 7}, "but 7 were sent")):
        data = freeze({**events[seq].data, **change})
        wrong = [*events]
        wrong[seq] = LoggedEvent("request/sent", seq, 1, data)
        (one,) = rebuild_all(wrong)
        assert one.mismatch is not None
        assert said in one.mismatch


def test_events_that_tell_of_no_request() -> None:
    run = Run()
    run.whole_turn("hi", "yes")
    with pytest.raises(LogError, match="tells of no request"):
        rebuild(run.session.events, 0)
    headless = [event for event in run.session.events if event.type != "request/header"]
    with pytest.raises(LogError, match="no request header"):
        list(rebuild_all(headless))


def test_a_rebuild_refuses_what_might_have_changed_the_messages(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    run = Run(path)
    run.begin_turn()
    run.begin_step("hi")
    run.session.close_now()
    with path.open("ab") as file:
        file.write(b'{"type":"alien/message","seq":3,"time":1,"data":{},"surfaceOp":"append"}\n')
        file.write(b'{"type":"request/sent","seq":4,"time":1,"data":{"turn":1,"step":1,"attempt":1}}\n')
    log = SessionLog.open_now(path)
    assert [event.type for event in log.events][3] == "alien/message"
    assert log.unknown == ((3, "alien/message"),)
    with pytest.raises(LogError, match="alien/message") as raised:
        list(rebuild_all(log.events))
    assert raised.value.code == "UNKNOWN_EVENT"
    log.close()


def test_logs_without_records_of_requests_tell_by_their_first_chunks() -> None:
    run = Run()
    run.tool_turn("hi", "c1")
    run.whole_turn("more", "yes")
    without = [event for event in run.session.events if event.type != "request/sent"]
    events = [
        LoggedEvent(event.type, seq, 0, event.data or EMPTY, event.surface_op) for seq, event in enumerate(without)
    ]
    rebuilt = list(rebuild_all(events))
    assert [one.sent.name for one in rebuilt] == ["1.1", "1.2", "2.1"]
    assert [one.request for one in rebuilt] == [request for _, request in run.captured]
    assert all(one.mismatch is None and one.sent.digest is None for one in rebuilt)
