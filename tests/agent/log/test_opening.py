"""Opening for writing: torn tails are cut, corruption is refused, an interrupted turn is closed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.log.building import RECORDED, Run, assistant, call, header, text, user
from workbench.agent.log import LogError, Replace, Session, SessionLog, canonical_bytes, open_work, rebuild_all


def opened(path: Path) -> Session:
    """A session that was resumed and closed again."""
    session = Session.resume_now(path)
    session.close_now()
    return session


def whole_log(path: Path) -> bytes:
    """A log with everything in it that a cut can fall into: tools, a retry, a replacement, an open turn."""
    run = Run(path)
    run.whole_turn("one é日😀", "1")
    run.tool_turn("two", "c1", "c2")
    nodes = run.session.surface.nodes[:3]
    run.append("user/message", user("sum"), Replace(nodes[0], nodes[-1]), *nodes)
    run.begin_turn()
    run.begin_step("three")
    run.send(header())
    run.send(header("other"), attempt=2)
    run.answer(text("calling"), call("c3"), call("c4"))
    run.append("tool/call", {**run.place, "callId": "c3", "name": "echo", "arguments": "{}"})
    run.session.close_now()
    return path.read_bytes()


@pytest.mark.parametrize("step", [61, pytest.param(1, marks=pytest.mark.slow)])
def test_a_log_cut_at_any_byte_reopens_balanced_and_is_mended_once(tmp_path: Path, step: int) -> None:
    """At every byte when asked for slow tests, else at each end of a line and at some bytes between."""
    path = tmp_path / "log.jsonl"
    content = whole_log(path)
    first_line = content.index(b"\n") + 1
    cut_path = tmp_path / "cut.jsonl"
    ends = {at + 1 for at, byte in enumerate(content) if byte == 10}
    lengths = ends | {end - 1 for end in ends} | set(range(first_line, len(content), step))
    for length in sorted(length for length in lengths if length >= first_line):
        cut_path.write_bytes(content[:length])
        mended = opened(cut_path)
        after = cut_path.read_bytes()
        whole = content[: content.rindex(b"\n", 0, length) + 1]
        assert after.startswith(whole)
        work = open_work(mended.events)
        assert (work.turn, work.step, work.calls) == (None, None, [])
        assert mended.repair.cut_bytes == length - len(whole)
        assert (mended.repair.appended > 0) == (len(after) > len(whole))
        again = opened(cut_path)
        assert cut_path.read_bytes() == after
        assert (again.repair.cut_bytes, again.repair.appended) == (0, 0)
        assert again.surface.messages() == mended.surface.messages()


def test_requests_before_a_cut_are_rebuilt_after_the_repair(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    whole_log(path)
    expected = [canonical_bytes(one.request) for one in rebuild_all(SessionLog.open_now(path).events)]
    mended = opened(path)
    rebuilt = list(rebuild_all(mended.events))
    assert [canonical_bytes(one.request) for one in rebuilt] == expected
    assert not [one.mismatch for one in rebuilt if one.mismatch]


def test_a_header_that_is_cut_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    line = whole_log(path).split(b"\n")[0]
    for length in range(len(line) + 1):
        path.write_bytes(line[:length])
        with pytest.raises(LogError) as raised:
            Session.resume_now(path)
        assert raised.value.code == "LOG_HEADER"
        assert path.read_bytes() == line[:length]


def test_a49_killed_after_a_call_with_a_line_cut_after_17_bytes(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    run = Run(path)
    run.begin_turn()
    run.begin_step("go")
    run.send(header())
    run.answer(call("c1"))
    begun = run.append("tool/call", {**run.place, "callId": "c1", "name": "echo", "arguments": "{}"})
    run.session.close_now()
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"type":"tool/result","seq":9}'[:17])
    session = opened(path)
    assert path.read_bytes().startswith(whole)
    assert session.repair.cut_bytes == 17
    result, step_end, turn_end = session.events[begun.seq + 1 :]
    assert result.type == "tool/result"
    assert result.data["error"]["code"] == "TOOL_OUTCOME_UNKNOWN"
    assert result.source_event_seqs == (begun.seq,)
    block = result.data["message"]["content"][0]
    assert (block["toolCallId"], block["isError"]) == ("c1", True)
    assert (step_end.type, dict(step_end.data)) == ("step/end", {"turn": 1, "step": 1})
    assert (turn_end.type, turn_end.data["reason"]) == ("turn/end", {"kind": "interrupted"})
    mended = path.read_bytes()
    assert opened(path).repair.appended == 0
    assert path.read_bytes() == mended


def test_calls_that_had_not_begun_are_told_apart_and_equal_ids_are_two(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    run = Run(path)
    run.begin_turn()
    run.begin_step("go")
    run.send(header())
    message = run.answer(call("same"), call("same"), call("late"))
    begun = run.append("tool/call", {**run.place, "callId": "same", "name": "echo", "arguments": "{}"})
    run.session.close_now()
    results = [event for event in opened(path).events if event.type == "tool/result"]
    assert [(r.data["error"]["code"], r.source_event_seqs) for r in results] == [
        ("TOOL_OUTCOME_UNKNOWN", (begun.seq,)),
        ("TOOL_NOT_STARTED", (message.seq,)),
        ("TOOL_NOT_STARTED", (message.seq,)),
    ]


GOOD = b'{"type":"hook/x","seq":1,"data":{}}\n'


@pytest.mark.parametrize(
    "bad",
    [
        b'{"type":"hook/x","seq":1,"da\n',
        b'{"type":"hook/x","seq":1,"data":{"x":"\xff"}}\n',
        b"garbage\n",
        b"\n",
        b"[]\n",
        b'{"seq":1}\n',
        b'{"type":"hook/x","seq":1,"data":[]}\n',
        b'{"type":"hook/x","seq":7,"data":{}}\n',
        b'{"type":"hook/x","seq":1,"data":{"n":NaN}}\n',
        b"\0" * 4096 + b"\n",
    ],
)
def test_a_bad_last_line_is_torn_and_one_before_an_event_is_corruption(tmp_path: Path, bad: bytes) -> None:
    path = tmp_path / "log.jsonl"
    session = Session.create(path=path)
    session.append("hook/x", {})
    session.close_now()
    whole = path.read_bytes()

    path.write_bytes(whole + bad + b"more garbage\n{}\n")
    assert len(opened(path).events) == 1
    assert path.read_bytes() == whole

    path.write_bytes(damaged := whole + bad + b"\n" + GOOD)
    with pytest.raises(LogError) as raised:
        Session.resume_now(path)
    assert (raised.value.code, raised.value.line) == ("LOG_CORRUPT", 3)
    assert f"{path}: line 3:" in str(raised.value)
    assert path.read_bytes() == damaged
    log = SessionLog.open_now(path)
    assert log.bad is not None
    assert (log.bad.line, log.bad.is_torn, len(log.events)) == (3, False, 1)
    log.close()


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (b"", "LOG_HEADER", "empty"),
        (b"\n", "LOG_HEADER", "no session header"),
        (b"garbage\n", "LOG_HEADER", "no session header"),
        (b'{"type":"hook/x","data":{}}\n', "LOG_HEADER", "no session header"),
        (b'{"type":"session","id":"x"}\n', "LOG_HEADER", "version"),
        (b'{"type":"session","version":"0","id":"x"}\n', "LOG_HEADER", "version"),
        (b'{"type":"session","version":0}\n', "LOG_HEADER", "id"),
        (b'{"type":"session","version":0,"id":"x","seedLength":-1}\n', "LOG_HEADER", "seedLength"),
        (b'{"type":"session","version":1,"id":"x"}\n', "LOG_VERSION", "newer"),
        (b"\xff\xfe" * 100, "LOG_HEADER", "line end"),
    ],
)
def test_a_bad_header_is_refused_by_writers_and_readers(tmp_path: Path, line: bytes, code: str, said: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(line)
    for opening in (Session.resume_now, SessionLog.open_now):
        with pytest.raises(LogError, match=said) as raised:
            opening(path)
        assert (raised.value.code, raised.value.line) == (code, 1)
    assert path.read_bytes() == line


@pytest.mark.parametrize("is_ignorable", [True, False])
def test_unknown_records_stop_writers_unless_they_may_be_ignored(tmp_path: Path, is_ignorable: bool) -> None:
    path = tmp_path / "log.jsonl"
    session = Session.create(path=path)
    session.append("hook/x", {})
    session.append("alien/thing", {"x": 1}, ignorable=is_ignorable)
    session.close_now()
    log = SessionLog.open_now(path)
    assert [event.type for event in log.events] == ["hook/x", "alien/thing"]
    assert log.unknown == (() if is_ignorable else ((1, "alien/thing"),))
    log.close()
    if is_ignorable:
        assert len(opened(path).events) == 2
        return
    with pytest.raises(LogError, match=r"line 3: .*'alien/thing'") as raised:
        Session.resume_now(path)
    assert (raised.value.code, raised.value.line) == ("UNKNOWN_EVENT", 3)


@pytest.mark.parametrize(
    "record",
    [
        {"type": "user/message", "data": user("x"), "surfaceOp": {"op": "replace", "start": 0, "end": 0}},
        {"type": "user/message", "data": user("x")},
        {"type": "user/message", "data": user("x"), "surfaceOp": "prepend"},
        {"type": "assistant/message", "data": {"turn": 1}, "surfaceOp": "append"},
        {"type": "turn/start", "data": {}},
        {"type": "tool/call", "data": {}},
    ],
)
def test_an_event_that_means_nothing_is_refused_and_never_cut_off(tmp_path: Path, record: dict[str, Any]) -> None:
    path = tmp_path / "log.jsonl"
    Session.create(path=path).close_now()
    with path.open("ab") as file:
        file.write(json.dumps(record).encode() + b"\n")
    before = path.read_bytes()
    with pytest.raises(LogError, match="line 2") as raised:
        Session.resume_now(path)
    assert (raised.value.code, raised.value.line) == ("LOG_CORRUPT", 2)
    assert path.read_bytes() == before
    SessionLog.open_now(path).close()  # whoever only reads can


def test_a_resumed_session_goes_on_where_the_log_ends(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    run = Run(path)
    run.tool_turn("one", "c1")
    run.session.close_now()
    session = Session.resume_now(path)
    assert session.header == run.session.header
    assert session.surface.messages() == run.session.surface.messages()
    event = session.append("turn/start", {"turn": session.work.last_turn + 1})
    assert event.seq == len(run.session.events)
    session.close_now()
    assert [event.type for event in opened(path).events][-2:] == ["turn/start", "turn/end"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes in the file system")
def test_a_file_without_the_log_raises_what_the_system_says(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Session.resume_now(tmp_path / "none.jsonl")
    with pytest.raises(OSError):
        Session.resume_now(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for endless in ("/dev/zero", tmp_path / "pipe"):
        with pytest.raises(LogError, match="no regular file"):
            SessionLog.open_now(endless)


@pytest.mark.skipif(not RECORDED, reason="the recorded sessions are not beside this checkout")
@settings(deadline=None, max_examples=40)
@given(st.data())
def test_recorded_logs_cut_anywhere_can_be_continued(tmp_path_factory: Any, data: st.DataObject) -> None:
    content = data.draw(st.sampled_from(RECORDED)).read_bytes()
    length = data.draw(st.integers(content.index(b"\n") + 1, len(content)))
    path = tmp_path_factory.mktemp("cut") / "log.jsonl"
    path.write_bytes(content[:length])
    session = Session.resume_now(path)
    session.append("turn/start", {"turn": session.work.last_turn + 1})
    session.append("assistant/message", assistant(session.work.last_turn, 1, text("x")))
    session.close_now()
    again = opened(path)
    assert again.repair.appended == 1
    assert [event.seq for event in again.events] == list(range(len(again.events)))


garbage = st.lists(
    st.binary(max_size=40) | st.sampled_from([GOOD, b"{}\n", b"\n", b'{"type":"x","data":{}}\n']), max_size=4
)


@settings(deadline=None, max_examples=60)
@given(garbage)
def test_whatever_stands_at_the_end_a_log_is_refused_or_mended_for_good(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("garbage") / "log.jsonl"
    session = Session.create(path=path)
    session.append("hook/x", {"n": 1})
    session.close_now()
    whole = path.read_bytes()
    path.write_bytes(damaged := whole + b"".join(pieces))
    reader = SessionLog.open_now(path)
    assert path.read_bytes() == damaged
    mended = refused = None
    try:
        mended = opened(path)
    except LogError as error:
        refused = error.code
    after = path.read_bytes()
    if mended is None:
        assert refused in ("LOG_CORRUPT", "UNKNOWN_EVENT")
        assert after == damaged
    else:
        assert damaged.startswith(after)
        assert after.startswith(whole)
        assert len(reader.events) == len(mended.events)
        assert opened(path).repair.cut_bytes == 0
        assert path.read_bytes() == after
    reader.close()
