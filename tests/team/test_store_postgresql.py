"""The store over PostgreSQL: by its URL alone, it does what it does over a file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from typing import Any

import pytest

from tests.agent.scenario import say
from tests.team.postgresql import NoServer, Server, server
from tests.team.scenario import E0, proposal, team_world
from tests.team.stores import check_chain, opened
from tests.team.test_store import ROOT, WRITER, run_rounds
from workbench.team.problems import Conflict
from workbench.team.store.errors import StoreError
from workbench.team.store.service import TeamStore
from workbench.team.store.versions import VersionStore

pytestmark = pytest.mark.slow

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    pytest.importorskip("psycopg", reason="needs the extra postgresql")
    try:
        with server() as made:
            yield made
    except NoServer as missing:
        pytest.skip(str(missing))


@pytest.fixture
def url(running: Server) -> str:
    """An empty database."""
    name = f"team{next(_NUMBERS)}"
    running.sql(f"CREATE DATABASE {name}")
    return running.url(name)


def test_versions_conflicts_and_restores(url: str) -> None:
    with opened(url) as store:
        assert store.newest_revision() == 0
        saved = store.save(proposal(communication="C1 日本語 ‹ESC›", overrides={"runtime/work": {"text": "W"}}), 0)
        assert saved.version.revision == 1
        assert store.save(proposal(communication="C2"), 1, "tool").version.origin == "tool"
        with pytest.raises(Conflict) as caught:
            store.save(proposal(communication="late"), 1)
        assert (caught.value.base, caught.value.newest) == (1, 2)
        assert store.restore(1, 2).version.restored_from == 1
        check_chain(store, 3)
        assert [line.revision for line in store.history(before=3, limit=2)] == [2, 1]
    with opened(url) as store:
        newest = store.newest()
        assert newest.config == store.version(1).config
        assert newest.config.overrides["runtime/work"].text == "W"
        assert newest.created_at is not None
        assert newest.created_at.tzinfo is not None


def test_rows_cannot_be_changed(running: Server, url: str) -> None:
    database = url.split("@/")[1].split("?")[0]
    with opened(url) as store:
        store.save(proposal(), 0)
    for statement in ("UPDATE team_versions SET origin = 'tool'", "DELETE FROM team_versions"):
        with pytest.raises(AssertionError, match="immutable"):
            running.sql(statement, database)
    with pytest.raises(AssertionError, match="chain"):
        running.sql("INSERT INTO team_versions VALUES (7, 3, '', '', 0, NULL, '[]', 1, '')", database)


def test_of_eight_processes_on_one_base_one_wins(url: str) -> None:
    run_rounds(url, 5)


def test_processes_that_open_an_empty_database_at_once(url: str) -> None:
    errors: list[BaseException] = []

    def open_it() -> None:
        try:
            with opened(url) as store:
                store.newest_revision()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_a_process_that_is_killed_leaves_whole_versions(url: str) -> None:
    for goal in range(2, 8, 2):
        writer = subprocess.Popen(
            [sys.executable, str(WRITER), "loop", url, "writer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        with opened(url, busy_timeout_ms=60_000) as store:
            while store.newest_revision() < goal:
                assert writer.poll() is None
            writer.send_signal(signal.SIGKILL)
            writer.wait()
            assert writer.stdin is not None
            writer.stdin.close()
            newest = store.newest()
            assert newest.config.sections.communication.endswith(" end")
            saved = store.save(newest.config.as_proposal(), newest.revision).version
            assert saved.revision == newest.revision + 1
            check_chain(store, saved.revision)


def test_a_locked_store(url: str) -> None:
    with opened(url, busy_timeout_ms=50) as store, opened(url) as other, other.database.writing():
        with pytest.raises(StoreError) as caught:
            store.save(proposal(), 0)
        assert caught.value.code == "STORE_LOCKED"
        assert store.newest_revision() == 0, "readers never wait for a writer"
    with opened(url) as store:
        assert store.save(proposal(), 0).version.revision == 1


def test_a_store_that_may_not_be_written(running: Server, url: str) -> None:
    database = url.split("@/")[1].split("?")[0]
    with opened(url) as store:
        store.save(proposal(), 0)
    running.sql(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    with opened(url) as store:
        assert store.newest_revision() == 1
        with pytest.raises(StoreError) as caught:
            store.save(proposal(communication="C2"), 1)
        assert caught.value.code == "STORE_READ_ONLY"
        assert store.newest_revision() == 1


def test_a_newer_release(running: Server, url: str) -> None:
    database = url.split("@/")[1].split("?")[0]
    with opened(url) as store:
        running.sql("INSERT INTO team_schema VALUES (99)", database)
        with pytest.raises(StoreError) as caught:
            store.save(proposal(), 0)
        assert caught.value.code == "STORE_NEWER"
    with pytest.raises(StoreError) as caught:
        VersionStore(url)
    assert caught.value.code == "STORE_NEWER"


def test_rounds_of_reviews(url: str) -> None:
    with opened(url) as store, opened(url) as other:
        rounds = [(store, other)[each % 2].review_round("R", "p", f"s{each}", 3) for each in range(4)]
        assert rounds == [1, 2, 3, None]
        assert store.review_round("R", "p", "s1", 3) == 2


def test_a_server_that_goes_away(running: Server, url: str) -> None:
    with opened(url) as store:
        store.save(proposal(communication="C1"), 0)
        running.stop()
        try:
            with pytest.raises(StoreError) as caught:
                store.save(proposal(communication="C2"), 1)
            assert caught.value.code == "STORE_UNAVAILABLE"
            assert "hunter2" not in str(caught.value)
            assert str(caught.value).count("store postgresql") == 1
            with pytest.raises(StoreError):
                VersionStore(url)
        finally:
            running.start()
        assert _tried_again(store).newest_revision() == 1
        assert store.save(proposal(communication="C2"), 1).version.revision == 2
        check_chain(store, 2)


def _tried_again(store: VersionStore) -> VersionStore:
    """The next look finds that the old connection is gone; the one after that has a new one."""
    try:
        store.newest_revision()
    except StoreError:
        pass
    return store


async def test_an_agent_reads_what_another_machine_saves(tmp_path: Any, url: str) -> None:
    async with team_world(tmp_path, settings={"store": url}) as t:
        executor = await t.executor()
        await say(executor, "go")
        with opened(url) as other:
            other.save(proposal(communication="C1"), 0)
        assert await t.system(executor) == E0.replace("\n\nC\n", "\n\nC1\n")
        assert await t.save(communication="C2") == 2


async def test_nothing_of_it_runs_on_the_event_loop(url: str) -> None:
    store = await TeamStore.open(url)
    await store.save(proposal(), 0)
    assert await store.newest_revision() == 1
    assert [line.revision for line in await store.history()] == [1, 0]
    await store.close()


def test_a_database_that_is_not_there(running: Server) -> None:
    with pytest.raises(StoreError, match="nowhere") as caught, closing(VersionStore(running.url("nowhere"))):
        pass
    assert caught.value.code == "STORE_UNAVAILABLE"
