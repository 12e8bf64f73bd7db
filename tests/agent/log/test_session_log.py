"""Reading logs: while they are written, recorded by others, of any size."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.agent.log.building import NOT_HERE, RECORDED, SESSIONS, Run, header, user
from workbench.agent.log import (
    LogError,
    Replace,
    RequestHeader,
    Session,
    SessionLog,
    canonical_bytes,
    fold_surface,
    rebuild_all,
    sent_requests,
)
from workbench.agent.log.scanning import MAX_LINE
from workbench.values.frozen import thaw


def test_a50_a_reader_beside_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    run = Run(path)
    run.whole_turn("hi", "yes")
    run.session.flush_now()
    count = len(run.session.events)
    with path.open("ab") as half:
        half.write(b'{"type":"user/mess')
    before = path.read_bytes()
    log = SessionLog.open_now(path)
    assert len(log.events) == count
    assert [event.line() for event in log.events] == [event.line() for event in run.session.events]
    assert (log.bad, log.incomplete_bytes) == (None, 18)
    assert path.read_bytes() == before
    with pytest.raises(LogError) as raised:
        Session.resume_now(path)
    assert raised.value.code == "SESSION_LOCKED"
    run.session.close_now()
    log.close()


def test_a_reader_sees_an_open_turn_and_mends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    run = Run(path)
    run.begin_turn()
    run.begin_step("hi")
    run.session.close_now()
    before = path.read_bytes()
    log = SessionLog.open_now(path)
    assert [event.type for event in log.events] == ["turn/start", "step/start", "user/message"]
    log.close()
    assert path.read_bytes() == before


def test_what_a_second_look_finds(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    run = Run(path)
    run.whole_turn("one", "1")
    run.session.flush_now()
    log = SessionLog.open_now(path)
    known = len(log.events)
    assert log.refresh_now().change == "same"

    run.whole_turn("two", "2")
    run.session.flush_now()
    found = log.refresh_now()
    assert (found.change, found.first_new) == ("grown", known)
    assert [event.line() for event in log.events] == [event.line() for event in run.session.events]
    run.session.close_now()

    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    assert log.refresh_now().change == "truncated"
    assert 0 < len(log.events) < known * 2

    path.rename(tmp_path / "old.jsonl")
    assert log.refresh_now().change == "gone"
    path.write_bytes(b'{"type":"sess')  # the next one is being created
    assert log.refresh_now().change == "gone"
    path.unlink()
    other = Session.create(path=path)
    other.append("hook/x", {})
    other.close_now()
    assert log.refresh_now().change == "replaced"
    assert log.header.id == other.id
    assert len(log.events) == 1

    path.write_bytes(content)  # the same file, written anew and longer
    assert log.refresh_now().change == "replaced"
    assert log.header.id == run.session.id
    path.write_bytes(b"garbage\n" * 1000)
    with pytest.raises(LogError, match="no session header"):
        log.refresh_now()
    log.close()


def test_events_of_a_file_that_was_cut_behind_the_reader_s_back(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    run = Run(path)
    run.whole_turn("one", "1")
    run.session.close_now()
    log = SessionLog.open_now(path)
    os.truncate(path, 300)
    with pytest.raises(LogError) as raised:
        list(log.events)
    assert raised.value.code == "LOG_CHANGED"
    log.close()
    with pytest.raises(ValueError, match="closed"):
        log.events[0]


async def test_following_a_log_through_growth_truncation_and_rotation(tmp_path: Path) -> None:
    from workbench.agent.log.follow import follow

    path = tmp_path / "log.jsonl"
    run = Run(path)
    await run.session.flush()
    log = await SessionLog.open(path)
    stop, seen = asyncio.Event(), list[str]()
    news = asyncio.Condition()

    async def watch() -> None:
        async for found in follow(log, stop):
            async with news:
                seen.append(found.change)
                news.notify_all()

    async def until(change: str, events: int) -> None:
        """Until `events` are there, and `change` was seen since the last time."""
        async with asyncio.timeout(15), news:
            await news.wait_for(lambda: change in seen and len(log.events) == events)
            seen.clear()

    watching = asyncio.create_task(watch())
    run.whole_turn("one", "1")
    await run.session.flush()
    await until("grown", len(run.session.events))
    run.whole_turn("two", "2")
    await run.session.close()
    await until("grown", len(run.session.events))
    first_event = log.events.where(1)[0]
    os.truncate(path, first_event)
    await until("truncated", 1)
    path.rename(tmp_path / "old.jsonl")
    await until("gone", 1)
    other = Session.create(path=path)
    other.append("hook/x", {})
    other.append("hook/x", {})
    await other.close()
    await until("replaced", 2)
    stop.set()
    async with asyncio.timeout(15):
        await watching
    log.close()


async def test_a_follower_can_be_cancelled(tmp_path: Path) -> None:
    from workbench.agent.log.follow import follow

    Session.create(path=tmp_path / "log.jsonl").close_now()
    log = await SessionLog.open(tmp_path / "log.jsonl")
    stop = asyncio.Event()
    waiting = asyncio.ensure_future(anext(follow(log, stop)))
    await asyncio.sleep(0.05)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert waiting.cancelled()
    assert not stop.is_set()  # it belongs to others too
    log.close()


def test_packed_rows_count_as_the_events_that_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    place = {"turn": 1, "step": 1, "index": 0}
    rows = [
        {"type": "session", "version": 0, "id": "x"},
        {"type": "turn/start", "data": {"turn": 1}},
        {"type": "text-chunks", "time": 100, "data": {**place, "dt": [5, 0], "texts": ["a", "b", "c"]}},
        {"type": "tool-call-chunks", "data": {**place, "dt": [1], "id": "c", "name": "n", "args": ["{", "}"]}},
        {"type": "turn/end", "data": {"turn": 1, "reason": {"kind": "completed"}}, "sourceEventSeqs": [5]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    log = SessionLog.open_now(path)
    assert [(event.seq, event.type, event.time) for event in log.events] == [
        (0, "turn/start", None),
        (1, "assistant/chunk", 100),
        (2, "assistant/chunk", 105),
        (3, "assistant/chunk", 105),
        (4, "assistant/chunk", None),
        (5, "assistant/chunk", None),
        (6, "turn/end", None),
    ]
    assert thaw(log.events[2].data) == {
        "turn": 1,
        "step": 1,
        "chunk": {"type": "text-delta", "index": 0, "text": "b"},
    }
    assert log.events[5].data["chunk"]["argumentsDelta"] == "}"
    assert [event.seq for event in log.events[2:5]] == [2, 3, 4]
    log.close()
    session = Session.resume_now(path)
    assert session.append("hook/x", {}).seq == 7
    session.close_now()
    again = SessionLog.open_now(path)
    assert [event.seq for event in again.events] == list(range(8))
    again.close()


@pytest.mark.skipif(not RECORDED, reason=NOT_HERE)
@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_recorded_log_opens(recorded: Path, tmp_path: Path) -> None:
    log = SessionLog.open_now(recorded)
    assert (log.bad, log.incomplete_bytes, log.unknown) == (None, 0, ())
    events = list(log.events)
    steps = [(e.data["turn"], e.data["step"]) for e in events if e.type == "step/start"]
    answered = {(e.data["turn"], e.data["step"]) for e in events if e.type == "assistant/chunk"}
    rebuilt = list(rebuild_all(log.events))
    assert [(one.sent.turn, one.sent.step) for one in rebuilt] == [step for step in steps if step in answered]
    for one in rebuilt:
        assert one.mismatch is None
        assert one.request.config.model
        assert one.request.messages[-1]["role"] == "user"
    # Whatever an event cites is where the recording says: packed rows were counted right.
    for event in events:
        if event.type == "assistant/message":
            assert {events[seq].type for seq in event.source_event_seqs} == {"assistant/chunk"}
        if event.type == "tool/result" and event.surface_op == "append":
            assert [events[seq].type for seq in event.source_event_seqs] == ["tool/call"]
    log.close()
    copy = tmp_path / "log.jsonl"
    copy.write_bytes(recorded.read_bytes())
    session = Session.resume_now(copy)
    assert session.repair.appended == 0
    assert session.surface.messages() == fold_surface(events).messages()
    session.close_now()
    assert copy.read_bytes() == recorded.read_bytes()


@pytest.mark.skipif(not RECORDED, reason=NOT_HERE)
def test_a40_a_recorded_fork() -> None:
    log = SessionLog.open_now(SESSIONS / "subagent-fork-in-process/session.1.jsonl")
    assert log.header.seed_length == 42
    assert (log.events[41].type, log.events[41].data["turn"]) == ("turn/end", 1)
    own = log.events[42:]
    assert [event.data["turn"] for event in own if event.type == "turn/start"] == [2]
    assert [e.data["reason"] for e in log.events if e.type == "request/header"] == ["initial", "resume"]
    parent = SessionLog.open_now(SESSIONS / "subagent-fork-in-process/session.jsonl")
    opened = next(e.seq for e in parent.events if e.type == "turn/start" and e.data["turn"] == 2)
    prompt = next(e for e in parent.events[opened:] if e.type == "user/message").data["content"][0]["text"]
    assert prompt
    assert prompt not in json.dumps([event.data for event in log.events])
    log.close()
    parent.close()


@pytest.mark.skipif(not RECORDED, reason=NOT_HERE)
def test_placeholders_are_filled_from_the_files_beside_a_log() -> None:
    folder = SESSIONS / "text-turn"
    log = SessionLog.open_now(folder / "session.jsonl")
    (one, *_) = rebuild_all(log.events)
    assert one.header.not_recorded == frozenset()
    assert one.request.system == (folder / "system-prompt.expected.md").read_text().removesuffix("\n")
    tools = json.loads((folder / "tool-schemas.expected.json").read_text())["initial"]
    assert [thaw(tool) for tool in one.request.tools] == tools
    log.close()
    bare = SessionLog.open_now(SESSIONS / "tool-call-turn/session.jsonl")
    (first, *_) = rebuild_all(bare.events)
    assert first.header.not_recorded == {"system", "tools"}
    assert first.header.to_json()["tools"] == "{{tools}}"
    bare.close()


def test_half_of_the_texts_may_stand_beside_a_log(tmp_path: Path) -> None:
    path = tmp_path / "session.1.jsonl"
    session = Session.create(path=path)
    placeholder = {"config": {"provider": "p", "model": "m"}, "system": "{{system}}", "tools": "{{tools}}"}
    session.append("request/header", {"header": placeholder, "reason": "initial"})
    session.close_now()
    (tmp_path / "system-prompt.1.expected.md").write_text("The text.\n")
    (tmp_path / "tool-schemas.1.expected.json").write_text("{broken")
    log = SessionLog.open_now(path)
    found = RequestHeader.from_json(log.events[0].data["header"])
    assert (found.system, found.not_recorded) == ("The text.", {"tools"})
    log.close()


def test_much_without_a_line_end_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    run = Run(path)
    run.whole_turn("hi", "yes")
    run.session.close_now()
    size = path.stat().st_size
    os.truncate(path, size + (1 << 28))  # a hole: zeros that take no room
    code = f"""
