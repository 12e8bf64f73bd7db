"""Facts of the tables of the prompt service and of the tool registry, and of the services.

Source: docs/registry.md 1.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from workbench.config.registry.code_places import place_of_code
from workbench.config.registry.facts import GLOBAL, Kind, Registration, RegistryKey
from workbench.prompt.contributions import Contribution, TextContribution
from workbench.prompt.layers import OrderedTable
from workbench.prompt.orders import CONTEXT_POSITIONS, SECTION_POSITIONS
from workbench.prompt.owners import owner_of, owner_of_fiber
from workbench.prompt.views import Owner

if TYPE_CHECKING:
    from workbench.core import Runtime
    from workbench.core.activation import Activation
    from workbench.prompt.layers import Table
    from workbench.tools.layer import Restriction, ToolLayer
    from workbench.tools.registration import ToolRegistration

_KEYS_OF_ORDER: dict[str, dict[float, str]] = {
    "section": {position.order: key for key, position in SECTION_POSITIONS.items()},
    "context": {position.order: key for key, position in CONTEXT_POSITIONS.items()},
}
_KINDS: dict[str, Kind] = {
    "section": "section",
    "context": "context",
    "variable": "variable",
    "tools": "tool provider",
    "suppressor": "suppressor",
}
_NAMELESS: dict[str, str] = {"suppressor": "no runtime context"}


class Sightings:
    """When something was seen first. What was there at the first look has no time."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[object, float | None]] = {}
        self._now: dict[int, tuple[object, float | None]] = {}
        self._is_first = True
        self._time = 0.0

    def begin(self) -> None:
        """Another look begins."""
        self._now, self._time = {}, time.time()

    def end(self) -> None:
        """What was not seen in it is forgotten."""
        self._seen, self._is_first = self._now, False

    def since(self, thing: object) -> float | None:
        """Seconds since the epoch. The thing is held until the look at which it is gone."""
        known = self._seen.get(id(thing))
        if known is None:
            known = (thing, None if self._is_first else self._time)
        self._now[id(thing)] = known
        return known[1]

    def keep(self, things: Iterable[object]) -> None:
        """They are still there."""
        for thing in things:
            self.since(thing)


class Keys:
    """Numbers for registrations that nothing else tells apart."""

    def __init__(self) -> None:
        self._counts: dict[RegistryKey, int] = {}

    def of(self, kind: Kind, name: str, layer: str, of: str = "") -> RegistryKey:
        key = RegistryKey(kind, name, layer, of)
        count = self._counts.get(key, 0)
        self._counts[key] = count + 1
        return key._replace(nth=count) if count else key


class TableFacts:
    """Facts of tables. A table that is the same has the same facts, and so has an entry."""

    def __init__(self, sightings: Sightings) -> None:
        self._sightings = sightings
        self._tables: dict[int, tuple[Table[Any], int, str, list[Registration]]] = {}
        self._entries: dict[int, tuple[Contribution, Registration]] = {}

    def facts(self, table: Table[Any], layer: str, keys: Keys) -> list[Registration]:
        """One fact for each entry, texts in order."""
        entries = table.ordered() if isinstance(table, OrderedTable) else list(table)
        kept = self._tables.get(id(table))
        self._sightings.keep(entries)
        if kept is not None and kept[0] is table and kept[1] == table.version and kept[2] == layer:
            return kept[3]
        if len(self._entries) > 4 * len(entries) + 4096:
            self._entries.clear()
        made = [self._fact(entry, layer, keys) for entry in entries]
        if len(self._tables) > 256:
            self._tables.clear()
        self._tables[id(table)] = table, table.version, layer, made
        return made

    def _fact(self, entry: Contribution, layer: str, keys: Keys) -> Registration:
        known = self._entries.get(id(entry))
        if known is not None and known[0] is entry and known[1].key.layer == layer:
            return known[1]
        fact = _contribution_fact(entry, layer, keys, self._sightings.since(entry))
        self._entries[id(entry)] = entry, fact
        return fact


