"""How random programs run, and what must hold whatever they do."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any, ClassVar

from tests.support.clock import ClockLoop
from tests.support.plugins import Boom, Key
from tests.support.programs import (
    FAILING,
    REFUSED,
    Ask,
    CallDisposer,
    Dispatch,
    Load,
    Plugin,
    Program,
    RootService,
    Step,
    Wait,
)
from tests.support.records import recording
from tests.support.registrations import REGISTRATIONS, Activation, Registration, unless_self
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

    registrations: ClassVar[dict[str, Registration]] = REGISTRATIONS
    """What plugins may register, by name."""
    inject: ClassVar[tuple[str, ...]] = ("timer",)
    """What every plugin requires."""
    expected: ClassVar[tuple[type[Exception], ...]] = (Boom, CoreError)
    """Errors that plugins and the runtime raise on purpose."""

    async def prepare(self) -> None:
        """Before anything is loaded."""

    async def picture(self) -> str:
        """What else must be equal at the end."""
        return ""

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
            inject=[*self.inject, *plugin.inject],
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
        task = self._start(lambda: self.dispatch(step.mode, target))
        if step.cancelled_after is not None:
            await self._cancel_after(task, step.cancelled_after)

    def dispatch(self, mode: str, target: Key | None) -> Awaitable[Any]:
        """Dispatch an event in a mode other than `emit`."""
        dispatch: Awaitable[Any] = getattr(self.rt.root, mode)("w" if mode == "waterfall" else "ev", target=target)
        return dispatch

    def _start(self, call: Callable[[], Awaitable[Any]]) -> asyncio.Task[Any]:
        self.tasks.append(asyncio.ensure_future(self.finish(call)))
        return self.tasks[-1]

    async def _cancel_after(self, task: asyncio.Task[Any], seconds: float) -> None:
        await asyncio.sleep(seconds)
        task.cancel()

    async def finish(self, call: Callable[[], Awaitable[Any]]) -> None:
        """Call and await it; errors that are expected are fine."""
        try:
            await call()
        except self.expected:
            pass
        except ExceptionGroup as group:
            if group.split(self.expected)[1] is not None:
                raise

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
            await self.finish(partial(fiber.update, 1))
            await fiber.restart()
        await asyncio.sleep(60)
        await self.rt.quiesce()


def execute(program: Program, new_world: Callable[[Runtime], World] = World) -> None:
    """Run the program between two snapshots, which must be equal, on a loop of its own."""
    gc.disable()  # so that one look at the youngest finds all that the program has left
    try:
        with asyncio.Runner(loop_factory=ClockLoop) as runner:
            runner.run(_run(program, new_world))
    finally:
        gc.enable()
        gc.collect(1)


async def _run(program: Program, new_world: Callable[[Runtime], World]) -> None:
    with recording("asyncio") as complaints, recording("workbench.core") as logged:
        async with Runtime() as rt:
            world = new_world(rt)
            async with asyncio.timeout(10_000):
                await world.prepare()
                await world.load_base(program.base)
                await world.tidy(Program(base=program.base))
                before = (rt.snapshot().decode(), await world.picture())
                for step in program.steps:
                    try:
                        await world.take(step)
                    except world.expected:
                        pass
                await asyncio.gather(*cancelled(world.tasks), return_exceptions=True)
                await world.tidy(program)
                after = (rt.snapshot().decode(), await world.picture())
            assert after == before
            assert rt.waiting() == []
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    gc.collect(0)
    assert left == []
    assert [v for activation in world.activations for v in activation.violations()] + world.violations == []
    assert complaints.messages == []
    errors = [record.exc_info[1] for record in logged.records if record.exc_info]
    assert [error for error in errors if not isinstance(error, world.expected)] == []


def cancelled(tasks: list[asyncio.Task[Any]]) -> Iterator[asyncio.Task[Any]]:
    for task in tasks:
        task.cancel()
        yield task
