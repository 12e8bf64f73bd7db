"""A team over a store of its own, without a runtime, and versions that are made by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.team.builtin import Builtins, shipped_builtins
from workbench.team.compose import RuntimeEnv, compose_runtime_parts, join_parts
from workbench.team.config import TeamConfig, default_config
from workbench.team.parts import Role
from workbench.team.previews import proposed_snapshot
from workbench.team.problems import Conflict
from workbench.team.snapshot import TeamSnapshot
from workbench.team.store import DEFAULT_BUSY_TIMEOUT_MS
from workbench.team.store.errors import StoreError
from workbench.team.store.service import TeamStore
from workbench.team.validation import Accepted, Limits, judge, size_of
from workbench.team.version import Origin, RestoredFrom, Saved, Version, VersionLine, changes_between
from workbench.tui.view.team_preview import Assembled, placed_parts


class StoreTeam:
    """What `LiveTeam` does with a runtime. Errors of the test come in the place of the store's."""

    def __init__(self, store: TeamStore) -> None:
        self.store = store
        self.error: Exception | None = None
        self.asked: list[str] = []

    @property
    def label(self) -> str:
        return self.store.label

    @property
    def limits(self) -> Limits:
        return self.store.limits

    async def snapshot(self) -> TeamSnapshot:
        self._ask("snapshot")
        return await self.store.snapshot()

    async def reopen(self) -> None:
        self._ask("reopen")
        store = self.store
        self.store = await TeamStore.open(store.label, builtins=store.builtins, limits=store.limits, create=False)
        await store.close()

    async def history(self, before: int | None, limit: int) -> Sequence[VersionLine]:
        self._ask(f"history {before}")
        return await self.store.history(before, limit)

    async def version(self, revision: int) -> Version:
        self._ask(f"version {revision}")
        return await self.store.version(revision)

    async def check(self, proposal: object, base_revision: int) -> Accepted:
        self._ask("check")
        return await self.store.check(proposal, base_revision)

    async def save(self, proposal: object, base_revision: int) -> Saved:
        self._ask("save")
        return await self.store.save(proposal, base_revision)

    async def restore(self, revision: RestoredFrom, base_revision: int) -> Saved:
        self._ask(f"restore {revision}")
        return await self.store.restore(revision, base_revision)

    async def assembled(self, role: Role, config: TeamConfig | None) -> Assembled:
        newest = await self.store.snapshot()
        snapshot = newest if config is None else proposed_snapshot(newest, config)
        parts = compose_runtime_parts(role, snapshot, RuntimeEnv((("region", "eu"),)))
        return Assembled(join_parts(parts), tuple(placed_parts(parts)))

    async def save_now(self, **changed: Any) -> int:
        """What somebody else does: another save, on whatever is newest; `overrides` and the like by name."""
        newest = await self.store.newest()
        proposal = newest.config.as_proposal()
        for name, value in changed.items():
            if isinstance(value, dict) and name != "policy":
                proposal[name] |= value
            else:
                proposal[name] = value
        return (await self.store.save(proposal, newest.revision, "panel")).version.revision

    def upgrade(self, **parts: str) -> None:
        """Another release: other defaults, by the last word of the key below `runtime`."""
        self.store.use_builtins(
            self.store.builtins.changed({f"runtime/{key}": text for key, text in parts.items()})
        )

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        if self.error is not None:
            raise self.error


@asynccontextmanager
async def team_at(
    file: Path,
    builtins: Builtins | None = None,
    limits: Limits | None = None,
    busy_timeout_ms: int = DEFAULT_BUSY_TIMEOUT_MS,
) -> AsyncIterator[StoreTeam]:
    """Over an SQLite file."""
    store = await TeamStore.open(
        str(file), builtins=builtins or shipped_builtins(), limits=limits, busy_timeout_ms=busy_timeout_ms
    )
    team = StoreTeam(store)
    try:
        yield team
    finally:
        await team.store.close()


