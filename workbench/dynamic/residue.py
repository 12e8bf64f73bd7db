"""The proof that a stop has left nothing: the runtime is searched for what the run still owns.

Whole snapshots from before and after are not compared: others have gone on meanwhile.

Source: docs/dynamic-packages.md 8.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.core import Fiber
from workbench.core.calls import Running

if TYPE_CHECKING:
    from workbench.dynamic.run import Run


@dataclass(frozen=True, slots=True)
class Left:
    """Something that is still there."""

    kind: str
    """`fiber`, `service`, `listener`, `effect`, `call`, `section`, `context`, `variable`, `tools`, `handler`."""
    name: str


@dataclass(frozen=True, slots=True)
class Residue:
    """What was found after an undo."""

    run: str
    at: float
    """`time.time()`."""
    searched: int
    """How many entries of the runtime were looked at."""
    left: tuple[Left, ...] = ()

    @property
    def is_clean(self) -> bool:
        return not self.left

    @property
    def words(self) -> str:
        if not self.left:
            return "nothing left"
        return "left: " + ", ".join(f"{each.kind} {each.name}" for each in self.left)


def residue_of(run: Run, spared: set[Running]) -> Residue:
    """Search everything that a fiber can own, for the run's fiber and those below it; exempt calls aside."""
    found: list[Left] = [Left("handler", name) for name in run.handlers]
    searched = len(run.handlers)
    fiber = run.fiber
    if fiber is not None:
        for kind, name, owner in _entries(run, spared):
            searched += 1
            if owner is fiber or fiber.is_ancestor_of(owner):
                found.append(Left(kind, name))
    return Residue(run.id, time.time(), searched, tuple(found))


def _entries(run: Run, spared: set[Running]) -> Iterator[tuple[str, str, Fiber]]:
    runtime = run.service.runtime
    own = run.fiber
    assert own is not None
    for fiber in runtime.fibers():
        yield "fiber", fiber.name, fiber
    for fiber in (*runtime.fibers(), own):
        for node in fiber.effects():
            yield "effect", node.label, fiber
        for call in fiber.activation.calls:
            if call not in spared:
                yield "call", call.label, fiber
    for entry in runtime.services_table.entries():
        yield "service", entry.key[0], entry.ledger.fiber
    for event, listeners in runtime.events.all_listeners().items():
        for listener in listeners:
            yield "listener", f"{listener.label} on {event}", listener.ledger.fiber
    for dispatch in runtime.dispatches:
        for listener in dispatch.entered:
            if dispatch not in spared:
                yield "call", dispatch.label, listener.ledger.fiber
    yield from _registered(run.service.prompt, run.service.tools)


def _registered(prompt: Any, tools: Any) -> Iterator[tuple[str, str, Fiber]]:
    for layer in prompt.layers:
        for kind in ("sections", "contexts", "variables", "tools", "suppressors"):
            for entry in getattr(layer, kind):
                yield kind.removesuffix("s"), entry.name, entry.ledger.fiber
    for layer in tools.layers():
        for tool in layer.tools.values():
            yield "tool", tool.name, tool.ledger.fiber
        for guard in layer.guards:
            yield "guard", guard.label, guard.ledger.fiber
