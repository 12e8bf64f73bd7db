"""A team's prompts: a save, an assembly with all parts, asking for the newest revision, and a long history.

uv run python tests/benchmarks/bench_team.py
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure import HEADER, Ratio, Settings, compare, compare_async, settings

from workbench.core import Runtime, create_scope
from workbench.prompt import AssembleContext, PromptConfig, SystemPrompt, render_prompt
from workbench.team.compose import RuntimeEnv, compose_runtime_parts
from workbench.team.plugin import TeamPrompts, TeamSettings
from workbench.team.seats import SNAPSHOT, take_seat
from workbench.team.store.service import TeamStore
from workbench.team.store.versions import VersionStore
from workbench.tools import ToolRegistry

SAVE_GOAL = 5.0
ASSEMBLY_GOAL = 1.3
NEWEST_GOAL = 2.0
HISTORY_GOAL = 2.0
NEWEST = "SELECT max(revision) FROM team_versions"
ENV = RuntimeEnv((("ticket", "T-7"), ("branch", "tides/emden")))


def proposal(number: int) -> dict[str, Any]:
    """About 20 KB of a team's own text."""
    skills = [{"name": f"skill-{n}", "description": "What it is for", "content": "Say. " * 400} for n in range(8)]
    return {
        "sections": {
            "communication": f"Number {number}. " + "Write calmly. " * 100,
            "ticket_scope": "One pull request. " * 50,
            "delivery_requirements": "Show a test. " * 50,
        },
        "skills": skills,
        "overrides": {"runtime/work": {"text": "Work. " * 200}},
        "policy": {"accept_mode": "manual", "rules": []},
    }


def saves(folder: Path, how: Settings) -> Ratio:
    """An accepted save, against one row of the same size in a table, with the same durability."""
    store = VersionStore(folder / "saves.db")
    store.save(proposal(0), 0)
    size = len(store.newest().config.model_dump_json())
    bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
    bare.execute("PRAGMA journal_mode = WAL")
    bare.execute("PRAGMA synchronous = FULL")
    bare.execute("CREATE TABLE versions (revision INTEGER PRIMARY KEY, config TEXT) STRICT")
    text = "x" * size
    numbers = [1, 0]

    def ours() -> None:
        numbers[0] = store.save(proposal(numbers[0]), numbers[0]).version.revision

    def theirs() -> None:
        numbers[1] += 1
        bare.execute("BEGIN IMMEDIATE")
        bare.execute("INSERT INTO versions VALUES (?, ?)", (numbers[1], text))
        bare.execute("COMMIT")

    found = compare(ours, theirs, how)
    store.close()
    bare.close()
    return found


async def assemblies(folder: Path, how: Settings) -> Ratio:
    """An assembly and its text with all parts of an Executor, against the same texts as static sections."""
    async with Runtime() as runtime:
        root = runtime.root
        await root.plugin(SystemPrompt, PromptConfig(persona="You are {{model}}."))
        root.system_prompt.variable("model", lambda context: "tick-1")
        await root.plugin(ToolRegistry)
        await root.plugin(TeamPrompts, TeamSettings(store=str(folder / "assemblies.db")))
        team = root.team
        await team.save(proposal(1), 0)
        ours_scope, theirs_scope = create_scope(root, "ours"), create_scope(root, "theirs")
        take_seat(ours_scope.ctx, team, "worker", ENV)
        prompt, tools = team.prompt_in(theirs_scope.ctx), team.tools_in(theirs_scope.ctx)
        for part in compose_runtime_parts("worker", team.latest, ENV):
            prompt.section(part.section, prompt.get_section_order(part.order_key), part.text, literal=True)
        for schema in team.tools_in(ours_scope.ctx).visible("ours"):
            tools.register(schema)

        def made(scope: str, **extras: Any) -> Callable[[], Any]:
            async def assemble() -> str:
                context = AssembleContext(scope=scope, extras=dict(extras))
                return render_prompt(await root.system_prompt.assemble(context))

            return assemble

        ours, theirs = made("ours", **{SNAPSHOT: team.latest}), made("theirs")
        assert await ours() == await theirs()
        return await compare_async(ours, theirs, how)


async def newest_revisions(folder: Path, how: Settings) -> tuple[Ratio, Ratio]:
    """Asking for the newest revision: in the thread of the store, and from the loop; against a bare SELECT."""
    path = folder / "newest.db"
    store = await TeamStore.open(path)
    await store.save(proposal(1), 0)
    bare = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    blocking = VersionStore(path)

    def select() -> Any:
        return bare.execute(NEWEST).fetchone()

    inside = compare(blocking.newest_revision, select, how)
    blocking.close()
    loop = asyncio.get_running_loop()

    async def theirs() -> Any:
        return await loop.run_in_executor(None, select)

    beside = await compare_async(store.newest_revision, theirs, how)
    await store.close()
    bare.close()
    return inside, beside


def histories(folder: Path, how: Settings) -> Ratio:
    """The first screen of a long history, against that of a short one."""
    stores = []
    for length in (100 if how.quick else 10_000, 10):
        store = VersionStore(folder / f"history-{length}.db")
        store.save(proposal(1), 0)
        raw: Any = store.database.connection.connection.driver_connection
        raw.execute("BEGIN")
        for revision in range(2, length + 1):
            raw.execute(
                "INSERT INTO team_versions SELECT ?, ?, created_at, origin, policy_version, restored_from, "
                "changes, bytes, config FROM team_versions WHERE revision = 1",
                (revision, revision - 1),
            )
        raw.execute("COMMIT")
        stores.append(store)
    long, short = stores
    found = compare(lambda: long.history(limit=10), lambda: short.history(limit=10), how)
    for store in stores:
        store.close()
    return found


async def main() -> None:
    how = settings(__doc__ or "")
    print(HEADER)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(saves(folder, how).line("save : bare transaction", SAVE_GOAL))
        print((await assemblies(folder, how)).line("assembly : static texts", ASSEMBLY_GOAL))
        inside, beside = await newest_revisions(folder, how)
        print(inside.line("newest : SELECT max, in the thread", NEWEST_GOAL))
        print(beside.line("newest : SELECT max, from the loop", NEWEST_GOAL))
        print(histories(folder, how).line("history of 10,000 : of 10", HISTORY_GOAL))


if __name__ == "__main__":
    asyncio.run(main())
