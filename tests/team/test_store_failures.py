"""The store: every way in which it can fail, and that nothing is half-written then."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.team.scenario import D0, proposal
from tests.team.stores import check_chain, opened
from workbench.team.store.errors import StoreError
from workbench.team.store.service import TeamStore
from workbench.team.store.versions import VersionStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "team.db"


def refusal(store: VersionStore, base: int = 0) -> StoreError:
    with pytest.raises(StoreError) as caught:
        store.save(proposal(communication="C1"), base)
    assert caught.value.remedy in str(caught.value)
    return caught.value


def test_a_locked_store(path: Path) -> None:
    with opened(path, busy_timeout_ms=1) as store, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert refusal(store).code == "STORE_LOCKED"
        assert store.newest_revision() == 0, "readers never wait for a writer"
        other.rollback()
        assert store.save(proposal(), 0).version.revision == 1


def test_a_store_that_may_not_be_written(path: Path) -> None:
    with opened(path) as store:
        store.save(proposal(), 0)
    with opened(f"sqlite:///file:{path}?mode=ro&uri=true") as store:
        assert store.newest_revision() == 1
        assert refusal(store, 1).code == "STORE_READ_ONLY"


def test_a_full_store_keeps_the_old_version_and_nothing_of_the_new_one(path: Path) -> None:
    with opened(path) as store:
        store.save(proposal(communication="C1"), 0)
        cursor: Any = store.database.connection.connection.cursor()
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError) as caught:
            store.save(proposal(communication="x" * 100_000), 1)
        assert caught.value.code == "STORE_FULL"
        cursor.execute("PRAGMA max_page_count = 1000000")
        assert store.newest_revision() == 1
        assert store.save(proposal(communication="y" * 100_000), 1).version.revision == 2
        check_chain(store, 2)


@pytest.mark.parametrize("what", ["no database", "a torn page", "a version that is no JSON"])
def test_a_damaged_store(path: Path, what: str) -> None:
    with opened(path) as store:
        for base in range(3):
            store.save(proposal(communication="x" * 20_000), base)
    if what == "no database":
        path.write_bytes(b"this is a text, and was never anything else\n" * 200)
    elif what == "a torn page":
        content = bytearray(path.read_bytes())
        content[4096:] = b"\xff" * (len(content) - 4096)
        path.write_bytes(content)
    else:
        with closing(sqlite3.connect(path)) as database:
            database.execute("DROP TRIGGER team_versions_never_update")
            database.execute("UPDATE team_versions SET config = '{' WHERE revision = 3")
            database.commit()
    for leftover in path.parent.glob("team.db-*"):
        leftover.unlink()
    with pytest.raises(StoreError) as caught, opened(path) as store:
        store.newest()
    assert caught.value.code == "STORE_CORRUPT"


def test_a_store_of_a_newer_release(path: Path) -> None:
    with opened(path):
        pass
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO team_schema VALUES (99)")
        database.commit()
    with pytest.raises(StoreError) as caught, opened(path):
        pass
    assert caught.value.code == "STORE_NEWER"
    assert "99" in str(caught.value)


def test_a_store_that_goes_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(path) as store:
        store.save(proposal(), 0)
        shutil.rmtree(path.parent)
        assert refusal(store, 1).code == "STORE_GONE"
        with pytest.raises(StoreError) as caught:
            store.newest_revision()
        assert caught.value.code == "STORE_GONE"
    with opened(path) as store:  # another file of the same name, and not the one that was open
        assert store.newest_revision() == 0
        from workbench.team.store.versions import _row

        def row(version: Any) -> Any:
            path.unlink()
            return _row(version)

        monkeypatch.setattr("workbench.team.store.versions._row", row)
        assert refusal(store).code == "STORE_GONE", "in the middle of a save"


@pytest.mark.parametrize("address", ["sqlite:////dev/null/no/team.db", "nonsense://x/y", "postgresql+nobody://h/d"])
def test_an_address_that_leads_nowhere(address: str) -> None:
    with pytest.raises(StoreError) as caught:
        VersionStore(address, builtins=D0)
    assert caught.value.code in ("STORE_UNAVAILABLE", "STORE_MISSING_PACKAGE")


def test_a_password_is_never_shown() -> None:
    with pytest.raises(StoreError) as caught:
        VersionStore("nonsense://ann:hunter2@host/team", builtins=D0)
    assert "hunter2" not in str(caught.value)


@contextmanager
def without_rights(folder: Path, file: int = 0o444) -> Iterator[None]:
    """The file system as somebody sees it who may write nothing below the folder, and may read all of it."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else file)
    is_root = os.geteuid() == 0
    try:
        if is_root:
            _become_nobody()
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)


