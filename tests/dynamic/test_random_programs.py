"""Random programs: whatever is defined, run, answered, cancelled, tried and stopped in whatever order, the end is
the beginning, byte for byte; and nothing grows."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Awaitable, Callable, Iterator
from random import Random
from typing import Any

import pytest

from tests.dynamic.world import B_BAD, B_OK, H_GREET, H_HI, H_NOP, H_PING, H_REV, H_SEC, World, tool_source, world
from tests.support.tool_calls import Signal
from workbench.core import Fiber
from workbench.dynamic.package import Package
from workbench.dynamic.refusals import Refusal
from workbench.dynamic.run import Run
from workbench.dynamic.source.browser import is_available
from workbench.dynamic.start import Start

SLOW = """inject = ["timer", "system_prompt"]
async def apply(ctx):
    ctx.system_prompt.section("slow:a", 1500, "A")
    await ctx.timeout(0.003)
    ctx.system_prompt.section("slow:b", 1501, "B")
"""
STUBBORN = """inject = ["timer"]
async def apply(ctx):
    for i in range(3):
        try:
            await ctx.timeout(0.002)
        except Exception:
            pass
"""
LATE = 'inject = ["greeter"]\ndef apply(ctx):\n    raise ValueError("late")\n'
LISTENER = """async def pass_on(assembly, context, next):
    return await next()
def apply(ctx):
    ctx.on("system-prompt/assemble", pass_on)
    ctx.on("tools/change", lambda: 1 / 0)
