"""Rings: fibers that wait for one another's services, and so for ever.

A ring is a state and not an error; views show it.

Source: docs/runtime.md 4.
"""

from __future__ import annotations

from collections.abc import Iterable

from workbench.core.fiber import Fiber, FiberState


def rings_among(fibers: Iterable[Fiber]) -> list[tuple[Fiber, ...]]:
    """Each ring once, from declared `provides` and from what fibers have provided before."""
    providers: dict[str, list[Fiber]] = {}
    pending = [fiber for fiber in fibers if fiber.state == FiberState.PENDING]
    for fiber in pending:
        for name in {*fiber.code.provides, *fiber.has_provided}:
            providers.setdefault(name, []).append(fiber)
    rings: dict[frozenset[Fiber], tuple[Fiber, ...]] = {}
    for start in pending:
        ring = _ring_through(start, providers)
        if ring is not None:
            rings.setdefault(frozenset(ring), ring)
    return list(rings.values())


def _ring_through(start: Fiber, providers: dict[str, list[Fiber]]) -> tuple[Fiber, ...] | None:
    """The shortest ring of waiting fibers that `start` is in."""
    paths: list[tuple[Fiber, ...]] = [(start,)]
    seen: set[Fiber] = set()
    while paths:
        path = paths.pop(0)
        for name in path[-1].missing:
            for provider in providers.get(name, ()):
                if provider is start:
                    return path
                if provider not in seen:
                    seen.add(provider)
                    paths.append((*path, provider))
    return None
