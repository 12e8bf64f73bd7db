"""Reads what is registered in a runtime. What has not changed since the last look is not made again.

Source: docs/registry.md 1.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from workbench.config.registry.control import NoSuchPlugin, end_plugin, start_plugin
from workbench.config.registry.facts import (
    GLOBAL,
    KINDS,
    LayerFact,
    LedgerEntry,
    Outcome,
    PluginFact,
    Registration,
    Registry,
)
from workbench.config.registry.listeners import listener_facts
from workbench.config.registry.plugins import fiber_of, ledger_of, plugin_facts
from workbench.config.registry.shadows import Shadows, shadows_among
from workbench.config.registry.tables import Keys, Sightings, TableFacts, service_facts, tool_layer_facts
from workbench.core import scope_label
from workbench.prompt.service import PromptService
from workbench.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from workbench.core import Fiber, Runtime
    from workbench.core.scopes import ScopeKey
    from workbench.prompt.layers import Layer
    from workbench.tools.layer import ToolLayer

_STOPPED = 50
"""Stopped plugins that are remembered."""
_TABLES = ("sections", "contexts", "variables", "tools", "suppressors")


@dataclass(frozen=True, slots=True)
class KnownScope:
    """A scope for which a prompt can be shown, as whoever asks names it."""

    label: str
    key: ScopeKey | None
    """None: the global layer."""
    note: str = ""


class RegistryReader:
    """Looks at one runtime, again and again."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._outcomes: dict[int, Outcome] = {}
        """Of restarts, by uid."""
        self._stopped: dict[int, PluginFact] = {}
        """Plugins that were stopped through this view, as they were last, by the uid that they had."""
        self._stopped_fibers: dict[int, Fiber] = {}
        """The same as they can be loaded again."""
        self._sightings = Sightings()
        self._tables = TableFacts(self._sightings)

    def read(self, scopes: Sequence[KnownScope] = ()) -> Registry:
        """Everything that is registered now. `scopes`: those that the asker has names for."""
        runtime = self.runtime
        prompts, tools = self._services()
        self._sightings.begin()
        layers = _Layers(runtime, scopes)
        for prompt in prompts:
            layers.add_all(layer.scope for layer in prompt.layers)
        for registry in tools:
            layers.add_all(layer.scope for layer in registry.layers())
        listeners = runtime.events.all_listeners()
        layers.add_all(each.scope for found in listeners.values() for each in found)
        facts = layers.facts()
        shadows = shadows_among(layers.chains(), prompts, tools)
        keys = Keys()
        found: dict[str, list[Registration]] = {fact.label: [] for fact in facts}
        for prompt in prompts:
            for layer in prompt.layers:
                label = layers.label(layer.scope)
                found[label] += self._of_prompt(layer, label, keys, shadows)
        for each in listener_facts(runtime, listeners, layers.label, keys, self._sightings):
            found[each.layer].append(each)
        for registry in tools:
            for tool_layer in registry.layers():
                label = layers.label(tool_layer.scope)
                found[label] += self._of_tools(tool_layer, label, keys, shadows)
        found[GLOBAL] += service_facts(runtime, keys, self._sightings)
        self._sightings.end()
        plugins = plugin_facts(runtime, layers.label, self._outcomes)
        cycles = tuple(tuple(fiber.name for fiber in ring) for ring in runtime.cycles())
        in_order = tuple(each for fact in facts for each in _by_kind(found[fact.label]))
        return Registry(facts, in_order, (*plugins, *self._stopped.values()), cycles)

    def ledger(self, uid: int) -> tuple[LedgerEntry, ...]:
        """What a plugin has done and how it is undone, as a tree; () when it is gone."""
        return ledger_of(self.runtime, uid)

    async def end_plugin(self, uid: int, action: Literal["stop", "restart"]) -> Outcome:
        """Stop or restart a plugin; what is left of it is kept beside it, and given. Raises `NoSuchPlugin`."""
        facts = plugin_facts(self.runtime, scope_label, self._outcomes)
        known = next((fact for fact in facts if fact.uid == uid), None)
        if known is None:
            raise NoSuchPlugin("this plugin is gone already")
        fiber = fiber_of(self.runtime, uid)
        outcome = await end_plugin(self.runtime, uid, action)
        if action == "restart":
            self._outcomes[uid] = outcome
        else:
            self._outcomes.pop(uid, None)
            ended = replace(known, state="stopped", reason="", seconds=0.0, since=outcome.at, outcome=outcome)
            self._stopped[uid] = ended
            if fiber is not None:
                self._stopped_fibers[uid] = fiber
            while len(self._stopped) > _STOPPED:
                self._forget(next(iter(self._stopped)))
        return outcome

    async def start_plugin(self, uid: int) -> Outcome:
        """Load again a plugin that was stopped here; it has another uid then. Raises `NoSuchPlugin`."""
        fiber = self._stopped_fibers.get(uid)
        if fiber is None:
            raise NoSuchPlugin("only what was stopped here can be started again")
        loading = asyncio.ensure_future(start_plugin(fiber))
        self._forget(uid)
        outcome = await loading
        self._outcomes[outcome.uid] = outcome
        return outcome

    def _forget(self, uid: int) -> None:
        self._stopped.pop(uid, None)
        self._stopped_fibers.pop(uid, None)

    def _services(self) -> tuple[list[PromptService], list[ToolRegistry]]:
        values = [view.value for view in self.runtime.services()]
        prompts = [value for value in values if isinstance(value, PromptService)]
        return prompts, [value for value in values if isinstance(value, ToolRegistry)]

    def _of_prompt(self, layer: Layer, label: str, keys: Keys, shadows: Shadows) -> Iterator[Registration]:
        for name in _TABLES:
            yield from shadows.marked(self._tables.facts(getattr(layer, name), label, keys))

    def _of_tools(self, layer: ToolLayer, label: str, keys: Keys, shadows: Shadows) -> Iterator[Registration]:
        yield from shadows.marked(tool_layer_facts(layer, label, keys, self._sightings, self.runtime))


