"""Facts of plugins: the state of each fiber, what it stands on, and why it does not run.

Source: docs/registry.md 2, docs/runtime.md 3 and 4.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from workbench.config.registry.code_places import place_of_code
from workbench.config.registry.facts import LedgerEntry, Need, Outcome, PluginFact, PluginState
from workbench.prompt.owners import owner_of_fiber

if TYPE_CHECKING:
    from workbench.core import EffectNode, Fiber, Runtime
    from workbench.core.scopes import ScopeKey

STATES: dict[str, PluginState] = {
    "pending": "waiting",
    "loading": "loading",
    "active": "active",
    "failed": "failed",
    "disposing": "stopping",
    "disposed": "stopped",
}
"""The words that people read, for the states of docs/runtime.md 3."""


def plugin_facts(
    runtime: Runtime, label: Callable[[ScopeKey | None], str], outcomes: Mapping[int, Outcome]
) -> tuple[PluginFact, ...]:
    """All fibers, the root first, in the order of loading."""
    loop_now, now = runtime.loop.time(), time.time()
    waits: dict[Fiber, str] = {}
    for each in runtime.waiting():
        waits.setdefault(each.fiber, each.label)
    rings: dict[Fiber, tuple[str, ...]] = {}
    for ring in runtime.cycles():
        for index, fiber in enumerate(ring):
            rings[fiber] = tuple(each.name for each in (*ring[index:], *ring[:index]))
    return tuple(
        _plugin(fiber, label, waits.get(fiber, ""), rings.get(fiber, ()), loop_now, now, outcomes)
        for fiber in (runtime.root_fiber, *runtime.fibers())
    )


def _plugin(
    fiber: Fiber,
    label: Callable[[ScopeKey | None], str],
    waits_for: str,
    ring: tuple[str, ...],
    loop_now: float,
    now: float,
    outcomes: Mapping[int, Outcome],
) -> PluginFact:
    state = STATES[str(fiber.state)]
    seconds = max(0.0, loop_now - fiber.since)
    uid = fiber.uid or 0
    provided = (key[0] for key in fiber.activation.provided)
    return PluginFact(
        uid=uid,
        name=fiber.name,
        owner=owner_of_fiber(fiber),
        parent=None if fiber.parent is None else fiber.parent.uid or 0,
        layer=label(fiber.context.scope),
        state=state,
        reason=_reason(fiber, state, ring, waits_for),
        seconds=seconds,
        since=now - seconds,
        needs=_needs(fiber),
        provides=tuple(dict.fromkeys((*fiber.code.provides, *provided))),
        cycle=ring,
        source=None if fiber.is_root else place_of_code(fiber.code.plugin),
        outcome=outcomes.get(uid),
    )


def _reason(fiber: Fiber, state: PluginState, ring: tuple[str, ...], waits_for: str) -> str:
    if state == "waiting":
        if ring:
            return f"cycle: {' → '.join((*ring, ring[0]))}"
        return f"waits for {', '.join(fiber.missing)}" if fiber.missing else ""
    if state == "failed" and fiber.error is not None:
        return f"{type(fiber.error).__name__}: {fiber.error}"
    return f"waits for {waits_for}" if waits_for else ""


def _needs(fiber: Fiber) -> tuple[Need, ...]:
    if fiber.home is None:
        return ()
    table = fiber.runtime.services_table
    needs = []
    for is_required, names in ((True, fiber.code.required), (False, fiber.code.optional)):
        for name in names:
            entry = table.visible((name, fiber.home.visibility(name)))
            provider = None if entry is None else entry.ledger.fiber
            needs.append(
                Need(name, is_required)
                if provider is None
                else Need(name, is_required, provider.name, provider.uid)
            )
    return tuple(needs)


def ledger_of(runtime: Runtime, uid: int) -> tuple[LedgerEntry, ...]:
    """The ledger of a fiber as a tree; () when there is no such fiber."""
    fiber = fiber_of(runtime, uid)
    return () if fiber is None else tuple(map(_entry, fiber.effects()))


def fiber_of(runtime: Runtime, uid: int) -> Fiber | None:
    """The live fiber with that uid."""
    return next((each for each in (runtime.root_fiber, *runtime.fibers()) if each.uid == uid), None)


def _entry(node: EffectNode) -> LedgerEntry:
    return LedgerEntry(node.label, tuple(map(_entry, node.children)))
