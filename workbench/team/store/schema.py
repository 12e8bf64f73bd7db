"""The tables, and the way from each schema version to the next.

Source: docs/team.md 9.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Connection,
    Integer,
    MetaData,
    Table,
    Text,
    func,
    insert,
    inspect,
    select,
)

METADATA = MetaData()

SCHEMA = Table(
    "team_schema",
    METADATA,
    Column("version", Integer, primary_key=True, autoincrement=False),
    sqlite_strict=True,
)
"""One row for each migration that was applied; the highest is the version of the schema."""

VERSIONS = Table(
    "team_versions",
    METADATA,
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("predecessor", Integer, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("policy_version", Integer, nullable=False),
    Column("restored_from", Text),
    Column("changes", Text, nullable=False),
    Column("bytes", BigInteger().with_variant(Integer, "sqlite"), nullable=False),
    Column("config", Text, nullable=False),
    CheckConstraint("revision = predecessor + 1", name="chain"),
    CheckConstraint("revision > 0", name="positive"),
    sqlite_strict=True,
)
"""Immutable rows. The unique revision decides who wins a save; the configuration stands last, so that a history
never reads it."""

REVIEWS = Table(
    "team_reviews",
    METADATA,
    Column("reviewer", Text, primary_key=True),
    Column("pull_request", Text, primary_key=True),
    Column("submission", Text, primary_key=True),
    Column("round", Integer, nullable=False),
    sqlite_strict=True,
)
"""Which submissions of automated reviewers were answered, and as which round."""


def _first(connection: Connection) -> None:
    METADATA.create_all(connection, tables=[VERSIONS, REVIEWS])
    if connection.dialect.name == "sqlite":
        for action in ("UPDATE", "DELETE"):
            connection.exec_driver_sql(
                f"CREATE TRIGGER team_versions_never_{action.lower()} BEFORE {action} ON team_versions "
                f"BEGIN SELECT RAISE(ABORT, 'versions are immutable'); END"
            )
    elif connection.dialect.name == "postgresql":
        connection.exec_driver_sql(
            "CREATE FUNCTION team_versions_never() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'versions are immutable'; END $$"
        )
        connection.exec_driver_sql(
            "CREATE TRIGGER team_versions_never BEFORE UPDATE OR DELETE ON team_versions "
            "FOR EACH ROW EXECUTE FUNCTION team_versions_never()"
        )


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_first,)
"""From version n to n + 1. Shipped ones never change."""


def schema_version(connection: Connection) -> int:
    """0 for an empty database."""
    if not inspect(connection).has_table(SCHEMA.name):
        return 0
    return connection.scalar(select(func.max(SCHEMA.c.version))) or 0


def migrate(connection: Connection) -> None:
    """Apply what is missing, inside the transaction of the connection."""
    SCHEMA.create(connection, checkfirst=True)
    for number in range(schema_version(connection), len(MIGRATIONS)):
        MIGRATIONS[number](connection)
        connection.execute(insert(SCHEMA).values(version=number + 1))
