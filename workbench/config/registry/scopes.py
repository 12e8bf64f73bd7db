"""The scopes of an opened composition, as the registry names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.config.registry.reading import KnownScope

if TYPE_CHECKING:
    from workbench.config.opened import OpenedComposition


def scopes_of(opened: OpenedComposition) -> list[KnownScope]:
    """The global layer, then every scope and agent."""
    return [KnownScope(view.label, view.key, "agent" if view.agent is not None else "") for view in opened.scopes]
