"""Versions in a database: read, save, restore. Blocks; `service.py` calls it beside the loop.

Source: docs/team.md 8 and 9.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, func, insert, select
from sqlalchemy.exc import IntegrityError

from workbench.team.builtin import Builtins, shipped_builtins
from workbench.team.config import TeamConfig, default_config
from workbench.team.problems import Conflict, Problem, Refused
from workbench.team.snapshot import TeamSnapshot
from workbench.team.store import DEFAULT_BUSY_TIMEOUT_MS
from workbench.team.store.address import address_of
from workbench.team.store.database import Database
from workbench.team.store.errors import StoreError
from workbench.team.store.schema import REVIEWS, VERSIONS
from workbench.team.validation import Accepted, Limits, judge, judge_stored, size_of
from workbench.team.version import Origin, RestoredFrom, Saved, Version, VersionLine, changes_between

_LINE = [column for column in VERSIONS.c if column.name != "config"]
_INSERT = insert(VERSIONS)
DEFAULT_PAGE = 50
NEWEST_AND_SCHEMA = (
    "SELECT coalesce((SELECT max(revision) FROM team_versions), 0), (SELECT max(version) FROM team_schema)"
)
"""Before each save, in its transaction: a newer release may have come while the store was open."""


class VersionStore:
    """All versions of one store, with the defaults and limits of this process."""

    def __init__(
        self,
        address: str | os.PathLike[str] | None = None,
        *,
        builtins: Builtins | None = None,
        limits: Limits | None = None,
        busy_timeout_ms: int = DEFAULT_BUSY_TIMEOUT_MS,
        create: bool = True,
    ) -> None:
        """Open a store, by URL or by the path of an SQLite file; None is the person's own.

        Raises `StoreError`.
        """
        self.builtins = builtins or shipped_builtins()
        self.limits = limits or Limits()
        self.database = Database(address_of(address), busy_timeout_ms=busy_timeout_ms, create=create)
        self._newest: Version | None = None
        self._newest_of: Builtins | None = None
        self._snapshot: TeamSnapshot | None = None

    @property
    def label(self) -> str:
        """How the store is called; without a password."""
        return self.database.label

    def close(self) -> None:
        self.database.close()

    # -- reading -----------------------------------------------------------------------------------------

    def newest_revision(self) -> int:
        """The highest revision; 0 before any save. Raises `StoreError`."""
        return self.database.newest_revision()

    def newest(self) -> Version:
        """The newest version. Read only when there is another one than last time. Raises `StoreError`."""
        revision = self.newest_revision()
        kept = self._newest
        if kept is None or kept.revision != revision or self._newest_of is not self.builtins:
            kept, self._newest_of = self.version(revision), self.builtins
            self._newest = kept
        return kept

    def snapshot(self) -> TeamSnapshot:
        """The newest version beside the defaults; the same object as long as both stay. Raises `StoreError`."""
        version, kept = self.newest(), self._snapshot
        if kept is None or kept.config is not version.config or kept.builtins is not self.builtins:
            kept = TeamSnapshot(version.revision, version.policy_version, version.config, self.builtins)
            self._snapshot = kept
        return kept

    def version(self, revision: int) -> Version:
        """One version. Raises `Refused` (`unknown_revision`), `StoreError`."""
        if revision == 0:
            return self._defaults()
        with self.database.reading() as connection:
            row = connection.execute(select(VERSIONS).where(VERSIONS.c.revision == revision)).one_or_none()
        if row is None:
            raise Refused((Problem("unknown_revision", "", f"there is no revision {revision}"),))
        return self._version(row)

    def history(self, before: int | None = None, limit: int = DEFAULT_PAGE) -> list[VersionLine]:
        """A page of the history, newest first: revisions below `before`. Ends with revision 0."""
        query = select(*_LINE).order_by(VERSIONS.c.revision.desc()).limit(limit)
        if before is not None:
            query = query.where(VERSIONS.c.revision < before)
        with self.database.reading() as connection:
            lines = [self._line(row) for row in connection.execute(query)]
        if len(lines) < limit and (before is None or before > 0):
            lines.append(_without_config(self._defaults()))
        return lines

    # -- writing -----------------------------------------------------------------------------------------

    def check(self, proposal: object, base_revision: int) -> Accepted:
        """What `save` would store. Raises `Refused`, `Conflict`, `StoreError`; writes nothing."""
        return judge(proposal, self._base(base_revision).config, self.builtins, self.limits)

    def save(self, proposal: object, base_revision: int, origin: Origin = "panel") -> Saved:
        """Store a whole configuration as the next version.

        Raises `Conflict` when `base_revision` is not the newest one, `Refused`, `StoreError`; then nothing of it
        is stored.
        """
        base = self._base(base_revision)
        return self._insert(judge(proposal, base.config, self.builtins, self.limits), base, origin, None)

    def restore(self, revision: RestoredFrom, base_revision: int, origin: Origin = "panel") -> Saved:
        """Store an earlier version, or `"defaults"`, as the next one. Raises as `save` does."""
        base = self._base(base_revision)
        given = self._defaults() if revision == "defaults" else self.version(revision)
        accepted = judge_stored(given.config, self.builtins, self.limits)
        return self._insert(accepted, base, origin, revision)

    def review_round(self, reviewer: str, pull_request: str, submission: str, most: int) -> int | None:
        """The round that an answer to this submission belongs to; None when there would be more than `most`.

        The first answer to a submission begins a round; further ones belong to it. Raises `StoreError`.
        """
        given = (reviewer, pull_request)
        where = (REVIEWS.c.reviewer == reviewer) & (REVIEWS.c.pull_request == pull_request)
        with self.database.writing() as connection:
            found = connection.scalar(select(REVIEWS.c.round).where(where, REVIEWS.c.submission == submission))
            if found is not None:
                return int(found)
            last: int = connection.scalar(select(func.max(REVIEWS.c.round)).where(where)) or 0
            if last >= most:
                return None
            row = dict(zip(("reviewer", "pull_request"), given, strict=True))
            connection.execute(insert(REVIEWS).values(**row, submission=submission, round=last + 1))
            return last + 1

    # -- the parts of it ---------------------------------------------------------------------------------

    def _base(self, base_revision: int) -> Version:
        newest = self.newest()
        if newest.revision != base_revision:
            raise Conflict(base_revision, newest.revision)
        return newest

    def _insert(
        self, accepted: Accepted, base: Version, origin: Origin, restored_from: RestoredFrom | None
    ) -> Saved:
        revision = base.revision + 1
        config = accepted.config
        version = Version(
            revision=revision,
            predecessor=base.revision,
            created_at=datetime.now(UTC),
            origin=origin,
            policy_version=base.policy_version if config.policy == base.config.policy else revision,
            restored_from=restored_from,
            changes=changes_between(base.config, config),
            bytes=accepted.bytes,
            config=config,
        )
        try:
            with self.database.writing() as connection:
                newest, schema = connection.exec_driver_sql(NEWEST_AND_SCHEMA).one()
                self.database.check_version(schema)
                if newest == base.revision:
                    connection.execute(_INSERT, _row(version))
        except StoreError as error:
            if not isinstance(error.__cause__, IntegrityError):
                raise
            newest = self.newest_revision()  # another machine took the revision between the look and the insert
        if newest != base.revision:
            raise Conflict(base.revision, newest)
        self._newest = version
        return Saved(version, accepted.dropped_parts)

    def _defaults(self) -> Version:
        config = default_config(self.builtins, self.limits.accept_modes[0])
        return Version(0, None, None, None, 0, None, (), size_of(config), config)

    def _line(self, row: Row[Any]) -> VersionLine:
        with self._reading(row):
            return VersionLine(**_facts(row))

    def _version(self, row: Row[Any]) -> Version:
        with self._reading(row):
            return Version(**_facts(row), config=TeamConfig.model_validate_json(row.config))

    @contextmanager
    def _reading(self, row: Row[Any]) -> Iterator[None]:
        """What a row holds may be anything, if somebody else has written it."""
        try:
            yield
        except (ValueError, TypeError) as error:  # a ValidationError is a ValueError
            detail = f"revision {row.revision} cannot be read: {str(error).splitlines()[0]}"
            raise StoreError("STORE_CORRUPT", self.label, detail) from error


def _row(version: Version) -> dict[str, Any]:
    assert version.created_at is not None
    restored = version.restored_from
    return {
        "revision": version.revision,
        "predecessor": version.predecessor,
        "created_at": version.created_at.isoformat(timespec="milliseconds"),
        "origin": version.origin,
        "policy_version": version.policy_version,
        "restored_from": None if restored is None else str(restored),
        "changes": json.dumps(version.changes, ensure_ascii=False),
        "bytes": version.bytes,
        "config": version.config.model_dump_json(),
    }


def _facts(row: Row[Any]) -> dict[str, Any]:
    restored = row.restored_from
    return {
        "revision": row.revision,
        "predecessor": row.predecessor,
        "created_at": datetime.fromisoformat(row.created_at),
        "origin": row.origin,
        "policy_version": row.policy_version,
        "restored_from": restored if restored is None or restored == "defaults" else int(restored),
        "changes": tuple(json.loads(row.changes)),
        "bytes": row.bytes,
    }


def _without_config(version: Version) -> VersionLine:
    return VersionLine(**{name: getattr(version, name) for name in VersionLine.__dataclass_fields__})
