"""Two runtimes compared by what is in them, whatever came first."""

from __future__ import annotations

import json
from typing import Any


def in_any_order(snapshot: bytes) -> Any:
    """A snapshot without the order in which things were registered. Listeners keep theirs: it decides."""
    described = json.loads(snapshot)
    for fiber in described["fibers"]:
        fiber["effects"] = _sorted(fiber["effects"])
    described["fibers"] = _sorted(described["fibers"])
    described["registries"] = {
        name: _sorted([{key: _sorted(value) for key, value in layer.items()} for layer in layers])
        for name, layers in described.get("registries", {}).items()
    }
    for name, listeners in described["listeners"].items():
        if name.endswith("/change"):
            described["listeners"][name] = _sorted(listeners)
    return described


def _sorted(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return sorted(map(_sorted, value), key=lambda each: json.dumps(each, sort_keys=True))
