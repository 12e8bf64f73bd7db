"""The world of the scenarios: a runtime with tools, prompt, timer, runner and toolset, and sessions that call."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.tool_calls import Caller, FakeAgent, Signal
from workbench.core import Fiber, Runtime
from workbench.dynamic.cards import Card, card_of
from workbench.dynamic.delivery import Announcement
from workbench.dynamic.events import NOTE, REQUEST_RESOLVED, REQUEST_RUN, STATE
from workbench.dynamic.package import Package
from workbench.dynamic.pages import Greeting
from workbench.dynamic.people import People
from workbench.dynamic.runner import PackageRunner, RunnerConfig
from workbench.dynamic.service import DynamicPackages
from workbench.dynamic.toolset import PackageTools
from workbench.prompt import AssembleContext, PromptConfig, SystemPrompt, render_prompt
from workbench.tools import ToolRegistry
from workbench.tools.calls import ToolResult

PATIENCE = 60
"""Seconds until a wait gives up: other suites may share the cores."""

H_REV = """name = "reverse"
inject = ["tools"]
async def reverse(args, call):
    return args["text"][::-1]
def show(args, value):
    return [{"type": "text", "text": value}]
def apply(ctx):
    ctx.tools.register(harness.define_tool(
        name="reverse_text", description="Reverse a text.",
        parameters={"text": {"type": "string", "required": True}},
        output={"schema": {"type": "string"}, "render": show}, execute=reverse))
"""
H_GREET = """name = "greeter"
class Greeter:
    def hi(self, who):
        return "hi " + who
def apply(ctx):
    ctx.provide("greeter", Greeter())
"""
H_HI = """name = "hi"
inject = ["greeter", "tools"]
def apply(ctx):
    print("applied")
    def greet(args, call):
        return ctx.greeter.hi(args["who"])
    ctx.tools.register(harness.define_tool(
        name="greet", description="Greet.", parameters={"who": {"type": "string", "required": True}},
        output={"schema": {"type": "string"}, "render": lambda args, value: [{"type": "text", "text": value}]},
        execute=greet))
"""
H_LOG = """def apply(ctx):
    ctx.on("tools/change", lambda: print("changed"))
"""
H_SEC = """inject = ["system_prompt"]
def apply(ctx):
    ctx.system_prompt.section("x:note", 1500, "NOTE")
"""
H_NOP = "def apply(ctx):\n    pass\n"
H_PING = """harness.handle("ping", lambda args: "pong")
def apply(ctx):
    pass
"""
B_OK = "return () => {}"
B_BAD = 'throw new Error("no seat")'
B_SYN = "return {"


def tool_source(body: str, *, name: str = "t", head: str = "", inject: str = '"tools"', schema: str = "{}") -> str:
    """A package with one tool, whose `execute` has this body."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f'''inject = [{inject}]
{head}
def apply(ctx):
    async def execute(args, call):
{chr(10).join("    " + line for line in lines.splitlines())}
    ctx.tools.register(harness.define_tool(
        name="{name}", description="A tool.", parameters={{}},
        output={{"schema": {schema}, "render": lambda args, value: [{{"type": "text", "text": str(value)}}]}},
        execute=execute))