"""
FAILING = [
    "1/0",
    H_REV + "    raise ValueError('boom')\n",
    "def apply(ctx):\n    ctx.root\n",
    "x = 1",
    LATE,
    'async def apply(ctx):\n    raise ValueError("later")\n',
]
SOUND = [
    H_NOP,
    H_REV,
    H_GREET,
    H_HI,
    H_SEC,
    H_PING,
    SLOW,
    STUBBORN,
    LISTENER,
    tool_source("return 1", name="other"),
]


class Program:
    """A random program of one world."""

    def __init__(self, w: World, seed: int, *, probes: bool) -> None:
        self.w = w
        self.random = Random(seed)
        self.probes = probes
        self.tasks: set[asyncio.Task[Any]] = set()
        self.cancels: list[Signal] = []
        self.pages = 0

    def start(self, work: Awaitable[Any]) -> None:
        async def quietly() -> None:
            try:
                await work
            except Refusal:
                return

        task = asyncio.create_task(quietly())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def some_id(self) -> str:
        packages = self.w.dynamic.packages()
        return self.random.choice(packages).id if packages else "dyn-0"

    async def define(self) -> None:
        code = self.random.choice([*SOUND, *SOUND, *FAILING])
        given: dict[str, Any] = {"code": code}
        if is_available() and self.random.random() < 0.2:
            given["client"] = self.random.choice([B_OK, B_OK, B_BAD])
        if self.random.random() < 0.3 and self.w.dynamic.packages():
            given["id"] = self.some_id()
        owner = self._owner(given.get("id"))
        result = await self.w.call(owner, "cordis_define", name="p", purpose="test", **given)
        package = None if result.error is not None else self.w.dynamic.package(result.value["id"])
        if package is not None and not self.probes:  # somebody may have undefined it meanwhile
            package.newest.is_probed = True

    def _owner(self, package_id: str | None = None) -> str:
        package = None if package_id is None else self.w.dynamic.package(package_id)
        return self.random.choice(["S1", "S2"]) if package is None else package.owner

    def call(self, tool: str) -> None:
        package_id = self.some_id()
        cancel = Signal()
        self.cancels.append(cancel)
        self.start(self.w.call(self._owner(package_id), tool, cancel, id=package_id))

    async def step(self) -> None:
        w, random = self.w, self.random
        pending = w.dynamic.requests.pending()
        match random.randrange(14):
            case 0 | 1 | 2:
                await self.define()
            case 3 | 4 | 5:
                self.call("cordis_run")
            case 6:
                self.call("cordis_stop")
            case 7:
                self.call("cordis_undefine")
            case 8:
                self.start(w.people.start(self.some_id()))
            case 9 if pending:
                w.dynamic.requests.answer(random.choice(pending).id, random.random() < 0.7, "", "test")
            case 10 if self.cancels:
                self.cancels.pop(random.randrange(len(self.cancels))).set()
            case 11 if self.pages < 3:
                self.pages += 1
                w.page(f"P{self.pages}", fails=random.random() < 0.3)
            case 11:
                w.dynamic.pages.close(f"P{self.pages}")
                self.pages -= 1
            case 12:
                self.start(w.people.what_if(self.some_id()))
            case 13:
                self.start(w.prompt())
            case _:
                await w.rt.quiesce()
        for _ in range(random.randrange(4)):
            await asyncio.sleep(0)
        if random.random() < 0.1:
            await asyncio.sleep(0.003)

    async def end(self) -> None:
        """Undefine everything, and let every call come to its end."""
        w = self.w
        for package in w.dynamic.packages():
            self.start(w.people.undefine(package.id))
        while self.tasks:
            await asyncio.wait(set(self.tasks))
            for package in w.dynamic.packages():
                self.start(w.people.undefine(package.id))
        for number in range(4):
            w.dynamic.pages.close(f"P{number}")
        await w.rt.quiesce()


async def one_program(seed: int, steps: int, *, probes: bool = False) -> None:
    async with world() as w:
        first = await w.facts(definitions=True)
        program = Program(w, seed, probes=probes)
        for _ in range(steps):
            await program.step()
        await program.end()
        assert await w.facts(definitions=True) == first, seed
        assert w.dynamic.trial is None
        assert w.rt.hold.owner is None
        assert not w.rt.hold.inside
        assert not w.dynamic.runs_by_fiber


@pytest.mark.parametrize("seed", range(10))
async def test_random_programs_end_where_they_began(seed: int) -> None:
    await one_program(seed, 40, probes=seed == 0)


@pytest.mark.deep
async def test_many_random_programs() -> None:
    for seed in range(1000, 1300):
        await one_program(seed, 60, probes=seed % 20 == 0)


async def one_round(w: World, random: Random, *, probes: bool) -> None:
    """Some packages that belong together, some that fail; all are stopped and forgotten."""
    ids = []
    for _ in range(random.randrange(1, 4)):
        package_id = await w.define(random.choice([*SOUND, *FAILING]))
        w.package(package_id).newest.is_probed = not probes
        ids.append(package_id)
        await w.call("S1", "cordis_run", id=package_id)
    if random.random() < 0.5:
        await w.prompt()
    random.shuffle(ids)
    for package_id in ids:
        if random.random() < 0.5:
            await w.call("S1", "cordis_stop", id=package_id)
            residue = w.card(package_id).residue
            assert residue is None or residue.is_clean, residue
        await w.ok("S1", "cordis_undefine", id=package_id)
    w.notes.clear()
    w.states.clear()


def live_objects() -> int:
    """How many things of ours exist."""
    gc.collect()
    return sum(isinstance(each, (Run, Package, Start, Fiber)) for each in gc.get_objects())


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def rounds(count: int, warm_up: int, look: Callable[[], Any], *, probe_every: int) -> tuple[Any, Any]:
    async with world() as w:
        first = await w.facts(definitions=True)
        random = Random(7)
        before = None
        for number in range(count):
            if number == warm_up:
                before = look()
            await one_round(w, random, probes=number % probe_every == 0)
        assert await w.facts(definitions=True) == first
        return before, look()


@pytest.fixture
def _unlogged() -> Iterator[None]:
    """Records of errors hold their tracebacks, and so what was running."""
    logger = logging.getLogger("workbench.core")
    logger.disabled = True
    yield
    logger.disabled = False


@pytest.mark.usefixtures("_unlogged")
async def test_rounds_leave_nothing() -> None:
    before, after = await rounds(60, 10, live_objects, probe_every=20)
    assert after <= before


@pytest.mark.deep
@pytest.mark.usefixtures("_unlogged")
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
async def test_a_thousand_rounds_leave_memory_flat() -> None:
    def look() -> tuple[int, int]:
        return live_objects(), resident_bytes()

    before, after = await rounds(1200, 200, look, probe_every=4)
    print(f"1,000 rounds: {before} -> {after}")
    assert after[0] <= before[0]
    assert after[1] <= before[1] * 1.02
