"""Random programs over a runtime: what they are made of, how they run, and what must hold whatever they do."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import partial
from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st

from tests.support.plugins import Boom, Key
from tests.support.records import recording
from tests.support.registrations import CALM, REGISTRATIONS, Activation, unless_self
from workbench.core import Context, CoreError, Fiber, Runtime

PERMITTED = {
    "pending": {"loading", "disposing"},
    "loading": {"active", "disposing"},
    "active": {"disposing"},
    "failed": {"loading", "pending", "disposing"},
    "disposing": {"pending", "loading", "failed", "disposed"},
    "disposed": set(),
}
"""The state table of the specification: from, to."""

REFUSED, FAILING = 13, -1
"""Configs: the first does not validate, the second makes the plugin call raise."""


class Terse:
    """Prints only the fields that say something, so that a shrunk program can be read."""

    def __repr__(self) -> str:
        said = [
            f"{f.name}={getattr(self, f.name)!r}"
            for f in fields(self)  # type: ignore[arg-type]
            if getattr(self, f.name) != f.default
        ]
        return f"{type(self).__name__}({', '.join(said)})"


@dataclass(frozen=True, repr=False)
class Plugin(Terse):
    """A generated plugin: what its call registers, how long it takes and how it ends."""

    name: str = "p"
    inject: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    registers: tuple[str, ...] = ()
    seconds: float = 0
    awaits: str = ""
    """What the call waits for before it takes its seconds."""
    registers_late: tuple[str, ...] = ()
    """After the call has taken its seconds."""
    fails: bool = False
    child: Plugin | None = None


@dataclass(frozen=True, repr=False)
class Load(Terse):
    plugin: Plugin = Plugin()
    below: int = 0
    """0 is root; otherwise one of the fibers."""
    config: int = 1


@dataclass(frozen=True, repr=False)
class Ask(Terse):
    """Ask a fiber to dispose, restart or update; a waiter may be cancelled after some seconds."""

    what: str = "dispose"
    fiber: int = 0
    config: int = 1
    waits: float | None = None
    """None: nobody waits."""


@dataclass(frozen=True, repr=False)
class CallDisposer(Terse):
    which: int = 0


@dataclass(frozen=True, repr=False)
class RootService(Terse):
    """Root provides the name, or withdraws it if it does."""

    name: str = "a"


@dataclass(frozen=True, repr=False)
class Dispatch(Terse):
    """An event in some mode, in a task of its own that may be cancelled."""

    mode: str = "emit"
    target: int | None = None
    cancelled_after: float | None = None


@dataclass(frozen=True, repr=False)
class Wait(Terse):
    turns: int = 0
    seconds: float = 0


Step = Load | Ask | CallDisposer | RootService | Dispatch | Wait


@dataclass(frozen=True, repr=False)
class Program(Terse):
    base: tuple[Plugin, ...] = ()
    """Plugins that live before and after."""
    steps: tuple[Step, ...] = ()
    reload_base: bool = False
    """At the end the base is disposed and loaded again instead of restarted."""


# Strategies

SERVICES = ("a", "b", "x0", "x1")
MOMENTS = st.sampled_from([0, 0.3, 0.5, 1.2])
INDEX = st.integers(0, 7)
AWAITED = ("a neighbour's dispose", "a neighbour's restart", "withdrawals", "a child")


def tuples(elements: st.SearchStrategy[Any], size: int, at_least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(elements, min_size=at_least, max_size=size).map(tuple)


def plugins(registrations: tuple[str, ...], child: st.SearchStrategy[Plugin | None]) -> st.SearchStrategy[Plugin]:
    services = st.lists(st.sampled_from(SERVICES), max_size=2, unique=True).map(tuple)
    return st.builds(
        Plugin,
        name=st.sampled_from("pqr"),
        inject=services,
        provides=services,
        registers=tuples(st.sampled_from(registrations), 4),
        seconds=MOMENTS,
        awaits=st.sampled_from(["", "", "", *AWAITED]),
        registers_late=tuples(st.sampled_from(registrations), 2),
        fails=st.sampled_from([False, False, False, True]),
        child=child,
    )


ANY_PLUGIN = plugins(
    tuple(REGISTRATIONS), st.none() | plugins(tuple(REGISTRATIONS), st.none() | plugins(CALM, st.none()))
)


@st.composite
def bases(draw: st.DrawFn) -> tuple[Plugin, ...]:
    """Plugins that load without fail, each requiring only what an earlier one provides."""
    made: list[Plugin] = []
    for i in range(draw(st.integers(0, 3))):
        made.append(
            Plugin(
                name=f"base{i}",
                inject=(f"x{i - 1}",) if i and draw(st.booleans()) else (),
                provides=(f"x{i}",),
                registers=draw(tuples(st.sampled_from(CALM), 4)),
                seconds=draw(MOMENTS),
                child=Plugin(name=f"child{i}", inject=(f"x{i}",), registers=("listener",))
                if draw(st.booleans())
                else None,
            )
        )
    return tuple(made)


STEPS = st.one_of(
    st.builds(Load, plugin=ANY_PLUGIN, below=INDEX, config=st.sampled_from([1, 1, 2, FAILING, REFUSED])),
    st.builds(
        Ask,
        what=st.sampled_from(["dispose", "dispose", "restart", "update"]),
        fiber=INDEX,
        config=st.sampled_from([1, 2, FAILING, REFUSED]),
        waits=st.none() | MOMENTS,
    ),
    st.builds(CallDisposer, which=st.integers(0, 20)),
    st.builds(RootService, name=st.sampled_from(SERVICES)),
    st.builds(
        Dispatch,
        mode=st.sampled_from(["emit", "emit", "waterfall", "waterfall", "serial", "parallel"]),
        target=st.none() | st.integers(0, 2),
        cancelled_after=st.none() | MOMENTS,
    ),
    st.builds(Wait, turns=st.integers(0, 3)),
    st.builds(Wait, seconds=MOMENTS),
)

PROGRAMS = st.builds(
    Program,
    base=bases(),
    steps=st.integers(1, 24).flatmap(lambda size: tuples(STEPS, size, at_least=size // 2)),
    reload_base=st.booleans(),
)


# Running


@dataclass
class World:
    """One runtime, the fibers of one program, and what went wrong."""

    rt: Runtime
    base: list[Fiber] = field(default_factory=list)
    loaded: list[Fiber] = field(default_factory=list)
    tasks: list[asyncio.Task[Any]] = field(default_factory=list)
    activations: list[Activation] = field(default_factory=list)
    root_services: dict[str, Callable[[], Any]] = field(default_factory=dict)
    keys: list[Key] = field(default_factory=lambda: [Key(f"k{i}") for i in range(3)])
    violations: list[str] = field(default_factory=list)
    restarts_left: int = 5

    def __post_init__(self) -> None:
        self._states: dict[int, tuple[Fiber, str]] = {}
        self.rt.root.on("internal/status", self._check_transition)

    def _check_transition(self, fiber: Fiber, old: str) -> None:
        _, known = self._states.get(id(fiber), (fiber, "pending"))
        self._states[id(fiber)] = (fiber, str(fiber.state))
        if known != old or str(fiber.state) not in PERMITTED[str(old)]:
            self.violations.append(f"{fiber.name}: was {known}, then {old} → {fiber.state}")

    @property
    def fibers(self) -> list[Fiber]:
        return self.base + self.loaded

    def fiber(self, index: int) -> Fiber | None:
        return self.fibers[index % len(self.fibers)] if self.fibers else None

    def plugin(self, plugin: Plugin) -> SimpleNamespace:
        """The real plugin of a generated one."""

        def begin(ctx: Context) -> Activation:
            activation = Activation(self, ctx)
            self.activations.append(activation)
            for name in plugin.provides:
                ctx.provide(name, plugin.name)
            for what in plugin.registers:
                activation.register(what)
            if plugin.child is not None:
                ctx.plugin(self.plugin(plugin.child), 1)
            return activation

        def end(activation: Activation, config: int) -> None:
            for what in plugin.registers_late:
                activation.register(what)
            if plugin.fails or config == FAILING:
                raise Boom(plugin.name)

        def apply(ctx: Context, config: int) -> None:
            end(begin(ctx), config)

        async def slow_apply(ctx: Context, config: int) -> None:
            activation = begin(ctx)
            match plugin.awaits:
                case "a neighbour's dispose":
                    await unless_self(activation.neighbour().dispose())
                case "a neighbour's restart":
                    await activation.restart_neighbour()
                case "withdrawals":
                    for withdraw in list(self.root_services.values()):
                        await withdraw()
                case "a child":
                    await unless_self(ctx.plugin(self.plugin(Plugin(name="child", seconds=0.2)), 1))
            await asyncio.sleep(plugin.seconds)
            end(activation, config)

        def validate(config: int) -> int:
            if config == REFUSED:
                raise ValueError("refused")
            return config

        return SimpleNamespace(
            name=plugin.name,
            inject=["timer", *plugin.inject],
            provides=list(plugin.provides),
            Config=validate,
            apply=slow_apply if plugin.seconds or plugin.awaits else apply,
        )

    async def take(self, step: Step) -> None:
        match step:
            case Load():
                parent = self.fiber(step.below - 1) if step.below else None
                context = parent.context if parent else self.rt.root
                self.loaded.append(context.plugin(self.plugin(step.plugin), step.config))
            case Ask():
                await self._ask(step)
            case CallDisposer():
                live = [undo for activation in self.activations for undo in activation.undos if undo.disposer]
                if live:
                    live[step.which % len(live)].call()
            case RootService():
                withdraw = self.root_services.pop(step.name, None)
                if withdraw:
                    withdraw()
                else:
                    self.root_services[step.name] = self.rt.root.provide(step.name, "of root")
            case Dispatch():
                await self._dispatch(step)
            case Wait():
                for _ in range(step.turns):
                    await asyncio.sleep(0)
                if step.seconds:
                    await asyncio.sleep(step.seconds)

    async def _ask(self, step: Ask) -> None:
        fiber = self.fiber(step.fiber)
        if fiber is None:
            return
        if step.what == "update":
            task = self._start(lambda: fiber.update(step.config))
        else:
            asked = getattr(fiber, step.what)()
            if step.waits is None:
                return
            task = self._start(lambda: asked)
        if step.waits is not None:
            await self._cancel_after(task, step.waits)

    async def _dispatch(self, step: Dispatch) -> None:
        target = None if step.target is None else self.keys[step.target]
        if step.mode == "emit":
            self.rt.root.emit("ev", target=target)
            return
        event = "w" if step.mode == "waterfall" else "ev"
        dispatch = getattr(self.rt.root, step.mode)
        task = self._start(lambda: dispatch(event, target=target))
        if step.cancelled_after is not None:
            await self._cancel_after(task, step.cancelled_after)

    def _start(self, call: Callable[[], Awaitable[Any]]) -> asyncio.Task[Any]:
        self.tasks.append(asyncio.ensure_future(finish(call)))
        return self.tasks[-1]

    async def _cancel_after(self, task: asyncio.Task[Any], seconds: float) -> None:
        await asyncio.sleep(seconds)
        task.cancel()

    async def load_base(self, plugins: tuple[Plugin, ...]) -> None:
        for plugin in plugins:
            self.base.append(self.rt.root.plugin(self.plugin(plugin), 1))
            await self.base[-1]

    async def tidy(self, program: Program) -> None:
        """Dispose what the steps loaded, and activate the base anew, one after another."""
        for fiber in reversed(self.loaded):
            await fiber.dispose()
        for withdraw in self.root_services.values():
            await withdraw()
        await asyncio.sleep(60)
        if program.reload_base or any(fiber.state == "disposed" for fiber in self.base):
            for fiber in self.base:
                await fiber.dispose()
            self.base.clear()
            await self.load_base(program.base)
        for fiber in self.base:
            await finish(partial(fiber.update, 1))
            await fiber.restart()
        await asyncio.sleep(60)
        await self.rt.quiesce()


async def finish(call: Callable[[], Awaitable[Any]]) -> None:
    """Call and await it; errors that plugins and the runtime raise on purpose are fine."""
    try:
        await call()
    except (Boom, CoreError):
        pass
    except ExceptionGroup as group:
        if group.split((Boom, CoreError))[1] is not None:
            raise


async def run(program: Program) -> None:
    """Run the program between two snapshots, which must be equal."""
    with recording("asyncio") as complaints, recording("workbench.core") as logged:
        async with Runtime() as rt:
            world = World(rt)
            async with asyncio.timeout(10_000):
                await world.load_base(program.base)
                await world.tidy(Program(base=program.base))
                before = rt.snapshot()
                for step in program.steps:
                    try:
                        await world.take(step)
                    except (Boom, CoreError):
                        pass
                await asyncio.gather(*cancelled(world.tasks), return_exceptions=True)
                await world.tidy(program)
            assert rt.snapshot().decode() == before.decode()
            assert rt.waiting() == []
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    gc.collect(0)
    assert left == []
    assert [v for activation in world.activations for v in activation.violations()] + world.violations == []
    assert complaints.messages == []
    strange = [r.exc_info[1] for r in logged.records if r.exc_info and not isinstance(r.exc_info[1], EXPECTED)]
    assert strange == []


EXPECTED = (Boom, CoreError, ValueError)


def cancelled(tasks: list[asyncio.Task[Any]]) -> Iterator[asyncio.Task[Any]]:
    for task in tasks:
        task.cancel()
        yield task
