"""Rendering alone, in units of one compiled Jinja2 template over the same texts and variables.

    uv run python tests/benchmarks/bench_render.py

The template is one piece and would have to be compiled again whenever a section changes, which this run
leaves out. Both sides get other variable values at each call, so that no kept result can be given back.
"""

from __future__ import annotations

import asyncio
from itertools import cycle

import jinja2
from measure import HEADER, Ratio, Settings, compare, settings
from workload import SIZES, at_step, build, registry

from workbench.core import Runtime
from workbench.prompt import PromptAssembly, render_prompt

GOALS = {"small": 0.3, "typical": 0.4, "large": 0.7, "huge": 1.0}
STEPS = 64


async def compare_rendering(size: str, how: Settings) -> Ratio:
    workload = build(size)
    async with Runtime() as runtime:
        prompt = await registry(runtime, workload, listeners=False)
        # More assemblies than the loop renders would be no fairer: each has values of its own.
        assemblies = [await prompt.assemble(at_step(step)) for step in range(4 if how.quick else STEPS)]
        template = jinja2.Environment(autoescape=False).from_string("\n\n".join(workload.sections.values()))
        expected = render_prompt(assemblies[0])
        assert template.render(assemblies[0].variables) == expected, "the sides render different texts"
        ours, theirs = cycle(assemblies), cycle([dict(assembly.variables) for assembly in assemblies])

        def render_ours() -> str:
            assembly: PromptAssembly = next(ours)
            return render_prompt(assembly)

        return compare(render_ours, lambda: template.render(next(theirs)), how)


async def main() -> None:
    how = settings(__doc__ or "")
    print(HEADER)
    for size in ("small",) if how.quick else SIZES:
        print((await compare_rendering(size, how)).line(f"render {size}", GOALS[size]))


if __name__ == "__main__":
    asyncio.run(main())
