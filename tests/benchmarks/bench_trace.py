"""What watching costs, and how the cost of a step grows with the prompt.

    uv run python tests/benchmarks/bench_trace.py

One step is assemble and render; the first rows are a watched runtime in units of an unwatched one, the
last one a huge prompt in units of a large one (ten times the sections, five times the tools).
"""

from __future__ import annotations

import asyncio
from itertools import count

from measure import HEADER, AsyncWork, settings
from measure import compare_async as compare
from workload import at_step, build, registry

from workbench.core import Runtime
from workbench.prompt import SystemPrompt, render_prompt

TRACE_GOAL = 3.0
GROWTH_GOAL = 13.0


def step_of(prompt: SystemPrompt) -> AsyncWork:
    """One model step with variable values of its own."""
    steps = count()

    async def step() -> str:
        return render_prompt(await prompt.assemble(at_step(next(steps))))

    return step


async def main() -> None:
    how = settings(__doc__ or "")
    print(HEADER)
    small, large = ("small", "typical") if how.quick else ("large", "huge")
    for size in (small,) if how.quick else ("small", "typical", "large"):
        async with Runtime() as watched, Runtime() as unwatched:
            workload = build(size)
            watched.watch(lambda kind, payload: None)
            ours, theirs = await registry(watched, workload), await registry(unwatched, workload)
            row = await compare(step_of(ours), step_of(theirs), how)
            print(row.line(f"step watched / unwatched, {size}", TRACE_GOAL))
    async with Runtime() as first, Runtime() as second:
        ours, theirs = await registry(first, build(large)), await registry(second, build(small))
        row = await compare(step_of(ours), step_of(theirs), how)
        print(row.line(f"step {large} / {small}", GROWTH_GOAL))


if __name__ == "__main__":
    asyncio.run(main())