def _contribution_fact(entry: Contribution, layer: str, keys: Keys, since: float | None) -> Registration:
    kind = _KINDS[entry.kind]
    owner = owner_of(entry)
    if isinstance(entry, TextContribution):
        return Registration(
            RegistryKey(kind, entry.name, layer),  # names are unique in a layer
            owner,
            order=entry.order,
            order_key=_KEYS_OF_ORDER[entry.kind].get(entry.order, ""),
            text=entry.text if entry.provider is None else None,
            is_complete=entry.complete,
            is_literal=entry.literal,
            is_computed=entry.provider is not None,
            source=entry.place(),
            since=since,
        )
    if kind == "variable":
        key = RegistryKey(kind, entry.name, layer)
        return Registration(key, owner, is_computed=True, source=entry.place(), since=since)
    name = _NAMELESS.get(entry.kind) or f"tools of {owner.plugin}"
    return Registration(
        keys.of(kind, name, layer), owner, is_computed=kind == "tool provider", source=entry.place(), since=since
    )


def tool_layer_facts(
    layer: ToolLayer, label: str, keys: Keys, sightings: Sightings, runtime: Runtime
) -> Iterator[Registration]:
    """Tools and all that shapes them in one layer."""
    for tool in layer.tools.values():
        yield _tool_fact("tool", tool, label, sightings)
    if layer.code_tool is not None:
        yield _tool_fact("code runtime", layer.code_tool, label, sightings)
    for restriction in layer.restrictions:
        owner = _owner_of_ledger(restriction.ledger)
        text = restriction_text(restriction)
        key = keys.of("restriction", text, label)
        yield Registration(key, owner, text=text, since=sightings.since(restriction))
    for guard in layer.guards:
        yield Registration(
            keys.of("guard", guard.label, label),
            _owner_of_ledger(guard.ledger),
            source=place_of_code(guard.function),
            since=sightings.since(guard),
        )
    if layer.presentation is not None:
        key = keys.of("presentation", f"tools as {layer.presentation}", label)
        presenters = (fiber for fiber in runtime.fibers() if fiber.name == layer.presented_by)
        fiber = next(presenters, None)
        owner = Owner(layer.presented_by, -1) if fiber is None else owner_of_fiber(fiber)
        yield Registration(key, owner, text=layer.presentation)


def restriction_text(restriction: Restriction) -> str:
    """`allow a, b; deny c`."""
    parts = []
    if restriction.allow is not None:
        parts.append(f"allow {', '.join(sorted(restriction.allow)) or 'nothing'}")
    if restriction.deny:
        parts.append(f"deny {', '.join(sorted(restriction.deny))}")
    return "; ".join(parts) or "deny nothing"


def _tool_fact(kind: Kind, tool: ToolRegistration, label: str, sightings: Sightings) -> Registration:
    return Registration(
        RegistryKey(kind, tool.name, label),
        owner_of_fiber(tool.ledger.fiber),
        text=tool.schema.description,
        detail=tool.schema.parameters_json.decode("utf-8", "surrogatepass"),
        source=tool.place(),
        since=sightings.since(tool),
    )


def service_facts(runtime: Runtime, keys: Keys, sightings: Sightings) -> Iterator[Registration]:
    """Who provides what, to whom. They stand in the global layer; `of` is the label of an isolated one."""
    fibers = {fiber.uid: fiber for fiber in (runtime.root_fiber, *runtime.fibers())}
    for view in runtime.services():
        fiber = fibers.get(view.provider_uid)
        yield Registration(
            keys.of("service", view.name, GLOBAL, view.label),
            Owner(view.provider, view.provider_uid or 0) if fiber is None else owner_of_fiber(fiber),
            detail=type(view.value).__qualname__,
            source=place_of_code(type(view.value)),
            since=sightings.since(view.value),
            dependents=view.dependents,
            state=_STATES[view.state],
        )


def _owner_of_ledger(ledger: Activation | None) -> Owner:
    return Owner("", -1) if ledger is None else owner_of_fiber(ledger.fiber)


_STATES: dict[str, Any] = {
    "pending": "waiting",
    "loading": "loading",
    "active": "active",
    "failed": "failed",
    "disposing": "stopping",
    "disposed": "stopped",
}
