"""What the plugins of random programs register, by name, and the record of how it was undone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support.plugins import Boom, P
from workbench.core import Context, CoreError, Event, create_scope

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
CALM: tuple[str, ...] = ()
"""Registrations whose presence does not depend on what happened before."""


def registration(name: str, calm: bool = False) -> Callable[[Registration], Registration]:
    def add(function: Registration) -> Registration:
        global CALM
        REGISTRATIONS[name] = function
        if calm:
            CALM += (name,)
        return function

    return add


# Listeners


@registration("listener", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.on("ev", lambda: at.enter("listener"))


@registration("prepended", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.on("ev", lambda: at.enter("prepended"), prepend=True, everywhere=True)


@registration("once")
def _(at: Activation, ctx: Context) -> None:
    ctx.once("ev", lambda: at.enter("once"))


@registration("slow listener", calm=True)
def _(at: Activation, ctx: Context) -> None:
    async def listener() -> None:
        at.enter("slow listener")
        await asyncio.sleep(0.7)

    ctx.on("ev", listener)


@registration("stubborn listener")
def _(at: Activation, ctx: Context) -> None:
    async def listener() -> None:
        at.enter("stubborn listener")
        try:
            await asyncio.sleep(0.7)
        except asyncio.CancelledError:
            await asyncio.sleep(0.4)
            raise

    ctx.on("ev", listener)


@registration("failing listener")
def _(at: Activation, ctx: Context) -> None:
    def listener() -> None:
        at.enter("failing listener")
        raise Boom("listener")

    ctx.on("ev", listener)


@registration("contained listener", calm=True)
def _(at: Activation, ctx: Context) -> None:
    def listener() -> None:
        at.enter("contained listener")
        raise SystemExit(3)

    ctx.on("ev", listener, contained=True)


@registration("self-disposing listener")
def _(at: Activation, ctx: Context) -> None:
    async def listener() -> None:
        at.enter("self-disposing listener")
        await at.fiber.dispose()

    ctx.on("ev", listener)


# Waterfall listeners


@registration("passing", calm=True)
def _(at: Activation, ctx: Context) -> None:
    def listener(next: Any) -> Any:
        at.enter("passing")
        return next()

    ctx.on("w", listener)


@registration("slowly passing", calm=True)
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        at.enter("slowly passing")
        await asyncio.sleep(0.4)
        await next()
        await asyncio.sleep(0.4)

    ctx.on("w", listener)


@registration("forgetting")
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        next()

    ctx.on("w", listener)


@registration("asking twice")
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        await next()
        await next()

    ctx.on("w", listener)


@registration("disposing in a waterfall")
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        await next()
        await at.fiber.dispose()

    ctx.on("w", listener)


@registration("restarting in a waterfall")
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        await next()
        await at.fiber.restart()
        ctx.on("late", lambda: None)

    ctx.on("w", listener)


@registration("disposing a neighbour")
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        await at.neighbour().dispose()
        await next()

    ctx.on("w", listener)


# Effects


@registration("disposer", calm=True)
def _(at: Activation, ctx: Context) -> None:
    at.effect("disposer", lambda: at.disposer("disposer"))


@registration("slow disposer", calm=True)
def _(at: Activation, ctx: Context) -> None:
    at.effect("slow disposer", lambda: at.disposer("slow disposer", 0.6))


@registration("failing disposer", calm=True)
def _(at: Activation, ctx: Context) -> None:
    at.effect("failing disposer", lambda: at.disposer("failing disposer", fails=True))


@registration("slow failing disposer", calm=True)
def _(at: Activation, ctx: Context) -> None:
    at.effect("slow failing disposer", lambda: at.disposer("slow failing disposer", 0.6, fails=True))


@registration("emitting disposer")
def _(at: Activation, ctx: Context) -> None:
    at.effect("emitting disposer", lambda: at.disposer("emitting", does=lambda: at.world.rt.root.emit("ev")))


@registration("registering disposer")
def _(at: Activation, ctx: Context) -> None:
    at.effect(
        "registering disposer",
        lambda: at.disposer("registering", does=lambda: ctx.on("late", lambda: None)),
    )


@registration("asking disposer")
def _(at: Activation, ctx: Context) -> None:
    def ask() -> None:
        at.neighbour().dispose()

    at.effect("asking disposer", lambda: at.disposer("asking", does=ask))


async def unless_self(awaitable: Awaitable[Any]) -> None:
    """Await it; that it would wait for the awaiting code itself is fine."""
    try:
        await awaitable
    except CoreError as error:
        if error.code != "SELF_AWAIT":
            raise


@registration("disposer that awaits its own fiber")
def _(at: Activation, ctx: Context) -> None:
    ctx.effect(lambda: lambda: unless_self(at.fiber.dispose()), "awaits its own fiber")


@registration("disposer that awaits a neighbour's dispose")
def _(at: Activation, ctx: Context) -> None:
    ctx.effect(lambda: lambda: unless_self(at.neighbour().dispose()), "disposes a neighbour")


@registration("disposer that awaits a neighbour's restart")
def _(at: Activation, ctx: Context) -> None:
    ctx.effect(lambda: at.restart_neighbour, "restarts a neighbour")


@registration("listener that awaits withdrawals")
def _(at: Activation, ctx: Context) -> None:
    async def listener(next: Any) -> Any:
        for withdraw in list(at.world.root_services.values()):
            await withdraw()
        await next()

    ctx.on("w", listener)


@registration("generator", calm=True)
def _(at: Activation, ctx: Context) -> None:
    def body() -> Iterator[Any]:
        yield at.disposer("generator")
        yield ctx.on("ev", lambda: at.enter("generator"))
        yield ctx.effect(lambda: at.disposer("nested", 0.2), "nested")

    at.effect("generator", body)


@registration("failing generator")
def _(at: Activation, ctx: Context) -> None:
    def body() -> Iterator[Any]:
        yield at.disposer("failing generator")
        yield ctx.on("ev", lambda: at.enter("failing generator"))
        raise Boom("generator")

    ctx.effect(body, "failing generator")


@registration("slow generator", calm=True)
def _(at: Activation, ctx: Context) -> None:
    async def body() -> AsyncIterator[Any]:
        yield at.disposer("slow generator")
        await asyncio.sleep(0.4)
        yield at.disposer("slow generator", 0.2)
        await asyncio.sleep(0.4)
        yield at.disposer("slow generator")

    ctx.effect(body, "slow generator")


@registration("slow failing generator")
def _(at: Activation, ctx: Context) -> None:
    async def body() -> AsyncIterator[Any]:
        yield at.disposer("slow failing generator", 0.2)
        await asyncio.sleep(0.4)
        raise Boom("slow generator")

    ctx.effect(body, "slow failing generator")


@registration("slow set-up", calm=True)
def _(at: Activation, ctx: Context) -> None:
    async def body() -> Any:
        await asyncio.sleep(0.4)
        return at.disposer("slow set-up", 0.2)

    ctx.effect(body, "slow set-up")


@registration("set-up that awaits its own fiber")
def _(at: Activation, ctx: Context) -> None:
    async def body() -> Any:
        await asyncio.sleep(0.4)
        await at.fiber.dispose()
        return at.disposer("late", 0.2)

    ctx.effect(body, "self-disposing set-up")


@registration("body that disposes its scope")
def _(at: Activation, ctx: Context) -> None:
    scope = create_scope(ctx, at.world.keys[0])

    def body() -> Any:
        scope.dispose()
        return at.disposer("in a gone scope", 0.2)

    scope.ctx.effect(body, "in a gone scope")


# Timers and tasks


@registration("timeout")
def _(at: Activation, ctx: Context) -> None:
    ctx.timeout(lambda: at.enter("timeout"), 0.4)


@registration("late timeout", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.timeout(lambda: at.enter("late timeout"), FOREVER)


@registration("interval", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.interval(lambda: at.enter("interval"), 20)


@registration("slow timer")
def _(at: Activation, ctx: Context) -> None:
    async def callback() -> None:
        at.enter("slow timer")
        await asyncio.sleep(0.7)

    ctx.timeout(callback, 0.2)


@registration("task", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.task(asyncio.Event().wait(), "task")


@registration("stubborn task")
def _(at: Activation, ctx: Context) -> None:
    async def task() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0.4)

    ctx.task(task(), "stubborn task")


@registration("failing task")
def _(at: Activation, ctx: Context) -> None:
    async def task() -> None:
        await asyncio.sleep(0.2)
        raise Boom("task")

    ctx.task(task(), "failing task")


@registration("waiting task", calm=True)
def _(at: Activation, ctx: Context) -> None:
    async def task() -> None:
        async for _turn in ctx.interval(20):
            await asyncio.sleep(0.1)

    ctx.task(task(), "waiting task")


@registration("self-disposing task")
def _(at: Activation, ctx: Context) -> None:
    async def task() -> None:
        await asyncio.sleep(0.3)
        await at.fiber.dispose()

    ctx.task(task(), "self-disposing task")


@registration("self-restarting task")
def _(at: Activation, ctx: Context) -> None:
    async def task() -> None:
        await asyncio.sleep(0.9)
        await at.fiber.restart()

    ctx.task(task(), "self-restarting task")


# Services, scopes, declarations


@registration("isolated service", calm=True)
def _(at: Activation, ctx: Context) -> None:
    isolated = ctx.isolate("a")
    isolated.provide("a", "isolated")
    isolated.plugin(P("in isolation", inject=["a"]))


@registration("labelled service")
def _(at: Activation, ctx: Context) -> None:
    ctx.isolate("a", "label").provide("a", "labelled")


@registration("withdrawn service", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.provide("short_lived", 1)()


@registration("scope", calm=True)
def _(at: Activation, ctx: Context) -> None:
    scope = create_scope(ctx, at.world.keys[0])
    scope.ctx.on("ev", lambda: at.enter("scoped"))
    scope.ctx.plugin(P("in a scope"))


@registration("bound scope")
def _(at: Activation, ctx: Context) -> None:
    create_scope(ctx, at.world.keys[1], parent=at.world.keys[2]).ctx.on("ev", lambda: at.enter("bound"))


@registration("bound the other way")
def _(at: Activation, ctx: Context) -> None:
    create_scope(ctx, at.world.keys[2], parent=at.world.keys[1]).ctx.on("ev", lambda: at.enter("bound"))


@registration("declaration", calm=True)
def _(at: Activation, ctx: Context) -> None:
    ctx.declare(Event("declared", "serial"))


@registration("contrary declaration")
def _(at: Activation, ctx: Context) -> None:
    ctx.declare(Event("declared", "emit"))
