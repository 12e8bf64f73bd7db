"""Which entries hide which, for every scope: the nearest layer wins a name.

Source: docs/prompt-assembly.md 4 and 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from workbench.config.registry.facts import GLOBAL, Registration

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey
    from workbench.prompt.service import PromptService
    from workbench.tools.registry import ToolRegistry

Chains = Mapping[str, tuple["ScopeKey | None", ...]]
_Place = tuple[str, str, str]
"""Kind, name, layer."""


@dataclass(slots=True)
class Shadows:
    """What has to be noted beside which entry. Nearly all entries have nothing."""

    shadowed_in: dict[_Place, list[str]] = field(default_factory=dict)
    shadows: dict[_Place, list[str]] = field(default_factory=dict)
    denied_in: dict[_Place, list[str]] = field(default_factory=dict)

    def marked(self, registrations: Iterable[Registration]) -> Iterator[Registration]:
        """The same registrations, with what is known of them."""
        if not (self.shadowed_in or self.shadows or self.denied_in):
            yield from registrations
            return
        for each in registrations:
            place = (each.key.kind, each.key.name, each.key.layer)
            if place in self.shadowed_in or place in self.shadows or place in self.denied_in:
                yield replace(
                    each,
                    shadowed_in=tuple(self.shadowed_in.get(place, ())),
                    shadows=tuple(self.shadows.get(place, ())),
                    denied_in=tuple(self.denied_in.get(place, ())),
                )
            else:
                yield each


def shadows_among(chains: Chains, prompts: Iterable[PromptService], tools: Iterable[ToolRegistry]) -> Shadows:
    """For all scopes. `chains`: by label, the scope's key first."""
    found = Shadows()
    labels = {id(chain[0]): label for label, chain in chains.items() if chain[0] is not None}
    for prompt in prompts:
        for kind, attribute in (("section", "sections"), ("context", "contexts"), ("variable", "variables")):
            names = {
                id(layer.scope): getattr(layer, attribute).entries
                for layer in prompt.layers
                if getattr(layer, attribute).entries
            }
            _note(found, kind, chains, labels, names)
    for registry in tools:
        names = {id(layer.scope): layer.tools for layer in registry.layers() if layer.tools}
        _note(found, "tool", chains, labels, names)
        _note_denied(found, chains, labels, registry)
    return found


def _note(
    found: Shadows, kind: str, chains: Chains, labels: Mapping[int, str], tables: Mapping[int, Mapping[Any, Any]]
) -> None:
    everywhere = id(None)
    scoped = {name for key, table in tables.items() if key != everywhere for name in table}
    if not scoped:
        return
    for scope, chain in chains.items():
        winners: dict[Any, str] = {}
        for key in chain:
            table = tables.get(id(key), {})
            layer = GLOBAL if key is None else labels[id(key)]
            for name in scoped if key is None else table:
                if name not in table:
                    continue
                winner = winners.setdefault(name, layer)
                if winner != layer:
                    found.shadowed_in.setdefault((kind, name, layer), []).append(scope)
                    hidden = found.shadows.setdefault((kind, name, winner), [])
                    if layer not in hidden:
                        hidden.append(layer)


def _note_denied(found: Shadows, chains: Chains, labels: Mapping[int, str], registry: ToolRegistry) -> None:
    """Tools that a scope would see if it were not for a restriction."""
    restricting = {id(layer.scope) for layer in registry.layers() if layer.restrictions}
    for scope, chain in chains.items():
        if not any(id(key) in restricting for key in chain):
            continue
        visible = registry.visible(chain[0])
        for layer in registry.layers():
            if any(layer.scope is key for key in chain):
                label = GLOBAL if layer.scope is None else labels[id(layer.scope)]
                for name in layer.tools:
                    if name not in visible:
                        found.denied_in.setdefault(("tool", name, label), []).append(scope)
