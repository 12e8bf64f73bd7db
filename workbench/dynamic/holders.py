"""Who has a name that a package could not take.

Source: docs/dynamic-packages.md 4 and 12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.dynamic.package import Package
    from workbench.dynamic.service import DynamicPackages


def holder_named_in(message: str, asking: Package, service: DynamicPackages) -> Package | None:
    """The live package that a message about a taken name speaks of."""
    if "already" not in message:
        return None
    for fiber, run in service.runs_by_fiber.items():
        if run.package is not asking and repr(fiber.name) in message:
            return run.package
    return _holder_of_entry(message, asking, service)


def _holder_of_entry(message: str, asking: Package, service: DynamicPackages) -> Package | None:
    """The registry of prompts names no owner in its refusal: look who has that entry."""
    for layer in service.prompt.layers:
        for kind in ("sections", "contexts", "variables"):
            for entry in getattr(layer, kind):
                run = service.runs_by_fiber.get(entry.ledger.fiber)
                if run is not None and run.package is not asking and f" {entry.name!r} is already" in message:
                    return run.package
    return None
