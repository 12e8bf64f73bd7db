"""The store: versions, several processes, killed ones, and schemas. FC-09."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from tests.team.scenario import D0, proposal
from tests.team.stores import check_chain, opened
from workbench.team.drafts import Draft, DraftFolder
from workbench.team.problems import Conflict
from workbench.team.store import schema
from workbench.team.store.errors import StoreError
from workbench.team.store.service import TeamStore
from workbench.team.store.versions import VersionStore
from workbench.team.validation import Limits

WRITER = Path(__file__).with_name("writer.py")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "team.db"


def process(what: str, path: Path, name: str) -> subprocess.Popen[str]:
    started = subprocess.Popen(
        [sys.executable, str(WRITER), what, str(path), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    return started


def ended(process: subprocess.Popen[str], *, kill: bool = False) -> None:
    if kill:
        process.send_signal(signal.SIGKILL)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.stdout.close()
    process.wait()


def run_rounds(path: Path, rounds: int, processes: int = 8) -> None:
    with ExitStack() as stack, opened(path) as store:
        racers = [process("race", path, f"p{number}") for number in range(processes)]
        for racer in racers:
            stack.callback(ended, racer)
        for base in range(rounds):
            for racer in racers:
                assert racer.stdin is not None
                racer.stdin.write(f"{base}\n")
                racer.stdin.flush()
            answers = [racer.stdout.readline().strip() for racer in racers if racer.stdout is not None]
            assert sorted(answers) == ["lost"] * (processes - 1) + ["won"]
            winner = store.version(base + 1).config.sections.communication
            assert winner == f"p{answers.index('won')} on {base}"
        check_chain(store, rounds)


@pytest.mark.timeout(240)
def test_of_eight_processes_on_one_base_one_wins(path: Path) -> None:
    run_rounds(path, 10)


@pytest.mark.deep
def test_of_eight_processes_on_one_base_one_wins_200_times(path: Path) -> None:
    run_rounds(path, 200)


def kill_in_the_middle(path: Path, times: int) -> None:
    """Kill a process that saves all the time, at whatever moment."""
    import random

    random.seed(times)
    for _ in range(times):
        with opened(path) as store:
            before = store.newest_revision()
        writer = process("loop", path, "writer")
        with opened(path, busy_timeout_ms=60_000) as store:
            goal = before + random.randrange(1, 4)
            while store.newest_revision() < goal:
                time.sleep(0.001)
            time.sleep(random.random() * 0.01)  # spreads the moment; nothing depends on it
            ended(writer, kill=True)
            newest = store.newest()
            assert newest.revision >= goal
            assert newest.config.sections.communication.endswith(" end"), "the newest version is whole"
            assert store.save(newest.config.as_proposal(), newest.revision).version.revision == newest.revision + 1
    with opened(path) as store:
        check_chain(store, store.newest_revision())
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.timeout(240)
def test_a_process_that_is_killed_leaves_whole_versions(path: Path) -> None:
    kill_in_the_middle(path, 4)


@pytest.mark.deep
@pytest.mark.timeout(3600)
def test_a_process_that_is_killed_leaves_whole_versions_500_times(path: Path) -> None:
    kill_in_the_middle(path, 500)


def test_a_save_is_durable_and_rows_cannot_be_changed(path: Path) -> None:
    with opened(path) as store:
        store.save(proposal(communication="C1"), 0)
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        for statement in ("UPDATE team_versions SET origin = 'tool'", "DELETE FROM team_versions"):
            with pytest.raises(sqlite3.IntegrityError, match="immutable"):
                database.execute(statement)
        with pytest.raises(sqlite3.IntegrityError):
            database.execute("INSERT INTO team_versions SELECT 'text', 0, '', '', 0, NULL, '[]', 1, ''")
        [stored] = database.execute("SELECT sql FROM sqlite_master WHERE name = 'team_versions'").fetchone()
        assert "STRICT" in stored


def test_a_store_of_an_older_release_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(path) as store:
        store.save(proposal(communication="kept"), 0)

    def second(connection: Any) -> None:
        connection.exec_driver_sql("CREATE TABLE of_a_later_release (a INTEGER) STRICT")

    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, second))
    monkeypatch.setattr("workbench.team.store.database.MIGRATIONS", schema.MIGRATIONS)
    for _ in range(2):
        with opened(path) as store:
            assert store.newest().config.sections.communication == "kept"
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT version FROM team_schema ORDER BY 1").fetchall() == [(1,), (2,)]


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(connection: Any) -> None:
        connection.exec_driver_sql("CREATE TABLE half (a INTEGER) STRICT")
        raise OSError("the power went")

    with opened(path):
        pass
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, failing))
    monkeypatch.setattr("workbench.team.store.database.MIGRATIONS", schema.MIGRATIONS)
    with pytest.raises(StoreError), opened(path):
        pass
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT name FROM sqlite_master WHERE name = 'half'").fetchall() == []


def test_the_schema_is_one_for_postgresql_too() -> None:
    from sqlalchemy.dialects import postgresql
    from sqlalchemy.schema import CreateTable

    statements = [
        str(CreateTable(table).compile(dialect=postgresql.dialect())) for table in schema.METADATA.sorted_tables
    ]
    assert len(statements) == 3
    assert not any("STRICT" in statement or "SERIAL" in statement for statement in statements)


async def test_nothing_of_it_runs_on_the_event_loop(path: Path) -> None:
    seen: set[int] = set()
    store = await TeamStore.open(path, builtins=D0)
    for lane in (store._reader, store._writer):
        raw: Any = lane.database.connection.connection.driver_connection
        raw.set_trace_callback(lambda statement: seen.add(threading.get_ident()))
    await store.save(proposal(), 0)
    await store.newest_revision()
    await store.snapshot()
    await store.history()
    await store.restore("defaults", 1)
    await store.review_round("R", "p", "s", 3)
    assert seen
    assert threading.get_ident() not in seen
    await store.close()
    await store.close()
    with pytest.raises(StoreError):
        await store.newest_revision()


async def test_whoever_stops_waiting_leaves_nothing_open(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_go_on, begun, closed = threading.Event(), threading.Event(), threading.Event()

    class Slow(VersionStore):
        def __init__(self, *given: Any, **more: Any) -> None:
            begun.set()
            may_go_on.wait(60)
            super().__init__(*given, **more)

        def close(self) -> None:
            super().close()
            closed.set()

    monkeypatch.setattr("workbench.team.store.service.VersionStore", Slow)
    opening = asyncio.ensure_future(TeamStore.open(path, builtins=D0))
    await asyncio.to_thread(begun.wait, 60)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    may_go_on.set()
    assert await asyncio.to_thread(closed.wait, 60)


async def test_a_store_in_memory_is_one_store() -> None:
    store = await TeamStore.open("sqlite://", builtins=D0)
    await store.save(proposal(communication="C1"), 0)
    assert (await store.newest()).config.sections.communication == "C1"
    await store.close()


def test_history_is_read_in_pages(path: Path) -> None:
    with opened(path) as store:
        for base in range(7):
            store.save(proposal(communication=f"C{base}"), base)
        pages: list[list[int]] = []
        before: int | None = None
        while page := store.history(before, 3):
            pages.append([line.revision for line in page])
            before = page[-1].revision
        assert pages == [[7, 6, 5], [4, 3, 2], [1, 0]]


def test_fc09_saving_over_somebody_elses_version(path: Path, tmp_path: Path) -> None:
    work = "runtime/work"
    drafts = DraftFolder(tmp_path / "drafts")
    with opened(path, limits=Limits(size=100_000)) as store:
        for base in range(7):
            store.save(proposal(overrides={work: {"text": f"version {base + 1}"}}), base)
        mine = "m" * 900
        draft = Draft(7).with_override(work, mine)
        draft.places[work] = (3, 14)
        drafts.keep(store.label, draft)
        store.save(proposal(overrides={work: {"text": "theirs"}}), 7, "tool")
        stored = {revision: store.version(revision) for revision in (7, 8)}

        with pytest.raises(Conflict) as caught:
            store.save(draft.over(stored[7].config), draft.base_revision)
        assert (caught.value.base, caught.value.newest) == (7, 8)
        assert store.newest_revision() == 8
        kept = drafts.load(store.label)
        assert kept == draft
        assert kept.overrides == {work: {"text": mine}}
        assert kept.places == {work: (3, 14)}
        base, newest = store.version(caught.value.base), store.version(caught.value.newest)
        texts = [version.config.overrides[work].text for version in (base, newest)]
        assert texts == ["version 7", "theirs"]

        draft = kept.rebased(8)
        saved = store.save(draft.over(newest.config), draft.base_revision).version
        assert (saved.revision, saved.predecessor) == (9, 8)
        assert saved.config.overrides[work].text == mine
        assert {revision: store.version(revision) for revision in (7, 8)} == stored
        again = store.save(draft.over(saved.config), 9).version
        assert (again.revision, again.config, again.changes) == (10, saved.config, ())
