"""What exists now, as canonical JSON: the measure of *nothing is left*.

Counters and addresses are left out, so that equal programs give equal bytes.

Source: docs/runtime.md 10.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from workbench.core.effects import EffectNode
from workbench.core.scopes import scope_label

if TYPE_CHECKING:
    from workbench.core.fiber import Fiber
    from workbench.core.runtime import Runtime


def snapshot_of(runtime: Runtime) -> bytes:
    """Fibers, services, listeners, calls, ledgers, scopes, and what registries describe."""
    fibers = (runtime.root_fiber, *runtime.fibers())
    described: dict[str, Any] = {
        "fibers": [_fiber(fiber) for fiber in fibers],
        "services": sorted([view.name, view.label, view.provider] for view in runtime.services()),
        "listeners": {
            name: [[each.ledger.fiber.name, each.label, scope_label(each.scope)] for each in listeners]
            for name, listeners in runtime.events.all_listeners().items()
        },
        "events": runtime.events.declared_modes(),
        "dispatches": sorted(dispatch.label for dispatch in runtime.dispatches),
        "scopes": runtime.scopes.described(),
    }
    for view in runtime.services():
        if callable(describe := getattr(view.value, "describe", None)):
            described.setdefault("registries", {})[f"{view.name} {view.label}".strip()] = describe()
    return json.dumps(described, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _fiber(fiber: Fiber) -> dict[str, Any]:
    return {
        "name": fiber.name,
        "state": str(fiber.state),
        "parent": None if fiber.parent is None else fiber.parent.name,
        "calls": sorted(call.label for call in fiber.activation.calls),
        "effects": [_node(node) for node in fiber.effects()],
    }


def _node(node: EffectNode) -> Any:
    return [node.label, [_node(child) for child in node.children]] if node.children else node.label
