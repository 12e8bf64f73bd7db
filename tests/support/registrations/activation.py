"""One plugin call of a random program, what it registers by name, and the record of how it was undone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support.plugins import Boom
from workbench.core import Context, CoreError

if TYPE_CHECKING:
    from tests.support.program_world import World

FOREVER = 100_000


@dataclass
class Undo:
    """One disposer that was handed to the runtime."""

    number: int
    label: str
    times: int = 0
    by_hand: bool = False
    disposer: Callable[[], Any] | None = None
    """What undoes the whole effect."""

    def call(self) -> None:
        self.by_hand = True
        assert self.disposer is not None
        self.disposer()


@dataclass
class Activation:
    """One plugin call of a random program, and everything that it registers."""

    world: World
    ctx: Context
    registered: int = 0
    undos: list[Undo] = field(default_factory=list)
    order: list[Undo] = field(default_factory=list)
    """As they were undone."""
    entered_too_late: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.fiber = self.ctx.fiber

    def register(self, what: str) -> None:
        self.registered += 1
        self.world.registrations[what](self, self.ctx)

    def effect(self, label: str, body: Callable[[], Any]) -> None:
        """An effect whose disposer the program may call by hand."""
        first = len(self.undos)
        disposer = self.ctx.effect(body, label)
        for undo in self.undos[first : first + 1]:
            undo.disposer = disposer

    def disposer(
        self, label: str, seconds: float = 0, fails: bool = False, does: Callable[[], Any] | None = None
    ) -> Callable[[], Any]:
        undo = Undo(len(self.undos), label)
        self.undos.append(undo)

        def now() -> None:
            undo.times += 1
            self.order.append(undo)
            if does:
                does()
            if fails and not seconds:
                raise Boom(label)

        async def slowly() -> None:
            now()
            await asyncio.sleep(seconds)
            if fails:
                raise Boom(label)

        return slowly if seconds else now

    def enter(self, label: str) -> None:
        """Every listener and callback of a timer begins with this."""
        if self.fiber.state not in ("loading", "active"):
            self.entered_too_late.append(f"{self.fiber.name}: {label} entered while {self.fiber.state}")

    def neighbour(self) -> Any:
        """Another fiber of the program, if there is one, else one's own."""
        others = [fiber for fiber in self.world.loaded if fiber is not self.fiber]
        return others[len(self.world.activations) % len(others)] if others else self.fiber

    async def restart_neighbour(self) -> None:
        """A few times in all: plugins that restart each other would never come to an end."""
        if self.world.restarts_left:
            self.world.restarts_left -= 1
            await unless_self(self.neighbour().restart())

    def violations(self) -> list[str]:
        """What the runtime did wrong with this activation, which is over."""
        wrong = list(self.entered_too_late)
        wrong += [f"{undo.label} was undone {undo.times} times" for undo in self.undos if undo.times != 1]
        in_order = [undo.number for undo in self.order if not undo.by_hand and undo.label in IN_ORDER]
        if in_order != sorted(in_order, reverse=True):
            wrong.append(f"undone in the order {in_order}")
        return wrong


IN_ORDER = {"disposer", "slow disposer", "failing disposer", "slow failing disposer"}
"""Effects of one disposer that nothing but the ledger, or a call by hand, undoes."""

Registration = Callable[[Activation, Context], None]
REGISTRATIONS: dict[str, Registration] = {}
CALM_NAMES: list[str] = []


def registration(name: str, calm: bool = False) -> Callable[[Registration], Registration]:
    def add(function: Registration) -> Registration:
        REGISTRATIONS[name] = function
        if calm:
            CALM_NAMES.append(name)
        return function

    return add


async def unless_self(awaitable: Awaitable[Any]) -> None:
    """Await it; that it would wait for the awaiting code itself is fine."""
    try:
        await awaitable
    except CoreError as error:
        if error.code != "SELF_AWAIT":
            raise