'''


class PageDouble:
    """A page in memory: fetches, loads as it is told, and answers by itself unless `waits`."""

    def __init__(self, world: World, page_id: str, *, waits: bool = False, fails: bool = False) -> None:
        self.world = world
        self.id = page_id
        self.waits = waits
        self.fails = fails
        self.requests: list[Any] = []
        self.resolved: list[tuple[str, str]] = []
        self.announced: list[Announcement] = []
        self.fetched: list[str] = []
        self.loaded: dict[str, str] = {}
        """Run by package."""
        self.greeting: Greeting | None = None

    def request_made(self, notice: Any) -> None:
        self.requests.append(notice)

    def request_resolved(self, request: str, outcome: str) -> None:
        self.resolved.append((request, outcome))

    def announce(self, announcement: Announcement) -> None:
        self.announced.append(announcement)
        if not self.waits:
            asyncio.get_running_loop().call_soon(self.load, announcement)

    def load(self, announcement: Announcement) -> bool:
        pages = self.world.dynamic.pages
        if self.loaded.get(announcement.id) == announcement.run:
            return pages.acknowledge(self.id, announcement.id, announcement.run, "loaded")
        source = pages.fetch(self.id, announcement.id, announcement.run)
        self.fetched.append(source)
        if "throw" in source or self.fails:
            return pages.acknowledge(
                self.id, announcement.id, announcement.run, "failed", stage="evaluate", message="no seat"
            )
        self.loaded[announcement.id] = announcement.run
        return pages.acknowledge(self.id, announcement.id, announcement.run, "loaded")

    def retract(self, package_id: str, run: str) -> None:
        if self.loaded.get(package_id) == run:
            del self.loaded[package_id]

    async def call(self, package_id: str, method: str, args: Any = None, run: str = "") -> Any:
        package = self.world.dynamic.package(package_id)
        live = run or (package.run.id if package is not None and package.run is not None else "run-0")
        return await self.world.dynamic.pages.call(self.id, package_id, live, method, args)


@dataclass
class World:
    """One runtime."""

    rt: Runtime
    dynamic: DynamicPackages
    toolset: Fiber
    baseline: tuple[bytes, str] = (b"", "")
    notes: list[tuple[str, str]] = field(default_factory=list)
    states: list[tuple[str, str, str]] = field(default_factory=list)
    requested: list[Any] = field(default_factory=list)
    resolved: list[tuple[str, str]] = field(default_factory=list)
    _calls: Any = field(default_factory=lambda: itertools.count(1))

    @property
    def root(self) -> Any:
        return self.rt.root

    @property
    def people(self) -> People:
        return People(self.dynamic)

    async def call(self, session: str, tool: str, cancel: Signal | None = None, /, **arguments: Any) -> ToolResult:
        """One call through the real pipeline of that session."""
        caller = Caller(self.root, agent=FakeAgent(session), cancel=cancel or Signal())
        return await caller.one(tool, arguments, id=f"call-{next(self._calls)}")

    async def ok(self, session: str, tool: str, /, **arguments: Any) -> Any:
        """The value of a call that succeeds."""
        result = await self.call(session, tool, **arguments)
        assert result.error is None, result.error
        return result.value

    async def refused(self, session: str, tool: str, /, **arguments: Any) -> tuple[str, str]:
        """Reason and message of a call that is refused."""
        result = await self.call(session, tool, **arguments)
        assert result.error is not None, result.value
        return result.error.code, result.error.message

    async def define(self, code: str | None = None, session: str = "S1", **more: Any) -> str:
        given = {"name": "p", "purpose": "test"} | ({} if code is None else {"code": code}) | more
        return str((await self.ok(session, "cordis_define", **given))["id"])

    async def run(self, package_id: str, session: str = "S1", **more: Any) -> Any:
        return await self.ok(session, "cordis_run", id=package_id, **more)

    async def started(self, code: str, session: str = "S1", *, is_probed: bool = False, **more: Any) -> str:
        """`is_probed`: without the probe, for small budgets, which a busy machine may spend on a process."""
        package_id = await self.define(code, session, **more)
        self.package(package_id).newest.is_probed = is_probed
        await self.run(package_id, session)
        return package_id

    async def fails(self, code: str) -> str:
        """Define and run; the message of `host-half-failed`. Nothing is left of it but the definition."""
        package_id = await self.define(code)
        reason, message = await self.refused("S1", "cordis_run", id=package_id)
        assert reason == "host-half-failed", message
        assert self.state(package_id) == "failed"
        await self.check_clean()
        return message

    def running(self, session: str, tool: str, cancel: Signal | None = None, /, **arguments: Any) -> Any:
        """The same in a task."""
        return asyncio.create_task(self.call(session, tool, cancel, **arguments))

    async def asked(self, package_id: str, session: str = "S1", cancel: Signal | None = None) -> Any:
        """A run that waits for a person: its task."""
        task = self.running(session, "cordis_run", cancel, id=package_id)
        await self.until(lambda: any(each.package_id == package_id for each in self.dynamic.requests.pending()))
        return task

    def page(self, page_id: str, **how: Any) -> PageDouble:
        page = PageDouble(self, page_id, **how)
        page.greeting = self.dynamic.pages.open(page)
        return page

    def package(self, package_id: str) -> Package:
        found = self.dynamic.package(package_id)
        assert found is not None
        return found

    def state(self, package_id: str) -> str:
        return self.package(package_id).state

    def card(self, package_id: str) -> Card:
        return card_of(self.dynamic, self.package(package_id))

    def has_tool(self, name: str) -> bool:
        return self.root.tools.get(name) is not None

    def printed(self, package_id: str) -> list[str]:
        return [str(line) for line in self.card(package_id).output]

    async def until(self, fact: Callable[[], bool]) -> None:
        """Wait for a fact, with patience."""
        async with asyncio.timeout(PATIENCE):
            while not fact():
                await asyncio.sleep(0.001)

    async def prompt(self) -> str:
        return render_prompt(await self.root.system_prompt.assemble(AssembleContext()))

    async def tool_names(self) -> list[str]:
        return [tool.name for tool in (await self.root.system_prompt.assemble(AssembleContext())).tools]

    async def facts(self, *, definitions: bool = False) -> tuple[bytes, str]:
        """Snapshot and prompt; without the definitions unless they are wanted."""
        await self.rt.quiesce()
        snapshot = json.loads(self.rt.snapshot())
        if not definitions:
            snapshot["registries"]["dynamic"].pop("definitions")
            snapshot["registries"]["dynamic"].pop("pages")
        return json.dumps(snapshot, sort_keys=True).encode(), await self.prompt()

    async def check_clean(self, *, definitions: bool = False) -> None:
        """Everything is as it was at the start of the row, but for definitions."""
        if definitions:
            assert not self.dynamic.packages()
        assert await self.facts() == self.baseline


@asynccontextmanager
async def world(budget_ms: int = 5000) -> AsyncIterator[World]:
    """A fresh process, as far as ids go."""
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig(persona="You are it."))
        await rt.root.plugin(ToolRegistry)
        await rt.root.plugin(PackageRunner, RunnerConfig(budget_ms))
        toolset = await rt.root.plugin(PackageTools)
        made = World(rt, rt.root.dynamic, toolset)
        rt.root.on(NOTE, lambda *given: made.notes.append(given))
        rt.root.on(STATE, lambda *given: made.states.append(given))
        rt.root.on(REQUEST_RUN, made.requested.append)
        rt.root.on(REQUEST_RESOLVED, lambda *given: made.resolved.append(given))
        made.baseline = await made.facts()
        yield made
