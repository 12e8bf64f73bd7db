"""The order in which plugins were loaded, which is the order in which listeners are called.

Source: docs/compositions.md 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.core import Fiber

ANY_ORDER = frozenset({"emit", "parallel"})
"""Modes of events whose listeners do not see each other's results."""


class LoadOrder:
    """When each plugin was loaded last, as far as it matters: before or after another one."""

    def __init__(self) -> None:
        self._loads: dict[Fiber, tuple[object, int]] = {}
        self._count = 0

    def note(self, fiber: Fiber) -> None:
        """The fiber has just been made."""
        self._count += 1
        self._loads[fiber] = fiber.activation, self._count

    def out_of_order(self, fibers: Sequence[Fiber]) -> set[Fiber]:
        """Those that would listen later if all were loaded in the order given."""
        self._loads = {fiber: self._loads[fiber] for fiber in fibers}
        for fiber in fibers:
            if self._loads[fiber][0] is not fiber.activation:
                self.note(fiber)  # The runtime has restarted it, with a service that it needs.
        late: set[Fiber] = set()
        latest: dict[str, int] = {}
        for fiber, events in _listening(fibers).items():
            load = self._loads[fiber][1]
            if any(latest.get(event, 0) > load for event in events):
                late.add(fiber)
                load = self._count + 1
            for event in events:
                latest[event] = max(load, latest.get(event, 0))
        return late


def _listening(fibers: Iterable[Fiber]) -> dict[Fiber, set[str]]:
    """The events that each plugin and its children listen to, of those in which the order counts."""
    heard: dict[Fiber, set[str]] = {fiber: set() for fiber in fibers}
    runtime = next((fiber.runtime for fiber in heard), None)
    if runtime is None:
        return heard
    modes = runtime.events.declared_modes()
    for name, listeners in runtime.events.all_listeners().items():
        if modes.get(name) in ANY_ORDER:
            continue
        for listener in listeners:
            around: Fiber | None = listener.ledger.fiber
            while around is not None and around not in heard:
                around = around.parent
            if around is not None:
                heard[around].add(name)
    return heard
