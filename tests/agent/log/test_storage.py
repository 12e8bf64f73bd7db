"""Sessions in files: durability, failing disks, locks, and memory that stays flat."""

from __future__ import annotations

import asyncio
import errno
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.agent.log.building import Run, user
from workbench.agent.log import LogError, Session, SessionHeader, fork_seed
from workbench.agent.log.file_events import TAIL_EVENTS, StoredEvents
from workbench.agent.log.log_file import LogFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "session.jsonl"


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content_of(path).split(b"\n")[:-1]]


def content_of(path: Path) -> bytes:
    return path.read_bytes()


async def test_the_first_line_is_the_header_and_then_one_line_is_one_event(path: Path) -> None:
    session = Session.create(SessionHeader(id="s1", created_at=7, cwd="/w", delegation_depth=1), path)
    session.append("turn/start", {"turn": 1})
    session.append("user/message", user("line\nend \u2028 日"))
    await session.flush()
    header, *events = lines_of(path)
    assert header == {
        "type": "session",
        "version": 0,
        "id": "s1",
        "createdAt": 7,
        "cwd": "/w",
        "delegationDepth": 1,
    }
    assert [event["seq"] for event in events] == [0, 1]
    assert content_of(path).count(b"\n") == 3
    await session.close()


class Disk(LogFile):
    """A file whose calls fail as long as they are named, and that remembers them."""

    failing: list[str]
    calls: list[str]
    gate: threading.Event

    def append(self, content: bytes) -> None:
        self.gate.wait(20)
        self.calls.append(f"append {content.count(10)}")
        if "append" in self.failing:
            super().append(content[: len(content) // 2])  # some of it is there already
            raise OSError(errno.ENOSPC, "No space left on device")
        super().append(content)

    def sync(self) -> None:
        self.calls.append("sync")
        if "sync" in self.failing:
            raise OSError(errno.EIO, "Input/output error")
        super().sync()

    def cut(self, length: int) -> None:
        self.calls.append("cut")
        if "cut" in self.failing:
            raise OSError(errno.EIO, "Input/output error")
        super().cut(length)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> type[Disk]:
    """The class whose instance the next session writes to."""

    class ThisDisk(Disk):
        failing: list[str] = []  # noqa: RUF012
        calls: list[str] = []  # noqa: RUF012
        gate = threading.Event()

    ThisDisk.gate.set()
    monkeypatch.setattr("workbench.agent.log.session.LogFile", ThisDisk)
    return ThisDisk


async def test_what_has_gathered_is_one_write_and_one_sync(path: Path, disk: type[Disk]) -> None:
    disk.gate.clear()
    session = Session.create(path=path)
    for _ in range(100):
        session.append("hook/x", {})
    flushed = asyncio.ensure_future(session.flush())
    await asyncio.sleep(0)
    assert not flushed.done()  # the loop goes on while the disk does not
    disk.gate.set()
    await flushed
    appends = [call for call in disk.calls if call != "sync"]
    assert disk.calls == [call for each in appends for call in (each, "sync")]
    assert len(appends) <= 2
    assert sum(int(each.split()[1]) for each in appends) == 101
    await session.flush()  # nothing new: nothing is written
    assert len(disk.calls) == 2 * len(appends)
    await session.close()


@pytest.mark.parametrize("broken", ["append", "sync"])
async def test_a_failed_batch_is_taken_back_and_written_again(path: Path, disk: type[Disk], broken: str) -> None:
    session = Session.create(path=path)
    await session.flush()
    before = content_of(path)
    disk.failing.append(broken)
    session.append("hook/x", {"n": 1})
    with pytest.raises(LogError) as raised:
        await session.flush()
    assert raised.value.code == "WRITE_FAILED"
    session.append("hook/x", {"n": 2})
    with pytest.raises(LogError):
        await session.flush()
    assert content_of(path) == before
    disk.failing.clear()
    await session.flush()
    assert [line["data"]["n"] for line in lines_of(path)[1:]] == [1, 2]
    await session.close()


async def test_a_batch_that_cannot_be_taken_back_ends_the_writing(path: Path, disk: type[Disk]) -> None:
    session = Session.create(path=path)
    session.append("hook/x", {"n": 0})
    await session.flush()
    disk.failing += ["append", "cut"]
    session.append("hook/x", {"n": 1})
    with pytest.raises(LogError, match="open the log anew"):
        await session.flush()
    content = content_of(path)
    session.append("hook/x", {"n": 2})
    for ending in (session.flush, session.close):
        with pytest.raises(LogError, match="open the log anew"):
            await ending()
    disk.failing.clear()
    assert content_of(path) == content  # nothing follows the torn half
    again = await Session.resume(path)
    assert [event.data["n"] for event in again.events] == [0]
    await again.close()


async def test_a_cancelled_flush_harms_nobody(path: Path, disk: type[Disk]) -> None:
    session = Session.create(path=path)
    disk.gate.clear()
    session.append("hook/x", {})
    first, second = asyncio.ensure_future(session.flush()), asyncio.ensure_future(session.flush())
    await asyncio.sleep(0)
    first.cancel()
    disk.gate.set()
    await second
    assert first.cancelled()
    assert len(lines_of(path)) == 2
    await session.close()


async def test_close_writes_the_rest_and_nothing_after_it(path: Path) -> None:
    session = Session.create(path=path)
    session.append("hook/x", {})
    await session.close()
    await session.close()
    assert len(lines_of(path)) == 2
    with pytest.raises(LogError) as raised:
        session.append("hook/x", {})
    assert raised.value.code == "SESSION_CLOSED"
    assert session.events[0].type == "hook/x"  # still readable
    await session.flush()
    assert not [thread for thread in threading.enumerate() if thread.name == "session log"]


async def test_in_memory_everything_is_the_same_without_a_file() -> None:
    session = Session.create()
    session.append("hook/x", {})
    await session.flush()
    await session.close()
    with pytest.raises(LogError, match="closed"):
        session.append("hook/x", {})


async def test_one_writer_at_a_time(path: Path) -> None:
    session = Session.create(path=path)
    await session.flush()
    with pytest.raises(LogError) as raised:
        await Session.resume(path)
    assert raised.value.code == "SESSION_LOCKED"
    with pytest.raises(LogError) as raised:
        Session.create(path=path)
    assert raised.value.code == "SESSION_EXISTS"
    code = f"from workbench.agent.log import Session\nSession.resume_now({str(path)!r})"
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stderr=subprocess.PIPE)
    _, said = await other.communicate()
    assert b"another process or session is writing" in said
    await session.close()
    again = await Session.resume(path)
    await again.close()


def test_a_new_session_has_an_absolute_directory_or_none() -> None:
    for cwd in ("relative", "./x", "{{cwd}}", ""):
        with pytest.raises(LogError, match="absolute"):
            Session.create(SessionHeader(cwd=cwd))
    assert Session.create(SessionHeader()).header.cwd is None


async def test_old_events_are_read_from_the_file(path: Path) -> None:
    session = Session.create(path=path)
    count = 4 * TAIL_EVENTS
    for number in range(count):
        session.append("hook/x", {"n": number, "text": "é" * (number % 50)})
        if number % 100 == 0:
            await session.flush()
    events = session.events
    assert isinstance(events, StoredEvents)
    assert len(events._tail) <= TAIL_EVENTS + 101  # what was not durable yet stays
    assert [event.data["n"] for event in events] == list(range(count))
    assert [events[seq].data["n"] for seq in range(count)] == list(range(count))
    assert len(events._kept) <= 128
    assert [events[seq].data["n"] for seq in (700, 3, 701, 702, 1, 2)] == [700, 3, 701, 702, 1, 2]
    assert [event.seq for event in events[10:20]] == list(range(10, 20))
    assert events[-1].data["n"] == count - 1
    assert events[5] == events[5:6][0]
    assert [event.seq for event in events[::501]] == list(range(0, count, 501))
    with pytest.raises(IndexError):
        events[count]
    await session.close()


async def test_large_events_do_not_stay_in_memory(path: Path) -> None:
    session = Session.create(path=path)
    for number in range(40):
        session.append("hook/x", {"n": number, "body": "x" * 500_000})
        await session.flush()
    events = session.events
    assert isinstance(events, StoredEvents)
    assert len(events._tail) < 12
    assert [event.data["n"] for event in events] == list(range(40))
    await session.close()


async def test_what_no_reader_could_read_is_not_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.agent.log.session.MAX_LINE", 1_000)
    session = Session.create(path=path)
    with pytest.raises(LogError) as raised:
        session.append("user/message", user("x" * 1_000))
    assert raised.value.code == "TOO_LARGE"
    assert len(session.events) == len(session.surface) == 0
    session.append("user/message", user("x"))
    await session.close()
    assert len(lines_of(path)) == 2


async def test_a_seed_is_marked_once(path: Path) -> None:
    parent = Run()
    parent.whole_turn("p1", "a1")
    parent.begin_turn()
    parent.begin_step("open")
    seed = fork_seed(parent.session.events)
    assert seed[-1].type == "turn/end"
    child = Session.create(SessionHeader(parent_session=parent.session.id), path, seed)
    assert child.header.seed_length == len(seed)
    assert child.events[len(seed)].type == "session/end-seed"
    assert [m["content"][0]["text"] for m in child.surface.messages()] == ["p1", "a1"]
    assert child.work.turn is None
    assert child.work.last_turn == 1
    grandchild = Session.create(seed=child.events)
    assert [event.type for event in grandchild.events].count("session/end-seed") == 1
    await child.close()
    assert lines_of(path)[0]["seedLength"] == len(seed)
    assert [line["time"] for line in lines_of(path)[1 : len(seed) + 1]] == [event.time for event in seed]
    assert fork_seed(()) == []


def test_a_seed_that_is_no_beginning_of_a_log_is_refused() -> None:
    run = Run()
    run.whole_turn("a", "b")
    events = list(run.session.events)
    with pytest.raises(LogError, match="stands at 0"):
        Session.create(seed=events[1:])
    run.append("alien/x", {})
    with pytest.raises(LogError) as raised:
        Session.create(seed=run.session.events)
    assert raised.value.code == "UNKNOWN_EVENT"
    run2 = Run()
    run2.session.append("alien/x", {}, ignorable=True)
    assert len(Session.create(seed=run2.session.events).events) == 2


async def test_a_resume_that_is_cancelled_releases_the_log(path: Path) -> None:
    session = Session.create(path=path)
    await session.close()
    resuming = asyncio.ensure_future(Session.resume(path))
    await asyncio.sleep(0)
    resuming.cancel()
    await asyncio.gather(resuming, return_exceptions=True)
    again = None
    for _ in range(2_000):
        try:
            again = await Session.resume(path)
        except LogError:  # the thread is not done yet
            await asyncio.sleep(0.005)
        else:
            break
    assert again is not None
    await again.close()


@pytest.mark.deep
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_memory_stays_flat_over_ten_thousand_steps(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.agent.log.long_session", str(tmp_path / "log.jsonl"), "10000"]
    root = Path(__file__).parents[3]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    (early, _), (late, events) = (map(int, line.split()) for line in run.stdout.splitlines())
    assert events > 270_000
    assert late - early < 8 * 1024  # KiB; the index of offsets alone takes two thousand of them