import resource
from workbench.agent.log import SessionLog
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
log = SessionLog.open_now({str(path)!r})
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(log.events), log.incomplete_bytes, (after - before) * 1024)
"""
    run_out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    events, incomplete, memory = map(int, run_out.stdout.split())
    assert (events, incomplete) == (len(run.session.events), 1 << 28)
    assert memory < 2 * MAX_LINE  # of four times as much


@pytest.mark.deep
def test_a_log_of_a_gigabyte_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    Session.create(path=path).close_now()
    line = json.dumps({"type": "hook/x", "data": {"text": "é" * 5_000}}, ensure_ascii=False).encode() + b"\n"
    count = (1 << 30) // len(line)
    with path.open("ab") as file:
        for _ in range(count // 1_000):
            file.write(line * 1_000)
    code = f"""
import resource
from workbench.agent.log import SessionLog
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
log = SessionLog.open_now({str(path)!r})
assert log.events[-1].seq == len(log.events) - 1
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(log.events), (after - before) * 1024)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    events, memory = map(int, run.stdout.split())
    path.unlink()
    assert events == count // 1_000 * 1_000
    assert memory < 32 * 1_048_576


def test_a_session_reads_its_own_old_events_for_a_rebuild(tmp_path: Path) -> None:
    run = Run(tmp_path / "log.jsonl")
    for number in range(150):
        run.whole_turn(f"turn {number}", "x" * 20)
        if number % 40 == 39:
            nodes = run.session.surface.nodes[:-2]
            run.append("user/message", user("sum"), Replace(nodes[0], nodes[-1]), *nodes)
            run.session.flush_now()
    run.send(header("changed"))
    run.session.flush_now()
    rebuilt = [canonical_bytes(one.request) for one in rebuild_all(run.session.events)]
    assert rebuilt == [canonical_bytes(request) for _, request in run.captured]
    assert len(list(sent_requests(run.session.events))) == 151
    run.session.close_now()


def test_many_readers_beside_a_writer_see_beginnings_of_what_it_writes(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    session = Session.create(path=path)
    session.flush_now()
    failures: list[object] = []
    seen: list[int] = []
    is_over = threading.Event()

    def read() -> None:
        log = SessionLog.open_now(path)
        is_last = False
        while not is_last:
            is_last = is_over.is_set()
            known = len(log.events)
            if log.refresh_now().change not in ("same", "grown") or log.bad is not None:
                failures.append(log.bad)
            numbers = [event.data["n"] for event in log.events[known:]]
            if numbers != list(range(known, len(log.events))):
                failures.append(numbers)
        seen.append(len(log.events))
        log.close()

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(3_000):
        session.append("hook/x", {"n": number, "body": "é" * (number % 300)})
        if number % 50 == 0:
            session.flush_now()
    session.close_now()
    is_over.set()
    for reader in readers:
        reader.join()
    assert failures == []
    assert seen == [3_000] * 3
