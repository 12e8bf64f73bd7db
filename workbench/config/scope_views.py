"""The layers of a composition, and the keys under which the runtime knows them.

Source: docs/compositions.md 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.config.checks import GLOBAL_LABEL
from workbench.config.model import AgentEntry, CompositionEntries, ScopeEntry
from workbench.config.stand_in import NamedScope, StandInAgent


@dataclass(frozen=True, slots=True)
class ScopeView:
    """A layer that an assembly can be made for."""

    label: str
    key: object | None
    """None for the global layer."""
    parent_label: str | None
    """The layer around it; None for the global one."""
    agent: AgentEntry | None = None

    @property
    def around(self) -> str | None:
        """Label of the scope around it; None when that is the global layer."""
        return None if self.parent_label == GLOBAL_LABEL else self.parent_label


def scope_views(entries: CompositionEntries, present: Iterable[ScopeView] = ()) -> tuple[ScopeView, ...]:
    """The global layer, then every scope and agent, each followed by those inside it.

    Those that are `present` under the same name keep their keys.
    """
    keys = {(view.agent is not None, view.label): view.key for view in present}
    return (ScopeView(GLOBAL_LABEL, None, None), *_views_inside(entries, None, keys))


def take_facts(views: Iterable[ScopeView]) -> None:
    """Let the agents be what their entries say: keys that were kept may stand for edited ones."""
    for view in views:
        if isinstance(view.key, StandInAgent) and view.agent is not None:
            agent = view.agent
            view.key.model, view.key.provider = agent.model, agent.provider
            view.key.cwd, view.key.parent = agent.cwd, agent.parent


def _views_inside(
    entries: CompositionEntries, scope: str | None, keys: dict[tuple[bool, str], object | None]
) -> Iterator[ScopeView]:
    parent = GLOBAL_LABEL if scope is None else scope
    for entry in entries.every_scope:
        if entry.scope == scope:
            agent = entry if isinstance(entry, AgentEntry) else None
            key = keys.get((agent is not None, entry.name)) or _new_key(entry)
            yield ScopeView(entry.name, key, parent, agent)
            yield from _views_inside(entries, entry.name, keys)


def _new_key(entry: ScopeEntry | AgentEntry) -> object:
    return StandInAgent(entry.name) if isinstance(entry, AgentEntry) else NamedScope(entry.name)
