"""What a person does to a plugin while agents run is said in their logs, so that its break is no drift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from workbench.config.registry.facts import Outcome
    from workbench.core import Runtime

MOST = 20
"""Plugins that are named for one act."""
_VERBS: Mapping[str, str] = {"stop": "stopped", "restart": "restarted", "start": "started"}
_WITH: Mapping[str, str] = {"stop": "went with", "restart": "was loaded anew with", "start": "came with"}


async def declared(runtime: Runtime, act: Awaitable[Outcome]) -> Outcome:
    """Does it, and declares it: for the plugin, and for all others that are in another state for it."""
    before = dict(_states(runtime))
    outcome = await act
    after = dict(_states(runtime))
    others = [uid for uid in {**before, **after} if before.get(uid) != after.get(uid)]
    moved = {uid: (after.get(uid) or before[uid])[0] for uid in others}
    name, verb = outcome.plugin, _VERBS[outcome.action]
    if not outcome.error or moved:
        _declare(runtime, f"plugin {name} was {verb} by a person", name)
    for other in sorted({*moved.values()} - {name})[:MOST]:
        _declare(runtime, f"plugin {other} {_WITH[outcome.action]} {name}, which a person {verb}", other)
    return outcome


def _states(runtime: Runtime) -> Iterator[tuple[int, tuple[str, str]]]:
    for fiber in runtime.fibers():
        if fiber.uid is not None:
            yield fiber.uid, (fiber.name, str(fiber.state))


def _declare(runtime: Runtime, words: str, owner: str) -> None:
    from workbench.agent.log.errors import LogError

    agents = runtime.root.get("agents")
    for agent in agents.all() if agents is not None else ():
        try:
            agent.declare("declared", words, owner)
        except LogError:
            continue  # its log cannot be written to, and it says so itself