def many_versions(file: Path, count: int) -> None:
    """Versions 1 to `count`, as saves would have left them; much faster than saves."""
    import sqlite3

    config = default_config(shipped_builtins(), "manual").model_dump_json()
    rows = (
        (each, each - 1, "2026-05-01T09:15:00+00:00", "panel", 0, None, '["section communication"]', 500, config)
        for each in range(1, count + 1)
    )
    with sqlite3.connect(file) as connection:
        connection.executemany("INSERT INTO team_versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.close()


class HandTeam:
    """Versions in memory, with times of their own; checks are the real ones."""

    def __init__(self, builtins: Builtins | None = None) -> None:
        self.label = "team.db"
        self.limits = Limits()
        self.builtins = builtins or shipped_builtins()
        config = default_config(self.builtins, "manual")
        self.versions = {0: Version(0, None, None, None, 0, None, (), size_of(config), config)}
        self.newest = 0
        self.save_error = ""

    def default_of(self, key: str) -> str:
        """The sha256 of a default."""
        return self.builtins.parts[key].sha256

    def add(
        self, at: str, origin: Origin = "panel", restored_from: RestoredFrom | None = None, **changed: Any
    ) -> None:
        """Another version, saved at that time; what `proposal` takes by its first key."""
        before = self.versions[self.newest].config
        given = before.as_proposal()
        for name, value in changed.items():
            given[name] = {**given[name], **value} if isinstance(value, dict) and name != "policy" else value
        config = judge(given, before, self.builtins, self.limits).config
        self._store(config, datetime.fromisoformat(at), origin, restored_from)

    async def snapshot(self) -> TeamSnapshot:
        version = self.versions[self.newest]
        return TeamSnapshot(version.revision, version.policy_version, version.config, self.builtins)

    async def reopen(self) -> None:
        pass

    async def history(self, before: int | None, limit: int) -> Sequence[VersionLine]:
        last = self.newest if before is None else min(self.newest, before - 1)
        return [self._line(revision) for revision in range(last, max(-1, last - limit), -1)]

    async def version(self, revision: int) -> Version:
        if revision in self.versions:
            return self.versions[revision]
        line = self._line(revision)
        facts = {name: getattr(line, name) for name in VersionLine.__dataclass_fields__}
        return Version(**facts, config=self.versions[0].config)

    async def check(self, proposal: object, base_revision: int) -> Accepted:
        return judge(proposal, self.versions[self.newest].config, self.builtins, self.limits)

    async def save(self, proposal: object, base_revision: int) -> Saved:
        if self.save_error:
            raise StoreError("STORE_LOCKED", self.label, self.save_error)
        if base_revision != self.newest:
            raise Conflict(base_revision, self.newest)
        accepted = await self.check(proposal, base_revision)
        return Saved(self._store(accepted.config, datetime(2026, 5, 14, 12, tzinfo=UTC), "panel", None))

    async def restore(self, revision: RestoredFrom, base_revision: int) -> Saved:
        raise NotImplementedError

    async def assembled(self, role: Role, config: TeamConfig | None) -> Assembled:
        newest = await self.snapshot()
        snapshot = newest if config is None else proposed_snapshot(newest, config)
        parts = compose_runtime_parts(role, snapshot, RuntimeEnv((("region", "eu"),)))
        return Assembled(join_parts(parts), tuple(placed_parts(parts)))

    def _line(self, revision: int) -> VersionLine:
        found = self.versions.get(revision)
        if found is None:
            at = datetime(2025, 3, 1, 9, tzinfo=UTC)
            return VersionLine(revision, revision - 1, at, "tool", 0, None, ("section ticket_scope",), 4321)
        return VersionLine(**{name: getattr(found, name) for name in VersionLine.__dataclass_fields__})

    def _store(
        self, config: TeamConfig, at: datetime, origin: Origin, restored_from: RestoredFrom | None
    ) -> Version:
        before = self.versions[self.newest]
        self.newest += 1
        changes = changes_between(before.config, config)
        policy = self.newest if config.policy != before.config.policy else before.policy_version
        self.versions[self.newest] = Version(
            self.newest, before.revision, at, origin, policy, restored_from, changes, size_of(config), config
        )
        return self.versions[self.newest]


WORKER_THEN = "You carry out one Ticket and nothing else.\nWork in its repository and push when the tests pass."
WORKER_NOW = (
    "You carry out one Ticket and nothing else.\nWork in its repository, on a branch of its own.\n"
    "Push only what the Ticket's delivery requirements name."
)
WORKER_MINE = (
    "You carry out one Ticket and nothing else.\n"
    "Work in its repository and push when the tests pass and the reviewer has answered.\n"
    "Write to the requester in their language."
)


def lived_in(hostile: str = "", more: int = 0) -> HandTeam:
    """A team of some months: twelve versions, three texts of its own, a default that has moved.

    `hostile`: also the text of `runtime/shared`. `more`: versions before those that are made by hand.
    """
    team = HandTeam(shipped_builtins().changed({"runtime/worker": WORKER_THEN}))
    if more:
        team.newest = more
        team.versions[more] = replace(
            team.versions[0], revision=more, predecessor=more - 1, created_at=datetime(2025, 3, 2, tzinfo=UTC)
        )
    rules = [
        {
            "id": "stale",
            "name": "Stale tables",
            "instruction": "Update a table that is older than a year.",
            "enabled": True,
        },
        {"id": "links", "name": "Dead links", "instruction": "Mend links that lead nowhere.", "enabled": False},
    ]
    skills = [
        {
            "name": "identities",
            "description": "Who is who in chat and on GitHub",
            "content": "| Chat | GitHub |\n|---|---|\n| 李雷 | @lilei |",
        }
    ]
    team.add("2026-03-02T08:00:00+00:00", skills=skills)
    team.add("2026-03-02T08:10:00+00:00", policy={"accept_mode": "manual", "rules": rules[:1]})
    team.add("2026-03-09T10:00:00+00:00", policy={"accept_mode": "manual", "rules": rules})
    team.add("2026-03-20T10:00:00+00:00", sections={"ticket_scope": "One repository at a time."})
    team.add(
        "2026-03-21T10:00:00+00:00",
        "tool",
        overrides={"runtime/orchestrator": {"text": "Route, and end the turn."}},
    )
    for day in (1, 2, 3):
        team.add(f"2026-04-0{day}T10:00:00+00:00", sections={"communication": f"Draft {day}: write calmly."})
    team.add("2026-04-14T16:20:00+00:00", overrides={"runtime/worker": {"text": WORKER_MINE}})
    team.add("2026-05-12T09:15:00+00:00", restored_from=7, sections={"communication": "Draft 1: write calmly."})
    team.add(
        "2026-05-13T17:02:00+00:00",
        "tool",
        overrides={"runtime/worker": {"text": WORKER_MINE + "\nSay what you tested."}},
    )
    if hostile:
        team.add("2026-05-13T18:00:00+00:00", overrides={"runtime/shared": {"text": hostile}})
    else:
        team.add("2026-05-14T11:40:00+00:00", overrides={"runtime/admission": {"text": "Skip what is a day old."}})
    team.builtins = team.builtins.changed({"runtime/worker": WORKER_NOW})
    return team
