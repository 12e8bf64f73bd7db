"""Activations: the ledger of one time that a fiber was loaded.

Source: docs/runtime.md 3 and 6.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import TYPE_CHECKING

from workbench.core.calls import Call, Running
from workbench.core.effects import Effect
from workbench.core.services import ServiceEntry, ServiceKey

if TYPE_CHECKING:
    from workbench.core.fiber import Fiber
    from workbench.core.runtime import Runtime
    from workbench.core.waitpoints import Waitpoint


class Activation(Effect):
    """The ledger of one activation of a fiber. Contexts, listeners, services and calls point here."""

    __slots__ = ("calls", "closed", "fiber", "ground", "outer", "provided", "runtime")

    def __init__(self, fiber: Fiber, ground: dict[str, ServiceEntry]) -> None:
        super().__init__(self, fiber.name, None)
        self.parts = {}
        self.runtime: Runtime = fiber.runtime
        self.fiber = fiber
        self.closed = False
        """True from the moment in which the undo begins: nothing more can be registered."""
        self.ground = ground
        """The required services, as they were when the load began. Readable until the undo has ended."""
        self.provided: dict[ServiceKey, ServiceEntry] = {}
        self.calls: dict[Call, None] = {}
        entry = fiber.entry
        parent = None if entry is None else entry.ledger
        self.outer: Activation | None = None if parent is None or parent.fiber.is_root else parent
        """The activation in which this fiber was loaded; None below root."""

    def holds_calls(self, spared: set[Running]) -> bool:
        """Whether plugin code of this activation is running that the undo has to wait for."""
        if any(call not in spared for call in self.calls):
            return True
        return any(dispatch.holds(self) and dispatch not in spared for dispatch in self.runtime.dispatches)


class FiberEntry(Effect):
    """The effect of having loaded a plugin; its undo is the end of the fiber."""

    __slots__ = ("fiber",)

    def __init__(self, home: Effect, fiber: Fiber) -> None:
        super().__init__(home.ledger, f"plugin {fiber.name}", home)
        self.fiber = fiber

    def __call__(self) -> Awaitable[None]:
        return self.fiber.dispose()

    def end_point(self) -> Waitpoint:
        return self.fiber.point


def wake_watchers(entries: Iterable[ServiceEntry]) -> None:
    """Somebody does not stand on these entries any more: their undos look again."""
    for entry in list(entries):
        for point in entry.watchers:
            point.notify()


def running_label(activation: Activation) -> str:
    labels = [call.label for call in activation.calls]
    labels += [dispatch.label for dispatch in activation.runtime.dispatches if dispatch.holds(activation)]
    return "running: " + ", ".join(labels)
