"""Facts of listeners: every event in the order in which its listeners are called.

Source: docs/registry.md 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from workbench.config.registry.code_places import place_of_code
from workbench.config.registry.facts import Registration
from workbench.config.registry.tables import Keys, Sightings
from workbench.prompt.owners import owner_of_listener

if TYPE_CHECKING:
    from workbench.core import Runtime
    from workbench.core.events import Listener
    from workbench.core.scopes import ScopeKey

FIRST = "system-prompt/assemble"
"""The event whose listeners people look for; it comes before all others."""
_OBSERVER = "workbench.tui."
"""Listeners of the screen itself are not part of what it shows."""


def listener_facts(
    runtime: Runtime,
    listeners: Mapping[str, tuple[Listener, ...]],
    label: Callable[[ScopeKey | None], str],
    keys: Keys,
    sightings: Sightings,
) -> Iterator[Registration]:
    """By event, in call order."""
    modes = runtime.events.declared_modes()
    for event in sorted(listeners, key=lambda name: (name != FIRST, name)):
        shown = [each for each in listeners[event] if not _is_observer(each)]
        for index, listener in enumerate(shown):
            yield Registration(
                keys.of("listener", listener.label, label(listener.scope), event),
                owner_of_listener(listener),
                position=index + 1,
                mode=modes.get(event, ""),
                is_everywhere=listener.everywhere,
                source=place_of_code(listener.function),
                since=sightings.since(listener),
            )


def _is_observer(listener: Listener) -> bool:
    return str(getattr(listener.function, "__module__", "")).startswith(_OBSERVER)