def _become_nobody() -> None:
    try:
        os.seteuid(65534)
    except PermissionError:
        pytest.skip("this root may not act for another user")


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user can reach."""
    with tempfile.TemporaryDirectory(prefix="team-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        if not all(parent.stat().st_mode & 0o001 for parent in folder.parents):
            pytest.skip("other users cannot reach the folder of temporary files")
        yield folder


@pytest.mark.skipif(sys.platform == "win32", reason="needs rights of users")
def test_a_store_on_a_read_only_medium_is_read(public: Path) -> None:
    path = public / "team.db"
    with opened(path) as store:
        store.save(proposal(communication="C1"), 0)
    with without_rights(public), opened(path) as store:
        assert (store.newest_revision(), store.newest().config.sections.communication) == (1, "C1")
        assert [line.revision for line in store.history()] == [1, 0]
        assert refusal(store, 1).code == "STORE_READ_ONLY"
        assert store.newest_revision() == 1
    with without_rights(public), pytest.raises(StoreError) as caught:
        VersionStore(public / "other.db", builtins=D0)
    assert caught.value.code == "STORE_READ_ONLY"
    with without_rights(public), pytest.raises(StoreError) as caught:
        VersionStore(public / "folder" / "other.db", builtins=D0)
    assert caught.value.code == "STORE_READ_ONLY"


@pytest.mark.skipif(sys.platform == "win32", reason="needs rights of users")
def test_what_others_save_on_a_read_only_medium_is_seen(public: Path) -> None:
    path = public / "team.db"
    with opened(path) as store:
        store.save(proposal(communication="C1"), 0)
    with ExitStack() as stack:
        with without_rights(public):
            store = stack.enter_context(opened(path))
            assert store.newest().config.sections.communication == "C1"
        with opened(path) as other:
            other.save(proposal(communication="C2"), 1)
        with without_rights(public):
            assert store.newest().config.sections.communication == "C2"


@pytest.mark.skipif(sys.platform == "win32", reason="needs rights of users")
def test_a_store_that_may_not_be_read(public: Path) -> None:
    path = public / "team.db"
    with opened(path):
        pass
    with without_rights(public, file=0), pytest.raises(StoreError, match="may not be read") as caught:
        VersionStore(path, builtins=D0)
    assert caught.value.code == "STORE_UNAVAILABLE"


def test_a_newer_release_that_comes_while_the_store_is_open(path: Path) -> None:
    with opened(path) as store:
        store.save(proposal(), 0)
        with closing(sqlite3.connect(path)) as database:
            database.execute("INSERT INTO team_schema VALUES (99)")
            database.commit()
        assert refusal(store, 1).code == "STORE_NEWER"
        assert store.newest_revision() == 1


def test_another_file_in_the_place_of_the_one_that_was_open(path: Path) -> None:
    with opened(path) as store:
        store.save(proposal(), 0)
        copy = path.with_name("copy.db")
        with opened(copy) as other:
            other.save(proposal(communication="other"), 0)
        for leftover in path.parent.glob("team.db-*"):
            leftover.unlink()
        copy.replace(path)
        error = refusal(store, 1)
        assert error.code == "STORE_GONE"
        assert "another file" in str(error)
    with opened(path) as store:
        assert store.newest().config.sections.communication == "other"


async def test_a_full_disk_in_the_middle_of_a_save_through_the_service(path: Path) -> None:
    """Through the threads, as a running program saves: nothing half-written, and it goes on afterwards."""
    store = await TeamStore.open(path, builtins=D0)
    await store.save(proposal(communication="C1"), 0)
    cursor: Any = store._writer.database.connection.connection.cursor()
    pages = cursor.execute("PRAGMA page_count").fetchone()[0]
    cursor.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(StoreError) as caught:
        await store.save(proposal(communication="x" * 100_000), 1)
    assert (caught.value.code, await store.newest_revision()) == ("STORE_FULL", 1)
    cursor.execute("PRAGMA max_page_count = 1000000")
    assert (await store.save(proposal(communication="y" * 100_000), 1)).version.revision == 2
    await store.close()