class _Layers:
    """Labels of layers. Two scopes of one name get numbers behind it."""

    def __init__(self, runtime: Runtime, scopes: Iterable[KnownScope]) -> None:
        self._links = runtime.scopes
        self._labels: dict[int, str] = {}
        self._keys: dict[str, ScopeKey | None] = {GLOBAL: None}
        self._notes: dict[str, str] = {}
        for scope in scopes:
            if scope.key is None:
                continue
            self._notes[self._take(scope.key, scope.label)] = scope.note
        self._known = set(self._keys)

    def add_all(self, scopes: Iterable[ScopeKey | None]) -> None:
        for scope in scopes:
            for key in self._links.chain(scope):
                self.label(key)

    def label(self, scope: ScopeKey | None) -> str:
        if scope is None:
            return GLOBAL
        return self._labels.get(id(scope)) or self._take(scope, scope_label(scope))

    def _take(self, scope: ScopeKey, wanted: str) -> str:
        label, number = wanted, 2
        while label in self._keys:
            label, number = f"{wanted} ({number})", number + 1
        self._labels[id(scope)] = label
        self._keys[label] = scope
        return label

    def chains(self) -> dict[str, tuple[ScopeKey | None, ...]]:
        """By label: the scope itself, those around it, and None for the global layer."""
        return {label: (*self._links.chain(key), None) for label, key in self._keys.items()}

    def facts(self) -> tuple[LayerFact, ...]:
        """The global layer, then each scope followed by those inside it."""
        facts = {
            label: LayerFact(
                label, tuple(self.label(key) for key in chain), self._notes.get(label, ""), label in self._known
            )
            for label, chain in self.chains().items()
        }
        inside: dict[str, list[LayerFact]] = {}
        for fact in facts.values():
            inside.setdefault(fact.parent, []).append(fact)

        def below(parent: str) -> Iterator[LayerFact]:
            for fact in inside.get(parent, ()):
                yield fact
                yield from below(fact.label)

        return tuple(below(""))


def _by_kind(registrations: list[Registration]) -> list[Registration]:
    return sorted(registrations, key=lambda each: _PLACES[each.key.kind])


_PLACES = {kind: place for place, kind in enumerate(KINDS)}
