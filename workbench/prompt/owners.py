"""Owners: the plugin that a registration belongs to, and the class of owner that a person sees.

Source: docs/prompt-assembly.md 15.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, get_args

from workbench.prompt.views import Owner, OwnerKind

if TYPE_CHECKING:
    from workbench.core import Fiber
    from workbench.core.events import Listener
    from workbench.prompt.contributions import Contribution

_KINDS = get_args(OwnerKind)
PERSONA = "deployment:persona"


def owner_of(contribution: Contribution) -> Owner:
    """The owner of a contribution. The persona is the deployment's, whoever registers it."""
    fiber = contribution.ledger.fiber
    if contribution.name == PERSONA and contribution.kind == "section":
        return Owner("deployment", fiber.uid or 0, "deployment")
    return owner_of_fiber(fiber)


def owner_of_listener(listener: Listener) -> Owner:
    return owner_of_fiber(listener.ledger.fiber)


def owner_of_fiber(fiber: Fiber) -> Owner:
    """A plugin says with an attribute `owner_kind` when it is more than a plugin."""
    kind = getattr(fiber.code.plugin, "owner_kind", "plugin")
    return Owner(fiber.name, fiber.uid or 0, cast(OwnerKind, kind) if kind in _KINDS else "plugin")
