"""A team over a store of its own, without a runtime, and versions that are made by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from workbench.team.builtin import Builtins, shipped_builtins
from workbench.team.compose import RuntimeEnv, compose_runtime_parts, join_parts
from workbench.team.config import TeamConfig
from workbench.team.parts import Role
from workbench.team.previews import proposed_snapshot
from workbench.team.snapshot import TeamSnapshot
from workbench.team.store.service import TeamStore
from workbench.team.validation import Accepted, Limits
from workbench.team.version import RestoredFrom, Saved, Version, VersionLine
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
    file: Path, builtins: Builtins | None = None, limits: Limits | None = None
) -> AsyncIterator[StoreTeam]:
    """Over an SQLite file."""
    store = await TeamStore.open(str(file), builtins=builtins or shipped_builtins(), limits=limits)
    try:
        yield StoreTeam(store)
    finally:
        await store.close()


def many_versions(file: Path, count: int) -> None:
    """Versions 1 to `count`, as saves would have left them; much faster than saves."""
    import sqlite3

    from workbench.team.config import default_config

    config = default_config(shipped_builtins(), "manual").model_dump_json()
    rows = (
        (each, each - 1, "2026-05-01T09:15:00+00:00", "panel", 0, None, '["section communication"]', 500, config)
        for each in range(1, count + 1)
    )
    with sqlite3.connect(file) as connection:
        connection.executemany("INSERT INTO team_versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.close()
