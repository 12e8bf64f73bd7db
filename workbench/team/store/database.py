"""One connection to the database, and how errors of it are told.

Source: docs/team.md 9 and 16.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from workbench.team.store import DEFAULT_BUSY_TIMEOUT_MS
from workbench.team.store.address import file_of, label_of
from workbench.team.store.errors import StoreCode, StoreError, code_of_refusal, store_error
from workbench.team.store.file import identity_of, is_read_only, read_only_url, state_of, why_unusable
from workbench.team.store.schema import MIGRATIONS, migrate, schema_version

NEWEST = "SELECT max(revision) FROM team_versions"
POSTGRESQL_LOCK = 0x7465616D
"""Number of the advisory lock of whoever writes: `team` in ASCII."""


class Database:
    """An open connection. Used by one thread at a time."""

    def __init__(self, url: URL, *, busy_timeout_ms: int = DEFAULT_BUSY_TIMEOUT_MS, create: bool = True) -> None:
        """Open, and bring the schema up to date. Raises `StoreError`.

        Without `create`, an SQLite file that does not exist is `STORE_UNAVAILABLE`. A file that this process may
        only read is opened all the same: every save of it is `STORE_READ_ONLY`.
        """
        self.url = url
        self.label = label_of(url)
        self._file = file_of(url)
        self._busy_timeout_ms = busy_timeout_ms
        self._connection: Connection | None = None
        self._is_followed = False
        """It is read without locks, so that every change of the file needs another look at it."""
        self._find_file(create)
        self._connect()

    @property
    def connection(self) -> Connection:
        if self._connection is None:
            raise StoreError("STORE_CLOSED", self.label, "it was closed")
        return self._connection

    def newest_revision(self) -> int:
        """0 before any save. One plain statement: it is asked before every model request. Raises `StoreError`."""
        if self._connection is None:
            raise StoreError("STORE_CLOSED", self.label, "it was closed")
        self.check_present()
        try:
            row = self._cursor.execute(NEWEST).fetchone() if _is_sqlite(self.url) else self._newest_row()
        except StoreError:
            raise
        except Exception as error:
            raise store_error(error, self.label) from error
        return row[0] or 0

    def _newest_row(self) -> Any:
        with self.reading() as connection:
            return connection.exec_driver_sql(NEWEST).fetchone()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Statements that see one state and leave no transaction open. Raises `StoreError`."""
        self.check_present()
        connection = self.connection
        with self.telling_errors():
            try:
                yield connection
            finally:
                connection.rollback()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """All or nothing, durable when it returns. Raises `StoreError`.

        The lock is taken at the start, so that nobody fails half-way: that of an SQLite file, or one that all
        who write to this store of a server agree on.
        """
        self.check_present()
        connection = self.connection
        with self.telling_errors(), connection.begin():
            if _is_sqlite(self.url):
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            elif connection.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = {self._busy_timeout_ms}")
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({POSTGRESQL_LOCK})")
            yield connection
            self.check_present()  # what was written to a file that is gone is taken back
        self.check_present(", perhaps with this save in it")

    @contextmanager
    def telling_errors(self) -> Iterator[None]:
        """Errors of the database become `StoreError`s."""
        try:
            yield
        except SQLAlchemyError as error:
            raise store_error(error, self.label) from error
        except OSError as error:
            raise StoreError(code_of_refusal(error), self.label, error.strerror or str(error)) from error

    def check_present(self, with_what: str = "") -> None:
        """Raises `STORE_GONE` when the open file is no longer the one of that name: writing would be lost."""
        if self._file is None:
            return
        if self._is_followed:
            if state_of(self._file) != self._state:
                self.close()
                self._connect()
            return
        found = identity_of(self._file)
        if found != self._identity:
            gone = "the file that was open is not there any more"
            what = gone if found is None else "another file has taken the place of the one that was open"
            raise StoreError("STORE_GONE", self.label, f"{what}{with_what}")

    def check_version(self, found: int) -> None:
        """Raises `STORE_NEWER` for a schema that this release does not know."""
        known = len(MIGRATIONS)
        if found > known:
            raise StoreError("STORE_NEWER", self.label, f"its schema is version {found}, and {known} is known here")

    def close(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.close()
            self._engine.dispose()

    def _connect(self) -> None:
        """As it is to be used; else, where the file may only be read, without locks."""
        try:
            self._open(self.url)
            self._is_followed = False
        except StoreError as error:
            if self._file is None or error.code not in _OF_A_FILE:
                raise
            if not is_read_only(self._file):
                raise (why_unusable(self._file, self.label) or error) from error
            self._state = state_of(self._file)
            self._open(read_only_url(self._file))
            self._is_followed = True

    def _open(self, url: URL) -> None:
        with self.telling_errors():
            self._engine = _engine(url, self._busy_timeout_ms, self.label)
            try:
                self._connection = self._engine.connect()
                self._identity = identity_of(self._file)
                self._bring_up_to_date()
            except BaseException:
                self.close()
                raise
        self._cursor: Any = self.connection.connection.cursor()

    def _find_file(self, create: bool) -> None:
        """Make the folder, or refuse what is not there."""
        if self._file is None:
            return
        if not create and not self._file.exists():
            raise StoreError("STORE_UNAVAILABLE", self.label, "there is no such file")
        with self.telling_errors():
            if create:
                self._file.parent.mkdir(parents=True, exist_ok=True)
            if self._file.is_dir():
                raise IsADirectoryError(0, "it is a folder, and no file")

    def _bring_up_to_date(self) -> None:
        with self.reading() as connection:
            found = schema_version(connection)
        self.check_version(found)
        if found < len(MIGRATIONS):
            with self.writing() as connection:
                migrate(connection)


_OF_A_FILE: tuple[StoreCode, ...] = ("STORE_READ_ONLY", "STORE_UNAVAILABLE")


def _engine(url: URL, busy_timeout_ms: int, label: str) -> Any:
    arguments: dict[str, Any] = {}
    if _is_sqlite(url):
        arguments = {"check_same_thread": False, "timeout": busy_timeout_ms / 1000, "isolation_level": None}
    try:
        engine = create_engine(url, poolclass=NullPool, connect_args=arguments)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise StoreError("STORE_MISSING_PACKAGE", label, str(error)) from error
    if _is_sqlite(url) and "immutable" not in url.query:
        event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    """WAL, so that readers never wait for a writer; every commit is on the disk when it returns."""
    cursor = connection.cursor()
    if cursor.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.close()


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"
