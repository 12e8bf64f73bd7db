"""What dynamic packages cost: a whole round, and assemblies with many of them; and what endless code costs others.

    uv run python tests/benchmarks/bench_dynamic.py

A round is define, run, stop, undefine. With the probe it is in units of `python -c pass`, without it in units of
loading the same code as a plain plugin. The assemblies are those of 200 packages in units of 200 plugins that
register the same. The last rows are endless loops at top level: seconds in units of the budget and one second, and
the longest time for which the event loop did not answer in units of 250 ms.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from types import SimpleNamespace
from typing import Any

from measure import HEADER, Settings, settings
from measure import compare_async as compare

from workbench.core import Runtime
from workbench.dynamic.arguments import Caller
from workbench.dynamic.refusals import Refusal
from workbench.dynamic.runner import PackageRunner, RunnerConfig
from workbench.dynamic.service import DynamicPackages
from workbench.prompt import PromptConfig, SystemPrompt, ToolSchema, render_prompt
from workbench.tools import ToolRegistry

ME = Caller("bench")
BUDGET_MS = 500
PACKAGE = """inject = ["tools", "system_prompt"]
async def body(args, call):
    return args["text"][::-1]
def show(args, value):
    return [{{"type": "text", "text": value}}]
def apply(ctx):
    ctx.system_prompt.section("x:note{n}", 1500, "A note of package {n}.")
    {variable}
    ctx.tools.register(harness.define_tool(
        name="tool_{n}", description="Reverse a text.",
        parameters={{"text": {{"type": "string", "required": True}}}},
        output={{"schema": {{"type": "string"}}, "render": show}}, execute=body))
"""
PLUGIN = """inject = ["tools", "system_prompt"]
async def body(args, run):
    return args["text"][::-1]
def apply(ctx):
    ctx.system_prompt.section("x:note{n}", 1500, "A note of package {n}.")
    {variable}
    ctx.tools.register(ToolSchema("tool_{n}", "Reverse a text.", {{
        "type": "object", "properties": {{"text": {{"type": "string"}}}}, "required": ["text"]}}), body)
"""
VARIABLE = 'ctx.system_prompt.variable("value{n}", lambda context: "v")'
"""A provider that does nothing: what one tick costs in each call of it."""
ENDLESS = {
    "while True: pass": "while True: pass",
    "a catch-all loop": "while True:\n    try:\n        x = 1\n    except Exception:\n        pass",
    "sum(range(10**12))": "x = sum(range(10**12))",
    "10**10**8": "x = 10**10**8",
}


@asynccontextmanager
async def runner(budget_ms: int = 5000) -> AsyncIterator[tuple[Runtime, DynamicPackages]]:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(persona="You are it."))
        await runtime.root.plugin(ToolRegistry)
        await runtime.root.plugin(PackageRunner, RunnerConfig(budget_ms))
        yield runtime, runtime.root.dynamic


async def round_of(dynamic: DynamicPackages, *, probes: bool) -> None:
    """Define, run, stop, undefine."""
    defined = dynamic.define(ME, {"name": "p", "purpose": "bench", "code": PACKAGE.format(n=1, variable="")})
    package_id = {"id": defined["id"]}
    package = dynamic.package(defined["id"])
    assert package is not None
    package.newest.is_probed = not probes
    await dynamic.run(ME, package_id)
    await dynamic.stop(ME, package_id)
    await dynamic.undefine(ME, package_id)


async def load_plugin(runtime: Runtime, n: int, variable: str = "") -> Any:
    """The same as a plain plugin: compiled, run and loaded."""
    module: dict[str, Any] = {"ToolSchema": ToolSchema}
    exec(compile(PLUGIN.format(n=n, variable=variable.format(n=n)), "plugin.py", "exec"), module)
    plugin = SimpleNamespace(name=f"p{n}", inject=module["inject"], apply=module["apply"])
    return await runtime.root.plugin(plugin)


async def python_pass() -> None:
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", "pass"], check=True)


async def rounds(how: Settings) -> None:
    async with runner() as (runtime, dynamic):

        async def plain() -> None:
            await (await load_plugin(runtime, 1)).dispose()

        row = await compare(lambda: round_of(dynamic, probes=True), python_pass, how)
        print(row.line("round, probe / python -c pass", 5.0))
        row = await compare(lambda: round_of(dynamic, probes=False), plain, how)
        print(row.line("round, no probe / plain plugin", 10.0))


async def assemblies(how: Settings, variable: str, label: str, goal: float | None) -> None:
    count = 20 if how.quick else 200
    async with runner() as (ours, dynamic), runner() as (theirs, _):
        for n in range(count):
            defined = dynamic.define(
                ME,
                {"name": f"p{n}", "purpose": "bench", "code": PACKAGE.format(n=n, variable=variable.format(n=n))},
            )
            package = dynamic.package(defined["id"])
            assert package is not None
            package.newest.is_probed = True
            await dynamic.run(ME, {"id": defined["id"]})
            await load_plugin(theirs, n, variable)

        async def step(runtime: Runtime) -> str:
            return render_prompt(await runtime.root.system_prompt.assemble())

        assert await step(ours) == await step(theirs)
        row = await compare(lambda: step(ours), lambda: step(theirs), how)
        print(row.line(f"assembly, {count} {label}", goal))


async def endless() -> None:
    for name, code in ENDLESS.items():
        async with runner(BUDGET_MS) as (_, dynamic):
            defined = dynamic.define(ME, {"name": "endless", "purpose": "bench", "code": code})
            gaps = [0.0]

            async def beat(gaps: list[float] = gaps) -> None:
                last = time.perf_counter()
                while True:
                    await asyncio.sleep(0.005)
                    now = time.perf_counter()
                    gaps.append(now - last)
                    last = now

            beating = asyncio.create_task(beat())
            started = time.perf_counter()
            with suppress(Refusal):
                await dynamic.run(ME, {"id": defined["id"]})
            seconds = time.perf_counter() - started
            beating.cancel()
            for label, ours, limit in (
                (f"end of {name}", seconds, BUDGET_MS / 1000 + 1),
                (f"gap of {name}", max(gaps), 0.25),
            ):
                verdict = "ok" if ours <= limit else "MISSED"
                print(f"{label:34}{ours * 1e6:12.1f}{limit * 1e6:12.1f}{ours / limit:9.3f}  goal 1.00 {verdict}")


async def main() -> None:
    how = settings(__doc__ or "")
    logging.disable(logging.CRITICAL)
    print(HEADER)
    await rounds(how)
    await assemblies(how, "", "packages / plugins", 1.2)
    await assemblies(how, VARIABLE, "with a provider each", 1.2)
    await endless()


if __name__ == "__main__":
    asyncio.run(main())
